/**
 * Nearest: which known name someone probably meant.
 *
 * In: a name that nobody knows and the names that are known. Out: a clause for an error sentence.
 * It knows nothing of files, options or the service.
 */

/** Names further away than this share of their length are not offered: they would only confuse. */
const FARTHEST_SHARE = 0.5;

/**
 * Finds the known name that takes the fewest edits to reach, letter case aside.
 *
 * @param name - What was written.
 * @param known - What could have been written.
 * @returns The nearest name, or undefined where none is near.
 *
 * @example
 * ```ts
 * nearestName('outptu', ['output', 'articles']); // → 'output'
 * nearestName('zebra', ['output', 'articles']);  // → undefined
 * ```
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  const longest = Math.max(name.length, best?.length ?? 0);
  return bestDistance <= Math.max(1, longest * FARTHEST_SHARE) ? best : undefined;
}

/**
 * Words the nearest name for the end of a sentence; empty where none is near.
 *
 * @example
 * ```ts
 * `unknown key "outptu"${didYouMean('outptu', ['output'])}`;
 * // → 'unknown key "outptu"; did you mean "output"?'
 * ```
 */
export function didYouMean(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`;
}

/** Insertions, deletions, replacements and swaps of neighbours, one row of the table at a time. */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const replace = previous[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swap = swapped ? beforePrevious[j - 2]! + 1 : replace;
      row.push(Math.min(replace, swap, previous[j]! + 1, row[j - 1]! + 1));
    }
    beforePrevious = previous;
    previous = row;
  }
  return previous[to.length]!;
}
