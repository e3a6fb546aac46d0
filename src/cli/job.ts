/**
 * Job: what run, fetch and build share: their options, and what becomes of a result.
 */
import { resolve } from 'node:path';
import { parseMaxFailures } from '../pipeline/failures.ts';
import { defaultCacheDir, loadPipeline, type Pipeline } from '../pipeline/pipeline-file.ts';
import type { RunResult } from '../pipeline/run-end.ts';
import {
  type Progress,
  type RunEnvironment,
  type RunOptions,
  runId,
} from '../pipeline/run-options.ts';
import type { FinishedRun, RunReport } from '../report/run-report.ts';
import { summarise } from '../report/summary.ts';
import { SERVICE_DEFAULTS } from '../service/service-config.ts';
import { type ConverterError, ERROR_CODES } from '../support/errors.ts';
import type { LogFields, LogFormat } from '../support/log.ts';
import { usageError } from './arguments.ts';
import { type Arguments, type Io, numberOf, type OptionSpec, textOf } from './command.ts';
import { errorToTell } from './interrupt.ts';
import { MACHINE_FILE_OPTIONS, writeMachineFiles } from './machine-files.ts';
import { openVoice, type Voice } from './progress.ts';
import { startEmulatorOf } from './start-emulator.ts';

/** The pipeline file as a positional. */
export const PIPELINE_POSITIONAL = [
  { name: 'PIPELINE.yaml', describe: 'what is converted, from where, to where', required: true },
] as const;

/** Options of every command that works through a pipeline. */
export const JOB_OPTIONS = {
  output: { type: 'string', describe: 'output folder, instead of the one in the file' },
  cache: { type: 'string', describe: 'cache folder [default: .cache beside the output folder]' },
  concurrency: {
    type: 'number',
    min: 1,
    describe: 'requests in flight at the service, all kinds together',
    default: SERVICE_DEFAULTS.concurrency,
  },
  only: { type: 'string', describe: 'only what matches this glob on MANUFACTURER/PROGRAM/number' },
  limit: { type: 'number', min: 1, describe: 'at most this many configurations' },
  force: { type: 'boolean', describe: 'everything anew, whatever is known already' },
  'allow-missing-parts': {
    type: 'boolean',
    describe: 'a missing block leaves a hole, an unreadable image its colour',
  },
  'log-format': {
    type: 'string',
    choices: ['pretty', 'json'],
    describe: 'how log lines look; pretty on a terminal, else json',
  },
  ...MACHINE_FILE_OPTIONS,
} as const satisfies Record<string, OptionSpec>;

/** Options of the commands that publish. */
export const NIGHT_OPTIONS = {
  ...JOB_OPTIONS,
  repair: { type: 'boolean', describe: 'build what is published but damaged or missing' },
  accept: { type: 'boolean', describe: 'publish what a gate or --max-failures refuses' },
  until: { type: 'string', describe: 'HH:MM at which to stop, resumable' },
  'max-failures': { type: 'string', describe: 'refuse the result beyond N or N% failures' },
} as const satisfies Record<string, OptionSpec>;

/** Reads the pipeline that the arguments name, with what they say instead of it. */
export async function readJob(args: Arguments, io: Io): Promise<RunOptions> {
  const pipeline = withArguments(await loadPipeline(textOf(args, 'PIPELINE.yaml')!, io.env), args);
  const only = textOf(args, 'only');
  const limit = numberOf(args, 'limit');
  const until = textOf(args, 'until');
  const maxFailures = textOf(args, 'max-failures');
  return {
    pipeline,
    force: args.force === true,
    failedOnly: args.failed === true,
    repair: args.repair === true,
    accept: args.accept === true,
    ...(until === undefined ? {} : { until: nextTime(until, io.now()) }),
    ...(maxFailures === undefined ? {} : { maxFailures: parseMaxFailures(maxFailures) }),
    ...(only === undefined ? {} : { only }),
    ...(limit === undefined ? {} : { limit }),
  };
}

/**
 * The next instant at which the clocks of this machine show a time.
 *
 * @param text - `HH:MM`, local time.
 * @throws {@link ConverterError} `USAGE`
 *
 * @example
 * ```ts
 * nextTime('05:30', Date.now()); // → today's half past five, or tomorrow's where it is past that
 * ```
 */
export function nextTime(text: string, now: number): number {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours === undefined) {
    throw usageError(`--until: expected a time such as 05:30, received "${text}"`);
  }
  const time = new Date(now);
  time.setHours(Number(hours), Number(minutes), 0, 0);
  // By the calendar: a day on which the clocks change has no 24 hours.
  if (time.getTime() <= now) time.setDate(time.getDate() + 1);
  return time.getTime();
}

/** Puts options in the place of what a pipeline file says. */
export function withArguments(pipeline: Pipeline, args: Arguments): Pipeline {
  const outputDir = textOf(args, 'output');
  const cacheDir = textOf(args, 'cache');
  const concurrency = numberOf(args, 'concurrency');
  const moved =
    outputDir === undefined
      ? pipeline
      : {
          ...pipeline,
          outputDir: resolve(outputDir),
          cacheDir: defaultCacheDir(resolve(outputDir)),
        };
  return {
    ...moved,
    cacheDir: cacheDir === undefined ? moved.cacheDir : resolve(cacheDir),
    service: concurrency === undefined ? pipeline.service : { ...pipeline.service, concurrency },
    convert: args['allow-missing-parts']
      ? { ...pipeline.convert, allowMissingParts: true }
      : pipeline.convert,
  };
}

/**
 * Does one of a run's jobs, with log and progress; prints what came of it, and leaves it for the
 * programs that watch over it.
 */
export async function doJob(
  work: (job: RunOptions, tools: RunEnvironment) => Promise<RunResult>,
  args: Arguments,
  io: Io,
): Promise<number> {
  const job = await readJob(args, io);
  const startedAt = io.now();
  const format = textOf(args, 'log-format') as LogFormat | undefined;
  const voice = await openVoice(format, io, { run: runId(startedAt) });
  const ended = (exitCode: number, error?: ConverterError, report?: RunReport): FinishedRun => {
    const times = { startedAt, endedAt: io.now() };
    const { name: pipeline } = job.pipeline;
    return { pipeline, exitCode, ...times, report, ...(error === undefined ? {} : { error }) };
  };
  // The command line tells it to a person; a log has it among the lines of its run.
  const logged = (error: ConverterError): ConverterError => {
    if (voice.format === 'json') voice.log.error('stopped', reasonOf(error));
    return error;
  };
  const stopped = async (thrown: unknown, report?: RunReport): Promise<never> => {
    const error = errorToTell(thrown, io);
    const ending = ended(ERROR_CODES[error.code].exit, error, report);
    // What ended the run is worth more than that a file about it could not be written.
    await writeMachineFiles(args, ending).catch((e: Error) => voice.log.error(e.message));
    throw logged(error);
  };
  const { report, runFolder, end } = await inVoice(voice, io, (tools) =>
    work(job, { ...tools, startedAt }),
  ).catch((thrown: unknown) => stopped(thrown));
  const told = { ...report.configurations, totalMs: report.totalMs };
  voice.log.info(end.kind === 'complete' ? 'finished' : 'ended', told);
  io.print(summarise(report, runFolder));
  if (end.error !== undefined) return stopped(end.error, report);
  const exitCode = report.configurations.failed > 0 ? 1 : 0;
  await writeMachineFiles(args, ended(exitCode, undefined, report)).catch((thrown: unknown) => {
    throw logged(errorToTell(thrown, io));
  });
  return exitCode;
}

function reasonOf({ code, message }: ConverterError): LogFields {
  const { exit, help } = ERROR_CODES[code];
  return { code, exit, message, help };
}

/** Works with a voice, and silences it at the end. */
async function inVoice(
  voice: Voice,
  io: Io,
  work: (tools: RunEnvironment) => Promise<RunResult>,
): Promise<RunResult> {
  let last: Progress | undefined;
  const { log, selecting } = voice;
  const progress = (now: Progress) => {
    last = now;
    voice.progress(now);
  };
  try {
    return await work({ ...toolsOf(io), log, progress, selecting });
  } finally {
    voice.end();
    if (io.signal.aborted && last !== undefined) io.tell(soFar(last));
  }
}

/** What an interrupted run leaves behind. */
function soFar({ total, done, failed }: Progress): string {
  const lost = failed === 0 ? '' : `, ${failed} of them failed`;
  return `  ${done} of ${total} configurations were worked on${lost}; what is done is kept\n`;
}

/** What a service needs of the process. */
export function toolsOf(io: Io): Omit<RunEnvironment, 'log' | 'progress' | 'selecting'> {
  const { env, now, random, signal } = io;
  return { env, now, random, signal, startEmulator: (range) => startEmulatorOf(range) };
}
