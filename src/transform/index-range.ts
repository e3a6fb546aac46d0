/**
 * Index range: the smallest and largest index of a block's surfaces.
 */
import { NOT_AN_INDEX } from '../service/wire-block-scanner.ts';

/** Both ends; smallest above largest where there is no index. */
export interface IndexRange {
  smallest: number;
  largest: number;
}

/** The range over several lists; what was no integer is no index and takes no part: D-302. */
export function indexRange(lists: readonly Int32Array[]): IndexRange {
  let smallest = Number.POSITIVE_INFINITY;
  let largest = Number.NEGATIVE_INFINITY;
  for (const list of lists) {
    for (let i = 0; i < list.length; i++) {
      const index = list[i]!;
      if (index === NOT_AN_INDEX) continue;
      if (index < smallest) smallest = index;
      if (index > largest) largest = index;
    }
  }
  return { smallest, largest };
}
