/**
 * Processes each item, at most `atOnce` at the same time.
 *
 * Unlike a limiter it creates no promise for an item before its turn, so memory does not grow with their
 * number. After a failure it starts no further item and waits for those in progress.
 *
 * @param atOnce - From 1.
 * @param work - Receives an item and its index, from 0.
 * @throws the first error that `work` throws.
 */
export async function inParallel<T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const remaining = items[Symbol.iterator]();
  let count = 0;
  let failure: { error: unknown } | undefined;
  let isDone = false;
  const worker = async (): Promise<void> => {
    while (failure === undefined && !isDone) {
      const next = remaining.next();
      isDone = next.done === true;
      if (next.done) return;
      try {
        await work(next.value, count++);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  const workers: Promise<void>[] = [];
  // No more than there are items: mostly three, where 64 may be in progress.
  while (workers.length < atOnce && !isDone) workers.push(worker());
  await Promise.all(workers);
  if (failure !== undefined) throw failure.error;
}
