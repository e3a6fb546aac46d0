/** Finds the known name that the user probably meant. */
import { distance } from 'fastest-levenshtein';

/** A name that differs by a larger share is not suggested, because it would confuse. */
const LARGEST_DIFFERENCE = 0.5;

/**
 * Finds the known name with the smallest edit distance; letter case is ignored.
 *
 * @returns Undefined if every known name is too different.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const [best] = [...known]
    .map((text) => ({ text, edits: editsBetween(name.toLowerCase(), text.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits);
  if (best === undefined) return undefined;
  const longest = Math.max(name.length, best.text.length);
  return best.edits <= Math.max(1, longest * LARGEST_DIFFERENCE) ? best.text : undefined;
}

/** Number of edits. The same letters in another order count as one, because swapped letters are frequent. */
function editsBetween(a: string, b: string): number {
  const isReordered = Array.from(a).sort().join('') === Array.from(b).sort().join('');
  return isReordered ? Math.min(distance(a, b), 1) : distance(a, b);
}

/**
 * Suggests the nearest known name at the end of an error sentence; empty if there is none.
 *
 * @example
 * ```ts
 * `expected a known key, received "outptu"${didYouMean('outptu', ['output'])}`;
 * // → 'expected a known key, received "outptu"; did you mean "output"?'
 * ```
 */
export function didYouMean(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`;
}
