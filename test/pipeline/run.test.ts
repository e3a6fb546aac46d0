/**
 * One run: what ends it early, what it reports then, and how the next one resumes it.
 */
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readManifest } from '../../src/run/output/manifest.ts';
import { manifestByNumber } from '../helpers/command.ts';
import {
  type CountedRange,
  type CountedSize,
  countedBlock,
  countedRange,
  hold,
} from '../helpers/counted-range.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { type Answer, json, raw } from '../helpers/fault-server.ts';
import { damage, manifestWithoutStatus, parsedLines } from '../helpers/output-folder.ts';
import { IS_LONG } from '../helpers/samples.ts';

const SIZE = { articles: 5, blocks: 5, images: 2, blocksPerArticle: 1 };
const HOUR_MS = 3_600_000;
let range: CountedRange;
let runs: DailyRuns;

async function open(size: CountedSize): Promise<void> {
  range = countedRange(size);
  runs = await openDailyRuns(range);
}
beforeEach(() => open(SIZE));
afterEach(() => runs.close());

const statusCounts = async () => {
  const counts: Record<string, number> = {};
  for (const { status } of await readManifest(runs.outputDir)) {
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
};
const objectOf = async (number: string) => {
  const { sha256 } = (await manifestByNumber(runs.outputDir))[number]!;
  return join(runs.outputDir, 'objects', sha256!.slice(0, 2), `${sha256}.glb`);
};

describe('a run that is out of time (--until)', () => {
  const begin = new Date(2026, 2, 1, 2, 0).getTime();

  /** The clock jumps by two hours once so many parts lists were asked for. */
  function clockThatJumps(after: number): () => number {
    const list = range.partsList;
    let asked = 0;
    range.partsList = (query) => {
      asked++;
      return list(query);
    };
    return () => begin + (asked >= after ? 2 * HOUR_MS : 0);
  }

  test('stops, publishes what it has done, and is resumed by a run that requests nothing again', async () => {
    const { exit, stderr, stdout } = await runs.run(
      clockThatJumps(3),
      ...['--until', '03:00', '--concurrency', '1'],
    );
    expect(exit).toBe(130);
    expect(stderr).toMatch(
      /the deadline passed: \d+ of 5 configurations were processed.*\n.*run the same command again/,
    );
    expect(stdout).toMatch(/configurations of/);
    const done = (await readManifest(runs.outputDir)).length;
    expect(done).toBeGreaterThanOrEqual(3);
    expect(done).toBeLessThan(5);
    expect(await runs.report()).toMatchObject({ ended: 'until', published: true });
    expect(range.count('btg')).toBeGreaterThanOrEqual(done);
    expect(await runs.run(() => begin + 3 * HOUR_MS)).toMatchObject({ exit: 0 });
    expect(await statusCounts()).toEqual({ converted: 5 - done, unchanged: done });
    expect(range.count('btg')).toBe(5);
  });

  test('retains the previous lines of what it did not process', async () => {
    await runs.run('2026-02-01');
    const before = await manifestWithoutStatus(runs.outputDir);
    range.convertedOn('2026-02-20');
    range.asked.clear();
    const { exit } = await runs.run(clockThatJumps(3), '--until', '3:00', '--concurrency', '1');
    expect(exit).toBe(130);
    expect(await manifestWithoutStatus(runs.outputDir)).toEqual(before);
  });
});

test('an article that takes too long fails by its code, and keeps what it had', async () => {
  await runs.run('2026-02-01');
  const before = await manifestWithoutStatus(runs.outputDir);
  // The limit is short, so nothing but this article is processed.
  await runs.configure({ limits: { articleTimeoutMs: 1000 } });
  const slow = range.articleAt(4);
  const held = hold(range, 'block', (name) => slow.blocks.includes(name));
  const { exit } = await runs.run('2026-02-01', '--force', '--only', `*/${slow.number}`);
  held.release();
  expect(exit).toBe(1);
  const { [slow.number]: line, ...others } = await manifestByNumber(runs.outputDir);
  expect(line).toMatchObject({
    status: 'failed',
    error: {
      code: 'ARTICLE_TIMEOUT',
      message: 'timed out after 1 s (limits.articleTimeoutMs)',
    },
    lastGood: { sha256: expect.any(String) },
  });
  expect(Object.values(others).map(({ error }) => error)).toEqual(Array(4).fill(undefined));
  expect((await manifestWithoutStatus(runs.outputDir)).slice(0, 4)).toEqual(before.slice(0, 4));
});

describe('--repair', () => {
  test('builds what is damaged or missing, and nothing else', async () => {
    await runs.run('2026-02-01');
    const before = await manifestWithoutStatus(runs.outputDir);
    const [damaged, lost] = [range.articleAt(2).number, range.articleAt(4).number];
    await damage(await objectOf(damaged));
    await rm(await objectOf(lost));
    expect(await runs.command('verify', '2026-02-02')).toMatchObject({ exit: 1 });
    range.asked.clear();
    expect(await runs.run('2026-02-02', '--repair')).toMatchObject({ exit: 0 });
    expect(await statusCounts()).toEqual({ converted: 2, unchanged: 3 });
    expect(range.count('block')).toBe(0);
    expect(await runs.command('verify', '2026-02-02')).toMatchObject({ exit: 0 });
    expect(await manifestWithoutStatus(runs.outputDir)).toEqual(before);
  });

  test('is needed only where size and time of a damaged file are as before', async () => {
    await runs.run('2026-02-01');
    const file = await objectOf(range.articleAt(2).number);
    await damage(file);
    const bytes = await readFile(file);
    // As if the time were as before: utimes() cuts off its fraction of a microsecond.
    const state = new Libsql(join(runs.cacheDir, 'state.db'));
    state.exec(`UPDATE cached_objects SET modified_ms = ${(await stat(file)).mtimeMs}`);
    state.close();
    await runs.run('2026-02-02', '--only', `*/${range.articleAt(2).number}`);
    expect((await readFile(file)).equals(bytes)).toBe(true);
    expect(await runs.run('2026-02-03', '--repair')).toMatchObject({ exit: 0 });
    expect(await readFile(file)).not.toEqual(bytes);
    expect(await statusCounts()).toEqual({ converted: 1, unchanged: 4 });
  });
});

test('a run that ends by an error reports it, and leaves what was published', async () => {
  await runs.run('2026-02-01');
  const before = await readFile(join(runs.outputDir, 'manifest.jsonl'));
  runs.proxy.break(/getnodes/, (response) => response.destroy());
  const { exit, stderr } = await runs.run('2026-02-02');
  expect(exit).toBe(3);
  expect(stderr).toContain('the last failure was: the connection was lost');
  expect(await runs.report()).toMatchObject({
    ended: 'stopped',
    published: false,
    stop: { code: 'SERVICE_UNREACHABLE', help: expect.any(String) },
  });
  expect(await readFile(join(runs.outputDir, 'manifest.jsonl'))).toEqual(before);
});

describe('a folder that cannot be read', () => {
  /** What two folders are answered with, each with its code: three more pairs in the long form. */
  type Fault = [string, Answer];
  const ALSO: [string, Fault, Fault][] = [
    ['status 500, a list of null', ['HTTP_STATUS', raw('', {}, 500)], invalid([null])],
    ['no id, no kind', invalid([{ nodetype: 'F', text: 'More' }]), invalid([{ nodeid: 'z' }])],
    ['no number, text', invalid([{ nodetype: 'A', nodeid: 'z' }]), invalid('none')],
  ];
  function invalid(answer: unknown): Fault {
    return ['RESPONSE_INVALID', json(answer)];
  }
  test.each<[string, Fault, Fault]>([
    ['404, an object', ['NODE_NOT_FOUND', json({ error: 'no such folder' }, 404)], invalid({})],
    ...(IS_LONG ? ALSO : []),
  ])('(%s) fails alone: its lines stay, all others are processed', async (_, one, other) => {
    await runs.close();
    await open({ ...SIZE, articles: 6, blocks: 2, articlesPerSeries: 2 });
    await runs.run('2026-02-01');
    const before = await manifestWithoutStatus(runs.outputDir);
    const [[code, answer], [otherCode, otherAnswer]] = [one, other];
    runs.proxy.break(new RegExp(`getnodes.*${range.articleAt(2).program}`), answer);
    runs.proxy.break(new RegExp(`getnodes.*${range.articleAt(4).program}`), otherAnswer);
    range.gone.add(range.articleAt(0).number);
    range.convertedOn('2026-02-01');
    const { exit, stderr } = await runs.run('2026-02-02');
    expect(exit, stderr).toBe(1);
    const failures = (await runs.failures()).map(({ code, what }) => [
      /S0\d/.exec(what!)?.[0],
      code,
    ]);
    expect(Object.fromEntries(failures)).toEqual({ S02: code, S03: otherCode });
    expect(failures).toHaveLength(2);
    const after = await manifestWithoutStatus(runs.outputDir);
    expect((await readManifest(runs.outputDir)).map((line) => line.basearticlenumber)).toEqual(
      [1, 2, 3, 4, 5].map((index) => range.articleAt(index).number),
    );
    expect(after.slice(1)).toEqual(before.slice(2));
  });

  test('ends the run if nothing else is selected: the service is to blame, not the pipeline file', async () => {
    const parentnode = range.nodes('')![0]!.nodeid as string;
    await runs.configure({ articles: [{ catalogue: { parentnode } }] });
    runs.proxy.break(/getnodes.*parentnode=./, raw('', {}, 500));
    const { exit, stderr } = await runs.run('2026-02-01');
    expect({ exit, stderr }).toMatchObject({
      exit: 3,
      stderr: expect.stringMatching(/status 500/),
    });
  });

  test('takes none away either if it was selected by name', async () => {
    await runs.run('2026-02-01');
    const files = async () => (await readManifest(runs.outputDir)).map(({ glb }) => glb);
    const before = await files();
    const { manufacturer, program, number } = range.articleAt(3);
    const article = { manufacturer, program, basearticlenumber: number };
    await runs.configure({ articles: [{ article }, { catalogue: { parentnode: 'LOST' } }] });
    expect((await runs.run('2026-02-02')).exit).toBe(1);
    expect(await files()).toEqual(before);
  });
});

test('explain says which tier decided, and why an article was built', async () => {
  await runs.close();
  await open({ ...SIZE, articles: 2, blocks: 2 });
  const { blocks, number } = range.articleAt(0);
  const explained = async () => {
    const { stdout } = await runs.explain('*', '--json');
    const lines = parsedLines<{ basearticlenumber: string; decision: object }>(stdout);
    return Object.fromEntries(lines.map((line) => [line.basearticlenumber, line.decision]));
  };
  await runs.run('2026-02-01');
  expect((await explained())[number]).toMatchObject({
    tier: 'built',
    why: ['it is not in the previous manifest'],
  });
  await runs.run('2026-02-02');
  expect((await explained())[number]).toMatchObject({ tier: 'kept', why: [] });
  range.convertdates.set(range.manufacturers[0]!, '2026-02-02');
  range.bodies.set(blocks[0]!, countedBlock(blocks[0]!, 3));
  await runs.run('2026-02-03');
  const decisions = await explained();
  expect(decisions[number]).toMatchObject({
    tier: 'built',
    why: [`block ${blocks[0]} has changed`],
  });
  expect(decisions[range.articleAt(1).number]).toMatchObject({ tier: 'digest' });
});
