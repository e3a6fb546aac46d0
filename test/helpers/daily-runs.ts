/** Runs of one pipeline over one output folder, one day after the other, against a range that a test changes. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../src/emulator/emulator.ts';
import type { EmulatedRange } from '../../src/emulator/sample/range.ts';
import type { FailureRow, RunReport } from '../../src/run/report/run-report.ts';
import {
  type CommandOptions,
  type CommandResult,
  command,
  LIVE,
  writePipeline,
} from './command.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { parsedLines } from './output-folder.ts';
import { temporaryFolder } from './temporary.ts';

/** A service and a pipeline that runs day after day. */
export interface DailyRuns {
  readonly emulator: Emulator;
  /** The proxy in front of the service, for faults. */
  readonly proxy: FaultProxy;
  /** Has all that follows. */
  readonly folder: string;
  readonly outputDir: string;
  readonly cacheDir: string;
  readonly pipelineFile: string;
  /** Runs soon after two o'clock UTC of a day `YYYY-MM-DD`, or by a clock. */
  run(day: string | (() => number), ...options: string[]): Promise<CommandResult>;
  /** The same, with another command. */
  command(name: string, day: string | (() => number), ...options: string[]): Promise<CommandResult>;
  /** Any command with any words, by the clock of the machine. */
  call(words: string[], options?: CommandOptions): Promise<CommandResult>;
  explain(pattern: string, ...options: string[]): Promise<CommandResult>;
  /** Writes the pipeline file anew, with other keys. */
  configure(content: Record<string, unknown>): Promise<void>;
  /** The report of the run that began last. */
  report(): Promise<RunReport>;
  /** Rows of its `failures.jsonl`. */
  failures(): Promise<FailureRow[]>;
  close(): Promise<void>;
}

/** A service with one attempt a request, and without a wait: a fault is a failure at once. */
export const LIVE_ONCE = { ...LIVE, retries: 0, backoffMs: 1, giveUpAfterMs: 0 };

/** Serves a range and writes a pipeline that converts all of it. */
export async function openDailyRuns(
  range: EmulatedRange,
  content: Record<string, unknown> = {},
  emulated: Omit<EmulatorOptions, 'range'> = {},
): Promise<DailyRuns> {
  const folder = await temporaryFolder();
  const emulator = await startEmulator({ range, ...emulated });
  const proxy = await startFaultProxy(emulator);
  const outputDir = join(folder, 'out');
  const configure = (other: Record<string, unknown>) =>
    writePipeline(folder, { service: LIVE_ONCE, ...other });
  const file = await configure(content);
  let runs = 0;
  /** Each run begins a minute after the one before: reports are named by their time. */
  const timeOf = (day: string) => `${day}T02:${String(runs++ % 60).padStart(2, '0')}:00Z`;
  const call: DailyRuns['call'] = (words, options) =>
    command(words, { env: proxy.env, ...options });
  const runCommand: DailyRuns['command'] = (name, day, ...options) =>
    call([name, file, ...options], { at: typeof day === 'string' ? timeOf(day) : day });
  return {
    ...{ emulator, proxy, folder, outputDir, pipelineFile: file, call },
    cacheDir: join(folder, 'cache'),
    run: (day, ...options) => runCommand('run', day, ...options),
    command: runCommand,
    explain: (pattern, ...options) => call(['explain', pattern, '--pipeline', file, ...options]),
    configure: async (other) => void (await configure(other)),
    report: () => lastReport(outputDir),
    failures: () => lastFailures(outputDir),
    close: async () => {
      await proxy.close();
      await emulator.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The report of the run over an output folder that began last. */
export async function lastReport(outputDir: string): Promise<RunReport> {
  return JSON.parse(await lastFile(outputDir, 'report.json')) as RunReport;
}

/** Rows of its `failures.jsonl`. */
export async function lastFailures(outputDir: string): Promise<FailureRow[]> {
  return parsedLines<FailureRow>(await lastFile(outputDir, 'failures.jsonl'));
}

async function lastFile(outputDir: string, name: string): Promise<string> {
  const folders = (await readdir(join(outputDir, 'runs'))).filter((run) => /^\d/.test(run));
  return readFile(join(outputDir, 'runs', folders.sort().at(-1)!, name), 'utf8');
}
