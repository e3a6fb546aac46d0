/**
 * Runs the built program over a large range and measures time, memory and requests.
 *
 * Many articles share their geometry, so that the range is large and quick to build.
 */
import { rm } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { environmentOf, runChild } from './child.ts';
import { temporaryFolder, writePipeline } from './command.ts';
import { type CountedRange, countedRange } from './counted-range.ts';

/** What one run took. */
export interface Measured {
  exit: number | null;
  seconds: number;
  /** Most memory that the process held, of whatever kind. */
  peakMib: number;
  /** Requests answered, logins and logouts included. */
  requests: number;
  stderr: string;
}

/** A large range and its runs. */
export interface MeasuredRuns {
  readonly range: CountedRange;
  run(nodeOptions?: readonly string[]): Promise<Measured>;
  close(): Promise<void>;
}

const LOOKS = 300;
const MANUFACTURERS = 3;
/** Printed by the process as the last it does; `maxRSS` is what Linux calls VmHWM. */
export const PRINT_PEAK = `
import { writeSync } from 'node:fs';
process.on('exit', () => writeSync(2, 'peak ' + process.resourceUsage().maxRSS + ' KiB\\n'));
`;
/** An option of Node for that. */
export const PEAK_OPTION = `--import=data:text/javascript,${encodeURIComponent(PRINT_PEAK)}`;
const SERVICE = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };

/** Serves a range and writes a pipeline that converts all of it. */
export async function openMeasuredRuns(articles: number): Promise<MeasuredRuns> {
  const folder = await temporaryFolder();
  let requests = 0;
  const size = { articles, blocks: 200, images: 60, manufacturers: MANUFACTURERS, looks: LOOKS };
  const range = countedRange(size);
  const emulator: Emulator = await startEmulator({ range, onRequest: () => void requests++ });
  const file = await writePipeline(folder, { service: SERVICE });
  return {
    range,
    run: async (nodeOptions = []) => {
      const before = requests;
      const start = performance.now();
      const NODE_OPTIONS = [...nodeOptions, PEAK_OPTION].join(' ');
      const { exit, stderr } = await runChild(['run', file], {
        ...environmentOf(emulator),
        NODE_OPTIONS,
      });
      return {
        exit,
        seconds: (performance.now() - start) / 1000,
        peakMib: peakMibIn(stderr),
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

/** What a process with {@link PEAK_OPTION} has printed; each of its threads does. */
export function peakMibIn(stderr: string): number {
  const peaks = Array.from(stderr.matchAll(/peak (\d+) KiB/g), ([, kib]) => Number(kib));
  return Math.max(...peaks) / 1024;
}

/** A measurement in a line. */
export function measurementLine(name: string, { seconds, peakMib, requests }: Measured): string {
  return `${name}: ${seconds.toFixed(1)} s, ${peakMib.toFixed(0)} MiB at most, ${requests} requests`;
}
