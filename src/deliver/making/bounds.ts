/** The box about points. No imports from Node: pages use this file. */
import type { Bounds } from '../../model/asset.ts';

/** Returns the box about all points of some lists, x y z of each; infinite without a point. */
export function boundsOf(lists: Iterable<ArrayLike<number>>): Bounds {
  const min: Bounds['min'] = [Infinity, Infinity, Infinity];
  const max: Bounds['max'] = [-Infinity, -Infinity, -Infinity];
  for (const list of lists) {
    for (let at = 0; at < list.length; at++) {
      const axis = at % 3;
      min[axis] = Math.min(min[axis]!, list[at]!);
      max[axis] = Math.max(max[axis]!, list[at]!);
    }
  }
  return { min, max };
}
