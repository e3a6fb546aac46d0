/** Finds the known name that the user probably meant. */
import { distance } from 'fastest-levenshtein';

/** A name that differs by a larger share is not suggested, because it would confuse. */
const LARGEST_DIFFERENCE = { name: 1 / 2, part: 1 / 3 };

/**
 * Finds the known name with the smallest edit distance; letter case is ignored. Of names such as
 * `MANUFACTURER/PROGRAM/number`, each part has to be near.
 *
 * @returns Undefined if every known name is too different.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const parts = partsOf(name);
  // Two articles of a series often differ in half of their characters.
  const share = parts.length > 1 ? LARGEST_DIFFERENCE.part : LARGEST_DIFFERENCE.name;
  const [best] = [...known]
    .map((text) => ({ text, own: partsOf(text) }))
    .filter(({ own }) => own.length === parts.length)
    .filter(({ own }) => own.every((part, i) => isNear(part, parts[i]!, share)))
    .map(({ text, own }) => ({ text, edits: editsBetween(parts.join('/'), own.join('/')) }))
    .sort((a, b) => a.edits - b.edits);
  return best?.text;
}

/** Manufacturer, program and number, which may contain slashes itself; any other name is one part. */
function partsOf(name: string): string[] {
  const [, ...parts] = /^([^/]+)\/([^/]+)\/(.+)$/s.exec(name.toLowerCase()) ?? [];
  return parts.length > 0 ? parts : [name.toLowerCase()];
}

function isNear(a: string, b: string, share: number): boolean {
  const most = Math.max(a.length, b.length) * share;
  return editsBetween(a, b) <= Math.max(1, most);
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
 * `there is no key "outptu"${didYouMean('outptu', ['output'])}`;
 * // → 'there is no key "outptu"; did you mean "output"?'
 * ```
 */
export function didYouMean(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`;
}
