/** The options of a run, and what the process provides for it. */
import { z } from 'zod';
import { ConverterError } from '../../support/errors.ts';
import { CHECKS, checkParameters } from '../../support/parameters.ts';
import { isMaxFailures, parseMaxFailures } from '../file/max-failures.ts';
import { PIPELINE_CHECK, type Pipeline } from '../file/pipeline-file.ts';
import type { RunEnvironment } from './run-environment.ts';

const EXECUTING = ['run', 'fetch', 'build'] as const;
const RECORDING = [...EXECUTING, 'record'] as const;
const PUBLISHING = ['run', 'build'] as const;

const EXECUTORS = ['local', 'bullmq'] as const;

/**
 * What a run is to do, beside its pipeline: each row is a field, and the option that sets it. One that `narrows` selects
 * a part of the pipeline's articles.
 */
export const RUN_OPTIONS = {
  only: {
    option: 'only',
    type: 'string',
    value: 'GLOB',
    narrows: true,
    commands: [...RECORDING, 'demo'],
    describe: 'process only MANUFACTURER/PROGRAM/NUMBER, where * stands for any characters',
    parse: (glob: string) => glob,
  },
  limit: {
    option: 'limit',
    type: 'number',
    min: 1,
    narrows: true,
    commands: RECORDING,
    describe: 'process at most this many configurations',
  },
  force: {
    option: 'force',
    type: 'boolean',
    commands: [...EXECUTING, 'deliver'],
    describe:
      'make all models again, also those that have not changed; for pictures and other files, use deliver --force',
  },
  repair: {
    option: 'repair',
    type: 'boolean',
    commands: PUBLISHING,
    describe: 'check every published file, and make damaged and missing ones again',
  },
  accept: {
    option: 'accept',
    type: 'boolean',
    commands: PUBLISHING,
    describe:
      'publish the result even if a check refuses it (a check of the section "gates" of the pipeline file, or --max-failures)',
  },
  until: {
    option: 'until',
    type: 'string',
    value: 'HH:MM',
    commands: PUBLISHING,
    describe: 'time HH:MM at which the run stops; the next run continues',
    parse: nextTime,
  },
  maxFailures: {
    option: 'max-failures',
    type: 'string',
    value: 'N or N%',
    commands: PUBLISHING,
    describe: 'publish nothing if more than N articles, or N% of them, fail',
    parse: parseMaxFailures,
  },
  checkPictures: {
    option: 'check-pictures',
    type: 'number',
    min: 1,
    commands: [...PUBLISHING, 'deliver'],
    describe:
      'how many new files of the profile web to check: a picture of each file is compared with a picture of the GLB from which the file was made',
  },
  workers: {
    option: 'workers',
    type: 'number',
    min: 1,
    commands: [...PUBLISHING, 'deliver'],
    describe:
      'articles or files that are made at the same time [default: the number of processors, minus 1 if there are 4 or more]',
  },
  memory: {
    option: 'memory',
    type: 'number',
    min: 1,
    commands: [...PUBLISHING, 'deliver'],
    describe: 'memory for browsers that take pictures, in MiB [default: half of the machine]',
  },
  failedOnly: {
    option: 'failed',
    type: 'boolean',
    narrows: true,
    commands: ['run'],
    describe: 'process only what failed at its last attempt',
  },
  executor: {
    option: 'executor',
    type: 'string',
    choices: EXECUTORS,
    commands: ['run'],
    describe:
      'where the work is done: local (on this machine) or bullmq (by workers on several machines, which take it from the BullMQ queue at BTG2GLTF_QUEUE_URL)',
    parse: (name: string) => name as (typeof EXECUTORS)[number],
  },
} as const;

/** The check of each field, for programs without types. */
export const OPTION_CHECKS = {
  only: CHECKS.text.optional(),
  limit: CHECKS.number.optional(),
  force: CHECKS.boolean.optional(),
  repair: CHECKS.boolean.optional(),
  accept: CHECKS.boolean.optional(),
  until: CHECKS.number.optional(),
  maxFailures: z.custom(isMaxFailures, '{ count: 5 } or { share: 0.02 }').optional(),
  checkPictures: CHECKS.number.optional(),
  failedOnly: CHECKS.boolean.optional(),
  workers: CHECKS.number.optional(),
  memory: CHECKS.number.optional(),
  executor: z.enum(EXECUTORS, EXECUTORS.join(' or ')).optional(),
  browserOptional: CHECKS.boolean.optional(),
} satisfies Record<keyof typeof RUN_OPTIONS | 'browserOptional', z.ZodType>;

const RUN_SCHEMA = z.object({ pipeline: PIPELINE_CHECK, ...OPTION_CHECKS });
const ENVIRONMENT_SCHEMA = z.object({
  env: CHECKS.env,
  log: CHECKS.object,
  now: CHECKS.function,
  random: CHECKS.function,
  signal: CHECKS.signal,
  startEmulator: CHECKS.function,
} satisfies Partial<Record<keyof RunEnvironment, z.ZodType>>);

/** Checks what a program without types passes to a run. @throws {@link ConverterError} `USAGE` naming the field. */
export function checkRun(options: RunOptions, environment: RunEnvironment): void {
  checkParameters('options', options, RUN_SCHEMA, true);
  checkParameters('environment', environment, ENVIRONMENT_SCHEMA, true);
}

type FieldOf<Row> = Row extends { parse: (text: string, now: number) => infer Value }
  ? Value
  : Row extends { type: 'number' }
    ? number
    : boolean;

/** What a run is to do. */
export type RunOptions = {
  pipeline: Pipeline;
  /** Whether pictures are left out where no browser starts, and have not failed, as in the demo. @defaultValue false */
  browserOptional?: boolean;
} & {
  [Field in keyof typeof RUN_OPTIONS]?: FieldOf<(typeof RUN_OPTIONS)[Field]>;
};

/** Who does the work of a run. */
export function executorOf({ executor = 'local' }: RunOptions): (typeof EXECUTORS)[number] {
  return executor;
}

/** The next time at which the clock of this machine shows `HH:MM`, milliseconds since 1970. */
function nextTime(text: string, now: number): number {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours === undefined)
    throw new ConverterError('USAGE', `--until: expected a time such as 05:30, received "${text}"`);
  const time = new Date(now);
  time.setHours(Number(hours), Number(minutes), 0, 0);
  // By the calendar, because the day of a clock change does not have 24 hours.
  if (time.getTime() <= now) time.setDate(time.getDate() + 1);
  return time.getTime();
}

const NARROWING = Object.entries(RUN_OPTIONS).flatMap(([field, row]) =>
  'narrows' in row ? [field as keyof typeof RUN_OPTIONS] : [],
);

/** Whether a run processes a part of what its pipeline selects: other articles keep their lines then. */
export function isPartial(options: RunOptions): boolean {
  return NARROWING.some((field) => options[field] !== undefined && options[field] !== false);
}

/** Returns the id of a run: its start, as `2026-11-21T02-00-00.000Z`; some file systems refuse colons. */
export function runId(startedAt: number): string {
  return new Date(startedAt).toISOString().replaceAll(':', '-');
}
