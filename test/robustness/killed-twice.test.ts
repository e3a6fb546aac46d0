/** Killed twice: what was in work in two runs that were killed is quarantined by name, and nothing else is. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { environmentOf, startChild } from '../helpers/child.ts';
import { command, manifestByNumber, temporaryFolder, writePipeline } from '../helpers/command.ts';
import { type CountedRange, countedBlock, countedRange } from '../helpers/counted-range.ts';

const SERVICE = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };
const DEADLY = 'N01::PART::DEADLY';
const ARTICLES = 8;
const LIMIT_MS = 120_000;
const IS_LONG = process.env.BTG2GLTF_TEST_LONG === '1';

let folder: string;
let range: CountedRange;
let number: string;
let emulator: Emulator;
/** Called when the block of the deadly article is requested, which is not answered while this is set. */
let onDeadly: (() => void) | undefined;

beforeEach(async () => {
  folder = await temporaryFolder();
  range = countedRange({ articles: ARTICLES, blocks: 4, images: 2 });
  ({ number } = range.articleAt(2));
  const { partsList, block } = range;
  range.partsList = (query) =>
    query.basearticlenumber === number
      ? { btg: [{ type: 'imp', prop: { btgname: DEADLY } }], blocks: [DEADLY], mats: [] }
      : partsList(query);
  range.block = async (name) => {
    if (name !== DEADLY) return block(name);
    if (onDeadly === undefined) return countedBlock('N01::PART::B001');
    onDeadly();
    return new Promise(() => {});
  };
  emulator = await startEmulator({ range });
});
afterEach(async () => {
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});

/** Starts a run and ends it while the deadly article is in work. */
async function runUntilDeadly(signal: NodeJS.Signals): Promise<void> {
  const file = await writePipeline(folder, { service: SERVICE });
  const child = startChild(['run', file], environmentOf(emulator));
  onDeadly = () => child.kill(signal);
  await child.ended;
  onDeadly = undefined;
}

async function run(...options: string[]) {
  const file = await writePipeline(folder, { service: SERVICE });
  const { exit, stderr } = await command(['run', file, ...options], {
    env: environmentOf(emulator),
  });
  const lines = Object.values(await manifestByNumber(join(folder, 'out')));
  return { exit, stderr, failed: lines.filter(({ status }) => status === 'failed'), lines };
}

test('it fails by its name in the third run, and is tried again on demand', {
  timeout: LIMIT_MS,
}, async () => {
  await runUntilDeadly('SIGKILL');
  await runUntilDeadly('SIGKILL');
  const third = await run();
  expect(third.exit, third.stderr).toBe(1);
  expect(third.lines).toHaveLength(ARTICLES);
  expect(third.failed).toMatchObject([
    { basearticlenumber: number, error: { code: 'KILLED_THE_RUN' } },
  ]);
  expect(await run()).toMatchObject({ exit: 1, failed: [{ basearticlenumber: number }] });
  expect(await run('--failed')).toMatchObject({ exit: 0, failed: [] });
  expect(await run()).toMatchObject({ exit: 0, failed: [] });
});

test.runIf(IS_LONG)(
  'one kill, and any number of interruptions, quarantine nothing',
  {
    timeout: LIMIT_MS,
  },
  async () => {
    await runUntilDeadly('SIGKILL');
    await runUntilDeadly('SIGINT');
    await runUntilDeadly('SIGINT');
    expect(await run()).toMatchObject({ exit: 0, failed: [] });
  },
);
