/** Memory and processor time of a program and its child processes, on Linux. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** The most memory, in MiB. */
export interface MemoryPeaks {
  /** Of the program and its child processes together, at one moment. */
  peakMib: number;
  /** Of any one of them. */
  largestMib: number;
  /** Of the program alone. */
  programMib: number;
}

/** Short beside the time in which a conversion takes its memory. */
const EVERY_MS = 50;
export const MIB_PER_PAGE = 4096 / 2 ** 20;

/**
 * Measures until it is stopped.
 *
 * Memory that a child shares with others counts once, with the first process. The kernel keeps the peak of each
 * process (VmHWM), so that of one alone is exact, where the sum is sampled.
 *
 * @param isWrapper - Whether the process only waits for the program, and does not count.
 */
export function measureMemory(pid: number, isWrapper = false): () => MemoryPeaks {
  const peaks: MemoryPeaks = { peakMib: 0, largestMib: 0, programMib: 0 };
  const measure = () => {
    const all = [...(isWrapper ? [] : [pid]), ...descendantsOf(pid)];
    const pages = all.map((one, index) => {
      const { resident, shared } = pagesOf(one);
      return index === 0 ? resident : resident - shared;
    });
    const together = pages.reduce((sum, one) => sum + one, 0) * MIB_PER_PAGE;
    peaks.largestMib = Math.max(peaks.largestMib, ...all.map(highestMib));
    peaks.programMib = Math.max(peaks.programMib, highestMib(all[0] ?? pid));
    peaks.peakMib = Math.max(peaks.peakMib, together, peaks.largestMib);
  };
  const timer = setInterval(measure, EVERY_MS);
  return () => {
    clearInterval(timer);
    return peaks;
  };
}

/** Children, their children, and so on. A child belongs to the thread that started it. */
export function descendantsOf(pid: number): number[] {
  const children = threadsOf(pid).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
  return [...children, ...children.flatMap(descendantsOf)];
}

/** The words with which a process was started; empty where it has ended. */
export function commandOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`);
}

/** Clock ticks of the kernel, on every Linux that Node.js runs on. */
const TICKS_PER_SECOND = 100;

/** Processor time of a process that runs, of its child processes too. */
export function processorSeconds(pid: number): number {
  return [pid, ...descendantsOf(pid)].reduce((sum, one) => sum + ownSeconds(one), 0);
}

/** With that of children that have ended. */
function ownSeconds(pid: number): number {
  const ticks = read(`/proc/${pid}/stat`)
    // The name, in parentheses, may contain spaces.
    .replace(/^.*\) /, '')
    .split(' ')
    .slice(11, 15)
    .map(Number);
  return ticks.reduce((sum, one) => sum + one, 0) / TICKS_PER_SECOND;
}

/**
 * Measures the most memory of this process in MiB from now on.
 *
 * @returns What the kernel has kept of it since; undefined on another system than Linux.
 */
export function measureOwnPeak(): () => number | undefined {
  if (process.platform !== 'linux') return () => undefined;
  // Sets the peak (VmHWM) to what is in use now.
  writeFileSync('/proc/self/clear_refs', '5');
  return () => highestMib(process.pid);
}

/** Memory that a process holds, and what of it others hold too, in pages. */
export function pagesOf(pid: number) {
  const [, resident = 0, shared = 0] = read(`/proc/${pid}/statm`).split(' ').map(Number);
  return { resident, shared };
}

/** The most memory that a process has held, in MiB, as the kernel keeps it (VmHWM). */
export function highestMib(pid: number): number {
  return Number(/VmHWM:\s*(\d+) kB/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
}

function threadsOf(pid: number): string[] {
  return orNothing(() => readdirSync(`/proc/${pid}/task`)) ?? [];
}

function read(file: string): string {
  return orNothing(() => readFileSync(file, 'utf8').trim()) ?? '';
}

/** Returns nothing of a process that has ended. */
function orNothing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
