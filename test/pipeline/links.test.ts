/** Links: what another user has put in the place of a file or folder of the converter is refused by name, not followed. */
import { spawnSync } from 'node:child_process';
import {
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { environmentOf } from '../helpers/child.ts';
import { filesClosed } from '../helpers/closed-files.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { countedBlock, countedRange } from '../helpers/counted-range.ts';
import { logIn } from '../helpers/emulated-session.ts';
import { filesBelow } from '../helpers/output-folder.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

/** Has a good output and cache, and a folder for each test: open databases forbid to replace one. */
let root: string;
let folder: string;
let pipeline: string;
let emulator: Emulator;
let env: Record<string, string>;
const at = (...names: string[]) => join(folder, ...names);
const run = () => command(['run', pipeline, '--force'], { env });
const refusal = (path: string) => `${path}: expected a file or folder, received a symbolic link`;

const BLOCK = 'N01::PART::B001';

/** What an attack replaces, by its place; `*` is the first entry of a folder. */
const PLACES = [
  ...['out/objects/*/*', 'out/articles/*/*/*/*', 'out/manifest.jsonl', 'out/runs', 'out/.lock'],
  ...['out/.tmp', 'cache/objects/*', 'cache/selections/*', 'cache/state.db', 'cache/bodies.db-wal'],
];
/** Folders above them, and files that are opened like one of them: `BTG2GLTF_TEST_LONG=1`. */
const MORE_PLACES = [
  ...['out/catalogue.jsonl', 'cache/.tmp'],
  ...['out/objects', 'out/objects/*', 'out/articles', 'out/articles/*'],
  ...['cache/objects', 'cache/objects/*/*', 'cache/selections'],
  ...['cache/state.db-wal', 'cache/state.db-shm', 'cache/state.db-journal'],
  ...['cache/bodies.db', 'cache/bodies.db-shm', 'cache/bodies.db-journal'],
];

beforeAll(async () => {
  root = await temporaryFolder();
  folder = join(root, 'good');
  await mkdir(folder);
  const range = countedRange({ articles: 1, blocks: 1, images: 0 });
  // A body of this size is a file.
  range.bodies.set(BLOCK, Buffer.concat([countedBlock(BLOCK), Buffer.alloc(50_000, ' ')]));
  emulator = await startEmulator({ range });
  env = { ...environmentOf(emulator), BTG2GLTF_TOKEN: await logIn(emulator, true) };
  pipeline = await writePipeline(folder);
  const first = await run();
  expect(first.exit, first.stderr).toBe(0);
  await filesClosed(root);
});
afterAll(async () => {
  await emulator.close();
  await rm(root, { recursive: true, force: true });
});

let tests = 0;
beforeEach(async () => {
  folder = join(root, String(++tests));
  await cp(join(root, 'good'), folder, { recursive: true });
  pipeline = at('pipeline.yaml');
});

async function pathOf(place: string): Promise<string> {
  let path = folder;
  for (const name of place.split('/'))
    path = join(path, name === '*' ? (await readdir(path)).sort()[0]! : name);
  return path;
}

/** The names in this folder depend on the path of the output folder, which is that of another test. */
async function nameSelections(): Promise<void> {
  await rm(at('cache', 'selections'), { recursive: true });
  expect(await run()).toMatchObject({ exit: 0 });
}

/** Moves what is at a path, so that a link to it has the right content, and links it. */
async function replaceByLink(path: string): Promise<void> {
  const victim = at('victim');
  await rename(path, victim).catch(() => writeFile(victim, 'mine', { mode: 0o644 }));
  await symlink(victim, path);
}

/** Names, permissions, times and contents of the victim and all below it. */
async function stateOfVictim(): Promise<unknown[]> {
  const isFolder = (await lstat(at('victim'))).isDirectory();
  const names = isFolder ? await readdir(at('victim'), { recursive: true }) : [];
  const examine = async (path: string) => {
    const { mode, mtimeMs, size } = await lstat(path);
    return [path, mode, mtimeMs, size];
  };
  return Promise.all(['', ...names.sort()].map((name) => examine(at('victim', name))));
}

test.each([...PLACES, ...(IS_LONG ? MORE_PLACES : [])])(
  'a run refuses a link at %s, and leaves its target alone',
  async (place) => {
    if (place === 'cache/selections/*') await nameSelections();
    const path = await pathOf(place);
    await replaceByLink(path);
    const before = await stateOfVictim();
    const { exit, stderr } = await run();
    expect(exit, stderr).toBe(3);
    expect(stderr.replaceAll('\n', ' ')).toContain(refusal(path));
    expect(await stateOfVictim()).toEqual(before);
    expect(await readlink(path)).toBe(at('victim'));
  },
);

test.skipIf(process.platform === 'win32')('a run waits for no pipe', async () => {
  for (const name of ['out/.lock', 'out/manifest.jsonl']) {
    await rm(at(name), { force: true });
    spawnSync('mkfifo', [at(name)]);
    const { exit, stderr } = await run();
    const refused = `${at(name)}: expected a file or folder, received a pipe, socket or device`;
    expect([exit, stderr]).toEqual([3, expect.stringContaining(refused)]);
    await rm(at(name));
  }
});

test('the link to the latest run is replaced, wherever it leads', async () => {
  const latest = at('out/runs/latest');
  await rm(latest);
  await writeFile(at('victim'), 'mine');
  await symlink(at('victim'), latest);
  expect(await run()).toMatchObject({ exit: 0 });
  expect(await readlink(latest)).toMatch(/^\d{4}-/);
  expect(await readFile(at('victim'), 'utf8')).toBe('mine');
});

test.each(['out/objects/*/*', 'out/articles/*/*/*/*', 'out/catalogue.jsonl'])(
  'verify names a link at %s, though its target has the right content',
  async (place) => {
    const path = await pathOf(place);
    await replaceByLink(path);
    const { exit, stdout } = await command(['verify', pipeline]);
    expect([exit, stdout]).toEqual([1, expect.stringContaining(refusal(path))]);
  },
);

test('an output and a cache folder that are links themselves are followed', async () => {
  for (const part of ['out', 'cache']) {
    await rename(at(part), at(`real-${part}`));
    await symlink(at(`real-${part}`), at(part));
  }
  expect(await run()).toMatchObject({ exit: 0 });
  expect((await command(['verify', pipeline])).exit).toBe(0);
  expect(await filesBelow(at('real-out', 'objects'))).toHaveLength(1);
});
