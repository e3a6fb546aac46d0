/**
 * Damage by hand: files of output and cache that are cut, swapped or deleted between two runs.
 *
 * The next run repairs the damage, or names an action that does.
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
import { temporaryFolder } from '../helpers/temporary.ts';

interface Damage {
  what: string;
  make(): Promise<void>;
  /** Exit code of the next run; 0: it repaired everything. */
  exit: number;
  /** The action that it names; the test tries it. */
  helps?: '--repair' | 'aside' | 'remove';
}

const MANIFEST = 'out/manifest.jsonl';
const STATE = 'cache/state.db';
const BODIES = 'cache/bodies.db';
const DIGEST = /"sha256":"[0-9a-f]{64}"/;

const DAMAGES: Damage[] = [
  { what: 'an object is cut', make: () => cut(object()), exit: 0 },
  { what: 'an object is edited through its link', make: async () => extend(await link()), exit: 0 },
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
  { what: 'the manifest is empty', make: () => swap(at(MANIFEST), ''), exit: 0 },
  {
    what: 'the manifest is zeros',
    make: () => swap(at(MANIFEST), '\0'.repeat(99)),
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
    exit: 0,
  },
  { what: 'a path leads out', make: () => edit(/"glb":"[^"]*"/, '"glb":"../../x.glb"'), exit: 0 },
  {
    what: 'a line lacks a list',
    make: () => edit(/,"losses":\[\]/, ''),
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
  { what: 'the state is cut', make: () => cut(at(STATE), 9000), exit: 3, helps: 'aside' },
  { what: 'the state is gone', make: () => rm(at(STATE)), exit: 0 },
  { what: 'the bodies are gone', make: () => removeBodies(), exit: 0 },
  { what: 'the small bodies are gone', make: () => rm(at(BODIES)), exit: 0 },
  { what: 'the small bodies are cut', make: () => cut(at(BODIES), 30_000), exit: 0 },
  { what: 'the small bodies are text', make: () => swap(at(BODIES), 'x'.repeat(9999)), exit: 0 },
];

let folder: string;
let emulator: Emulator;
let file: string;
let env: Record<string, string>;
let clean: Map<string, string>;
const at = (name: string) => join(folder, name);
const run = (...options: string[]) => command(['run', file, ...options], { env });

beforeAll(async () => {
  folder = await temporaryFolder();
  const range = countedRange({ articles: 5, blocks: 4, images: 2 });
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
  const service = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };
  file = await writePipeline(folder, { service });
  // The manifest of the second run says "unchanged", as that of every later one does.
  for (let day = 1; day <= 2; day++) expect((await run()).exit).toBe(0);
  clean = await publishedFiles(at('out'));
  await filesClosed(folder);
  for (const part of ['out', 'cache']) await cp(at(part), at(`good/${part}`), { recursive: true });
});
afterAll(async () => {
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});

test.each(DAMAGES)('$what: exit $exit', async ({ make, exit, helps }) => {
  await filesClosed(folder);
  for (const part of ['out', 'cache']) {
    await rm(at(part), { recursive: true, force: true });
    await cp(at(`good/${part}`), at(part), { recursive: true });
  }
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
    await rm(at(STATE));
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
