/**
 * Fault run: one answer in ten fails, tokens die all the time, and nobody would know from the result.
 *
 * `npm test` takes 30 articles, with `BTG2GLTF_TEST_LONG=1` it is 300.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { command, temporaryFolder, writePipeline } from '../helpers/command.ts';
import { EIGHT_FAULTS, eightFaults } from '../helpers/eight-faults.ts';
import { type FaultProxy, startFaultProxy } from '../helpers/fault-proxy.ts';
import { nightRange } from '../helpers/night-range.ts';
import { damagesOf, publishedFiles } from '../helpers/output-folder.ts';

const IS_LONG = process.env.BTG2GLTF_TEST_LONG === '1';
const ARTICLES = IS_LONG ? 300 : 30;
const SEED = 6;
const ONE_IN = 10;
const CALLS_OF_A_TOKEN = IS_LONG ? 200 : 40;
const LIMIT_MS = IS_LONG ? 300_000 : 60_000;

const SERVICE = {
  authUrl: '${BTG2GLTF_AUTH_URL}',
  baseUrl: '${BTG2GLTF_BASE_URL}',
  // A stall is over soon. One in ten, several times in a row, happens to one of a thousand requests.
  timeoutMs: 1500,
  retries: 6,
  backoffMs: 20,
};

let folder: string;
let emulator: Emulator;
let proxy: FaultProxy;

beforeAll(async () => {
  folder = await temporaryFolder();
  const size = { articles: ARTICLES, blocks: ARTICLES / 5, images: ARTICLES / 2 };
  emulator = await startEmulator({ range: nightRange({ ...size, manufacturers: 2 }) });
  proxy = await startFaultProxy(emulator);
});
afterAll(async () => {
  await proxy.close();
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});

test('one answer in ten fails in one of eight ways and tokens die: the result is the same', {
  timeout: LIMIT_MS,
}, async () => {
  const clean = await runInto('clean');
  expect(clean.exit).toBe(0);
  const faults = eightFaults(SEED, ONE_IN);
  let calls = 0;
  proxy.disturb((url) => {
    if (++calls % CALLS_OF_A_TOKEN === 0) emulator.expireTokens();
    return faults.choose(url);
  });
  const faulty = await runInto('faulty');
  proxy.mend();
  const failed = [...faults.happened.values()].reduce((sum, times) => sum + times, 0);
  console.info(
    `fault run: ${clean.requests} requests clean, ${faulty.requests} with ${failed} faults:`,
    Object.fromEntries(faults.happened),
  );

  expect(faulty.exit, faulty.stderr).toBe(0);
  for (const name of EIGHT_FAULTS) expect(faults.happened.get(name), name).toBeGreaterThan(0);
  expect(await damagesOf(faulty.outputDir)).toEqual([]);
  const files = await publishedFiles(clean.outputDir);
  expect([...files.keys()].filter((name) => name.startsWith('articles'))).toHaveLength(ARTICLES);
  // Both runs converted every article, so that the manifests agree to the byte.
  expect(await publishedFiles(faulty.outputDir)).toEqual(files);
  expect(faulty.requests).toBeLessThan(2 * clean.requests);
});

async function runInto(name: string) {
  const outputDir = join(folder, name);
  const places = { output: { dir: name }, cache: { dir: `${name}-cache` } };
  const file = await writePipeline(folder, { service: SERVICE, ...places });
  const before = proxy.seen.length;
  const { exit, stderr } = await command(['run', file], { env: proxy.env });
  return { exit, stderr, outputDir, requests: proxy.seen.length - before };
}
