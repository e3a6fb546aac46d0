import { describe, expect, it } from 'vitest';
import { jobsOfShard, readShard } from '../../../src/execute/shard.ts';

const ROWS: [string | undefined, Record<string, string>, [number, number] | undefined][] = [
  [undefined, {}, undefined],
  ['1/1', {}, [0, 1]],
  ['2/3', {}, [1, 3]],
  ['3/3', {}, [2, 3]],
  // The option goes before the environment.
  ['2/3', { JOB_COMPLETION_INDEX: '0' }, [1, 3]],
  // Kubernetes counts from 0, and says nowhere of how many.
  ['3', { JOB_COMPLETION_INDEX: '0' }, [0, 3]],
  ['3', { JOB_COMPLETION_INDEX: '2' }, [2, 3]],
  // AWS Batch counts from 0.
  [undefined, { AWS_BATCH_JOB_ARRAY_INDEX: '9', AWS_BATCH_JOB_ARRAY_SIZE: '10' }, [9, 10]],
  // Slurm counts as `--array` says.
  [
    undefined,
    { SLURM_ARRAY_TASK_ID: '0', SLURM_ARRAY_TASK_COUNT: '4', SLURM_ARRAY_TASK_MIN: '0' },
    [0, 4],
  ],
  [
    undefined,
    { SLURM_ARRAY_TASK_ID: '5', SLURM_ARRAY_TASK_COUNT: '4', SLURM_ARRAY_TASK_MIN: '2' },
    [3, 4],
  ],
  [
    undefined,
    {
      ...{ SLURM_ARRAY_TASK_ID: '7', SLURM_ARRAY_TASK_COUNT: '5' },
      ...{ SLURM_ARRAY_TASK_MIN: '1', SLURM_ARRAY_TASK_STEP: '2' },
    },
    [3, 5],
  ],
  // A variable that is set to nothing counts as unset.
  [undefined, { JOB_COMPLETION_INDEX: '' }, undefined],
];

const REFUSED: [string | undefined, Record<string, string>, string][] = [
  ['3/2', {}, '--shard: expected one of 2 shards, received 3/2'],
  ['0/2', {}, '--shard: expected one of 2 shards, received 0/2'],
  ['1/0', {}, '--shard: expected at least one shard, received 1/0'],
  ['two', {}, '--shard: expected i/N, received two'],
  ['-1/2', {}, '--shard: expected i/N, received -1/2'],
  ['3', {}, '--shard 3: expected an index, as in 1/3, or one in the environment'],
  [
    undefined,
    { JOB_COMPLETION_INDEX: '1' },
    'JOB_COMPLETION_INDEX=1: expected the number of shards, --shard N',
  ],
  [
    '2',
    { JOB_COMPLETION_INDEX: '2' },
    'JOB_COMPLETION_INDEX: expected one of 2 shards, received 2 of 2',
  ],
  [
    undefined,
    { SLURM_ARRAY_TASK_ID: '9', SLURM_ARRAY_TASK_COUNT: '3', SLURM_ARRAY_TASK_MIN: '1' },
    'SLURM_ARRAY_TASK_ID: expected one of 3 shards, received 9 of 3',
  ],
  [
    undefined,
    { AWS_BATCH_JOB_ARRAY_INDEX: 'x', AWS_BATCH_JOB_ARRAY_SIZE: '3' },
    'AWS_BATCH_JOB_ARRAY_INDEX: expected one of 3 shards, received x of 3',
  ],
];

describe('the shard of a program', () => {
  it.each(ROWS)('%s with %j is %j', (text, env, expected) => {
    const shard = readShard(text, env);
    expect(shard && [shard.index, shard.count]).toEqual(expected);
  });

  it.each(REFUSED)('%s with %j is refused', (text, env, message) => {
    expect(() => readShard(text, env)).toThrow(
      expect.objectContaining({ code: 'USAGE', message, help: expect.stringContaining('--shard') }),
    );
  });

  it('has every N-th job: all shards together have each once', () => {
    const jobs = Array.from({ length: 10 }, (_, n) => `job ${n}`);
    const shards = [0, 1, 2].map((index) => jobsOfShard(jobs, { index, count: 3 }));
    expect(shards[1]).toEqual(['job 1', 'job 4', 'job 7']);
    expect(shards.flat().sort()).toEqual(jobs);
  });
});
