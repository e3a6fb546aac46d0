/**
 * Damage by hand: files of output and cache that are cut, swapped or deleted between two runs.
 *
 * The next run repairs the damage, or names an action that does. `npm test` takes one damage of each kind, with
 * `BTG2GLTF_TEST_LONG=1` it is all of them.
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

interface Damage {
  what: string;
  make(): Promise<void>;
  /** Exit code of the next run; 0: it repaired everything. */
  exit: number;
  /** The action that it names; the test tries it. */
  helps?: '--repair' | 'aside' | 'remove';
  /** Whether it is left to the long form. */
  isLong?: true;
}

const SERVICE = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };
const MANIFEST = 'out/manifest.jsonl';
const STATE = 'cache/state.db';
const BODIES = 'cache/bodies.db';
const DIGEST = /"sha256":"[0-9a-f]{64}"/;

const DAMAGES: Damage[] = [
  { what: 'an object is cut', make: () => cut(object()), exit: 0 },
  {
    what: 'an object is edited through its link',
    make: async () => extend(await link()),
    isLong: true,
    exit: 0,
  },
  { what: 'an object is gone', make: async () => rm(await object()), exit: 0 },
  { what: 'a link is gone', make: async () => rm(await link()), exit: 0 },
  { what: 'a link is another file', make: () => swap(link(), 'another'), exit: 0 },
  {
    what: 'a link leads nowhere',
    make: async () => leadNowhere(await link()),
    exit: 3,
    helps: 'remove',
  },
  { what: 'the manifest is cut', make: () => cut(at(MANIFEST)), exit: 3, helps: '--repair' },
  { what: 'the manifest is empty', make: () => swap(at(MANIFEST), ''), isLong: true, exit: 0 },
  {
    what: 'the manifest is zeros',
    make: () => swap(at(MANIFEST), '\0'.repeat(99)),
    isLong: true,
    exit: 3,
    helps: '--repair',
  },
  {
    what: 'a digest is a path',
    make: () => edit(DIGEST, '"sha256":"../../x"'),
    exit: 3,
    helps: '--repair',
  },
  {
    what: 'a digest is another',
    make: () => edit(DIGEST, `"sha256":"${'0'.repeat(64)}"`),
    isLong: true,
    exit: 0,
  },
  { what: 'a path leads out', make: () => edit(/"glb":"[^"]*"/, '"glb":"../../x.glb"'), exit: 0 },
  {
    what: 'a line lacks a list',
    make: () => edit(/,"losses":\[\]/, ''),
    isLong: true,
    exit: 3,
    helps: '--repair',
  },
  {
    what: 'the catalogue is cut',
    make: () => cut(at('out/catalogue.jsonl')),
    exit: 3,
    helps: '--repair',
  },
  {
    what: 'the state is garbage',
    make: () => swap(at(STATE), 'x'.repeat(9999)),
    exit: 3,
    helps: 'aside',
  },
  {
    what: 'the state is cut',
    make: () => cut(at(STATE), 9000),
    isLong: true,
    exit: 3,
    helps: 'aside',
  },
  { what: 'the state is gone', make: () => rm(at(STATE)), exit: 0 },
  { what: 'the bodies are gone', make: () => removeBodies(), exit: 0 },
  { what: 'the small bodies are gone', make: () => rm(at(BODIES)), isLong: true, exit: 0 },
  { what: 'the small bodies are cut', make: () => cut(at(BODIES), 30_000), exit: 0 },
  {
    what: 'the small bodies are text',
    make: () => swap(at(BODIES), 'x'.repeat(9999)),
    isLong: true,
    exit: 0,
  },
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
  file = await writePipeline(folder, { service: SERVICE });
}

const tried = DAMAGES.filter(({ isLong }) => IS_LONG || !isLong);

test.each(tried)('$what: exit $exit', async ({ make, exit, helps }) => {
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

async function link(): Promise<string> {
  return (await filesBelow(at('out/articles')))[0]!;
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
