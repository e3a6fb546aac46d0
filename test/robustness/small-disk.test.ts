/**
 * Small disk: the operations of SQLite and all others on a disk that is full or read-only.
 *
 * The file faults reach what goes through `support/files`; here the operating system refuses.
 * `npm test` takes a few sizes of disk, with `BTG2GLTF_TEST_LONG=1` it is one every 8 KB.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { type Ended, environmentOf, runChild } from '../helpers/child.ts';
import { filesClosed } from '../helpers/closed-files.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { countedBlock, countedRange } from '../helpers/counted-range.ts';
import { damagesOf, manifestWithoutStatus, publishedFiles } from '../helpers/output-folder.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { canMount, mountSmallDisk, type SmallDisk } from '../helpers/small-disk.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const SMALLEST_KB = 8;
/** The short form ends with the second sentence: where that comes depends on what is written at the same time. */
const [FIRST_STEP_KB, STEP_KB] = IS_LONG ? [8, 8] : [250, 40];
const STEP_FILE_KB = 8;
/** Of the short form: the database of the cache is larger, most files are smaller. */
const FILE_KB = 100;
const LARGE_KB = 64 * 1024;

/** One sentence with the path, and what helps. */
const REFUSAL = /^btg2gltf: .*\/disk\/.*\n {2}→ [^\n]+\n$/m;

const folder = await temporaryFolder();
const disk = join(folder, 'disk');
const mayMount = await canMount(disk);
/** No permissions of a folder keep root from writing. */
const IS_ROOT = process.getuid?.() === 0;
const mayLimit = existsSync('/usr/bin/prlimit');
const range = countedRange({ articles: 3, blocks: 4, images: 2 });
let emulator: Emulator;
let small: SmallDisk | undefined;
let clean: Published;

beforeAll(async () => {
  emulator = await startEmulator({ range });
  const env = environmentOf(emulator);
  expect(await command(['run', await pipelineOf('clean')], { env })).toMatchObject({ exit: 0 });
  clean = await publishedIn('clean');
});
afterEach(async () => {
  await small?.remove();
  small = undefined;
  await rm(disk, { recursive: true, force: true });
});
afterAll(async () => {
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});

describe.skipIf(!mayMount)('a disk (skipped where this process may not mount one)', () => {
  test('full at any moment: one sentence and intact files; with free space the next run succeeds', async () => {
    const sentences = new Set<string>();
    let isFull = true;
    for (let size = SMALLEST_KB; isFull && (IS_LONG || sentences.size < 2); ) {
      await small?.remove();
      small = await mountSmallDisk(disk, size);
      const ended = await run('disk');
      isFull = ended.exit !== 0;
      console.log('SIZE', size, ended.exit, JSON.stringify(ended.stderr.slice(0, 90)));
      expect(await damagesOf(join(disk, 'out')), `a disk of ${size} KB`).toEqual([]);
      if (!isFull) continue;
      sentences.add(expectRefused(ended, `a disk of ${size} KB`));
      await small.resize(LARGE_KB);
      await expectMended(`after a disk of ${size} KB`);
      size += size === SMALLEST_KB ? FIRST_STEP_KB : STEP_KB;
    }
    // Free space helps, whether SQLite or the operating system refused.
    for (const sentence of sentences) expect(sentence).toContain('free disk space');
    expect(sentences.size).toBeGreaterThan(1);
  });

  test('full at the next run: what was published stays', async () => {
    small = await mountSmallDisk(disk, LARGE_KB);
    await runHere('the first run');
    const before = await publishedIn('disk');
    const { blocks, bfree, bsize } = await statfs(disk);
    await small.resize(Math.ceil(((blocks - bfree) * bsize) / 1024));
    range.bodies.set('N01::PART::B002', countedBlock('N01::PART::B002', 2));
    range.convertdates.set('N01', '2024-06-01');
    expectRefused(await run('disk'), 'the next run');
    expect(await damagesOf(join(disk, 'out'))).toEqual([]);
    expect((await publishedIn('disk')).manifest).toEqual(before.manifest);
    range.bodies.clear();
    range.convertdates.set('N01', '2024-06-02');
    await small.resize(LARGE_KB);
    await expectMended('the run after it');
  });
});

describe.skipIf(!mayMount && IS_ROOT)('a folder (skipped where permissions do not apply)', () => {
  test('that is read-only: one sentence, nothing changes, and verify works', async () => {
    await makeDisk();
    if (IS_LONG) {
      await setWritable(false);
      expectRefused(await run('disk'), 'an empty one');
      await setWritable(true);
    }
    await runHere('the first run');
    const before = await publishedIn('disk');
    await setWritable(false);
    expectRefused(await run('disk'), 'the next run');
    const alone = {
      'the cache alone': { output: { dir: 'other/out' } },
      'the output alone': { cache: { dir: 'other/cache' } },
    };
    for (const [what, places] of Object.entries(IS_LONG ? alone : {})) {
      expectRefused(await run('disk', places), what);
    }
    expect(await publishedIn('disk')).toEqual(before);
    expect(await command(['verify', join(disk, 'out')])).toMatchObject({ exit: 0 });
    await setWritable(true);
  });
});

test.skipIf(!mayLimit)(
  'a limit of the size of files (skipped where there is no prlimit) is reported like a full disk; without it the run succeeds',
  async () => {
    for (let size = IS_LONG ? 0 : FILE_KB, isLimited = true; isLimited; size += STEP_FILE_KB) {
      const ended = await run('disk', {}, ['prlimit', `--fsize=${size * 1024}`]);
      isLimited = IS_LONG && ended.exit !== 0;
      if (ended.exit !== 0 || !IS_LONG) expectRefused(ended, `files of ${size} KB`);
      expect(await damagesOf(join(disk, 'out')), `files of ${size} KB`).toEqual([]);
      await expectMended(`after files of ${size} KB`);
      await rm(disk, { recursive: true, force: true });
    }
  },
);

async function makeDisk(): Promise<void> {
  if (mayMount) small = await mountSmallDisk(disk, LARGE_KB);
  else await mkdir(disk);
}

async function setWritable(writable: boolean): Promise<void> {
  if (small !== undefined) await small.setWritable(writable);
  else await promisify(execFile)('chmod', ['-R', writable ? 'u+w' : 'a-w', disk]);
}

interface Published {
  manifest: string[];
  files: Map<string, string>;
}

/** A pipeline with output and cache below a folder. */
async function pipelineOf(name: string, places: object = {}): Promise<string> {
  const all = { output: { dir: `${name}/out` }, cache: { dir: `${name}/cache` }, ...places };
  return writePipeline(folder, all);
}

/** Runs in a process of its own, which a full disk may end: SQLite maps files into memory. */
async function run(name: string, places: object = {}, wrapper: string[] = []): Promise<Ended> {
  return runChild(['run', await pipelineOf(name, places)], environmentOf(emulator), wrapper);
}

/** Runs in this process, which has closed its files then. */
async function runHere(what: string): Promise<void> {
  const env = environmentOf(emulator);
  const { exit, stderr } = await command(['run', await pipelineOf('disk')], { env });
  expect(exit, `${what}: ${stderr}`).toBe(0);
  await filesClosed(disk);
}

async function publishedIn(name: string): Promise<Published> {
  const files = await publishedFiles(join(folder, name, 'out'));
  files.delete('manifest.jsonl');
  return { manifest: await manifestWithoutStatus(join(folder, name, 'out')), files };
}

/** @returns The sentence, without the path. */
function expectRefused({ exit, stderr }: Ended, what: string): string {
  expect(exit, `${what}: ${stderr}`).toBe(3);
  expect(stderr, what).toMatch(REFUSAL);
  expect(stderr, what).not.toMatch(/\n {4}at /);
  return REFUSAL.exec(stderr)![0].replace(/\/.+\/disk\/\S+/, '…');
}

async function expectMended(what: string): Promise<void> {
  await runHere(what);
  const { manifest, files } = await publishedIn('disk');
  expect(manifest, what).toEqual(clean.manifest);
  for (const [name, digest] of clean.files) expect(files.get(name), what).toBe(digest);
}
