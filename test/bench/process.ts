/** Whole processes: how long one takes, how much memory it and its children hold, and two of them in turns. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { type MemoryPeaks, measureMemory } from '../helpers/process-memory.ts';

/** What one process took. */
export interface Measured extends MemoryPeaks {
  seconds: number;
  /** Processor time, of the kernel and of child processes too. */
  cpuSeconds: number;
  exit: number | null;
  stdout: string;
  stderr: string;
}

/** How a process is started. */
export interface ProcessOptions {
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  /** Whether exit code 1, some articles failed, is accepted. */
  mayFail?: boolean;
}

/** bash measures to the millisecond, without the start of the process in this program. */
const TIMED = 'TIMEFORMAT="%R %U %S"; time "$@"';

/**
 * Runs a command to its end.
 *
 * @throws Error with the end of its output where it failed.
 */
export async function runProcess(
  command: readonly string[],
  { env = {}, cwd = process.cwd(), mayFail = false }: ProcessOptions = {},
): Promise<Measured> {
  const child = spawn('bash', ['-c', TIMED, 'bash', ...command], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, LC_ALL: 'C', NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stopMeasuring = measureMemory(child.pid ?? -1, true);
  const [[exit], stdout, printed] = await Promise.all([
    once(child, 'close') as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  const peaks = stopMeasuring();
  const lines = printed.trimEnd().split('\n');
  const [seconds = 0, user = 0, system = 0] = (lines.pop() ?? '').split(' ').map(Number);
  const stderr = lines.join('\n');
  if (exit !== 0 && !(mayFail && exit === 1)) {
    throw new Error(`${command.join(' ')}: exit ${exit}\n${(stderr + stdout).slice(-2000)}`);
  }
  return { seconds, cpuSeconds: user + system, exit, ...peaks, stdout, stderr };
}

/** One side of a comparison; what comes before a run is not timed. */
export interface Side {
  prepare?: () => Promise<void>;
  run: () => Promise<Measured>;
}

/** The runs of both sides, and their times as pairs. */
export interface Paired {
  ours: Measured[];
  theirs: Measured[];
  /** Their time ÷ ours, the median of the pairs. */
  ratio: number;
  /** The same of processor times. */
  cpuRatio: number;
}

/**
 * Runs both sides in turns, once untimed and then as many times as asked, so that both have the same neighbours.
 *
 * Every second pair begins with the other side: the same program was measured 2 % slower as the first of a pair.
 */
export async function inPairs(ours: Side, theirs: Side, pairs: number): Promise<Paired> {
  const measured: { ours: Measured; theirs: Measured }[] = [];
  for (let pair = 0; pair <= pairs; pair++) {
    const early = pair % 2 === 1 ? await runOnce(theirs) : undefined;
    const one = { ours: await runOnce(ours), theirs: early ?? (await runOnce(theirs)) };
    if (pair > 0) measured.push(one);
  }
  const ratioOf = (figure: 'seconds' | 'cpuSeconds') =>
    median(measured.map(({ ours, theirs }) => theirs[figure] / ours[figure]));
  return {
    ours: measured.map((pair) => pair.ours),
    theirs: measured.map((pair) => pair.theirs),
    ratio: ratioOf('seconds'),
    cpuRatio: ratioOf('cpuSeconds'),
  };
}

/** Runs one side several times, the first of them untimed where it is a repetition. */
export async function repeated(side: Side, times: number): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (let time = 0; time < times; time++) measured.push(await runOnce(side));
  return measured;
}

/** Runs all sides once in each round. */
export async function inRounds(sides: readonly Side[], rounds: number): Promise<Measured[][]> {
  const measured: Measured[][] = [];
  for (let round = 0; round < rounds; round++) {
    const runs: Measured[] = [];
    for (const side of sides) runs.push(await runOnce(side));
    measured.push(runs);
  }
  return measured;
}

async function runOnce({ prepare, run }: Side): Promise<Measured> {
  await prepare?.();
  return run();
}

/** The middle value, or the mean of both middle values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The median of one figure of some runs. */
export function medianOf(runs: readonly Measured[], figure: keyof Measured): number {
  return median(runs.map((run) => run[figure] as number));
}
