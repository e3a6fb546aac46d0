/** Runs of one pipeline over one output folder, one day after the other, against a range that a test changes. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmulator } from '../../src/emulator/emulator.ts';
import type { FailureRow, RunReport } from '../../src/report/run-report.ts';
import type { EmulatedRange } from '../../src/sample/range.ts';
import { type CommandResult, command, writePipeline } from './command.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { temporaryFolder } from './temporary.ts';

/** A service and a pipeline that runs day after day. */
export interface DailyRuns {
  /** The proxy in front of the service, for faults. */
  readonly proxy: FaultProxy;
  readonly outputDir: string;
  readonly cacheDir: string;
  /** Runs soon after two o'clock UTC of a day `YYYY-MM-DD`, or by a clock. */
  run(day: string | (() => number), ...options: string[]): Promise<CommandResult>;
  /** The same, with another command. */
  command(name: string, day: string | (() => number), ...options: string[]): Promise<CommandResult>;
  /** Any command with any words. */
  words(name: string, day: string, words: string[]): Promise<CommandResult>;
  readonly pipelineFile: string;
  /** Writes the pipeline file anew, with other keys. */
  configure(content: Record<string, unknown>): Promise<void>;
  /** The report of the run that began last. */
  report(): Promise<RunReport>;
  /** Rows of its `failures.jsonl`. */
  failures(): Promise<FailureRow[]>;
  close(): Promise<void>;
}

/** One attempt a request: a fault is a failure at once. */
const SERVICE = {
  authUrl: '${BTG2GLTF_AUTH_URL}',
  baseUrl: '${BTG2GLTF_BASE_URL}',
  retries: 0,
  backoffMs: 1,
};

/** Serves a range and writes a pipeline that converts all of it. */
export async function openDailyRuns(
  range: EmulatedRange,
  content: Record<string, unknown> = {},
): Promise<DailyRuns> {
  const folder = await temporaryFolder();
  const emulator = await startEmulator({ range });
  const proxy = await startFaultProxy(emulator);
  const outputDir = join(folder, 'out');
  let file = await writePipeline(folder, { service: SERVICE, ...content });
  const lastRun = async (name: string): Promise<string> => {
    const folders = (await readdir(join(outputDir, 'runs'))).sort();
    return readFile(join(outputDir, 'runs', folders.at(-1)!, name), 'utf8');
  };
  let runs = 0;
  /** Each run begins a minute after the one before: reports are named by their time. */
  const timeOf = (day: string) => `${day}T02:${String(runs++ % 60).padStart(2, '0')}:00Z`;
  const runCommand: DailyRuns['command'] = (name, day, ...options) => {
    const at = typeof day === 'string' ? timeOf(day) : day;
    return command([name, file, ...options], { env: proxy.env, at });
  };
  return {
    proxy,
    outputDir,
    cacheDir: join(folder, 'cache'),
    run: (day, ...options) => runCommand('run', day, ...options),
    command: runCommand,
    words: (name, day, words) => command([name, ...words], { env: proxy.env, at: timeOf(day) }),
    get pipelineFile() {
      return file;
    },
    configure: async (other) => {
      file = await writePipeline(folder, { service: SERVICE, ...other });
    },
    report: async () => JSON.parse(await lastRun('report.json')) as RunReport,
    failures: async () =>
      (await lastRun('failures.jsonl'))
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as FailureRow),
    close: async () => {
      await proxy.close();
      await emulator.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
