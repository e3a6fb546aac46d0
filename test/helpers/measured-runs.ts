/**
 * Runs the built program over a large range and measures time, memory and requests.
 *
 * Many articles share their geometry, so that the range is large and quick to build.
 */
import { rm } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { environmentOf, startChild } from './child.ts';
import { writePipeline } from './command.ts';
import { countedRange } from './counted-range.ts';
import { measureMemory } from './process-memory.ts';
import { temporaryFolder } from './temporary.ts';

/** What one run took. */
export interface Measured {
  exit: number | null;
  seconds: number;
  /** Most memory that the process and its children held, of any kind; 0 where it cannot be measured. */
  peakMib: number;
  /** Requests answered, logins and logouts included. */
  requests: number;
  stderr: string;
}

/** A large range and its runs. */
export interface MeasuredRuns {
  run(nodeOptions?: readonly string[]): Promise<Measured>;
  close(): Promise<void>;
}

const MANUFACTURERS = 3;

/**
 * Serves a range and writes a pipeline that converts all of it.
 *
 * @param looks - How many articles of a manufacturer differ from each other.
 */
export async function openMeasuredRuns(articles: number, looks: number): Promise<MeasuredRuns> {
  const folder = await temporaryFolder();
  let requests = 0;
  const size = { articles, blocks: 200, images: 60, manufacturers: MANUFACTURERS, looks };
  const range = countedRange(size);
  const emulator: Emulator = await startEmulator({ range, onRequest: () => void requests++ });
  const file = await writePipeline(folder);
  return {
    run: async (nodeOptions = []) => {
      const before = requests;
      const start = performance.now();
      const child = startChild(['run', file], {
        ...environmentOf(emulator),
        NODE_OPTIONS: nodeOptions.join(' '),
      });
      const stopMeasuring = measureMemory(child.pid);
      const { exit, stderr } = await child.ended;
      return {
        exit,
        seconds: (performance.now() - start) / 1000,
        peakMib: stopMeasuring().peakMib,
        requests: requests - before,
        stderr,
      };
    },
    close: async () => {
      await emulator.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A measurement in a line. */
export function measurementLine(name: string, { seconds, peakMib, requests }: Measured): string {
  return `${name}: ${seconds.toFixed(1)} s, ${peakMib.toFixed(0)} MiB at most, ${requests} requests`;
}
