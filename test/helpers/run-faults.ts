/** Faults of a run, before one of its requests or file operations: a signal, a kill, or a full disk. */
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ConverterError } from '../../src/support/errors.ts';
import { watchFileOperations } from '../../src/support/file-operations.ts';
import { COUNTING, type Ended, startChild } from './child.ts';
import { filesClosed } from './closed-files.ts';

/** The kinds of faults. */
export const RUN_FAULTS = ['SIGTERM', 'SIGKILL', 'disk-full'] as const;

/** What happens, and before which request or file operation. */
export interface RunFault {
  kind: (typeof RUN_FAULTS)[number];
  before: 'request' | 'operation';
  number: number;
}

/** Operations that a full disk allows. */
const NEED_NO_ROOM = new Set(['list', 'stat', 'read', 'readlink', 'unlink', 'remove', 'close']);
const FULL = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
/** As the process ends a run. */
const KILLED = new ConverterError('INTERRUPTED', 'interrupted');

/**
 * Executes a run in this process, with a fault.
 *
 * A kill is the state of its folder at that moment: it is copied, and replaces the folder once the run has ended.
 * Locks and temporary files that this process has left are those of a dead one for the next run (`hasEnded`).
 *
 * @param folder - Has everything that the run writes.
 * @param run - Receives the signal of the run, and what to call before each answer of its service.
 */
export async function withRunFault<T>(
  fault: RunFault | undefined,
  folder: string,
  run: (signal: AbortSignal, onAsked: () => void) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  if (fault === undefined) return run(controller.signal, () => {});
  const counts = { request: 0, operation: 0 };
  const killed = `${folder}-killed`;
  let hasHappened = false;
  const count = (what: RunFault['before']) => {
    if (hasHappened || what !== fault.before || ++counts[what] !== fault.number) return;
    hasHappened = true;
    if (fault.kind === 'SIGKILL') copyFolder(folder, killed);
    if (fault.kind !== 'disk-full') controller.abort(KILLED);
  };
  watchFileOperations((operation) => {
    count('operation');
    if (!hasHappened || fault.kind === 'SIGTERM') return;
    if (fault.kind === 'SIGKILL') throw KILLED;
    if (!NEED_NO_ROOM.has(operation)) throw FULL;
  });
  try {
    return await run(controller.signal, () => count('request'));
  } finally {
    watchFileOperations(undefined);
    if (hasHappened && fault.kind === 'SIGKILL') {
      await filesClosed(folder);
      await rm(folder, { recursive: true });
      await rename(killed, folder);
    }
  }
}

/** Copies a folder with its hard links, while nothing of this process goes on but the operations that have begun. */
function copyFolder(from: string, to: string): void {
  let before: string;
  do {
    before = stateOf(from);
    spawnSync('rm', ['-rf', to]);
    spawnSync('cp', ['-a', from, to]);
  } while (stateOf(from) !== before);
}

/** Every file of a folder with its size and time. */
function stateOf(folder: string): string {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const states = files.map(({ parentPath, name }) => {
    const facts = statSync(join(parentPath, name), { throwIfNoEntry: false });
    return `${parentPath}/${name} ${facts?.ino} ${facts?.size} ${facts?.mtimeMs}`;
  });
  return states.sort().join('\n');
}

/**
 * Executes a run in a process of its own, and kills that.
 *
 * @param run - Words and variables, and the time at which its clock begins, milliseconds since 1970.
 * @param watch - Takes what to call before each answer of the service.
 */
export async function withKill(
  { before, number }: RunFault,
  run: { words: string[]; env: Record<string, string>; atMs: number },
  watch: (onAsked: () => void) => void,
): Promise<Ended> {
  const ahead = { CLOCK_AHEAD_MS: String(run.atMs - Date.now()) };
  const kill = before === 'operation' && { KILL_BEFORE: String(number) };
  const child = startChild(run.words, { ...run.env, ...COUNTING, ...ahead, ...kill });
  let asked = 0;
  watch(() => {
    if (before === 'request' && ++asked === number) child.kill('SIGKILL');
  });
  return child.ended;
}
