/**
 * Drift: where the answers of a service no longer are what the specification says.
 *
 * In: single mismatches, as the client meets them. Out: rows of field, expected, found, how often.
 * It must not judge: what can be read is used, and what cannot fails its article elsewhere.
 */

/** One mismatch. */
export interface Mismatch {
  /** Operation of the service, such as `getArticle`. */
  operation: string;
  /** Path within the answer, such as `ocd.propclasses[0].name`. */
  field: string;
  expected: string;
  /** In words, such as `string "0,5"`. */
  found: string;
}

/** All mismatches of one kind in one field. */
export interface DriftRow extends Mismatch {
  /** How often. */
  count: number;
}

/** Counts mismatches. */
export interface DriftCounts {
  count(mismatch: Mismatch): void;
  /** Sorted by operation, field, expected and found. */
  rows(): DriftRow[];
}

/**
 * Creates counts at zero.
 *
 * Places in a list count as one field, `nodes[].text`; of several values of one type the first in
 * order stands for all, so that a row does not depend on what came first.
 *
 * @see D-784.
 */
export function createDriftCounts(): DriftCounts {
  const rows = new Map<string, DriftRow>();
  return {
    count({ operation, field, expected, found }) {
      const place = field.replace(/\[\d+\]/g, '[]');
      const key = JSON.stringify([operation, place, expected, typeIn(found)]);
      const known = rows.get(key);
      if (known === undefined) {
        rows.set(key, { operation, field: place, expected, found, count: 1 });
        return;
      }
      known.count++;
      if (found < known.found) known.found = found;
    },
    rows: () =>
      [...rows]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, { operation, field, expected, found, count }]) => {
          return { operation, field, expected, found, count };
        }),
  };
}

/** `string` of `string "0,5"`, `an array` of `an array of 3`. */
function typeIn(found: string): string {
  return /^(?:an? )?\w+/.exec(found)?.[0] ?? found;
}
