import { describe, expect, it } from 'vitest';
import type { Vec3 } from '../../../../src/convert/model/graphics.ts';
import { axesOf, CAMERAS, moveNear, placeCamera } from '../../../../src/deliver/pictures/camera.ts';
import { closeupOf, type Surface } from '../../../../src/deliver/pictures/closeup.ts';
import { BOX_TRIANGLES, boxPoints } from '../../../helpers/graphics.ts';

const MOST_METRES = CAMERAS.closeup.closeupMetres;
/** Along +Z: x and y of a point are its place in the view. */
const FRONT = { right: [1, 0, 0], up: [0, 1, 0], back: [0, 0, 1] } as const;

/** A rectangle that faces the front, from a corner at the left and below. */
function rectangle(material: string, [x, y, z]: Vec3, width: number, height: number): Surface {
  const corner = (right: number, up: number) => [x + right * width, y + up * height, z];
  const points = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)].flat();
  return { material, points, corners: [0, 1, 2, 0, 2, 3] };
}

describe('a closeup', () => {
  it('shows the middle of the material that covers most of the view, 0.3 m wide', () => {
    const door = rectangle('lacquer', [0, 0, 0.4], 1.2, 2);
    const drawer = rectangle('oak', [1.2, 0, 0.4], 0.7, 2);
    const { centre, sideMetres } = closeupOf([drawer, door], FRONT, MOST_METRES)!;
    expect(sideMetres).toBe(0.3);
    expect(centre[0]).toBeCloseTo(0.6, 1);
    expect(centre[1]).toBeCloseTo(1, 1);
    expect(centre[2]).toBeCloseTo(0.4, 9);
  });

  it('is at the edge that is nearest to the viewer, inside of the material', () => {
    const points = boxPoints(2, 0.04, 1);
    const board = { material: 'oak', points, corners: BOX_TRIANGLES };
    const [x, y, z] = closeupOf([board], axesOf(CAMERAS.closeup), MOST_METRES)!.centre;
    // Right and front.
    expect(x).toBeGreaterThan(1.5);
    expect(z).toBeGreaterThan(0.5);
    expect(x).toBeLessThan(2);
    expect(y).toBeCloseTo(0.04, 6);
  });

  it('is about a visible point: what another part hides does not count', () => {
    const wall = rectangle('oak', [0, 0, 0], 2, 2);
    const before = rectangle('glass', [0, 0, 0.3], 1.5, 2);
    expect(closeupOf([before, wall], FRONT, MOST_METRES)!.centre[2]).toBeCloseTo(0.3, 9);
    const small = rectangle('glass', [0, 0, 0.3], 0.5, 2);
    const { centre } = closeupOf([small, wall], FRONT, MOST_METRES)!;
    expect(centre[0]).toBeCloseTo(1.25, 1);
    expect(centre[2]).toBeCloseTo(0, 9);
  });

  it('shows the seat rather than tubes that cover more', () => {
    const seat = rectangle('cloth', [0, 1, 0], 0.5, 0.5);
    const tubes = Array.from({ length: 9 }, (_, i) =>
      rectangle('steel', [i / 10, 0, 0], 0.04, 0.95),
    );
    expect(closeupOf([...tubes, seat], FRONT, MOST_METRES)!.centre[1]).toBeGreaterThan(1);
  });

  it('of a narrow part is about twice as wide as the part', () => {
    const { centre, sideMetres } = closeupOf(
      [rectangle('steel', [0, 0, 0], 0.03, 1)],
      FRONT,
      MOST_METRES,
    )!;
    expect(centre[0]).toBeGreaterThan(0);
    expect(centre[0]).toBeLessThan(0.03);
    expect(sideMetres).toBeGreaterThan(0.03);
    expect(sideMetres).toBeLessThan(0.1);
  });

  it('of a small model shows a third of it', () => {
    const lamp = rectangle('brass', [0, 0, 0], 0.3, 0.24);
    expect(closeupOf([lamp], FRONT, MOST_METRES)!.sideMetres).toBeCloseTo(0.1, 9);
  });

  it('shows nothing of a model without a triangle that faces the camera', () => {
    expect(closeupOf([], FRONT, MOST_METRES)).toBeUndefined();
    const edge = { material: 'oak', points: [0, 0, 0, 0, 1, 0, 0, 0, 1], corners: [0, 1, 2] };
    expect(closeupOf([edge], FRONT, MOST_METRES)).toBeUndefined();
    const dot = { material: 'oak', points: [1, 1, 1], corners: [0, 0, 0] };
    expect(closeupOf([dot], FRONT, MOST_METRES)).toBeUndefined();
  });

  it.each([1, 0.5, 2])('fills a picture of the aspect %d with its square', (aspect) => {
    const points = Float32Array.from(boxPoints(1.6, 0.7, 0.8));
    const whole = placeCamera(points, CAMERAS.closeup, aspect, 0);
    const surface = { material: 'oak', points, corners: BOX_TRIANGLES };
    const closeup = closeupOf([surface], whole, MOST_METRES)!;
    const { position, right, up, back, near, far } = moveNear(whole, closeup, aspect);
    const slope = Math.tan((11 * Math.PI) / 180);
    const from = (axis: Vec3, point: ArrayLike<number>) =>
      [0, 1, 2].reduce((sum, k) => sum + axis[k]! * (point[k]! - position[k]!), 0);
    const { centre, sideMetres } = closeup;
    const corner = [0, 1, 2].map((k) => centre[k]! + ((right[k]! + up[k]!) * sideMetres) / 2);
    const depth = -from(back, corner);
    const across = from(right, corner) / (depth * slope * aspect);
    const above = from(up, corner) / (depth * slope);
    expect(Math.max(across, above)).toBeCloseTo(1, 9);
    expect(near).toBeLessThan(depth);
    for (let i = 0; i < points.length; i += 3)
      expect(-from(back, points.subarray(i, i + 3))).toBeLessThan(far);
  });
});
