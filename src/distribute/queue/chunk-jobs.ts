/** Jobs as parts of chunks: their ids, their halves, and the parts of them that are on the queue. */
import { z } from 'zod';
import { type ErrorCode, endsRun } from '../../support/errors.ts';
import type { ChunkJob } from './chunk-queue.ts';

const place = z.int().nonnegative();
const chunkJob = z
  .object({
    run: z.string().min(1),
    kind: z.string().min(1),
    chunk: place,
    from: place,
    to: place,
  })
  .refine(({ from, to }) => from < to);

/** Reads a job from a queue; undefined if it is not a job of btg2gltf, since other programs may use the server. */
export function readJob(data: unknown): ChunkJob | undefined {
  return chunkJob.safeParse(data).data;
}

/** The id on a queue: the same part of a run always has the same id, so that it is on the queue only once. */
export function jobId({ run, chunk, from, to }: ChunkJob): string {
  return `${run}.${chunk}.${from}.${to}`;
}

/** Whether an error of a job ends the run for all workers: an interruption of one worker does not interrupt others. */
export function endsRunOfAll(code: ErrorCode): boolean {
  return code !== 'INTERRUPTED' && endsRun(code);
}

/** The two halves of a job, the first of which is the larger; none if it has only one place. */
export function halvesOf(job: ChunkJob): ChunkJob[] {
  const { from, to } = job;
  const middle = from + Math.ceil((to - from) / 2);
  if (middle >= to) return [];
  return [
    { ...job, to: middle },
    { ...job, from: middle },
  ];
}

/**
 * Divides a job into the parts that are on the queue already, whole or divided, and the rest.
 *
 * @example
 * ```ts
 * const job = { run: 'r', kind: 'convert', chunk: 0, from: 0, to: 8 };
 * divide(job, [{ ...job, from: 2, to: 4 }]).rest; // → places 0 to 2 and 4 to 8
 * ```
 */
export function divide(
  job: ChunkJob,
  queue: readonly ChunkJob[],
): { queued: ChunkJob[]; rest: ChunkJob[] } {
  const queued = queue
    .filter(({ chunk, from, to }) => chunk === job.chunk && from >= job.from && to <= job.to)
    .sort((a, b) => a.from - b.from);
  const rest: ChunkJob[] = [];
  let { from } = job;
  for (const part of queued) {
    if (part.from > from) rest.push({ ...job, from, to: part.from });
    from = Math.max(from, part.to);
  }
  if (from < job.to) rest.push({ ...job, from });
  return { queued, rest };
}
