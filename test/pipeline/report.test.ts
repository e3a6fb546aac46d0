/**
 * The report of a run: what became of the geometry that it looked at.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readManifest } from '../../src/run/output/manifest.ts';
import type { RunReport } from '../../src/run/report/run-report.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { smallRange } from '../helpers/small-range.ts';

/** Two triangles, of which one has a corner twice. */
const WITH_A_FLAT_TRIANGLE = JSON.stringify({
  ...{ N: 'ACME::DESK::TOP', P: [0, 0, 0], R: [0, 0, 0], V: [0, 0, 0, 1, 0, 0, 0, 1, 0], T: [] },
  A: [{ F: [0, 1, 2, 0, 1, 1], TI: [], C: false }],
});

const NAMED = {
  ...{ id: 'D1', finalarticlenumber: 'D1-STD', reinitstring: 'D1;F=STD::' },
  shorttext: 'Desk made to measure',
};

let runs: DailyRuns;
/** The reports of two runs. */
let first: RunReport;
let second: RunReport;

beforeAll(async () => {
  const range = smallRange([
    { number: 'D1', blocks: ['ACME::DESK::TOP'], article: { ocd: NAMED } },
    { number: 'D2', blocks: ['ACME::DESK::TOP', 'ACME::DESK::LEG'] },
  ]);
  range.bodies.set('ACME::DESK::TOP', WITH_A_FLAT_TRIANGLE);
  runs = await openDailyRuns(range);
  await runs.run('2026-01-01');
  first = await runs.report();
  await runs.run('2026-01-02');
  second = await runs.report();
});
afterAll(() => runs.close());

test('sums what the geometry lost or changed, of what was looked at', async () => {
  const looked = { configurations: 2, droppedTriangles: 2, droppedLayers: 0 };
  expect(first.geometry).toMatchObject(looked);
  expect(second.geometry).toMatchObject({ configurations: 0, droppedTriangles: 0 });
  const lines = await readManifest(runs.outputDir);
  expect(lines.map(({ status }) => status)).toEqual(['unchanged', 'unchanged']);
  expect(lines.every((line) => !('counts' in line))).toBe(true);
});

test('rows have the name of the article and its size, in later runs too', async () => {
  const [line] = await readManifest(runs.outputDir);
  const { min, max } = line!.boundsMetres!;
  const described = {
    name: 'Desk made to measure',
    sizeMillimetres: {
      width: Math.round((max[0] - min[0]) * 1000),
      depth: Math.round((max[2] - min[2]) * 1000),
      height: Math.round((max[1] - min[1]) * 1000),
    },
  };
  expect(first.changes.new.rows[0]).toMatchObject({ basearticlenumber: 'D1', ...described });
  const ofD1 = second.largest.find(({ basearticlenumber }) => basearticlenumber === 'D1');
  expect(ofD1).toMatchObject(described);
  const page = await readFile(join(runs.outputDir, 'runs', 'latest', 'report.html'), 'utf8');
  expect(page).toMatch(/<bdi>Desk made to measure<\/bdi> <span class="size">1,000 × \S+ × \S+ mm</);
});
