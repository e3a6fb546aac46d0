/**
 * Drift: responses that differ from the specification are reported, and fail nothing by themselves.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readManifest } from '../../src/run/output/manifest.ts';
import type { RunReport } from '../../src/run/report/run-report.ts';
import { type DailyRuns, lastReport, openDailyRuns } from '../helpers/daily-runs.ts';
import { smallRange } from '../helpers/small-range.ts';

const PRICE = {
  operation: 'getArticle',
  field: 'article.ocd.price',
  expected: 'a finite number',
};

let runs: DailyRuns;
beforeAll(async () => {
  const ocd = (number: string, price: unknown) => {
    const finalarticlenumber = `${number}-STD`;
    return { id: number, finalarticlenumber, reinitstring: `${number}::`, price };
  };
  const range = smallRange([
    { number: 'D1', blocks: ['ACME::DESK::X'], article: { ocd: ocd('D1', '12,50') } },
    { number: 'D2', blocks: ['ACME::DESK::X'], article: { ocd: ocd('D2', '9') } },
    { number: 'D3', blocks: ['ACME::DESK::X'], article: { ocd: ocd('D3', ['many']) } },
    { number: 'D4', blocks: ['ACME::DESK::X'], article: { ocd: null, result: [ocd('D4', 1)] } },
  ]);
  runs = await openDailyRuns(range);
});
afterAll(() => runs.close());

const isPrice = ({ field }: RunReport['drift'][number]) => field === PRICE.field;

test('of a live service is in the report and in one line of the summary', async () => {
  const { exit, stdout } = await runs.run('2026-01-01');
  expect(exit).toBe(1);
  expect((await runs.report()).drift.filter(isPrice)).toEqual([
    { ...PRICE, found: 'an array of 1', count: 1 },
    { ...PRICE, found: 'string "12,50"', count: 2 },
  ]);
  expect(stdout.match(/^ {2}Drift .*$/gm)).toHaveLength(1);
});

test('fails nothing that is not needed, and what is no article fails with its own sentence', async () => {
  const lines = await readManifest(runs.outputDir);
  const invalid = [undefined, undefined, undefined, 'RESPONSE_INVALID'];
  expect(lines.map(({ error }) => error?.code)).toEqual(invalid);
  expect(lines[3]!.error!.message).toContain('article.ocd: expected an object');
});

test('of a recording is the same', async () => {
  const recording = join(runs.folder, 'recording');
  const recorded = await runs.command('record', '2026-01-02', '--to', recording);
  expect(recorded.stdout).toMatch(/^ {2}Drift /m);
  const { drift } = await runs.report();
  await runs.configure({ service: { recording } });
  const replayed = join(runs.folder, 'replayed');
  await runs.run('2026-01-03', '--output', replayed);
  expect((await lastReport(replayed)).drift).toEqual(drift);
});
