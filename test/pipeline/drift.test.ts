/**
 * Drift: responses that differ from the specification are reported, and fail nothing by themselves.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import type { RunReport } from '../../src/report/run-report.ts';
import { listFolder } from '../../src/support/files.ts';
import { readManifest } from '../../src/write/manifest.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { smallRange } from '../helpers/small-range.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const PRICE = {
  operation: 'getArticle',
  field: 'article.ocd.price',
  expected: 'a finite number',
};
const LIVE = {
  authUrl: '${BTG2GLTF_AUTH_URL}',
  baseUrl: '${BTG2GLTF_BASE_URL}',
  backoffMs: 1,
};

let folder: string;
let emulator: Emulator;
let env: Record<string, string>;
beforeAll(async () => {
  folder = await temporaryFolder();
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
  emulator = await startEmulator({ range });
  env = {
    BTG2GLTF_AUTH_URL: emulator.authUrl,
    BTG2GLTF_BASE_URL: emulator.baseUrl,
    BTG2GLTF_USERNAME: emulator.username,
    BTG2GLTF_PASSWORD: emulator.password,
    BTG2GLTF_APP_KEY: emulator.appKey,
  };
});
afterAll(async () => {
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});

async function driftOf(outputDir: string): Promise<RunReport['drift'][number][]> {
  const runs = await listFolder(join(outputDir, 'runs'));
  const text = await readFile(join(outputDir, 'runs', runs.at(-1)!, 'report.json'), 'utf8');
  return (JSON.parse(text) as { drift: RunReport['drift'][number][] }).drift;
}

const isPrice = ({ field }: RunReport['drift'][number]) => field === PRICE.field;

test('of a live service is in the report and in one line of the summary', async () => {
  const file = await writePipeline(folder, { service: LIVE });
  const run = await command(['run', file], { env });
  expect(run.exit).toBe(1);
  expect((await driftOf(join(folder, 'out'))).filter(isPrice)).toEqual([
    { ...PRICE, found: 'an array of 1', count: 1 },
    { ...PRICE, found: 'string "12,50"', count: 2 },
  ]);
  expect(run.stdout.match(/^ {2}Drift .*$/gm)).toHaveLength(1);
});

test('fails nothing that is not needed, and what is no article fails with its own sentence', async () => {
  const lines = await readManifest(join(folder, 'out'));
  const invalid = [undefined, undefined, undefined, 'RESPONSE_INVALID'];
  expect(lines.map(({ error }) => error?.code)).toEqual(invalid);
  expect(lines[3]!.error!.message).toContain('article.ocd: expected an object');
});

test('of a recording is the same', async () => {
  const recording = join(folder, 'recording');
  const file = await writePipeline(folder, { service: LIVE });
  const recorded = await command(['record', file, '--to', recording], { env });
  expect(recorded.stdout).toMatch(/^ {2}Drift /m);
  const replay = await writePipeline(folder, { service: { recording } });
  const out = join(folder, 'replayed');
  await command(['run', replay, '--output', out]);
  expect(await driftOf(out)).toEqual(await driftOf(join(folder, 'out')));
});
