/**
 * File faults: a run is repeated with its first file operation failing, then its second, and so on,
 * until it has no N-th one, as SQLite tests itself.
 *
 * `npm test` takes one operation in 600, by a seed, with one fault each, with `BTG2GLTF_TEST_LONG=1` it is every
 * operation with every fault.
 */
import { cp, rm } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFailed, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { watchFileOperations } from '../../src/support/file-operations.ts';
import { filesClosed } from '../helpers/closed-files.ts';
import { type CommandResult, command, writePipeline } from '../helpers/command.ts';
import { type CountedRange, countedBlock, countedRange } from '../helpers/counted-range.ts';
import { logIn } from '../helpers/emulated-session.ts';
import { chanceOf } from '../helpers/fuzz/chance.ts';
import {
  damagesOf,
  filesBelow,
  manifestWithoutStatus,
  publishedFiles,
} from '../helpers/output-folder.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const SEED = 6;
/** One operation in how many, about. */
const EVERY = IS_LONG ? 1 : 600;
/** The error of an operation, and whether all later ones fail likewise. */
const FAULTS = [
  { errno: 'ENOSPC', forGood: false },
  { errno: 'EIO', forGood: false },
  { errno: 'EACCES', forGood: false },
  { errno: 'ENOSPC', forGood: true },
] as const;

/** The folders that a run writes to. */
const PARTS = ['out', 'cache', 'machine'];
const REFUSAL =
  /^btg2gltf: cannot (?<operation>[a-z ]+) (?<path>.+): (?<errno>\w+)\n {2}→ [^\n]+\n$/m;

/**
 * What a run does not need: a temporary name that is not removed, which the next run removes, the lock at
 * the very end, which is then one of a process that is no more, and the link to the latest report.
 */
const NEEDLESS: readonly RegExp[] = [
  /^unlink \S+\.tmp$/,
  /^(?:read|unlink) out\/\.lock$/,
  /^\w+ out\/runs\/latest$/,
  // The folder of temporary files, before the link is made there.
  /^stat out\/\*\.tmp$/,
];
/** What a run says of a fault after which it ends well: the next run removes what this one could not. */
const WARNING = /what is outdated could not be removed/;

/** Of the run that is looked at. */
let folder: string;
/** Where what an earlier run has left is kept. */
let kept: string | undefined;
/** The fault that the run has. */
let current: string | undefined;
let range: CountedRange;
let emulator: Emulator;
let file: string;
let env: Record<string, string>;
const at = (name: string) => join(folder, name);
const run = () => {
  const [metrics, junit] = [at('machine/run.prom'), at('machine/run.xml')];
  return command(['run', file, '--metrics-file', metrics, '--junit', junit], { env });
};

beforeAll(async () => {
  range = countedRange({ articles: 3, blocks: 4, images: 2 });
  emulator = await startEmulator({ range });
  // A token, since hundreds of logins would take longer than all the rest.
  const { authUrl, baseUrl } = emulator;
  env = {
    BTG2GLTF_AUTH_URL: authUrl,
    BTG2GLTF_BASE_URL: baseUrl,
    BTG2GLTF_TOKEN: await logIn(emulator, true),
  };
});
beforeEach(() => {
  onTestFailed(() => console.error(`in work: ${current}`));
});
afterEach(() => watchFileOperations(undefined));
afterAll(() => emulator.close());

test('a first run', sweep);

test('a run over the output of an earlier run', async () => {
  await open();
  expect((await run()).exit).toBe(0);
  await filesClosed(folder);
  kept = folder;
  range.gone.add('A00003');
  range.bodies.set('N01::PART::B002', countedBlock('N01::PART::B002', 2));
  range.convertdates.set('N01', '2024-06-01');
  await sweep();
});

/** Opens a folder with what an earlier run has left. */
async function open(): Promise<void> {
  folder = await temporaryFolder();
  file = await writePipeline(folder);
  if (kept === undefined) return;
  for (const part of PARTS) await cp(join(kept, part), at(part), { recursive: true });
}

/** Lets each operation of a run fail. */
async function sweep(): Promise<void> {
  await open();
  const intact = await publishedFiles(at('out'));
  let operations = 0;
  watchFileOperations(() => void operations++);
  expect((await run()).exit).toBe(0);
  watchFileOperations(undefined);
  const manifest = await manifestWithoutStatus(at('out'));
  const clean = { manifest, files: await publishedFiles(at('out')) };
  const problems: string[] = [];
  const unaffected = new Set<string>();
  let runs = 0;
  const chance = chanceOf(SEED, operations);
  for (let number = 1; ; number += 1 + chance.below(2 * EVERY - 1)) {
    const runsBefore = runs;
    for (const fault of IS_LONG ? FAULTS : [FAULTS[runs % FAULTS.length]!]) {
      await open();
      current = `${number}: ${fault.errno}${fault.forGood ? ' for good' : ''}`;
      const { failed, result } = await runWithFault(number, fault);
      if (failed === undefined) continue;
      runs++;
      if (result.exit === 0) unaffected.add(failed);
      const found = [
        ...problemsOf(result, failed, await manifestWithoutStatus(at('out')), clean),
        ...(await damagesOf(at('out'))),
        ...lossesOf(intact, await publishedFiles(at('out')), clean),
        ...(await problemsOfNextRun(clean)),
      ];
      problems.push(...found.map((problem) => `${current} from ${failed}: ${problem}`));
      await rm(folder, { recursive: true, force: true });
    }
    if (runs === runsBefore) break;
  }
  console.info(`file faults: ${operations} operations, ${runs} runs; not affected by:`, unaffected);
  expect(problems).toEqual([]);
  expect(runs).toBeGreaterThanOrEqual(operations / EVERY / 2);
}

interface Clean {
  manifest: string[];
  files: Map<string, string>;
}

/** After a fault either all is well, or one sentence with a code says why not. */
function problemsOf(
  { exit, stderr }: CommandResult,
  failed: string,
  manifest: string[],
  clean: Clean,
): string[] {
  const problems: string[] = [];
  const isNeedless = NEEDLESS.some((needless) => needless.test(failed));
  if (exit === 0) {
    if (!isNeedless && !WARNING.test(stderr)) problems.push('went unnoticed');
    if (!isDeepStrictEqual(manifest, clean.manifest)) problems.push('another manifest, exit 0');
  } else if (exit !== 3 || !REFUSAL.test(stderr) || /\n {4}at /.test(stderr)) {
    problems.push(`exit ${exit}: ${stderr.split('\n').slice(-8).join('\n')}`);
  }
  return problems;
}

/** Files that have neither their earlier content nor the new one; an object never changes. */
function lossesOf(
  intact: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
  clean: Clean,
): string[] {
  return [...intact]
    .filter(([name, digest]) => {
      const mayChange = !name.startsWith('objects') && now.get(name) === clean.files.get(name);
      return now.get(name) !== digest && !mayChange;
    })
    .map(([name]) => `lost ${name}`);
}

/** The next run, without a fault, makes all good. */
async function problemsOfNextRun(clean: Clean): Promise<string[]> {
  const { exit, stderr } = await run();
  const problems: string[] = [];
  if (exit !== 0)
    problems.push(`next run: exit ${exit}: ${stderr.split('\n').slice(-4).join('\n')}`);
  if (!isDeepStrictEqual(await manifestWithoutStatus(at('out')), clean.manifest)) {
    problems.push('next run: another manifest');
  }
  const files = await publishedFiles(at('out'));
  for (const [name, digest] of clean.files) {
    if (name !== 'manifest.jsonl' && files.get(name) !== digest) problems.push(`next run: ${name}`);
  }
  const left = (await filesBelow(folder)).filter((path) => /\.tmp$|\.lock$/.test(path));
  return [...problems, ...left.map((path) => `left: ${path}`)];
}

/** Runs with the N-th operation failing; `failed` names it, in words that are the same for all such. */
async function runWithFault(first: number, fault: (typeof FAULTS)[number]) {
  let count = 0;
  let failed: string | undefined;
  watchFileOperations((operation, path) => {
    count++;
    if (count < first || (count > first && !fault.forGood)) return;
    failed ??= `${operation} ${nameOf(path)}`;
    throw Object.assign(new Error(fault.errno), { code: fault.errno });
  });
  const result = await run();
  watchFileOperations(undefined);
  return { failed, result };
}

/** A path without what differs from run to run. */
function nameOf(path: string): string {
  if (basename(path).endsWith('.tmp')) return join(relative(folder, path), '..', '*.tmp');
  return relative(folder, path);
}
