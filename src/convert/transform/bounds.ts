/** Bounds: the box around every drawn vertex, in the article's frame. */

import type { Vec3 } from '../../model/graphics.ts';
import type { Bounds } from '../../model/scene.ts';
import { boundsOf } from '../kernels/kernels.ts';
import { type Frame, movePoint } from '../math/ofml-frame.ts';
import { type Mat3, scaleColumns } from '../math/vec.ts';

/** Collects the boxes of placed meshes; the own box of a mesh is computed once. */
export function createBounds() {
  const ownBoxes = new Map<Float32Array, Bounds>();
  const corners: Vec3[] = [];
  return {
    /** Adds n × 3 positions (part frame, metres) in their frame at their scale. */
    add(positions: Float32Array, { rotation, translationMetres }: Frame, scale: Vec3): void {
      const frame = { rotation: scaleColumns(rotation, scale), translationMetres };
      if (isAxisAligned(frame.rotation)) {
        const { min, max } = ownBoxes.get(positions) ?? boundsOf(positions);
        ownBoxes.set(positions, { min, max });
        corners.push(movePoint(frame, min), movePoint(frame, max));
      } else {
        const { min, max } = boundsOf(positions, [...frame.rotation, ...translationMetres]);
        corners.push(min, max);
      }
    },
    /** The box, metres; zero-sized at the origin where nothing was added. */
    box(): Bounds {
      const [first = [0, 0, 0], ...others] = corners;
      const box: Bounds = { min: [...first], max: [...first] };
      for (const corner of others) {
        for (const axis of [0, 1, 2] as const) {
          box.min[axis] = Math.min(box.min[axis], corner[axis]);
          box.max[axis] = Math.max(box.max[axis], corner[axis]);
        }
      }
      return box;
    },
  };
}

/** One axis goes to one axis: two opposite corners of the box are enough. */
function isAxisAligned(m: Mat3): boolean {
  return [0, 3, 6].every((c) => [0, 1, 2].filter((r) => m[c + r] !== 0).length <= 1);
}
