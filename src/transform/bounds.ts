/**
 * Bounds: the box around every drawn vertex, in the article's frame.
 */
import { type Frame, movePoint } from '../math/ofml-frame.ts';
import { scaleColumns, type Vec3 } from '../math/vec.ts';
import type { Bounds } from '../model/scene.ts';

/** Collects boxes of placed meshes. */
export interface BoundsGatherer {
  /** Adds n × 3 positions (part frame, metres) at a place. */
  add(positions: Float32Array, frame: Frame, scale: Vec3): void;
  /** The box, metres; zero-sized at the origin where nothing was added. */
  box(): Bounds;
}

/** Makes an empty gatherer; the own box of a mesh is computed once. */
export function createBoundsGatherer(): BoundsGatherer {
  const own = new Map<Float32Array, Bounds>();
  const all = emptyBox();
  return {
    add(positions, frame, scale) {
      const matrix = scaleColumns(frame.rotation, scale);
      if (isAxisAligned(matrix)) {
        const box = own.get(positions) ?? boxOf(positions);
        own.set(positions, box);
        const { min, max } = box;
        for (const point of [min, max]) {
          include(all, movePoint({ ...frame, rotation: matrix }, point));
        }
      } else {
        addEach(all, positions, matrix, frame.translationMetres);
      }
    },
    box: () => (all.min[0] > all.max[0] ? { min: [0, 0, 0], max: [0, 0, 0] } : all),
  };
}

function emptyBox(): Bounds {
  const { POSITIVE_INFINITY: more, NEGATIVE_INFINITY: less } = Number;
  return { min: [more, more, more], max: [less, less, less] };
}

function include(box: Bounds, point: Vec3): void {
  for (const k of [0, 1, 2] as const) {
    if (point[k] < box.min[k]) box.min[k] = point[k];
    if (point[k] > box.max[k]) box.max[k] = point[k];
  }
}

function boxOf(positions: Float32Array): Bounds {
  const box = emptyBox();
  addEach(box, positions, [1, 0, 0, 0, 1, 0, 0, 0, 1], [0, 0, 0]);
  return box;
}

/** One axis goes to one axis: two opposite corners of the box are enough. */
function isAxisAligned(m: readonly number[]): boolean {
  return [0, 3, 6].every((c) => [0, 1, 2].filter((r) => m[c + r] !== 0).length <= 1);
}

function addEach(box: Bounds, p: Float32Array, m: readonly number[], t: Vec3): void {
  const { min, max } = box;
  for (let i = 0; i < p.length; i += 3) {
    const x = m[0]! * p[i]! + m[3]! * p[i + 1]! + m[6]! * p[i + 2]! + t[0];
    const y = m[1]! * p[i]! + m[4]! * p[i + 1]! + m[7]! * p[i + 2]! + t[1];
    const z = m[2]! * p[i]! + m[5]! * p[i + 1]! + m[8]! * p[i + 2]! + t[2];
    if (x < min[0]) min[0] = x;
    if (x > max[0]) max[0] = x;
    if (y < min[1]) min[1] = y;
    if (y > max[1]) max[1] = y;
    if (z < min[2]) min[2] = z;
    if (z > max[2]) max[2] = z;
  }
}
