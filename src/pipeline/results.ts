/** Collects the results of a run by configuration, until the manifest is written. */
import { configurationKey } from '../model/configuration-id.ts';
import type { Result } from '../model/result.ts';
import { createPackedMap } from '../support/packed-map.ts';
import type { PreviousOutput } from './open-run.ts';
import type { Origin } from './process-all.ts';

/** A result and where it came from. */
export type CollectedResult = Origin & { result: Result };

/** All results of a run. */
export type Results = ReturnType<typeof createResults>;

/**
 * Creates an empty collection. Results are stored as bytes, so that 50,000 of them do not load the heap.
 *
 * A request that failed before it was resolved is filed under the configuration that it resolved to in the
 * previous run, so that its published GLB stays known as `lastGood`.
 *
 * @see D-833.
 */
export function createResults({ keyOfRequest }: Pick<PreviousOutput, 'keyOfRequest'>) {
  const results = createPackedMap<CollectedResult[]>();
  const of = (key: string) => results.get(key) ?? [];
  const keyOf = ({ key, request }: Result) =>
    key === undefined
      ? (keyOfRequest(request) ?? configurationKey(request))
      : configurationKey(key);
  return {
    /** Returns the results of the requests of a configuration, in the order of the selection. */
    of,
    add(result: Result, origin: Origin): void {
      const key = keyOf(result);
      results.set(
        key,
        [...of(key), { ...origin, result }].sort((a, b) => a.place - b.place),
      );
    },
    /** Keys of `configurationKey`, in no particular order. */
    keys: () => results.keys(),
    *all(): Iterable<CollectedResult> {
      for (const some of results.values()) yield* some;
    },
  };
}
