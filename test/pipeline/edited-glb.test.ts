/**
 * Edited GLB: several configurations share the file of a GLB, so a change of one is a change of all. Also what a
 * publication that was cut off leaves, which is no damage.
 */
import { appendFile, chmod, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readManifest } from '../../src/run/output/manifest.ts';
import { type Verification, verifyOutput } from '../../src/run/output/verify.ts';
import { openContents } from '../../src/source/cache/contents.ts';
import { watchFileOperations } from '../../src/support/file-operations.ts';
import { type CountedRange, countedBlock, countedRange } from '../helpers/counted-range.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { damage, filesBelow, manifestWithoutStatus } from '../helpers/output-folder.ts';
import { IS_LONG } from '../helpers/samples.ts';

/** Two looks: articles 1 and 3 share one GLB, 2 and 4 the other. */
const SIZE = { articles: 4, blocks: 2, images: 1, looks: 2, blocksPerArticle: 1 };

let range: CountedRange;
let runs: DailyRuns;
let before: string[];
let days = 0;

const today = () => new Date(Date.UTC(2026, 1, days)).toISOString().slice(0, 10);
/** Runs on the next day. */
const run = (...options: string[]) => {
  days++;
  return runs.run(today(), ...options);
};
const verify = (...options: string[]) => runs.command('verify', today(), ...options);

/** One output folder for all tests: each begins and ends with one that is whole. */
beforeAll(async () => {
  range = countedRange(SIZE);
  runs = await openDailyRuns(range);
  expect(await run()).toMatchObject({ exit: 0 });
});
beforeEach(async () => {
  before = await manifestWithoutStatus(runs.outputDir);
});
afterEach(() => watchFileOperations(undefined));
afterAll(() => runs.close());

const linesOf = () => readManifest(runs.outputDir);
const linkOf = async (index: number) => join(runs.outputDir, (await linesOf())[index]!.glb!);
const statuses = async () => (await linesOf()).map(({ status }) => status);
const inodes = async () =>
  Promise.all(
    (await linesOf()).map(async ({ glb }) => (await stat(join(runs.outputDir, glb!))).ino),
  );

async function edit(link: string): Promise<void> {
  await chmod(link, 0o644);
  await appendFile(link, 'x');
}

/** The files of a kind that the next run reads, which has to succeed. */
async function filesReadBy(
  isOfKind: (path: string) => boolean,
  ...options: string[]
): Promise<string[]> {
  const read: string[] = [];
  watchFileOperations((operation, path) => {
    if (operation === 'read' && isOfKind(path)) read.push(path);
  });
  expect(await run(...options)).toMatchObject({ exit: 0 });
  watchFileOperations(undefined);
  return read;
}

const BUILT_ANEW = ['converted', 'unchanged', 'converted', 'unchanged'];

describe('a GLB that another program has changed', () => {
  test('is named by verify with every configuration that shares it, and built anew by the next run', async () => {
    const old = await inodes();
    await edit(await linkOf(0));
    const links = await Promise.all([0, 2].map(linkOf));
    const { exit, stdout } = await verify();
    expect(exit).toBe(1);
    expect(stdout).toMatch(/objects\/.*\.glb: damaged: its content has another digest\n/);
    expect(stdout.match(/shared by .*/g)).toEqual(links.map((link) => `shared by ${link}`));
    expect(stdout).not.toContain('cut off');
    const { sha256 } = (await linesOf())[0]!;
    const json = (await verify('--json')).stdout;
    expect(JSON.parse(json)).toMatchObject({
      problems: [{ object: sha256, sharedBy: links }],
      incomplete: [],
    });
    await expectBuiltAnew(old);
  });

  /** By a run, into a new file, which all of them get, and the run says so. */
  async function expectBuiltAnew(old: number[]): Promise<void> {
    const { exit, stdout, stderr } = await run();
    expect(exit).toBe(0);
    expect(await statuses()).toEqual(BUILT_ANEW);
    expect(await manifestWithoutStatus(runs.outputDir)).toEqual(before);
    const now = await inodes();
    expect(now[2]).toBe(now[0]);
    expect(now[0]).not.toBe(old[0]);
    expect(now[1]).toBe(old[1]);
    expect((await verifyOutput(runs.outputDir)).problems).toEqual([]);

    expect(stderr).toMatch(
      /"configurations":2,"names":\["N01\/S01\/A00001-STD",.*"msg":"a published GLB is damaged/,
    );
    expect(stdout).toContain('Damaged         2 configurations with a published file');
    const { damaged } = await runs.report();
    expect(damaged.rows.map((row) => row.basearticlenumber)).toEqual(['A00001', 'A00003']);
    expect(damaged.rows[0]!.message).toMatch(/^its GLB was damaged: .*; it is built anew$/);

    expect((await run()).stderr).not.toContain('"level":"warn"');
    expect(new Set(await statuses())).toEqual(new Set(['unchanged']));
    expect((await runs.report()).damaged.count).toBe(0);
  }

  test('is built anew although the change left its size', async () => {
    await damage(await linkOf(0));
    await run();
    expect(await statuses()).toEqual(BUILT_ANEW);
    expect((await verifyOutput(runs.outputDir)).problems).toEqual([]);
  });

  test('is named, but not built anew, where the run does not select it', async () => {
    await edit(await linkOf(0));
    const { stderr } = await run('--only', '*/A00002');
    expect(stderr).toContain('a published GLB is damaged');
    const { damaged } = await runs.report();
    expect(damaged.count).toBe(2);
    expect(damaged.rows[0]!.message).toMatch(/; it is not built anew$/);
    // One that is selected mends all.
    await run('--only', '*/A00003');
    expect((await verifyOutput(runs.outputDir)).problems).toEqual([]);
  });
});

describe('an output folder that was removed', () => {
  /** The GLBs that the next run reads; what it publishes is as before. */
  async function readBy(...options: string[]): Promise<string[]> {
    const read = await filesReadBy((path) => published.has(basename(path)), ...options);
    expect((await verifyOutput(runs.outputDir)).problems).toEqual([]);
    expect(await manifestWithoutStatus(runs.outputDir)).toEqual(before);
    return read;
  }
  const remove = () => rm(runs.outputDir, { recursive: true });

  test('gets its GLBs from the cache: read once to be checked, and linked', async () => {
    const old = await inodes();
    await remove();
    expect(await readBy()).toHaveLength(2);
    expect(await inodes()).toEqual(old);
    // Two configurations share it, the object is one, and the cache has one.
    expect((await stat(await linkOf(0))).nlink).toBe(4);
  });

  test('gets new ones where a program has changed those in the cache through their links', async () => {
    for (const index of [0, 1]) await edit(await linkOf(index));
    await remove();
    expect(await readBy()).toHaveLength(2);
    expect(new Set(await inodesInCache())).toEqual(new Set(await inodes()));
  });

  test('gets new ones even if a response or derived data has the content that they had', async () => {
    const contents = await openContents(join(runs.cacheDir, 'bodies.db'));
    for (const index of [0, 1]) {
      const { sha256 } = (await linesOf())[index]!;
      expect(contents.small.put(sha256!, await readFile(await linkOf(index)))).toBe(false);
      await edit(await linkOf(index));
    }
    contents.close();
    await remove();
    expect(await readBy()).toHaveLength(2);
  });

  // The last ones: the cache has other files after them than the output folder.
  test('gets copies where cache and output are on two file systems', async () => {
    const old = await inodes();
    await remove();
    const copied: string[] = [];
    const synced: string[] = [];
    watchFileOperations((operation, path) => {
      if (operation === 'copy') copied.push(path);
      if (operation === 'fsync') synced.push(path);
      // Those of articles/ have the same file system.
      if (operation === 'link' && !path.includes('articles'))
        throw Object.assign(new Error('EXDEV'), { code: 'EXDEV' });
    });
    expect(await run()).toMatchObject({ exit: 0 });
    expect(copied).toHaveLength(2);
    expect(synced).toEqual(expect.arrayContaining(copied));
    watchFileOperations(undefined);
    expect(await manifestWithoutStatus(runs.outputDir)).toEqual(before);
    expect((await inodes()).some((inode) => old.includes(inode))).toBe(false);
    expect((await stat(await linkOf(0))).mode & 0o222).toBe(0);
  });

  test('gets new ones with --force', async () => {
    await remove();
    expect(await readBy('--force')).toEqual([]);
    const cached = await inodesInCache();
    expect((await inodes()).some((inode) => cached.includes(inode))).toBe(false);
  });

  let published: Set<string>;
  beforeEach(async () => {
    published = new Set((await linesOf()).map(({ sha256 }) => sha256!));
  });
  async function inodesInCache(): Promise<number[]> {
    const paths = await filesBelow(join(runs.cacheDir, 'objects'));
    const glbs = paths.filter((path) => published.has(basename(path)));
    return Promise.all(glbs.map(async (path) => (await stat(path)).ino));
  }
});

test('a link that is another file is linked anew, and the run says so', async () => {
  const old = await inodes();
  const link = await linkOf(0);
  await rm(link);
  await writeFile(link, 'mine');
  const { stderr } = await run();
  expect(stderr).toContain('a file below articles/ was changed or removed; it is linked anew');
  expect(await inodes()).toEqual(old);
  expect((await runs.report()).damaged.rows).toMatchObject([{ basearticlenumber: 'A00001' }]);
});

test('a run without changes reads no GLB, and one whose time alone has changed, as by a copy, once and builds none', async () => {
  const stats: string[] = [];
  const isGlb = (path: string) => path.endsWith('.glb');
  watchFileOperations((operation, path) => {
    if (operation === 'read') expect(path).not.toMatch(/\.glb$/);
    if (operation === 'stat' && path.includes('/out/objects/')) stats.push(path);
  });
  expect(await run()).toMatchObject({ exit: 0 });
  // Each object is examined once, and once for its links, of which those examined at the same time may each do it.
  expect(stats.length).toBeLessThanOrEqual(2 + SIZE.articles);
  for (const index of [0, 1]) await utimes(await linkOf(index), 1, 1);
  expect(await filesReadBy(isGlb)).toHaveLength(2);
  expect(await filesReadBy(isGlb)).toEqual([]);
  expect(new Set(await statuses())).toEqual(new Set(['unchanged']));
  expect((await runs.report()).damaged.count).toBe(0);
});

test('objects of an earlier version, which may be written, become read-only', async () => {
  const link = await linkOf(0);
  const { ino } = await stat(link);
  await chmod(link, 0o644);
  // As after the upgrade, when nothing is known of them.
  await utimes(link, 2, 2);
  await run();
  expect(await stat(link)).toMatchObject({ ino });
  expect((await stat(link)).mode & 0o222).toBe(0);
});

test('verify names damaged lines of a catalogue, and those that it lacks', async () => {
  const file = join(runs.outputDir, 'catalogue.jsonl');
  const text = await readFile(file, 'utf8');
  const lines = text.split('\n');
  const verified = async (content: string) => {
    await writeFile(file, content);
    return verifyOutput(runs.outputDir);
  };
  const lacks = (count: number) => [
    { path: file, problem: `${count} lines are not those of the manifest` },
  ];
  expect(await verified(text)).toMatchObject({ problems: [], incomplete: [] });
  expect(await verified(text.slice(0, -20))).toMatchObject({
    problems: [{ path: `${file}:4`, problem: 'expected a JSON object' }],
    incomplete: [],
  });
  // A cut between two lines leaves only whole ones.
  const short = `${lines.slice(0, 2).join('\n')}\n`;
  expect(await verified(short)).toMatchObject({ problems: [], incomplete: lacks(2) });
  const other = text.replace(/"sha256":"[0-9a-f]{64}"/, `"sha256":"${'0'.repeat(64)}"`);
  expect(await verified(other)).toMatchObject({ problems: [], incomplete: lacks(1) });
  await rm(file);
  expect(await verifyOutput(runs.outputDir)).toMatchObject({ incomplete: lacks(4) });
  expect(await run()).toMatchObject({ exit: 0 });
  expect(await readFile(file, 'utf8')).toBe(text);
});

describe('a publication that was cut off', () => {
  /** Changes every article, and ends the next run at the n-th file that it would publish. */
  async function cutOff(file: RegExp, count: number): Promise<void> {
    for (const index of [0, 1]) {
      for (const block of range.articleAt(index).blocks)
        range.bodies.set(block, countedBlock(block, days));
    }
    range.convertedOn(today());
    let published = 0;
    watchFileOperations((operation, path) => {
      if (operation !== 'rename' || !file.test(path) || ++published < count) return;
      throw Object.assign(new Error('cut off'), { code: 'EIO' });
    });
    expect(await run()).toMatchObject({ exit: 3 });
    watchFileOperations(undefined);
  }

  test.each<readonly [string, RegExp, number, number]>([
    ['between two links', /articles/, 3, 2],
    // All of the links, where these are some.
    ...(IS_LONG ? [['between links and lists', /publishing\.jsonl/, 1, 4] as const] : []),
  ])('%s is no damage, and the next run completes it', async (_, file, count, links) => {
    await cutOff(file, count);
    expect(await manifestWithoutStatus(runs.outputDir)).toEqual(before);
    const { exit, stdout } = await verify();
    expect(exit).toBe(1);
    expect(stdout).toMatch(/: none damaged\n/);
    expect(stdout).toContain(`a publication was cut off: ${links} files as it left them`);
    const json = (await verify('--json')).stdout;
    const { problems, incomplete } = JSON.parse(json) as Verification;
    expect(problems).toEqual([]);
    expect(incomplete).toHaveLength(links);
    expect(new Set(incomplete.map(({ problem }) => problem))).toEqual(
      new Set(['another object than the list names']),
    );
    const next = await run();
    expect(next.exit).toBe(0);
    expect(next.stderr).not.toContain('"level":"warn"');
    expect(await verifyOutput(runs.outputDir)).toMatchObject({ problems: [], incomplete: [] });
    expect(await verify()).toMatchObject({ exit: 0 });
  });

  test('between catalogue and manifest leaves a manifest that the next run corrects', async () => {
    await cutOff(/manifest\.jsonl/, 1);
    const { exit, stdout } = await verify();
    expect([exit, stdout]).toEqual([
      1,
      expect.stringMatching(/catalogue\.jsonl: 4 lines are not those of the manifest\n/),
    ]);
    expect(await run()).toMatchObject({ exit: 0 });
    expect(await verify()).toMatchObject({ exit: 0 });
  });

  test('may leave a link missing, whose object is there', async () => {
    const link = await linkOf(3);
    await rename(link, join(runs.folder, 'link'));
    const { problems, incomplete } = await verifyOutput(runs.outputDir);
    expect(problems).toEqual([]);
    expect(incomplete).toMatchObject([{ problem: 'missing, but its object is intact' }]);
    await rename(join(runs.folder, 'link'), link);
  });
});
