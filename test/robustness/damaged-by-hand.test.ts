/**
 * Damage by hand: files of output and cache that are cut, swapped or deleted between two runs.
 *
 * The next run repairs the damage, or names an action that does. `npm test` takes one damage of each kind, some of
 * them together, with `BTG2GLTF_TEST_LONG=1` it is all of them, each alone.
 */
import {
  appendFile,
  chmod,
  cp,
  mkdir,
  readFile,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { filesClosed } from '../helpers/closed-files.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { countedBlock, countedRange } from '../helpers/counted-range.ts';
import { logIn } from '../helpers/emulated-session.ts';
import { damagesOf, filesBelow, publishedFiles } from '../helpers/output-folder.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

/** The action that a run names after a damage; the test tries it. */
type Help = '--repair' | 'aside' | 'remove';

/** What is damaged, how, the exit code of the next run (0: it repaired everything), and what it names. */
type Damage = [what: string, make: () => Promise<void>, exit: 0 | 3, helps?: Help];

const MANIFEST = 'out/manifest.jsonl';
const STATE = 'cache/state.db';
const BODIES = 'cache/bodies.db';
const DIGEST = /"sha256":"[0-9a-f]{64}"/;

/** Of files that differ from each other. */
const APART: Damage[] = [
  ['an object is cut', () => cut(object()), 0],
  ['a link is another file', () => swap(link(2), 'another'), 0],
  ['a link is gone', async () => rm(await link(1)), 0],
];

const DAMAGES: Damage[] = [
  ['an object is gone', async () => rm(await object()), 0],
  ['a link leads nowhere', async () => leadNowhere(await link()), 3, 'remove'],
  ['a path leads out', () => edit(/"glb":"[^"]*"/, '"glb":"../../x.glb"'), 0],
  ['a digest is a path', () => edit(DIGEST, '"sha256":"../../x"'), 3, '--repair'],
  ['the catalogue is cut', () => cut(at('out/catalogue.jsonl')), 3, '--repair'],
  ['the state is garbage', () => swap(at(STATE), 'x'.repeat(9999)), 3, 'aside'],
  ['the bodies are gone', () => removeBodies(), 0],
  ['the small bodies are cut', () => cut(at(BODIES), 30_000), 0],
];

/** Those that are left to the long form: others of their kind are above, and the state is gone once it was put aside. */
const MORE_DAMAGES: Damage[] = [
  ['the manifest is cut', () => cut(at(MANIFEST)), 3, '--repair'],
  ['the state is gone', () => rm(at(STATE)), 0],
  ['an object is edited through its link', async () => extend(await link()), 0],
  ['the manifest is empty', () => swap(at(MANIFEST), ''), 0],
  ['the manifest is zeros', () => swap(at(MANIFEST), '\0'.repeat(99)), 3, '--repair'],
  ['a digest is another', () => edit(DIGEST, `"sha256":"${'0'.repeat(64)}"`), 0],
  ['a line lacks a list', () => edit(/,"losses":\[\]/, ''), 3, '--repair'],
  ['the state is cut', () => cut(at(STATE), 9000), 3, 'aside'],
  ['the small bodies are gone', () => rm(at(BODIES)), 0],
  ['the small bodies are text', () => swap(at(BODIES), 'x'.repeat(9999)), 0],
];

/** Where the run before each damage was. */
let good: string;
/** Where the damage is. */
let folder: string;
let emulator: Emulator;
let file: string;
let env: Record<string, string>;
let clean: Map<string, string>;
const at = (name: string) => join(folder, name);
const run = (...options: string[]) => command(['run', file, ...options], { env });

beforeAll(async () => {
  good = await temporaryFolder();
  const range = countedRange({ articles: 3, blocks: 4, images: 2 });
  // A body of this size is a file, all others are rows.
  const [block] = range.articleAt(0).blocks;
  range.bodies.set(block!, Buffer.concat([countedBlock(block!), Buffer.alloc(50_000, ' ')]));
  emulator = await startEmulator({ range });
  const { authUrl, baseUrl } = emulator;
  env = {
    BTG2GLTF_AUTH_URL: authUrl,
    BTG2GLTF_BASE_URL: baseUrl,
    BTG2GLTF_TOKEN: await logIn(emulator, true),
  };
  // The manifest of the second run says "unchanged", as that of every later one does.
  await open(good);
  for (let day = 1; day <= 2; day++) expect((await run()).exit).toBe(0);
  clean = await publishedFiles(at('out'));
  await filesClosed(good);
});
afterAll(() => emulator.close());

async function open(path: string): Promise<void> {
  folder = path;
  file = await writePipeline(folder);
}

const together: Damage = [
  APART.map(([what]) => what).join(', '),
  async () => {
    for (const [, make] of APART) await make();
  },
  0,
];
const tried = IS_LONG ? [...APART, ...DAMAGES, ...MORE_DAMAGES] : [together, ...DAMAGES];

test.each(tried)('%s', async (_, make, exit, helps) => {
  await open(await temporaryFolder());
  for (const part of ['out', 'cache']) await cp(join(good, part), at(part), { recursive: true });
  await make();
  const first = await run();
  expect(first.exit, first.stderr).toBe(exit);
  expect(first.stderr).not.toMatch(/please report|\n {4}at /);
  if (helps === '--repair') {
    expect(first.stderr + first.stdout).toContain('--repair');
    const repaired = await run('--repair');
    expect(repaired.exit, repaired.stderr).toBe(0);
  }
  if (helps === 'aside') {
    expect(first.stderr).toMatch(/move state\.db and .* to a safe place/);
    for (const part of ['', '-shm', '-wal']) await rm(at(STATE + part), { force: true });
  }
  if (helps === 'remove') {
    const [, path] = /btg2gltf: (.*): expected .*, received a symbolic link/.exec(first.stderr)!;
    await rm(path!);
  }
  // Once more: what was built again is unchanged from then on.
  const last = await run();
  expect(last.exit, last.stderr).toBe(0);
  expect(await damagesOf(at('out'))).toEqual([]);
  expect(await publishedFiles(at('out'))).toEqual(clean);
});

async function removeBodies(): Promise<void> {
  await rm(at('cache/objects'), { recursive: true });
  await rm(at(BODIES));
}

async function object(): Promise<string> {
  return (await filesBelow(at('out/objects')))[0]!;
}

async function link(index = 0): Promise<string> {
  return (await filesBelow(at('out/articles')))[index]!;
}

async function cut(path: string | Promise<string>, bytes = 700): Promise<void> {
  await chmod(await path, 0o644);
  await truncate(await path, bytes);
}

async function extend(path: string): Promise<void> {
  await chmod(path, 0o644);
  await appendFile(path, 'x');
}

async function swap(path: string | Promise<string>, content: string): Promise<void> {
  await rm(await path);
  await writeFile(await path, content);
}

async function leadNowhere(path: string): Promise<void> {
  await rm(path);
  await mkdir(at('nowhere'), { recursive: true });
  await symlink(at('nowhere/at-all'), path);
}

/** Changes the first line of the manifest that holds something. */
async function edit(pattern: RegExp, by: string): Promise<void> {
  const before = await readFile(at(MANIFEST), 'utf8');
  expect(before).toMatch(pattern);
  await writeFile(at(MANIFEST), before.replace(pattern, by));
}
