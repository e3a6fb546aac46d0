/**
 * Output lock: one run at a time works on an output folder.
 *
 * In: the folder. Out: a lock that is given back at the end. The lock of a process that no longer
 * runs is taken over.
 */
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConverterError } from '../support/errors.ts';
import { isRunning, publishOnce, readTextIfExists, removeFile } from '../support/files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Name of the lock in the output folder. */
export const LOCK_FILE = '.lock';

/** Two that find the same dead lock may both replace it: whoever was replaced sees it after this. */
const SECOND_LOOK_MS = 250;

interface Holder {
  pid: number;
  host: string;
  startedAt: number;
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
  const own = JSON.stringify({ pid: process.pid, host: hostname(), startedAt });
  if (held.has(path)) throw lockedBy(outputDir, own);
  held.add(path);
  try {
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
  const content = new TextEncoder().encode(own);
  if ((await publishOnce(path, content, tmpDir)) === 'published') return;
  const other = await readTextIfExists(path);
  if (other !== undefined && !isDead(other)) throw lockedBy(outputDir, other);
  await removeFile(path);
  const again = await publishOnce(path, content, tmpDir);
  await sleep(SECOND_LOOK_MS);
  const now = await readTextIfExists(path);
  if (again === 'existed' || now !== own) throw lockedBy(outputDir, now ?? own);
}

/** Of another machine we cannot tell; a lock that cannot be read is nobody's. */
function isDead(text: string): boolean {
  const holder = holderOf(text);
  if (holder === undefined) return true;
  if (holder.host !== hostname()) return false;
  // Process ids return, in containers at once: one of our own id that we do not hold is a dead one's.
  return holder.pid === process.pid || !isRunning(holder.pid);
}

function holderOf(text: string): Holder | undefined {
  try {
    const { pid, host, startedAt } = JSON.parse(text) as Partial<Holder>;
    return typeof pid === 'number' && typeof host === 'string'
      ? { pid, host, startedAt: Number(startedAt) }
      : undefined;
  } catch {
    return undefined;
  }
}

function lockedBy(outputDir: string, text: string): ConverterError {
  const holder = holderOf(text);
  const who = holder ? `process ${holder.pid} on ${holder.host}` : 'another run';
  return new ConverterError('OUTPUT_LOCKED', `${outputDir} is in use by ${who}`);
}
