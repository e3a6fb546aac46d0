/**
 * Fault run: one answer in ten fails, tokens die all the time, and nobody would know from the result.
 *
 * `npm test` takes 30 articles, with `BTG2GLTF_TEST_LONG=1` it is 300.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { type CommandResult, command, temporaryFolder, writePipeline } from '../helpers/command.ts';
import { countedRange } from '../helpers/counted-range.ts';
import { type FaultProxy, startFaultProxy } from '../helpers/fault-proxy.ts';
import { damagesOf, publishedFiles } from '../helpers/output-folder.ts';
import { createServiceFaults, SERVICE_FAULTS } from '../helpers/service-faults.ts';

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
  const range = countedRange({ ...size, manufacturers: 2 });
  emulator = await startEmulator({ range, validators: 'etag' });
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
  expect(clean.exit, clean.stderr).toBe(0);
  const faulty = await underFaults(() => runInto('faulty'), clean.requests);
  const files = await publishedFiles(clean.outputDir);
  expect([...files.keys()].filter((name) => name.startsWith('articles'))).toHaveLength(ARTICLES);
  // Both runs converted every article, so that the manifests agree to the byte.
  expect(await publishedFiles(faulty.outputDir)).toEqual(files);
});

test('so it is on a night that asks whether everything is still as it was', {
  timeout: LIMIT_MS,
}, async () => {
  const clean = await runInto('clean', 'revalidate');
  expect(clean.exit, clean.stderr).toBe(0);
  const faulty = await underFaults(() => runInto('faulty', 'revalidate'), clean.requests);
  expect(faulty.stdout).toContain('nothing has changed');
  expect(await publishedFiles(faulty.outputDir)).toEqual(await publishedFiles(clean.outputDir));
});

/** Runs while the service does all that it does at night. */
async function underFaults(run: () => Promise<Night>, requestsOfClean: number): Promise<Night> {
  const faults = createServiceFaults(SEED, ONE_IN);
  let calls = 0;
  proxy.disturb((url) => {
    if (++calls % CALLS_OF_A_TOKEN === 0) emulator.expireTokens();
    return faults.choose(url);
  });
  const night = await run();
  proxy.mend();
  console.info(
    `fault run: ${requestsOfClean} requests clean, ${night.requests} with faults:`,
    Object.fromEntries(faults.happened),
  );
  expect(night.exit, night.stderr).toBe(0);
  for (const name of SERVICE_FAULTS) expect(faults.happened.get(name), name).toBeGreaterThan(0);
  expect(await damagesOf(night.outputDir)).toEqual([]);
  expect(night.requests).toBeLessThan(2 * requestsOfClean);
  return night;
}

interface Night extends CommandResult {
  outputDir: string;
  /** Requests sent, whatever became of them. */
  requests: number;
}

async function runInto(name: string, freshness = 'convertdate'): Promise<Night> {
  const places = { output: { dir: name }, cache: { dir: `${name}-cache` } };
  const file = await writePipeline(folder, { service: SERVICE, freshness, ...places });
  const before = proxy.seen.length;
  const result = await command(['run', file], { env: proxy.env });
  return { ...result, outputDir: join(folder, name), requests: proxy.seen.length - before };
}
