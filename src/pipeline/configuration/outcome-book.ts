/**
 * Outcome book: what became of every request, by configuration, until the manifest is written.
 *
 * In: outcomes in any order. Out: those of one configuration in the order of the selection.
 * They are kept as bytes, so that 50,000 of them are no load on the heap.
 */
import type { ArticleKey } from '../../model/article.ts';
import { createPackedMap } from '../../support/packed-map.ts';
import type { PreviousLines } from '../context/previous-lines.ts';
import type { Collect, Origin } from './each-configuration.ts';
import { keyOfOutcome, type Outcome } from './manifest-lines.ts';

/** An outcome and where it came from. */
export type Entry = Origin & { outcome: Outcome };

/** All outcomes of a run. */
export interface OutcomeBook {
  add: Collect<Outcome>;
  /** Number of configurations. */
  readonly size: number;
  /** Keys of `keyOf`, in no particular order. */
  keys(): Iterable<string>;
  /** What became of the requests of a configuration, in the order of the selection. */
  entriesOf(key: string): Entry[];
}

/** Opens an empty book. @see D-833 */
export function createOutcomeBook(previous: PreviousLines): OutcomeBook {
  const entries = createPackedMap<Entry[]>();
  const entriesOf = (key: string) => entries.get(key) ?? [];
  return {
    add(outcome, origin) {
      const key = keyOfOutcome(outcome, previous);
      const known = entries.has(key) ? entriesOf(key) : [];
      const all = [...known, { outcome, ...origin }];
      entries.set(
        key,
        all.sort((a, b) => a.place - b.place),
      );
    },
    get size() {
      return entries.size;
    },
    keys: () => entries.keys(),
    entriesOf,
  };
}

/** The identity that the outcomes of one configuration agree on, where one of them was resolved. */
export function resolvedKey(entries: readonly Entry[]): ArticleKey | undefined {
  return entries.find(({ outcome }) => outcome.key !== undefined)?.outcome.key;
}
