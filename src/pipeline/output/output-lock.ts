/**
 * Output lock: one run at a time works on an output folder.
 *
 * In: the folder. Out: a lock that is given back at the end. The lock of a process that no longer
 * runs is taken over.
 */
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ConverterError } from '../../support/errors.ts';
import {
  isRunning,
  publishOnce,
  readTextIfExists,
  removeFile,
  replaceFile,
  startOfProcess,
  temporaryFolder,
} from '../../support/files.ts';

/** Name of the lock in the output folder. */
export const LOCK_FILE = '.lock';

/** Beside the lock while a dead one is replaced: of several that find it, one may. */
const TAKEOVER_SUFFIX = '.takeover';

interface Holder {
  pid: number;
  host: string;
  startedAt: number;
  /** Tells it from a later process of its id; undefined where the system does not tell. */
  born?: string | undefined;
}

/** Folders that this process holds: its own process id alone does not tell two of its runs apart. */
const held = new Set<string>();

/**
 * Takes the lock of an output folder.
 *
 * @param startedAt - Milliseconds since 1970; tells two runs of one process id apart.
 * @returns Gives the lock back.
 * @throws {@link ConverterError} `OUTPUT_LOCKED` where another run holds it.
 *
 * @example
 * ```ts
 * const release = await lockOutput('output/demo', Date.now());
 * ```
 *
 * @see D-830.
 */
export async function lockOutput(
  outputDir: string,
  startedAt: number,
): Promise<() => Promise<void>> {
  const path = join(outputDir, LOCK_FILE);
  const holder: Holder = { pid: process.pid, host: hostname(), startedAt };
  if (held.has(path)) throw lockedBy(outputDir, JSON.stringify(holder));
  held.add(path);
  let own: string;
  try {
    own = JSON.stringify({ ...holder, born: await startOfProcess(process.pid) });
    await take(path, own, outputDir);
  } catch (error) {
    held.delete(path);
    throw error;
  }
  return async () => {
    held.delete(path);
    if ((await readTextIfExists(path)) === own) await removeFile(path);
  };
}

async function take(path: string, own: string, outputDir: string): Promise<void> {
  const tmpDir = temporaryFolder(outputDir);
  if (await placed(path, own, tmpDir)) return;
  const guard = path + TAKEOVER_SUFFIX;
  await checkDead(path, outputDir);
  if (!(await placed(guard, own, tmpDir))) {
    // Somebody else is at it, or died at it.
    await checkDead(guard, outputDir);
    await removeFile(guard);
    if (!(await placed(guard, own, tmpDir))) throw lockedBy(outputDir, '');
  }
  try {
    // Whoever replaces a lock holds the guard: what is dead now stays so until it is replaced.
    await checkDead(path, outputDir);
    await replaceFile(path, own, { tmpDir });
  } finally {
    await removeFile(guard);
  }
}

async function placed(path: string, own: string, tmpDir: string): Promise<boolean> {
  return (await publishOnce(path, new TextEncoder().encode(own), tmpDir)) === 'published';
}

/** @throws `OUTPUT_LOCKED` where a lock is that of a running process, or has just been given back. */
async function checkDead(path: string, outputDir: string): Promise<void> {
  const text = await readTextIfExists(path);
  if (text === undefined || !(await isDead(text))) throw lockedBy(outputDir, text ?? '');
}

/** Of another machine we cannot tell; a lock that cannot be read is nobody's. */
async function isDead(text: string): Promise<boolean> {
  const holder = holderOf(text);
  if (holder === undefined) return true;
  if (holder.host !== hostname()) return false;
  // Process ids return, in containers at once: one of our own id that we do not hold is a dead one's.
  if (holder.pid === process.pid || !isRunning(holder.pid)) return true;
  const born = holder.born === undefined ? undefined : await startOfProcess(holder.pid);
  return born !== undefined && born !== holder.born;
}

function holderOf(text: string): Holder | undefined {
  try {
    const { pid, host, startedAt, born } = JSON.parse(text) as Partial<Holder>;
    return typeof pid === 'number' && typeof host === 'string'
      ? { pid, host, startedAt: Number(startedAt), born }
      : undefined;
  } catch {
    return undefined;
  }
}

function lockedBy(outputDir: string, text: string): ConverterError {
  const holder = holderOf(text);
  const who = holder ? `process ${holder.pid} on ${holder.host}` : 'another run';
  const elsewhere = holder !== undefined && holder.host !== hostname();
  const advice = elsewhere
    ? `, and whether that still runs cannot be told from here: if it does not, remove ${join(outputDir, LOCK_FILE)}`
    : '';
  return new ConverterError('OUTPUT_LOCKED', `${outputDir} is in use by ${who}${advice}`);
}
