/** The floor below a model: whether there is one, and how far the shadow on it reaches. */
import type { Box3, Object3D } from 'three';

/** A model that begins higher touches no floor: its origin is on it. */
const MOST_GAP_METRES = 0.05;
/** A model whose highest point is lower, above its origin, is below it: a carpet is thicker. */
const THINNEST_METRES = 0.001;
/** Layers of what hangs: `72_ACME_LAMPS_D3_CEILING`. */
const HANGING = /(?:^|_)(?:CEILING|WALL)(?:_|$)/i;

/**
 * Whether a model stands on a floor, at the height of its origin. A model that begins above it hangs, and so does one
 * that is below it altogether, or one with a part in a layer of walls or ceilings.
 *
 * @param box - Bounds in the coordinates of the article, metres.
 * @see D-951
 */
export function standsOnFloor(root: Object3D, box: Box3): boolean {
  if (box.min.y > MOST_GAP_METRES || box.max.y < THINNEST_METRES) return false;
  let hangs = false;
  root.traverse(({ userData: { layer } }) => {
    hangs ||= typeof layer === 'string' && HANGING.test(layer);
  });
  return !hangs;
}

/** How far the shadow reaches beyond the model, as a share of its longest side. */
const REACH = 0.07;

/** How far the shadow of a model reaches beyond its box, metres. */
export function reachOfShadow({ min, max }: Box3): number {
  return REACH * Math.max(max.x - min.x, max.y - min.y, max.z - min.z);
}
