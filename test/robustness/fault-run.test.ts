/**
 * Fault run: one answer in five fails and tokens expire all the time; the result is the same as without faults.
 *
 * `npm test` takes 16 articles, with `BTG2GLTF_TEST_LONG=1` it is one answer in ten of 300.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandResult, LIVE } from '../helpers/command.ts';
import { countedRange } from '../helpers/counted-range.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { damagesOf, publishedFiles } from '../helpers/output-folder.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { createServiceFaults, SERVICE_FAULTS } from '../helpers/service-faults.ts';

const ARTICLES = IS_LONG ? 300 : 16;
const SEED = 6;
/** Fewer answers have all faults if more of them fail. */
const ONE_IN = IS_LONG ? 10 : 5;
const CALLS_OF_A_TOKEN = IS_LONG ? 200 : 40;

const SERVICE = {
  ...LIVE,
  // A stall is over soon. An answer fails several times in a row once in a thousand requests.
  timeoutMs: 1500,
  retries: 6,
  backoffMs: 20,
  // One who says "in a second" is asked again sooner.
  maxPauseMs: 100,
};

let runs: DailyRuns;

beforeAll(async () => {
  const size = { articles: ARTICLES, blocks: Math.ceil(ARTICLES / 5), images: ARTICLES };
  const range = countedRange({ ...size, manufacturers: 2 });
  runs = await openDailyRuns(range, {}, { validators: 'etag' });
});
afterAll(() => runs.close());

test('answers fail in one of eight ways and tokens expire: the result is the same', async () => {
  const clean = await runInto('clean');
  expect(clean.exit, clean.stderr).toBe(0);
  const faulty = await underFaults(() => runInto('faulty'), clean.requests);
  const files = await publishedFiles(clean.outputDir);
  expect([...files.keys()].filter((name) => name.startsWith('articles'))).toHaveLength(ARTICLES);
  // Both runs converted every article, so that the manifests agree to the byte.
  expect(await publishedFiles(faulty.outputDir)).toEqual(files);
});

test.runIf(IS_LONG)(
  'a run that revalidates everything under the same faults has the same result',
  async () => {
    const clean = await runInto('clean', 'revalidate');
    expect(clean.exit, clean.stderr).toBe(0);
    const faulty = await underFaults(() => runInto('faulty', 'revalidate'), clean.requests);
    expect(faulty.stdout).toContain('nothing has changed');
    expect(await publishedFiles(faulty.outputDir)).toEqual(await publishedFiles(clean.outputDir));
  },
);

/** Runs while the service answers with faults. */
async function underFaults(
  run: () => Promise<FaultyRun>,
  requestsOfClean: number,
): Promise<FaultyRun> {
  const faults = createServiceFaults(SEED, ONE_IN);
  let calls = 0;
  runs.proxy.disturb((url) => {
    if (++calls % CALLS_OF_A_TOKEN === 0) runs.emulator.expireTokens();
    return faults.choose(url);
  });
  const result = await run();
  runs.proxy.mend();
  console.info(
    `fault run: ${requestsOfClean} requests clean, ${result.requests} with faults:`,
    Object.fromEntries(faults.happened),
  );
  expect(result.exit, result.stderr).toBe(0);
  for (const name of SERVICE_FAULTS) expect(faults.happened.get(name), name).toBeGreaterThan(0);
  expect(await damagesOf(result.outputDir)).toEqual([]);
  expect(result.requests).toBeLessThan(3 * requestsOfClean);
  return result;
}

interface FaultyRun extends CommandResult {
  outputDir: string;
  /** Requests sent, whatever became of them. */
  requests: number;
}

async function runInto(name: string, freshness = 'convertdate'): Promise<FaultyRun> {
  const places = { output: { dir: name }, cache: { dir: `${name}-cache` } };
  await runs.configure({ service: SERVICE, freshness, ...places });
  const { seen } = runs.proxy;
  const before = seen.length;
  const result = await runs.call(['run', runs.pipelineFile]);
  return { ...result, outputDir: join(runs.folder, name), requests: seen.length - before };
}
