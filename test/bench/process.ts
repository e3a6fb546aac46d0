/**
 * Whole processes: how long one takes, how much memory it and its children hold, and two of them in turns.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What one process took. */
export interface Measured {
  seconds: number;
  /** Processor time in the program's own code, children included. */
  userSeconds: number;
  exit: number | null;
  /** Most MiB of the process and its children together at one moment. */
  peakMib: number;
  /** Most MiB of any one of them. */
  largestMib: number;
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
const SAMPLE_MS = 20;
const MIB = 2 ** 20;
const PAGE_BYTES = 4096;

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
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  const memory = sampleMemory(child.pid ?? -1);
  const exit = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const peaks = memory.stop();
  const lines = texts.stderr.trimEnd().split('\n');
  const [seconds = 0, userSeconds = 0] = (lines.pop() ?? '').split(' ').map(Number);
  const stderr = lines.join('\n');
  if (exit !== 0 && !(mayFail && exit === 1)) {
    throw new Error(`${command.join(' ')}: exit ${exit}\n${(stderr + texts.stdout).slice(-2000)}`);
  }
  return { seconds, userSeconds, exit, ...peaks, stdout: texts.stdout, stderr };
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
}

/** Runs both sides in turns, once untimed and then as many times as asked, so that both have the same neighbours. */
export async function inPairs(ours: Side, theirs: Side, pairs: number): Promise<Paired> {
  const measured: { ours: Measured; theirs: Measured }[] = [];
  for (let pair = 0; pair <= pairs; pair++) {
    const one = { ours: await once(ours), theirs: await once(theirs) };
    if (pair > 0) measured.push(one);
  }
  return {
    ours: measured.map((pair) => pair.ours),
    theirs: measured.map((pair) => pair.theirs),
    ratio: median(measured.map((pair) => pair.theirs.seconds / pair.ours.seconds)),
  };
}

/** Runs one side several times, the first of them untimed where it is a repetition. */
export async function repeated(side: Side, times: number): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (let time = 0; time < times; time++) measured.push(await once(side));
  return measured;
}

async function once({ prepare, run }: Side): Promise<Measured> {
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

/**
 * Samples the memory of all processes below one, which is bash and is not counted.
 *
 * The peak of each process is its VmHWM, which the kernel keeps. That of all together is their resident
 * memory at one moment; memory that a child shares with others counts once, with the first process.
 */
function sampleMemory(pid: number) {
  let peakMib = 0;
  let largestMib = 0;
  const sample = () => {
    let sum = 0;
    for (const [index, one] of descendants(pid).entries()) {
      const [, resident = 0, shared = 0] = textOf(`/proc/${one}/statm`).split(' ').map(Number);
      sum += ((index === 0 ? resident : resident - shared) * PAGE_BYTES) / MIB;
      const highest = /VmHWM:\s*(\d+) kB/.exec(textOf(`/proc/${one}/status`))?.[1];
      largestMib = Math.max(largestMib, Number(highest ?? 0) / 1024);
    }
    peakMib = Math.max(peakMib, sum, largestMib);
  };
  const timer = setInterval(sample, SAMPLE_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return { peakMib, largestMib };
    },
  };
}

/** Below a process, each before its own children. */
function descendants(pid: number): number[] {
  const found: number[] = [];
  const pending = [pid];
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    const children = threadsOf(next).flatMap((thread) =>
      textOf(`/proc/${next}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
    );
    found.push(...children);
    pending.push(...children);
  }
  return found;
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(join('/proc', String(pid), 'task'));
  } catch {
    return [];
  }
}

/** Returns nothing of a process that has ended. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd();
  } catch {
    return '';
  }
}
