/** The options of commands that use a pipeline: one table with how each enters the options of a run. */
import { resolve } from 'node:path';
import { parseMaxFailures } from '../pipeline/failures.ts';
import { defaultCacheDir, loadPipeline, type Pipeline } from '../pipeline/pipeline-file.ts';
import type { RunOptions } from '../pipeline/run-options.ts';
import { SERVICE_DEFAULTS } from '../service/service-config.ts';
import { type Arguments, given, type Io, type OptionSpec, textOf, usageError } from './command.ts';
import { LOG_FORMAT_OPTION } from './run-output.ts';

type CommandName = 'run' | 'fetch' | 'build' | 'record' | 'convert' | 'explain';

interface RunOption extends OptionSpec {
  commands: readonly CommandName[];
  /** Without it, the command uses the value. */
  apply?: (options: RunOptions, value: never, now: number) => RunOptions;
}

type Apply<V> = (options: RunOptions, value: V, now: number) => RunOptions;

const sets = (field: keyof RunOptions) => (options: RunOptions, value: unknown) => {
  return { ...options, [field]: value };
};

const text = (describe: string, commands: readonly CommandName[], apply?: Apply<string>) =>
  ({ type: 'string', describe, commands, ...given({ apply }) }) as const;

const flag = (describe: string, commands: readonly CommandName[], apply?: Apply<true>) =>
  ({ type: 'boolean', describe, commands, ...given({ apply }) }) as const;

const number = (
  describe: string,
  commands: readonly CommandName[],
  apply: Apply<number>,
  standard?: number,
) =>
  ({ type: 'number', min: 1, describe, commands, apply, ...given({ default: standard }) }) as const;

const EXECUTING = ['run', 'fetch', 'build'] as const;
const RECORDING = [...EXECUTING, 'record'] as const;
const PUBLISHING = ['run', 'build'] as const;

/** Every option, in the order in which they are applied. */
const RUN_OPTIONS: Readonly<Record<string, RunOption>> = {
  output: text(
    'output folder, instead of the one in the file',
    [...EXECUTING, 'explain'],
    (options, dir) => {
      const outputDir = resolve(dir);
      return withPipeline(options, { outputDir, cacheDir: defaultCacheDir(outputDir) });
    },
  ),
  cache: text(
    'cache folder [default: .cache beside the output folder]',
    [...RECORDING, 'explain'],
    (options, dir) => withPipeline(options, { cacheDir: resolve(dir) }),
  ),
  concurrency: number(
    'concurrent requests to the service, of all kinds together',
    ['run', 'fetch', 'record'],
    (options, concurrency) =>
      withPipeline(options, { service: { ...options.pipeline.service, concurrency } }),
    SERVICE_DEFAULTS.concurrency,
  ),
  only: text('select only by a glob on MANUFACTURER/PROGRAM/number', RECORDING, sets('only')),
  limit: number('process at most this many configurations', RECORDING, sets('limit')),
  force: flag('fetch and build everything again', EXECUTING, sets('force')),
  'allow-missing-parts': flag(
    'convert without a missing block, or without the texture of an unreadable image',
    [...PUBLISHING, 'convert'],
    (options) =>
      withPipeline(options, { convert: { ...options.pipeline.convert, allowMissingParts: true } }),
  ),
  repair: flag(
    'build published files again that are damaged or missing',
    PUBLISHING,
    sets('repair'),
  ),
  accept: flag('publish although a gate or --max-failures refuses', PUBLISHING, sets('accept')),
  until: text(
    'HH:MM at which the run stops; the next one continues',
    ['run'],
    (options, time, now) => ({ ...options, until: nextTime(time, now) }),
  ),
  'max-failures': text(
    'refuse the result after more than N or N% failures',
    PUBLISHING,
    (options, limit) => ({ ...options, maxFailures: parseMaxFailures(limit) }),
  ),
  failed: flag('process only what failed at its last attempt', ['run'], sets('failedOnly')),
  'dry-run': flag('print the selection and an estimate of requests; fetch no geometry', ['run']),
  'log-format': { ...LOG_FORMAT_OPTION, commands: RECORDING },
  'metrics-file': text(
    'write metrics for Prometheus to this file, such as DIR/btg2gltf.prom',
    RECORDING,
  ),
  junit: text('write a JUnit XML to this file', RECORDING),
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
