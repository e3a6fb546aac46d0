/**
 * The report of a run: what became of the geometry that it looked at.
 */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import type { RunReport } from '../../src/report/run-report.ts';
import { readManifest } from '../../src/write/manifest.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { smallRange } from '../helpers/small-range.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

/** Two triangles, of which one has a corner twice. */
const WITH_A_FLAT_TRIANGLE = JSON.stringify({
  ...{ N: 'ACME::DESK::TOP', P: [0, 0, 0], R: [0, 0, 0], V: [0, 0, 0, 1, 0, 0, 0, 1, 0], T: [] },
  A: [{ F: [0, 1, 2, 0, 1, 1], TI: [], C: false }],
});

const NAMED = {
  ...{ id: 'D1', finalarticlenumber: 'D1-STD', reinitstring: 'D1;F=STD::' },
  shorttext: 'Desk made to measure',
};

let folder: string;
let emulator: Emulator;
let file: string;
const run = () => {
  const env = {
    BTG2GLTF_AUTH_URL: emulator.authUrl,
    BTG2GLTF_BASE_URL: emulator.baseUrl,
    BTG2GLTF_USERNAME: emulator.username,
    BTG2GLTF_PASSWORD: emulator.password,
  };
  return command(['run', file], { env });
};
const reports = async (): Promise<RunReport[]> => {
  const runs = join(folder, 'out', 'runs');
  const names = (await readdir(runs)).sort();
  const texts = names.map((name) => readFile(join(runs, name, 'report.json'), 'utf8'));
  return (await Promise.all(texts)).map((text) => JSON.parse(text) as RunReport);
};

beforeEach(async () => {
  folder = await temporaryFolder();
  const range = smallRange([
    { number: 'D1', blocks: ['ACME::DESK::TOP'], article: { ocd: NAMED } },
    { number: 'D2', blocks: ['ACME::DESK::TOP', 'ACME::DESK::LEG'] },
  ]);
  range.bodies.set('ACME::DESK::TOP', WITH_A_FLAT_TRIANGLE);
  emulator = await startEmulator({ range });
  const service = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };
  file = await writePipeline(folder, { service });
});
afterEach(async () => {
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});

test('sums what the geometry lost or changed, of what was looked at', async () => {
  await run();
  await run();
  const [first, second] = (await reports()).map(({ geometry }) => geometry);
  expect(first).toMatchObject({ configurations: 2, droppedTriangles: 2, droppedLayers: 0 });
  expect(second).toMatchObject({ configurations: 0, droppedTriangles: 0 });
  const lines = await readManifest(join(folder, 'out'));
  expect(lines.map(({ status }) => status)).toEqual(['unchanged', 'unchanged']);
  expect(lines.every((line) => !('counts' in line))).toBe(true);
});

test('rows have the name of the article and its size, in later runs too', async () => {
  await run();
  await run();
  const [first, second] = await reports();
  const [line] = await readManifest(join(folder, 'out'));
  const { min, max } = line!.boundsMetres!;
  const described = {
    name: 'Desk made to measure',
    sizeMillimetres: {
      width: Math.round((max[0] - min[0]) * 1000),
      depth: Math.round((max[2] - min[2]) * 1000),
      height: Math.round((max[1] - min[1]) * 1000),
    },
  };
  expect(first!.changes.new.rows[0]).toMatchObject({ basearticlenumber: 'D1', ...described });
  const ofD1 = second!.largest.find(({ basearticlenumber }) => basearticlenumber === 'D1');
  expect(ofD1).toMatchObject(described);
  const page = await readFile(join(folder, 'out', 'runs', 'latest', 'report.html'), 'utf8');
  expect(page).toMatch(/<bdi>Desk made to measure<\/bdi> <span class="size">1,000 × \S+ × \S+ mm</);
});
