/**
 * Processes each item, at most `atOnce` at the same time.
 *
 * Unlike a limiter, this creates no promise for an item before its turn, so memory does not grow with the number of
 * items. After a failure no further item is started; those in progress are awaited.
 *
 * @param atOnce - At least 1.
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
  // There are no more workers than items: mostly three, where 64 may be in progress.
  while (workers.length < atOnce && !isDone) workers.push(worker());
  await Promise.all(workers);
  if (failure !== undefined) throw failure.error;
}
