import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jobsOfShard, readShard } from '../../../src/execute/shard.ts';

const kubernetes = (index: string) => ({ JOB_COMPLETION_INDEX: index });
const batch = (index: string, size: string) => ({
  ...{ AWS_BATCH_JOB_ARRAY_INDEX: index, AWS_BATCH_JOB_ARRAY_SIZE: size },
});
const slurm = (id: string, count: string, min: string, more = {}) => ({
  ...{ SLURM_ARRAY_TASK_ID: id, SLURM_ARRAY_TASK_COUNT: count, SLURM_ARRAY_TASK_MIN: min },
  ...more,
});

const ROWS: [string | undefined, Record<string, string>, [number, number] | undefined][] = [
  [undefined, {}, undefined],
  ['1/1', {}, [0, 1]],
  ['2/3', {}, [1, 3]],
  ['3/3', {}, [2, 3]],
  // The option goes before the environment.
  ['2/3', kubernetes('0'), [1, 3]],
  // Kubernetes counts from 0, and says nowhere of how many.
  ['3', kubernetes('0'), [0, 3]],
  ['3', kubernetes('2'), [2, 3]],
  // AWS Batch counts from 0.
  [undefined, batch('9', '10'), [9, 10]],
  // Slurm counts as `--array` says.
  [undefined, slurm('0', '4', '0'), [0, 4]],
  [undefined, slurm('5', '4', '2'), [3, 4]],
  [undefined, slurm('7', '5', '1', { SLURM_ARRAY_TASK_STEP: '2' }), [3, 5]],
  // A variable that is set to nothing counts as unset.
  [undefined, kubernetes(''), undefined],
];

const REFUSED: [string | undefined, Record<string, string>, string][] = [
  ['3/2', {}, '--shard: expected one of 2 shards, received 3/2'],
  ['0/2', {}, '--shard: expected one of 2 shards, received 0/2'],
  ['1/0', {}, '--shard: expected at least one shard, received 1/0'],
  ['two', {}, '--shard: expected i/N, received two'],
  ['-1/2', {}, '--shard: expected i/N, received -1/2'],
  ['3', {}, '--shard 3: expected an index, as in 1/3, or one in the environment'],
  [undefined, kubernetes('1'), 'JOB_COMPLETION_INDEX=1: expected the number of shards, --shard N'],
  ['2', kubernetes('2'), 'JOB_COMPLETION_INDEX: expected one of 2 shards, received 2 of 2'],
  [
    undefined,
    slurm('9', '3', '1'),
    'SLURM_ARRAY_TASK_ID: expected one of 3 shards, received 9 of 3',
  ],
  [
    undefined,
    batch('x', '3'),
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
    fc.assert(
      fc.property(fc.nat({ max: 200 }), fc.integer({ min: 1, max: 40 }), (length, count) => {
        const jobs = Array.from({ length }, (_, job) => job);
        const shards = Array.from({ length: count }, (_, index) =>
          jobsOfShard(jobs, { index, count }),
        );
        expect(shards.flat().toSorted((a, b) => a - b)).toEqual(jobs);
        for (const [index, shard] of shards.entries())
          expect(shard).toEqual(shard.map((_, n) => index + n * count));
      }),
    );
  });
});
