import { expect, test } from 'vitest';
import { reportHtml, reportHtmlWithPictures } from '../../../../src/run/report/html.ts';
import { mixedReport, reportedLine, reportOf, WORKERS } from '../../../helpers/reports.ts';

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
  expect(reportHtml(mixedReport(100))).toBe(reportHtml(mixedReport(100)));
});

/** The texts of a section, without what is not shown. */
function textOf(page: string, section: string): string {
  const [text = ''] =
    new RegExp(
      `<section[^>]* (?:id|aria-labelledby)="${section}(?:-title)?".*?</section>`,
      's',
    ).exec(page) ?? [];
  return text
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

test('a label of a configuration has the name of the article beside it', () => {
  const of = { article: 'ACME/DESK/OLD', before: 1, now: 0, message: 'no longer selected' };
  const warning = { code: 'BLOCK_UNLISTED', message: 'x' } as const;
  const error = { code: 'BLOCK_INVALID', message: 'no' };
  const lines = [
    reportedLine('D1', { warnings: [warning], change: 'new' }),
    reportedLine('D2', { status: 'failed', error }),
  ];
  const report = reportOf(lines, {}, [reportedLine('OLD')]);
  const [added, removed] = [report.changes.new.rows[0]!, report.changes.removed.rows[0]!];
  added.name = 'Desk, oak';
  removed.name = 'Chest, five drawers';
  report.failures[0]!.name = 'Lamp';
  report.gates = {
    ...{ refused: false, accepted: false, count: 1 },
    byGate: { articlesGone: { warn: 1, refuse: 0 } },
    findings: [{ gate: 'articlesGone', action: 'warn', ...of }],
  };
  const page = reportHtml(report);
  expect(textOf(page, 'gates')).toContain('ACME/DESK/OLD Chest, five drawers');
  expect(textOf(page, 'warnings')).toContain('ACME/DESK/D1 Desk, oak');
  expect(textOf(page, 'causes')).toContain('ACME/DESK/D2 Lamp');
});

test('figures that are zero in every run, and columns that are always 1, are left out', () => {
  const line = (number: string) =>
    reportedLine(number, { sha256: number, bytes: 2000, triangles: 12, ms: 3 });
  const quiet = reportHtml(reportOf([line('D1'), line('D2')]));
  expect(textOf(quiet, 'totals')).toBe('Totals GLB files 2 4.0 kB Triangles 24');
  expect(textOf(quiet, 'largest')).not.toContain('Shared by');
  // Nothing is slow.
  expect(quiet).not.toContain('id="slowest"');
  const shared = reportHtml(reportOf([line('D1'), { ...line('D2'), sha256: 'D1', ms: 900 }]));
  expect(textOf(shared, 'largest')).toContain('Shared by');
  expect(textOf(shared, 'slowest')).toContain('900 ms');
  expect(textOf(shared, 'totals')).toContain('Saved by deduplication 2.0 kB 1 file');
});

test('a first run has nothing to compare with, and one that could not select has no figures', () => {
  const first = reportOf([reportedLine('D1', { change: 'new' })]);
  expect(textOf(reportHtml(first), 'changed')).toContain('This run 1 configuration of 1 article');
  const later = { ...first, previousRun: '2026-11-20T02-00-00.000Z' };
  expect(textOf(reportHtml(later), 'changed')).toContain('Since the last publication');
  const stopped = reportHtml(reportOf([], { ended: 'stopped', published: false }));
  expect(stopped).not.toContain('changed-title');
  expect(stopped).not.toContain('totals-title');
});

test('the reason of a refusal is stated once', () => {
  const stop = { code: 'GATE_REFUSED', message: '56 of 66 are gone', help: 'read the report' };
  const page = reportHtml(reportOf([reportedLine('D1')], { stop, published: false }));
  expect(page.split('56 of 66 are gone')).toHaveLength(2);
  expect(page).toContain('What was published before stays as it was.');
});

test('2,000 configurations that all changed make no page beyond 3 MB, and it says where the others are', () => {
  const lines = Array.from({ length: 2_000 }, (_, i) =>
    reportedLine(`D${i}`, {
      ...{ change: 'changed', status: 'converted', glb: `articles/ACME/DESK/D${i}/x.glb` },
      ...{ sha256: `${i}`, bytes: i, triangles: i, ms: i },
    }),
  );
  const report = reportOf(lines);
  expect(report.changes.changed).toMatchObject({ count: 2_000 });
  expect(report.changes.changed.rows).toHaveLength(1000);
  expect(report.slowest.map(({ ms }) => ms).slice(0, 2)).toEqual([1_999, 1_998]);
  const page = reportHtml(report);
  expect(page.length).toBeLessThan(3e6);
  expect(page).toContain(
    'These are the first 1,000 of 2,000 rows; see changes.jsonl for all of them.',
  );
});

test('the column of the articles says that a size is that of the model, and in which order', () => {
  const error = { code: 'BLOCK_INVALID', message: 'no' };
  const report = reportOf([reportedLine('D1', { status: 'failed', error })]);
  report.failures[0]!.sizeMillimetres = { width: 1600, depth: 802, height: 740 };
  const text = textOf(reportHtml(report), 'failures');
  expect(text).toMatch(/Article \(width × depth × height of the model\).*1,600 × 802 × 740 mm/);
});

const large = mixedReport(4000);
test.each([1, 20, 60])('%i pictures leave the page smaller than 2 MB', (count) => {
  const [row] = large.changes.changed.rows;
  const picture = { now: new Uint8Array(60_000), before: new Uint8Array(60_000) };
  const one = { kind: 'changed', row: row!, ...picture, width: 360, height: 360 } as const;
  const page = reportHtmlWithPictures(large, Array(count).fill(one));
  expect(Buffer.byteLength(page)).toBeLessThan(2_000_000);
  const shown = page.match(/<div class="compare">/g)?.length ?? 0;
  expect(shown).toBeGreaterThan(0);
  expect(shown).toBeLessThanOrEqual(count);
  expect(textOf(page, 'pictures')).toContain(`Pictures ${shown} of `);
});

test('a run with workers has a table of them, and one without has none', () => {
  const report = reportOf([reportedLine('D1')]);
  const page = reportHtml({ ...report, workers: WORKERS });
  expect(textOf(page, 'workers')).toMatch(/host-b-11-abc lost 3 600 2 1,200 300\.0 MB/);
  expect(page).toContain('<span class="tag bad">lost</span>');
  expect(reportHtml(report)).not.toContain('workers-title');
});
