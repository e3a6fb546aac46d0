/**
 * Process birth: what tells a process from an earlier one that had its id.
 *
 * Ids return: after a restart of the machine that of a killed run may be any other program's.
 */
import { errnoOf } from './file-operations.ts';
import { readTextIfExists } from './files.ts';

/** Place of the start, counted behind the name of the program, which may hold anything. */
const START_FIELD = 19;

/**
 * When a process was born: the start of the machine, and the ticks from then on.
 *
 * @returns The same text for as long as the process runs; undefined where there is no such process, and
 *   where the system does not tell, as any but Linux.
 * @throws {@link ConverterError} `FILE_UNREADABLE`
 *
 * @example
 * ```ts
 * await birthOf(process.pid);   // → '1f0c22b4-6d0e-4d5c-9b8e-0c5a8f1f2a77 81234'
 * ```
 *
 * @see D-830.
 */
export async function birthOf(pid: number): Promise<string | undefined> {
  const boot = await readTextIfExists('/proc/sys/kernel/random/boot_id');
  const stat = await readTextIfExists(`/proc/${pid}/stat`).catch((error: unknown) => {
    // It ended while it was looked at.
    if (errnoOf(error) === 'ESRCH') return undefined;
    throw error;
  });
  const start = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[START_FIELD];
  return boot === undefined || start === undefined ? undefined : `${boot.trim()} ${start}`;
}
