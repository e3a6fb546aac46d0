import { describe, expect, it } from 'vitest';
import { divide, halvesOf, jobId, readJob } from '../../../../src/distribute/queue/chunk-jobs.ts';

const job = (from: number, to: number, chunk = 0) => {
  return { run: 'r1', kind: 'convert', chunk, from, to };
};
/** The places of jobs, as `0-3 3-5`. */
const places = (jobs: Iterable<{ from: number; to: number }>) =>
  [...jobs].map(({ from, to }) => `${from}-${to}`).join(' ');

it('the id of a job names its part of the run', () => {
  expect(jobId(job(0, 50, 7))).toBe('r1.7.0.50');
});

it('halves have every place once, and one place has no halves', () => {
  expect(places(halvesOf(job(0, 5)))).toBe('0-3 3-5');
  expect(halvesOf(job(3, 4))).toEqual([]);
});

describe('what is on the queue', () => {
  it.each([
    ['nothing', [], '', '0-8'],
    ['the job itself', [job(0, 8)], '0-8', ''],
    ['both halves', [job(4, 8), job(0, 4)], '0-4 4-8', ''],
    ['its beginning', [job(0, 4)], '0-4', '4-8'],
    ['its end', [job(4, 8)], '4-8', '0-4'],
    ['two parts within', [job(1, 2), job(4, 6)], '1-2 4-6', '0-1 2-4 6-8'],
    ['a job and, of it, a half', [job(0, 8), job(0, 4)], '0-8 0-4', ''],
    ['another chunk', [job(0, 8, 1)], '', '0-8'],
  ])('%s: the rest of the job is missing', (_name, queue, queued, rest) => {
    const divided = divide(job(0, 8), queue);
    expect(places(divided.queued)).toBe(queued);
    expect(places(divided.rest)).toBe(rest);
  });
});

it.each([
  null,
  undefined,
  'text',
  7,
  {},
  { ...job(0, 8), run: '' },
  job(8, 8),
  job(-1, 2),
  job(0, 0.5),
])('%j on the queue is no job', (data) => expect(readJob(data)).toBe(undefined));

it('a job on the queue is read as it was written', () => {
  expect(readJob(JSON.parse(JSON.stringify(job(2, 8))))).toEqual(job(2, 8));
});
