/**
 * Killed twice: what was in work in two runs that were killed is quarantined by name, and nothing else is.
 *
 * `BTG2GLTF_TEST_LONG=1` adds `fetch` and `record`, the top of the catalogue, and interruptions.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { environmentOf, startChild } from '../helpers/child.ts';
import { command, manifestByNumber, writePipeline } from '../helpers/command.ts';
import { type CountedRange, countedBlock, countedRange } from '../helpers/counted-range.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const SERVICE = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };
const DEADLY = 'N01::PART::DEADLY';
const ARTICLES = 8;

let folder: string;
let range: CountedRange;
let number: string;
let emulator: Emulator;
/** What is deadly: a block, or a folder of the catalogue. */
let deadly: string;
/** Called when it is requested, which is not answered while this is set. */
let onDeadly: (() => void) | undefined;

beforeEach(async () => {
  folder = await temporaryFolder();
  range = countedRange({
    articles: ARTICLES,
    blocks: 4,
    images: 2,
    articlesPerSeries: ARTICLES / 2,
  });
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
  emulator = await startEmulator({ range });
});
afterEach(async () => {
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});

/** Starts a command and ends it while what is deadly is in work. */
async function runUntilDeadly(signal: NodeJS.Signals, ...words: string[]): Promise<void> {
  const [name = 'run', ...options] = words;
  const file = await writePipeline(folder, { service: SERVICE });
  const child = startChild([name, file, ...options], environmentOf(emulator));
  onDeadly = () => child.kill(signal);
  await child.ended;
  onDeadly = undefined;
}

async function execute(name: string, ...options: string[]) {
  const file = await writePipeline(folder, { service: SERVICE });
  return command([name, file, ...options], { env: environmentOf(emulator) });
}

async function run(...options: string[]) {
  const { exit, stderr } = await execute('run', ...options);
  const lines = Object.values(await manifestByNumber(join(folder, 'out')));
  return { exit, stderr, failed: lines.filter(({ status }) => status === 'failed'), lines };
}

test.each(IS_LONG ? ['run', 'fetch', 'record'] : ['run'])(
  '%s leaves out the article that killed it twice, and names it; it is tried again on demand',
  async (name) => {
    const words = name === 'record' ? ['--to', join(folder, 'recording')] : [];
    await runUntilDeadly('SIGKILL', name, ...words);
    await runUntilDeadly('SIGKILL', name, ...words);
    onDeadly = () => expect.unreachable('it is requested');
    const third = await execute(name, ...words);
    expect([third.exit, third.stdout]).toEqual([1, expect.stringContaining('KILLED_THE_RUN')]);
    expect(third.stdout).toContain(number);
    // It is not tried by the other half of a run, or by a run.
    for (let day = 4; day <= 5; day++) {
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
    await runUntilDeadly('SIGKILL', name);
    await runUntilDeadly('SIGKILL', name);
    onDeadly = () => expect.unreachable('it is requested');
    for (let day = 3; day <= 4; day++) {
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
    await runUntilDeadly('SIGKILL');
    await runUntilDeadly('SIGKILL');
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
