/** Shards: programs that divide a run by number, without a common queue. */
import { ConverterError } from '../support/errors.ts';

/** The part of a run that one program does. */
export interface Shard {
  /** From 0. */
  index: number;
  count: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Who numbers programs, and how. Kubernetes and AWS Batch count from 0; Slurm counts as `--array` says, such as
 * `1-9:2`.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode (has no variable for the number),
 * https://docs.aws.amazon.com/batch/latest/userguide/job_env_vars.html, https://slurm.schedmd.com/job_array.html
 */
const NUMBERED_BY: readonly { index: string; count?: string; first?: string; step?: string }[] = [
  { index: 'JOB_COMPLETION_INDEX' },
  { index: 'AWS_BATCH_JOB_ARRAY_INDEX', count: 'AWS_BATCH_JOB_ARRAY_SIZE' },
  {
    index: 'SLURM_ARRAY_TASK_ID',
    count: 'SLURM_ARRAY_TASK_COUNT',
    first: 'SLURM_ARRAY_TASK_MIN',
    step: 'SLURM_ARRAY_TASK_STEP',
  },
];

const HELP =
  'give --shard 2/3 for the second of three; or --shard 3 in a Kubernetes Indexed Job, an AWS Batch array or a Slurm array, which number their programs';

/**
 * The shard of this program, by option or environment.
 *
 * @param text - `i/N`, from `1/N` to `N/N`; `N`, if the environment has the index; undefined, if it has both.
 * @returns Undefined if neither says that there are shards.
 *
 * @example
 * ```ts
 * readShard('2/3', {}); // → { index: 1, count: 3 }
 * readShard('3', { JOB_COMPLETION_INDEX: '0' }); // → { index: 0, count: 3 }
 * ```
 *
 * @throws {@link ConverterError} `USAGE`.
 */
export function readShard(text: string | undefined, env: Environment): Shard | undefined {
  const [, number, of] = /^(?:(\d+)\/)?(\d+)$/.exec(text ?? '') ?? [];
  if (text !== undefined && of === undefined)
    throw usage(`--shard: expected i/N, received ${text}`);
  if (number !== undefined) return shard('--shard', Number(number) - 1, Number(of), text!);
  const numbered = NUMBERED_BY.find(({ index }) => isSet(env[index]));
  if (numbered === undefined) {
    if (text === undefined) return undefined;
    throw usage(`--shard ${text}: expected an index, as in 1/${text}, or one in the environment`);
  }
  const { index, count, first, step } = numbered;
  const all = of ?? (count && env[count]);
  if (!isSet(all)) throw usage(`${index}=${env[index]}: expected the number of shards, --shard N`);
  const place = (Number(env[index]) - numberIn(env, first, 0)) / numberIn(env, step, 1);
  return shard(index, place, Number(all), `${env[index]} of ${all}`);
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

function numberIn(env: Environment, name: string | undefined, otherwise: number): number {
  const value = name && env[name];
  return isSet(value) ? Number(value) : otherwise;
}

function shard(where: string, index: number, count: number, received: string): Shard {
  if (Number.isSafeInteger(index) && index >= 0 && index < count) return { index, count };
  const expected = count >= 1 ? `one of ${count} shards` : 'at least one shard';
  throw usage(`${where}: expected ${expected}, received ${received}`);
}

function usage(message: string): ConverterError {
  return new ConverterError('USAGE', message, { help: HELP });
}

/**
 * The jobs of one shard: of N shards, number i has those at the places i, i + N, i + 2 N of the list.
 *
 * @example
 * ```ts
 * jobsOfShard(jobs, { index: 1, count: 3 }); // → the jobs at the places 1, 4, 7
 * ```
 */
export function jobsOfShard<Job>(jobs: readonly Job[], { index, count }: Shard): Job[] {
  return jobs.filter((_, place) => place % count === index);
}
