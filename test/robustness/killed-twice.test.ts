/**
 * Killed twice: what was in work in two runs that were killed is quarantined by name, and nothing else is.
 *
 * `BTG2GLTF_TEST_LONG=1` adds `fetch` and `record`, the top of the catalogue, and interruptions.
 */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readManifest } from '../../src/run/output/manifest.ts';
import { startChild } from '../helpers/child.ts';
import { LIVE } from '../helpers/command.ts';
import { countedBlock, countedRange } from '../helpers/counted-range.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { IS_LONG } from '../helpers/samples.ts';

const DEADLY = 'N01::PART::DEADLY';
const ARTICLES = 4;
/** How often it is left out after that. */
const LATER_RUNS = IS_LONG ? 2 : 1;

let runs: DailyRuns;
let number: string;
/** What is deadly: a block, or a folder of the catalogue. */
let deadly: string;
/** Called when it is requested, which is not answered while this is set. */
let onDeadly: (() => void) | undefined;

beforeEach(async () => {
  const size = { articles: ARTICLES, blocks: 4, images: 2, articlesPerSeries: ARTICLES / 2 };
  const range = countedRange(size);
  ({ number } = range.articleAt(2));
  deadly = DEADLY;
  const { partsList, block, nodes } = range;
  range.nodes = (folder) => {
    if (folder === deadly) onDeadly?.();
    return nodes(folder);
  };
  range.partsList = (query) =>
    query.basearticlenumber === number
      ? { btg: [{ type: 'imp', prop: { btgname: DEADLY } }], blocks: [DEADLY], mats: [] }
      : partsList(query);
  range.block = async (name) => {
    if (name !== DEADLY) return block(name);
    if (onDeadly === undefined || deadly !== DEADLY) return countedBlock('N01::PART::B001');
    onDeadly();
    return new Promise(() => {});
  };
  runs = await openDailyRuns(range, { service: LIVE });
});
afterEach(() => runs.close());

/** Starts a command and ends it while what is deadly is in work. */
async function runUntilDeadly(signal: NodeJS.Signals, name = 'run', ...options: string[]) {
  const child = startChild([name, runs.pipelineFile, ...options], runs.proxy.env);
  onDeadly = () => child.kill(signal);
  await child.ended;
  onDeadly = undefined;
}

/** Kills a command so twice. */
async function killTwice(...words: [name?: string, ...options: string[]]): Promise<void> {
  for (let kill = 0; kill < 2; kill++) await runUntilDeadly('SIGKILL', ...words);
  onDeadly = () => expect.unreachable('it is requested');
}

const execute = (name: string, ...options: string[]) =>
  runs.call([name, runs.pipelineFile, ...options]);

async function run(...options: string[]) {
  const { exit, stderr } = await execute('run', ...options);
  const lines = await readManifest(runs.outputDir);
  return { exit, stderr, failed: lines.filter(({ status }) => status === 'failed'), lines };
}

test.each(IS_LONG ? ['run', 'fetch', 'record'] : ['run'])(
  '%s leaves out the article that killed it twice, and names it; it is tried again on demand',
  async (name) => {
    const words = name === 'record' ? ['--to', join(runs.folder, 'recording')] : [];
    await killTwice(name, ...words);
    const third = await execute(name, ...words);
    expect([third.exit, third.stdout]).toEqual([1, expect.stringContaining('KILLED_THE_RUN')]);
    expect(third.stdout).toContain(number);
    // It is not tried by the other half of a run, or by a run.
    for (let later = 0; later < LATER_RUNS; later++) {
      const { exit, failed, lines } = await run();
      expect([exit, lines.length]).toEqual([1, ARTICLES]);
      expect(failed).toMatchObject([
        { basearticlenumber: number, error: { code: 'KILLED_THE_RUN' } },
      ]);
    }
    onDeadly = undefined;
    expect(await run('--failed')).toMatchObject({ exit: 0, failed: [] });
    expect(await run()).toMatchObject({ exit: 0, failed: [] });
  },
);

test.each(IS_LONG ? ['run', 'fetch'] : ['run'])(
  '%s leaves out the folder of the catalogue that killed it twice',
  async (name) => {
    deadly = 'N01;:S02';
    await killTwice(name);
    for (let later = 0; later < LATER_RUNS; later++) {
      const { exit, stdout } = await execute(name);
      expect([exit, stdout]).toEqual([
        1,
        expect.stringMatching(/KILLED_THE_RUN.* catalogue N01;:S02/s),
      ]);
    }
    onDeadly = undefined;
    expect((await run()).lines).toHaveLength(ARTICLES / 2);
    expect((await execute(name, '--force')).exit).toBe(0);
    expect(await run()).toMatchObject({ exit: 0, lines: { length: ARTICLES } });
  },
);

test.runIf(IS_LONG)(
  'a top of the catalogue that killed two runs is named by the error',
  async () => {
    deadly = '';
    await killTwice();
    onDeadly = undefined;
    expect(await execute('run')).toMatchObject({
      exit: 3,
      stderr: expect.stringMatching(/getNodes top: expected .* 2 runs were killed.*--failed/s),
    });
    expect(await run('--force')).toMatchObject({ exit: 0 });
  },
);

test.runIf(IS_LONG)('one kill, and any number of interruptions, quarantine nothing', async () => {
  await runUntilDeadly('SIGKILL');
  await runUntilDeadly('SIGINT');
  await runUntilDeadly('SIGINT');
  expect(await run()).toMatchObject({ exit: 0, failed: [] });
});
