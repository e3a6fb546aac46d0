/**
 * In parallel: work on many items, a few at the same time.
 *
 * Unlike a limiter it makes no promise for an item before its turn, so that memory does not grow with
 * their number; and when one fails it waits for those under way, so that nothing goes on unseen.
 */

/**
 * Works on each item.
 *
 * @param atOnce - Items in the works at the same time, from 1.
 * @param work - Receives an item and its place, from 0.
 * @throws what `work` throws first; items whose turn had not come are left alone then.
 *
 * @example
 * ```ts
 * await inParallel(['a', 'b', 'c'], 2, async (name) => remove(name));
 * ```
 */
export async function inParallel<T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const left = items[Symbol.iterator]();
  let count = 0;
  let failure: { thrown: unknown } | undefined;
  const worker = async (): Promise<void> => {
    while (failure === undefined) {
      const next = left.next();
      if (next.done) return;
      try {
        await work(next.value, count++);
      } catch (thrown) {
        failure ??= { thrown };
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (failure !== undefined) throw failure.thrown;
}
