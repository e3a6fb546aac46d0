/** Workers of a distributed run as processes of their own, and what they take. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { descendantsOf, measureMemory } from '../helpers/process-memory.ts';
import { PROGRAM } from './workspace.ts';

/** What a worker took from its start to its end. */
export interface WorkerUse {
  /** Processor time, of child processes too. */
  cpuSeconds: number;
  peakMib: number;
}

/** Workers, ready for a run. */
export interface Workers {
  /** Ends them, which is not timed. */
  stop(): Promise<WorkerUse[]>;
}

/** Starts workers of a pipeline file, and waits until they are ready: a run on a cluster finds them there. */
export async function startWorkers(
  file: string,
  count: number,
  env: Readonly<Record<string, string>>,
): Promise<Workers> {
  const workers = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      startWorker([...PROGRAM, 'worker', file], env, index),
    ),
  );
  return { stop: () => Promise.all(workers.map((stop) => stop())) };
}

async function startWorker(
  [node, ...words]: readonly string[],
  env: Readonly<Record<string, string>>,
  index: number,
): Promise<() => Promise<WorkerUse>> {
  const child = spawn(node!, words, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stopMeasuring = measureMemory(child.pid ?? -1);
  let output = '';
  let isEnded = false;
  const ended = new Promise<void>((resolve) => {
    child.on('close', () => {
      isEnded = true;
      resolve();
    });
  });
  await new Promise<void>((resolve, reject) => {
    const look = (text: string) => {
      output = (output + text).slice(-10_000);
      if (output.includes('worker is ready')) resolve();
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', look);
    void ended.then(() => reject(new Error(`worker ${index} has ended: ${output}`)));
  });
  return async () => {
    const { peakMib } = stopMeasuring();
    if (isEnded) throw new Error(`worker ${index} has ended: ${output}`);
    const cpuSeconds = processorSeconds(child.pid!);
    child.kill();
    await ended;
    return { cpuSeconds, peakMib };
  };
}

/** Clock ticks of the kernel, on every Linux that Node.js runs on. */
const TICKS_PER_SECOND = 100;

/** Processor time of a process that runs, of its child processes too. */
function processorSeconds(pid: number): number {
  const ticks = [pid, ...descendantsOf(pid)].flatMap((one) => {
    const [user, system, childUser, childSystem] = readFileSync(`/proc/${one}/stat`, 'utf8')
      // The name, in parentheses, may contain spaces.
      .replace(/^.*\) /, '')
      .split(' ')
      .slice(11, 15)
      .map(Number);
    return [user!, system!, childUser!, childSystem!];
  });
  return ticks.reduce((sum, one) => sum + one, 0) / TICKS_PER_SECOND;
}
