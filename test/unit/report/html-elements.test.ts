import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeText, html, outputLink } from '../../../src/report/html-elements.ts';
import { HOSTILE } from '../../helpers/reports.ts';

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
