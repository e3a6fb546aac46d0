import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reportHtml } from '../../../src/report/html.ts';
import { escapeText, html, outputLink } from '../../../src/report/html-text.ts';
import { HOSTILE, mixedReport, reportedLine, reportOf } from '../../helpers/reports.ts';

test('values of a template are texts, its own words are HTML', () => {
  const inner = html`<i>${'a < b'}</i>`;
  expect(html`<p title="${'"x"'}">${inner}${[1, ' & ', undefined]}</p>`.html).toBe(
    '<p title="&quot;x&quot;"><i>a &lt; b</i>1 &amp; </p>',
  );
});

test('no text leaves its place, and none is invisible', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...HOSTILE)), (text) => {
      const escaped = escapeText(text);
      expect(escaped).not.toMatch(
        /[<>"'`]|[^\P{Cc}\n\t]|\p{Cs}|[\u202A-\u202E\u2066-\u2069\u200B]/u,
      );
      expect(escaped.replace(/&(amp|lt|gt|quot|#39|#96);/g, '')).not.toContain('&');
    }),
    { seed: 6, numRuns: 500 },
  );
});

test.each([
  ['articles/ACME/DESK/D1/x.glb', '../../articles/ACME/DESK/D1/x.glb'],
  ['articles/A%20B/ä#?.glb', '../../articles/A%2520B/%C3%A4%23%3F.glb'],
  ['../../etc/passwd', '../../etc/passwd'],
  ['/etc/passwd', '../../etc/passwd'],
  ['javascript:alert(1)', '../../javascript%3Aalert(1)'],
  ['//evil.example/x', '../../evil.example/x'],
])('the link to %s stays below the output folder', (path, link) => {
  expect(outputLink(path)).toBe(link);
  const below = new URL('file:///srv/out/runs/now/report.html');
  expect(new URL(link, below).href).toMatch(/^file:\/\/\/srv\/out\//);
});

test('the page needs nothing but itself', () => {
  const page = reportHtml(mixedReport(300));
  expect(page).toContain('default-src &#39;none&#39;; style-src &#39;sha256-');
  expect(page.match(/<script/g)).toHaveLength(1);
  expect(page.match(/<style/g)).toHaveLength(1);
  // An address of the service is a text; nothing is loaded from anywhere.
  expect(page).not.toMatch(
    /(src|srcset|action|data|poster)="|@import|url\(|href="(?:https?:|\/\/)/,
  );
  expect(page).not.toMatch(/<[^>]+\s(style|on\w+)=/);
});

test('the same report gives the same page', () => {
  expect(reportHtml(mixedReport(300))).toBe(reportHtml(mixedReport(300)));
});

test('50,000 configurations that all changed make no page beyond 3 MB, and it says where the others are', () => {
  const lines = Array.from({ length: 50_000 }, (_, i) =>
    reportedLine(`D${i}`, {
      change: 'changed',
      status: 'converted',
      glb: `articles/ACME/DESK/D${i}/x.glb`,
      sha256: `${i}`,
      bytes: i,
      triangles: i,
      ms: i,
    }),
  );
  const report = reportOf(lines);
  expect(report.changes.changed).toMatchObject({ count: 50_000 });
  expect(report.changes.changed.rows).toHaveLength(1000);
  expect(report.slowest.map(({ ms }) => ms).slice(0, 2)).toEqual([49_999, 49_998]);
  const page = reportHtml(report);
  expect(page.length).toBeLessThan(3e6);
  expect(page).toContain(
    'These are the first 1,000 of 50,000 rows; all of them stand in manifest.jsonl.',
  );
});
