/** The options of commands that use a pipeline: one table with how each enters the options of a run. */
import { resolve } from 'node:path';
import { parseMaxFailures } from '../pipeline/failures.ts';
import { defaultCacheDir, loadPipeline, type Pipeline } from '../pipeline/pipeline-file.ts';
import type { RunOptions } from '../pipeline/run-options.ts';
import { SERVICE_DEFAULTS } from '../service/service-config.ts';
import { type Arguments, type Io, type OptionSpec, textOf, usageError } from './command.ts';
import { LOG_FORMAT_OPTION } from './run-output.ts';

type CommandName = 'run' | 'fetch' | 'build' | 'record' | 'convert' | 'explain';

/** How a value enters the options of a run; without it the command uses the value. */
type Apply<V> = { apply?: (options: RunOptions, value: V, now: number) => RunOptions };

type RunOption = OptionSpec & {
  commands: readonly CommandName[];
} & (
    | ({ type: 'string' } & Apply<string>)
    | ({ type: 'number' } & Apply<number>)
    | ({ type: 'boolean' } & Apply<true>)
  );

const PIPELINE_COMMANDS = ['run', 'fetch', 'build'] as const;
const PUBLISHING_COMMANDS = ['run', 'build'] as const;

/** Every option, in the order in which they are applied. */
const RUN_OPTIONS: Readonly<Record<string, RunOption>> = {
  output: {
    type: 'string',
    describe: 'output folder, instead of the one in the file',
    commands: [...PIPELINE_COMMANDS, 'explain'],
    apply: (options, dir) => {
      const outputDir = resolve(dir);
      return withPipeline(options, { outputDir, cacheDir: defaultCacheDir(outputDir) });
    },
  },
  cache: {
    type: 'string',
    describe: 'cache folder [default: .cache beside the output folder]',
    commands: [...PIPELINE_COMMANDS, 'record', 'explain'],
    apply: (options, dir) => withPipeline(options, { cacheDir: resolve(dir) }),
  },
  concurrency: {
    type: 'number',
    min: 1,
    describe: 'concurrent requests to the service, of all kinds together',
    default: SERVICE_DEFAULTS.concurrency,
    commands: ['run', 'fetch', 'record'],
    apply: (options, concurrency) =>
      withPipeline(options, { service: { ...options.pipeline.service, concurrency } }),
  },
  only: {
    type: 'string',
    describe: 'select only by a glob on MANUFACTURER/PROGRAM/number',
    commands: [...PIPELINE_COMMANDS, 'record'],
    apply: (options, only) => ({ ...options, only }),
  },
  limit: {
    type: 'number',
    min: 1,
    describe: 'process at most this many configurations',
    commands: [...PIPELINE_COMMANDS, 'record'],
    apply: (options, limit) => ({ ...options, limit }),
  },
  force: {
    type: 'boolean',
    describe: 'fetch and build everything again',
    commands: PIPELINE_COMMANDS,
    apply: (options) => ({ ...options, force: true }),
  },
  'allow-missing-parts': {
    type: 'boolean',
    describe: 'convert without a missing block, or without the texture of an unreadable image',
    commands: [...PUBLISHING_COMMANDS, 'convert'],
    apply: (options) =>
      withPipeline(options, { convert: { ...options.pipeline.convert, allowMissingParts: true } }),
  },
  repair: {
    type: 'boolean',
    describe: 'build published files again that are damaged or missing',
    commands: PUBLISHING_COMMANDS,
    apply: (options) => ({ ...options, repair: true }),
  },
  accept: {
    type: 'boolean',
    describe: 'publish although a gate or --max-failures refuses',
    commands: PUBLISHING_COMMANDS,
    apply: (options) => ({ ...options, accept: true }),
  },
  until: {
    type: 'string',
    describe: 'HH:MM at which the run stops; the next one continues',
    commands: ['run'],
    apply: (options, text, now) => ({ ...options, until: nextTime(text, now) }),
  },
  'max-failures': {
    type: 'string',
    describe: 'refuse the result after more than N or N% failures',
    commands: PUBLISHING_COMMANDS,
    apply: (options, text) => ({ ...options, maxFailures: parseMaxFailures(text) }),
  },
  failed: {
    type: 'boolean',
    describe: 'process only what failed at its last attempt',
    commands: ['run'],
    apply: (options) => ({ ...options, failedOnly: true }),
  },
  'dry-run': {
    type: 'boolean',
    describe: 'print the selection and an estimate of requests; fetch no geometry',
    commands: ['run'],
  },
  'log-format': { ...LOG_FORMAT_OPTION, commands: [...PIPELINE_COMMANDS, 'record'] },
  'metrics-file': {
    type: 'string',
    describe: 'write metrics for Prometheus to this file, such as DIR/btg2gltf.prom',
    commands: [...PIPELINE_COMMANDS, 'record'],
  },
  junit: {
    type: 'string',
    describe: 'write a JUnit XML to this file',
    commands: [...PIPELINE_COMMANDS, 'record'],
  },
};

/** The pipeline file as a positional. */
export const PIPELINE_POSITIONAL = [
  { name: 'PIPELINE.yaml', describe: 'what to convert, from where, to where', required: true },
] as const;

/** The options of a command from the table. */
export function optionsOf(command: CommandName): Record<string, OptionSpec> {
  const rows = Object.entries(RUN_OPTIONS);
  return Object.fromEntries(rows.filter(([, { commands }]) => commands.includes(command)));
}

/** Reads the pipeline file that is given as a positional, with the options. */
export async function readRunOptions(args: Arguments, io: Io): Promise<RunOptions> {
  const pipeline = await loadPipeline(textOf(args, 'PIPELINE.yaml')!, io.env);
  return applyOptions(pipeline, args, io);
}

/** Applies the options that were given to a pipeline. */
export function applyOptions(pipeline: Pipeline, args: Arguments, io: Pick<Io, 'now'>): RunOptions {
  return Object.entries(RUN_OPTIONS).reduce<RunOptions>(
    (options, [name, { apply }]) => {
      const value = args[name];
      if (apply === undefined || value === undefined || value === false) return options;
      return apply(options, value as never, io.now());
    },
    { pipeline },
  );
}

function withPipeline(options: RunOptions, changes: Partial<Pipeline>): RunOptions {
  return { ...options, pipeline: { ...options.pipeline, ...changes } };
}

/** The next time at which the clock of this machine shows `HH:MM`, milliseconds since 1970. */
function nextTime(text: string, now: number): number {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours === undefined) {
    throw usageError(`--until: expected a time such as 05:30, received "${text}"`);
  }
  const time = new Date(now);
  time.setHours(Number(hours), Number(minutes), 0, 0);
  // By the calendar, because the day of a clock change does not have 24 hours.
  if (time.getTime() <= now) time.setDate(time.getDate() + 1);
  return time.getTime();
}
