/**
 * Kill run: a run is killed again and again, at any moment; the result is the same as without kills.
 *
 * `npm test` takes 10 articles and 2 kills, with `BTG2GLTF_TEST_LONG=1` it is 300 and 50, and a few more
 * come in the next run. A seed chooses the moments: after so many answers, or before a file operation.
 */
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { verifyOutput } from '../../src/run/output/verify.ts';
import { exists } from '../../src/support/files.ts';
import { COUNTING, type Ended, environmentOf, runChild, startChild } from '../helpers/child.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { type CountedRange, countedBlock, countedRange } from '../helpers/counted-range.ts';
import { type Chance, chanceOf } from '../helpers/fuzz/chance.ts';
import {
  damagesOf,
  filesBelow,
  manifestWithoutStatus,
  publishedFiles,
} from '../helpers/output-folder.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { markBuilds, readStateRows } from '../helpers/state-rows.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const ARTICLES = IS_LONG ? 300 : 10;
const KILLS = IS_LONG ? 50 : 2;
const KILLS_OF_NEXT_RUN = 15;
/** Moments that come too late are chosen anew; so many in a row would be no chance. */
const MOST_FASTER = 2 * KILLS + 10;
const SEED = 6;
/** How many of the kills come before all is fetched; the others are meant for the rest of a run. */
const KILLS_OF_FETCHING = Math.round(0.6 * KILLS);
/** Kills at random moments may come while the same article is in work alone. */
const FAILURES = { quarantineAfterKills: 1000 };
const CLEAN = { output: { dir: 'clean' }, cache: { dir: 'clean-cache' } };

let folder: string;
let range: CountedRange;
let emulator: Emulator;
let onAnswered = () => {};
/** What a run that is not killed does: a later one does about as much. */
let whole: { operations: number; answers: number };
const at = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await temporaryFolder();
  const size = { articles: ARTICLES, blocks: ARTICLES / 2, images: ARTICLES / 10 };
  range = countedRange({ ...size, manufacturers: 2 });
  // Converted today: nothing that was fetched today is known to be fresh, but for the run that goes on.
  range.convertedOn(new Date().toISOString().slice(0, 10));
  emulator = await startEmulator({ range, onRequest: () => onAnswered() });
});
afterAll(async () => {
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});

test('a run killed at any moment leaves intact files and loses at most its last second', async () => {
  await countClean();
  await killAndFinish(KILLS, KILLS_OF_FETCHING);
  await expectSameAsClean();
});

// That a publication which was cut off keeps the lists: test/pipeline/edited-glb.test.ts.
test.runIf(IS_LONG)(
  'a next run that is killed keeps what was published before until it is done',
  async () => {
    range.gone.add('A00001');
    range.bodies.set('N01::PART::B002', countedBlock('N01::PART::B002', 2));
    range.convertedOn('2024-06-01');
    await runClean();
    await killAndFinish(KILLS_OF_NEXT_RUN, Math.ceil(KILLS_OF_NEXT_RUN / 2));
    await expectSameAsClean();
  },
);

/** Runs and kills so often, then runs to the end; nothing is asked for or built twice on the way. */
async function killAndFinish(kills: number, ofFetching: number): Promise<void> {
  const startedAt = Date.now();
  const chance = chanceOf(SEED, kills);
  const file = await writePipeline(folder, { failures: FAILURES });
  const ends = { killed: 0, finished: 0 };
  while (ends.killed < kills) {
    // A run that ends before it is killed is undone: what follows it would be another run.
    await copyTo('backup');
    let stored = await readStateRows(at('cache'));
    // Now and then only: the mark is made through SQLite, which mends what the kill left by that.
    if (chance.oneIn(4) && stored.builds.size > 0) {
      markBuilds(at('cache'));
      stored = await readStateRows(at('cache'));
    }
    const asked = new Map(range.asked);
    const moment = momentOf(chance, ends.killed < ofFetching ? ofFetching : undefined);
    const { signal, exit, stderr } = await runUntil(file, moment);
    if (signal !== 'SIGKILL') expect(exit, stderr).toBe(0);
    if (signal !== 'SIGKILL' || (await isFinished(startedAt))) {
      expect(++ends.finished, 'runs that were faster').toBeLessThan(MOST_FASTER);
      await copyBack('backup');
      continue;
    }
    ends.killed++;
    expect(await damagesOf(at('out')), `after kill ${ends.killed}`).toEqual([]);
    if (await exists(at('out/manifest.jsonl')))
      expect((await verifyOutput(at('out'))).problems, `after kill ${ends.killed}`).toEqual([]);
    await expectNothingAgain(stored, asked, startedAt, `after kill ${ends.killed}`);
  }

  const stored = await readStateRows(at('cache'));
  const asked = new Map(range.asked);
  const { exit, stderr } = await command(['run', file], { env: environmentOf(emulator) });
  expect(exit, stderr).toBe(0);
  await expectNothingAgain(stored, asked, startedAt, 'in the last run');
  expect(await damagesOf(at('out'))).toEqual([]);
  expect(await leftovers()).toEqual([]);
  console.info(`kill run: ${ends.killed} killed, ${ends.finished} were faster; asked for so far:`, {
    btg: range.count('btg'),
    block: range.count('block'),
    materials: range.count('materials'),
  });
}

/** Whether a run had come to its end when it was killed, with only its last words left to say. */
async function isFinished(startedAt: number): Promise<boolean> {
  const { answers, unfinished } = await readStateRows(at('cache'));
  return unfinished === 0 && [...answers.values()].some((askedAt) => askedAt >= startedAt);
}

/** Runs without a kill. */
async function runClean(): Promise<void> {
  const file = await writePipeline(folder, CLEAN);
  const { exit, stderr } = await command(['run', file], { env: environmentOf(emulator) });
  expect(exit, stderr).toBe(0);
}

/** The same in a process of its own, which counts what comes before the end. */
async function countClean(): Promise<void> {
  const file = await writePipeline(folder, CLEAN);
  const before = range.count('btg') + range.count('block');
  const env = environmentOf(emulator);
  const { exit, stderr } = await runChild(['run', file], { ...env, ...COUNTING });
  expect(exit, stderr).toBe(0);
  const operations = Number(/^operations: (\d+)$/m.exec(stderr)?.[1]);
  const answers = range.count('btg') + range.count('block') - before;
  expect(operations).toBeGreaterThan(0);
  whole = { operations, answers };
}

async function expectSameAsClean(): Promise<void> {
  expect(await manifestWithoutStatus(at('out'))).toEqual(await manifestWithoutStatus(at('clean')));
  expect(await publishedWithoutManifest('out')).toEqual(await publishedWithoutManifest('clean'));
}

/** A moment of a run: after so many answers, or before a file operation, of which most publish. */
type Moment = { answers: number } | { operation: number };

/** @param ofFetching - How many kills are to come before all is fetched; undefined once they have come. */
function momentOf(chance: Chance, ofFetching: number | undefined): Moment {
  if (ofFetching === undefined || chance.oneIn(5)) {
    return { operation: 1 + chance.below(whole.operations) };
  }
  // Each run asks for what the one before it asked for and could not store.
  const most = Math.ceil((2 * whole.answers) / ofFetching);
  return { answers: 1 + chance.below(most + 10) };
}

/** Runs in a process of its own until it is killed at a moment, or ends before. */
async function runUntil(file: string, moment: Moment): Promise<Ended> {
  const isOperation = 'operation' in moment;
  const counted = isOperation && { ...COUNTING, KILL_BEFORE: String(moment.operation) };
  const child = startChild(['run', file], { ...environmentOf(emulator), ...counted });
  let answers = 0;
  onAnswered = () => {
    if (!isOperation && ++answers === moment.answers) child.kill('SIGKILL');
  };
  const ended = await child.ended;
  onAnswered = () => {};
  return ended;
}

/** Nothing that was stored since the first start is requested again, and nothing that was built is built again. */
async function expectNothingAgain(
  before: Awaited<ReturnType<typeof readStateRows>>,
  asked: ReadonlyMap<string, number>,
  startedAt: number,
  when: string,
): Promise<void> {
  const again = [...before.answers]
    // The top of the catalogue is asked for in every run; it has no name.
    .filter(([name, askedAt]) => askedAt >= startedAt && name !== 'getnodes ')
    .filter(([name]) => range.asked.get(name) !== asked.get(name));
  expect(again, `asked for again ${when}`).toEqual([]);
  const { builds } = await readStateRows(at('cache'));
  const rebuilt = [...before.builds].filter(([source, marked]) => marked && !builds.get(source));
  expect(rebuilt, `built again ${when}`).toEqual([]);
}

async function leftovers(): Promise<string[]> {
  const files = await Promise.all(['out', 'cache'].map((name) => filesBelow(at(name))));
  return files.flat().filter((file) => /\.tmp|\.lock|\.new|\.old/.test(file));
}

async function publishedWithoutManifest(name: string): Promise<Map<string, string>> {
  const files = await publishedFiles(at(name));
  files.delete('manifest.jsonl');
  return files;
}

async function copyTo(backup: string): Promise<void> {
  await rm(at(backup), { recursive: true, force: true });
  for (const name of ['out', 'cache']) {
    await cp(at(name), join(at(backup), name), { recursive: true }).catch(() => undefined);
  }
}

async function copyBack(backup: string): Promise<void> {
  for (const name of ['out', 'cache']) {
    await rm(at(name), { recursive: true, force: true });
    await cp(join(at(backup), name), at(name), { recursive: true }).catch(() => undefined);
  }
}
