import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CAMERAS,
  FIELD_OF_VIEW_DEGREES,
  placeCamera,
} from '../../../../src/deliver/pictures/camera.ts';

const MARGIN = 0.07;
const coordinate = fc.double({ min: -5, max: 5, noNaN: true });
const cloud = fc
  .array(fc.tuple(coordinate, coordinate, coordinate), { minLength: 4, maxLength: 40 })
  .map((points) => Float32Array.from(points.flat()))
  .filter((points) =>
    [0, 1, 2].every((axis) => {
      const values = points.filter((_, i) => i % 3 === axis);
      return Math.max(...values) - Math.min(...values) > 0.1;
    }),
  );
/** Looked at along its length, it would fill the picture only with a camera inside. */
const LONG_AND_THIN = Float32Array.from([0, -0.1, 0, 0.1, 0, 0, 0, 0, 0, 0, 0, 4]);
const aspect = fc.double({ min: 0.25, max: 4, noNaN: true });
const camera = fc.constantFrom(...Object.values(CAMERAS));

type Placed = ReturnType<typeof placeCamera>;

/** Where points are in the picture, from −1 to 1 across and up. */
function inPicture(points: Float32Array, placed: Placed, isFlat: boolean, ratio: number) {
  const { right, up, back, position, halfWidth, halfHeight, near, far } = placed;
  const slope = Math.tan((FIELD_OF_VIEW_DEGREES * Math.PI) / 360);
  return Array.from({ length: points.length / 3 }, (_, i) => {
    const from = [0, 1, 2].map((k) => points[3 * i + k]! - position[k]!);
    const along = (axis: readonly number[]) =>
      axis.reduce((sum, value, k) => sum + value * from[k]!, 0);
    const depth = -along(back);
    expect(depth).toBeGreaterThan(near * 0.999);
    expect(depth).toBeLessThan(far);
    return isFlat
      ? [along(right) / halfWidth, along(up) / halfHeight]
      : [along(right) / (depth * slope * ratio), along(up) / (depth * slope)];
  });
}

/** How far the nearest point is from the camera, as a share of the depth of all points. */
function spaceBefore(points: Float32Array, { back, position }: Placed) {
  const depths = Array.from({ length: points.length / 3 }, (_, i) =>
    back.reduce((sum, value, k) => sum + value * (position[k]! - points[3 * i + k]!), 0),
  );
  const nearest = Math.min(...depths);
  return nearest / (Math.max(...depths) - nearest);
}

describe('placeCamera', () => {
  it('shows every point, and fills the picture up to its margin in one direction', () => {
    fc.assert(
      fc.property(cloud, camera, aspect, (points, view, ratio) => {
        const isFlat = view.projection === 'orthographic';
        const margin = isFlat ? 0 : MARGIN;
        const placed = placeCamera(points, view, ratio, margin);
        fc.pre(placed.halfWidth > 1e-3 && placed.halfHeight > 1e-3);
        const seen = inPicture(points, placed, isFlat, ratio);
        const fullest = Math.max(...seen.flat().map(Math.abs));
        expect(fullest).toBeLessThan(1 - margin + 1e-4);
        // A long thin model, seen along its length: the camera stays before its nearest point.
        if (isFlat || spaceBefore(points, placed) > 2e-3)
          expect(fullest).toBeGreaterThan(1 - margin - 1e-3);
      }),
      { examples: [[LONG_AND_THIN, CAMERAS.front, 1]] },
    );
  });

  it('has the same space on opposite sides of what fills the picture', () => {
    const box = Float32Array.from([-1, 0, -0.3, 1, 0, -0.3, -1, 0.7, 0.3, 1, 0.7, 0.3, 0, 0, 0.3]);
    const placed = placeCamera(box, CAMERAS.hero, 4 / 3, MARGIN);
    const across = inPicture(box, placed, false, 4 / 3).map(([x]) => x!);
    expect(Math.max(...across)).toBeCloseTo(-Math.min(...across), 5);
  });

  it('keeps its distance on a turn about the model', () => {
    const board = Float32Array.from([-1, 0, -0.1, 1, 0, -0.1, -1, 1, 0.1, 1, 1, 0.1]);
    const distances = [0, 30, 90, 200].map((azimuthDegrees) => {
      const view = { ...CAMERAS.hero, azimuthDegrees, isOfTurn: true };
      const { position } = placeCamera(board, view, 1, MARGIN);
      return Math.hypot(position[0], position[2]);
    });
    for (const distance of distances) expect(distance).toBeCloseTo(distances[0]!, 1);
  });

  it('looks at the front of a model from the front, and down at a floor plan with the front below', () => {
    const points = Float32Array.from([-1, 0, -1, 1, 1, 1]);
    expect(placeCamera(points, CAMERAS.front, 1, 0).position[2]).toBeGreaterThan(1);
    const { right, up, back } = placeCamera(points, CAMERAS.top, 1, 0);
    expect([right, up, back].map((axis) => axis.map((value) => Math.round(value) + 0))).toEqual([
      [1, 0, 0],
      [0, 0, -1],
      [0, 1, 0],
    ]);
  });
});
