/** Bounds: the box around every drawn vertex, in the article's frame. */
import { type Frame, movePoint } from '../math/ofml-frame.ts';
import { boundsOf, type Mat3, scaleColumns, transformPoints } from '../math/vec.ts';
import type { Vec3 } from '../model/graphics.ts';
import type { Bounds } from '../model/scene.ts';

/** Collects the boxes of placed meshes; the own box of a mesh is computed once. */
export function createBounds() {
  const ownBoxes = new Map<Float32Array, Bounds>();
  const corners: number[] = [];
  return {
    /** Adds n × 3 positions (part frame, metres) in their frame at their scale. */
    add(positions: Float32Array, { rotation, translationMetres }: Frame, scale: Vec3): void {
      const frame = { rotation: scaleColumns(rotation, scale), translationMetres };
      if (isAxisAligned(frame.rotation)) {
        const { min, max } = ownBoxes.get(positions) ?? boundsOf(positions);
        ownBoxes.set(positions, { min, max });
        corners.push(...movePoint(frame, min), ...movePoint(frame, max));
      } else {
        const placed = new Float64Array(positions.length);
        transformPoints(positions, frame.rotation, translationMetres, placed);
        const { min, max } = boundsOf(placed);
        corners.push(...min, ...max);
      }
    },
    /** The box, metres; zero-sized at the origin where nothing was added. */
    box: (): Bounds => boundsOf(Float64Array.from(corners.length > 0 ? corners : [0, 0, 0])),
  };
}

/** One axis goes to one axis: two opposite corners of the box are enough. */
function isAxisAligned(m: Mat3): boolean {
  return [0, 3, 6].every((c) => [0, 1, 2].filter((r) => m[c + r] !== 0).length <= 1);
}
