/** Work that several callers may wait for at the same time, in a short queue. */
import pLimit from 'p-limit';
import { ConverterError } from '../../support/errors.ts';

/** Does work, or waits for the same work of another caller, until the signal. */
export type SharedWork<T> = (
  key: string,
  signal: AbortSignal,
  work: () => Promise<T>,
) => Promise<T>;

interface Job<T> {
  result: Promise<T>;
  waiting: number;
  hasBegun: boolean;
  abandoned: AbortController;
}

/**
 * Makes a queue in which work is done once for all callers that wait for it, and not at all once none waits. Work that
 * has begun continues.
 *
 * @param atOnce - Amount of work that is done at the same time.
 * @param most - Amount of work that may be in progress and waiting.
 * @param refusal - Message for work beyond that.
 * @returns Does work, or waits for the same work, until the signal; throws {@link ConverterError} `RATE_LIMITED`.
 * @example
 * ```ts
 * const once = createSharedWork<Picture>(2, 32, 'too many pictures are being made');
 * await once('a chair', signal, () => picture('a chair'));
 * ```
 */
export function createSharedWork<T>(atOnce: number, most: number, refusal: string): SharedWork<T> {
  const jobs = new Map<string, Job<T>>();
  const turn = pLimit(atOnce);

  const begin = (key: string, work: () => Promise<T>): Job<T> => {
    if (jobs.size >= most) throw new ConverterError('RATE_LIMITED', refusal);
    const abandoned = new AbortController();
    const result = turn(() => {
      abandoned.signal.throwIfAborted();
      job.hasBegun = true;
      return work();
    });
    const job: Job<T> = { result, waiting: 0, hasBegun: false, abandoned };
    jobs.set(key, job);
    const end = () => {
      if (jobs.get(key) === job) jobs.delete(key);
    };
    result.then(end, end);
    return job;
  };

  return async (key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    const job = jobs.get(key) ?? begin(key, work);
    job.waiting++;
    let leave = () => {};
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(signal.reason);
      signal.addEventListener('abort', leave, { once: true });
    });
    try {
      return await Promise.race([job.result, left]);
    } finally {
      signal.removeEventListener('abort', leave);
      job.waiting--;
      if (job.waiting === 0 && !job.hasBegun) {
        if (jobs.get(key) === job) jobs.delete(key);
        job.abandoned.abort();
      }
    }
  };
}
