/** The lock of an output folder: one run at a time; the lock of a process that no longer runs is taken over. */
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ConverterError } from '../../support/errors.ts';
import { hasEnded, refuseLinksBelow } from '../../support/file-operations.ts';
import {
  publishOnce,
  readTextIfExists,
  removeFile,
  replaceFile,
  temporaryFolder,
} from '../../support/files.ts';

const LOCK_FILE = '.lock';
/** Suffix of the guard, which allows only one of several processes to replace a stale lock. */
const TAKEOVER_SUFFIX = '.takeover';

interface Owner {
  pid: number;
  host: string;
  /** Milliseconds since 1970; distinguishes two runs of one process id. */
  startedAt: number;
  /** Distinguishes the process from a later one with its id; undefined if the system does not say. */
  born?: string | undefined;
}

/** Locks of this process: its process id alone does not distinguish two of its runs. */
const ownLocks = new Set<string>();

/**
 * Takes the lock of an output folder. @see D-830
 *
 * @param startedAt - Milliseconds since 1970.
 * @returns A function that releases the lock.
 * @throws {@link ConverterError} `OUTPUT_LOCKED` if another run has it.
 */
export async function lockOutput(
  outputDir: string,
  startedAt: number,
): Promise<() => Promise<void>> {
  refuseLinksBelow(outputDir);
  const path = join(outputDir, LOCK_FILE);
  const owner: Owner = { pid: process.pid, host: hostname(), startedAt };
  if (ownLocks.has(path)) throw lockedBy(outputDir, owner);
  ownLocks.add(path);
  let own: string;
  try {
    own = JSON.stringify({ ...owner, born: await startOfProcess(process.pid) });
    await take(path, own, outputDir);
  } catch (error) {
    ownLocks.delete(path);
    throw error;
  }
  return async () => {
    ownLocks.delete(path);
    if ((await readTextIfExists(path)) === own) await removeFile(path);
  };
}

async function take(path: string, own: string, outputDir: string): Promise<void> {
  const tmpDir = temporaryFolder(outputDir);
  // No lock is valid after a power cut: its folder is not synced.
  const unsynced = new Set<string>();
  const isPlaced = async (at: string) =>
    (await publishOnce(at, own, tmpDir, 'normal', unsynced)) === 'published';
  if (await isPlaced(path)) return;
  const guard = path + TAKEOVER_SUFFIX;
  await checkStale(path, outputDir);
  if (!(await isPlaced(guard))) {
    // Another process is replacing the lock, or died while it did.
    await checkStale(guard, outputDir);
    await removeFile(guard);
    if (!(await isPlaced(guard))) throw lockedBy(outputDir);
  }
  try {
    // Only the owner of the guard replaces a lock: one that is stale now stays stale until then.
    await checkStale(path, outputDir);
    await replaceFile(path, own, { tmpDir });
  } finally {
    await removeFile(guard);
  }
}

/** @throws `OUTPUT_LOCKED` if the lock is that of a running process, or was just released. */
async function checkStale(path: string, outputDir: string): Promise<void> {
  const text = await readTextIfExists(path);
  if (text === undefined) throw lockedBy(outputDir);
  const owner = parseOwner(text);
  if (owner !== undefined && (await isValid(owner))) throw lockedBy(outputDir, owner);
}

/** The lock of another machine counts as valid, since that machine cannot be examined. */
async function isValid({ pid, host, born }: Owner): Promise<boolean> {
  if (host !== hostname()) return true;
  if (hasEnded(pid)) return false;
  const actual = born === undefined ? undefined : await startOfProcess(pid);
  return actual === undefined || actual === born;
}

/** Field of `/proc/PID/stat` after the name of the program: the start, in ticks since boot. */
const START_FIELD = 19;

/**
 * Identifies the start of a process, because process ids are reused: the id of the boot, and the ticks
 * between boot and start.
 *
 * @returns Undefined if there is no such process, and on systems other than Linux.
 * @throws {@link ConverterError} `FILE_UNREADABLE` if the system refuses to show the process.
 */
export async function startOfProcess(pid: number): Promise<string | undefined> {
  const boot = await readTextIfExists('/proc/sys/kernel/random/boot_id');
  const stat = await readTextIfExists(`/proc/${pid}/stat`);
  const start = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[START_FIELD];
  return boot === undefined || start === undefined ? undefined : `${boot.trim()} ${start}`;
}

function parseOwner(text: string): Owner | undefined {
  try {
    const owner = JSON.parse(text) as Partial<Owner>;
    const isOwner = typeof owner.pid === 'number' && typeof owner.host === 'string';
    return isOwner ? (owner as Owner) : undefined;
  } catch {
    return undefined;
  }
}

function lockedBy(outputDir: string, owner?: Owner): ConverterError {
  const who = owner ? `: process ${owner.pid} on ${owner.host}` : '';
  const isRemote = owner !== undefined && owner.host !== hostname();
  const advice = isRemote
    ? `; this machine cannot see whether that process still runs: if it does not, remove ${join(outputDir, LOCK_FILE)}`
    : '';
  const message = `${outputDir}: another run uses this folder${who}${advice}`;
  return new ConverterError('OUTPUT_LOCKED', message);
}
