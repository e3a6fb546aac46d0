import { expect, test } from 'vitest';
import { reportHtml } from '../../../src/report/html.ts';
import { mixedReport, reportedLine, reportOf } from '../../helpers/reports.ts';

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
    'These are the first 1,000 of 50,000 rows; see manifest.jsonl for all of them.',
  );
});
