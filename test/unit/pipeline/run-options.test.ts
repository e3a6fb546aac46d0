import { expect, test } from 'vitest';
import type { Pipeline } from '../../../src/pipeline/pipeline-file.ts';
import { shardOf } from '../../../src/pipeline/run-options.ts';

const pipeline = (service: Partial<Pipeline['service']>) => ({ service }) as Pipeline;

test.each([
  ['the default', {}, 8],
  ['service.concurrency', { concurrency: 3 }, 3],
  ['service.rateLimit.concurrency', { concurrency: 9, rateLimit: { concurrency: 2 } }, 2],
])('more shards than concurrent requests are refused: %s', (_, service, most) => {
  const options = { pipeline: pipeline(service) };
  const shard = `${most}/${most}`;
  expect(shardOf({ ...options, shard }, {})).toEqual({ index: most - 1, count: most });
  expect(() => shardOf({ ...options, shard: `1/${most + 1}` }, {})).toThrow(
    expect.objectContaining({
      code: 'USAGE',
      message: expect.stringContaining(`expected at most ${most} shards`),
    }),
  );
});
