/**
 * Outcome book: what became of every request, by configuration, until the manifest is written.
 *
 * In: outcomes in any order. Out: those of one configuration in the order of the selection.
 * They are kept as bytes, so that 50,000 of them are no load on the heap.
 */
import { createPackedMap } from '../../support/packed-map.ts';
import type { PreviousLines } from '../context/previous-lines.ts';
import type { Collect, Origin } from './each-configuration.ts';
import { keyOfOutcome, type Outcome } from './manifest-lines.ts';

/** An outcome and where it came from. */
export type Entry = Origin & { outcome: Outcome };

/** All outcomes of a run. */
export interface OutcomeBook {
  add: Collect<Outcome>;
  /** Keys of `configurationKey`, in no particular order. */
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
      const all = [...entriesOf(key), { outcome, ...origin }].sort((a, b) => a.place - b.place);
      entries.set(key, all);
    },
    keys: () => entries.keys(),
    entriesOf,
  };
}
