/** Workers of a distributed run as processes of their own, and what they take. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { measureMemory, processorSeconds } from '../helpers/process-memory.ts';
import { PROGRAM } from './workspace.ts';

/** What a worker took since it was ready. */
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

/** A worker takes jobs so long after it has said that it is ready, milliseconds. */
const JOIN_MS = 2_000;

/** How workers are started. */
export interface WorkerStart {
  count: number;
  /** Further options of each, such as a cache of its own. */
  optionsOf?: (index: number) => readonly string[];
  /** Whether each has a processor of its own, with its browser, as on a machine of its own. */
  isPinned?: boolean;
}

/** Starts workers of a pipeline file, and waits until they take jobs: a run on a cluster finds them there. */
export async function startWorkers(
  file: string,
  { count, optionsOf = () => [], isPinned = false }: WorkerStart,
  env: Readonly<Record<string, string>>,
): Promise<Workers> {
  const workers = await Promise.all(
    Array.from({ length: count }, (_, index) => {
      const pin = isPinned ? onProcessor(index) : [];
      return startWorker([...pin, ...PROGRAM, 'worker', file, ...optionsOf(index)], env, index);
    }),
  );
  await new Promise((resolve) => setTimeout(resolve, JOIN_MS));
  return { stop: () => Promise.all(workers.map((stop) => stop())) };
}

/** Control groups of version 1, which only root may make. */
const CPU_SETS = '/sys/fs/cgroup/cpuset';

/**
 * A command that keeps a process, and all that it starts, on one processor.
 *
 * A control group does: with `taskset` alone, the threads that draw in the browsers of all workers go to the first
 * processor, since SwiftShader chooses one for each.
 */
function onProcessor(index: number): string[] {
  const group = `${CPU_SETS}/btg2gltf-bench-${index}`;
  mkdirSync(group, { recursive: true });
  writeFileSync(`${group}/cpuset.mems`, '0');
  writeFileSync(`${group}/cpuset.cpus`, `${index}`);
  return ['sh', '-c', `echo $$ > ${group}/tasks; exec "$@"`, 'sh'];
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
  const startSeconds = processorSeconds(child.pid!);
  return async () => {
    const { peakMib } = stopMeasuring();
    if (isEnded) throw new Error(`worker ${index} has ended: ${output}`);
    const cpuSeconds = processorSeconds(child.pid!) - startSeconds;
    child.kill();
    await ended;
    return { cpuSeconds, peakMib };
  };
}
