import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  childFrame,
  cosDegrees,
  type Frame,
  movePoint,
  ROTATION_CHOICES,
  relativeFrame,
  rotationFromDegrees,
  sinDegrees,
  WORLD_FRAME,
} from '../../../../src/convert/math/ofml-frame.ts';
import { determinant3, transformVec3 } from '../../../../src/convert/math/vec.ts';
import type { Vec3 } from '../../../../src/convert/model/graphics.ts';
import { expectNear } from '../../../helpers/numbers.ts';

/** Turns about one axis, written out: x, y or z as 0, 1, 2. */
function turn(axis: number, degrees: number, [x, y, z]: Vec3): Vec3 {
  const c = Math.cos((degrees * Math.PI) / 180);
  const s = Math.sin((degrees * Math.PI) / 180);
  if (axis === 0) return [x, c * y - s * z, s * y + c * z];
  if (axis === 1) return [c * x + s * z, y, -s * x + c * z];
  return [c * x - s * y, s * x + c * y, z];
}

const byHand = ([x, y, z]: Vec3, v: Vec3) => turn(0, x, turn(1, y, turn(2, z, v)));
const angle = fc.double({ min: -720, max: 720, noNaN: true });
const angles = fc.tuple(angle, angle, angle);
const coordinate = fc.double({ min: -10, max: 10, noNaN: true });
const point = fc.tuple(coordinate, coordinate, coordinate);
const frame = fc.record({ rotation: angles, translationMetres: point }).map(
  ({ rotation, translationMetres }): Frame => ({
    rotation: rotationFromDegrees(rotation),
    translationMetres,
  }),
);

describe('rotationFromDegrees', () => {
  it('turns about X, then the turned Y, then the twice turned Z, counter-clockwise', () => {
    const m = rotationFromDegrees([30, 20, 10]);
    // Rx(30°)·Ry(20°)·Rz(10°) worked out by hand, column by column.
    expectNear(
      m,
      [
        0.9254165783983234, 0.3187957775971678, -0.20487412870286215, -0.16317591116653482,
        0.8231729446455011, 0.5438381424823254, 0.3420201433256687, -0.4698463103929541,
        0.8137976813493737,
      ],
    );
    expectNear(transformVec3(m, [1, 2, 3]), byHand([30, 20, 10], [1, 2, 3]));
  });

  it('turns any point as the three turns one after the other do', () => {
    fc.assert(
      fc.property(angles, point, (degrees, p) => {
        expectNear(transformVec3(rotationFromDegrees(degrees), p), byHand(degrees, p));
      }),
      { seed: 102 },
    );
  });

  it.each(ROTATION_CHOICES.rotationOrder)(
    'turns in the order %s by option, counter-clockwise or clockwise',
    (rotationOrder) => {
      const inOrder = (degrees: Vec3, v: Vec3) =>
        [...rotationOrder].reduceRight((at, name) => {
          const axis = 'xyz'.indexOf(name);
          return turn(axis, degrees[axis]!, at);
        }, v);
      fc.assert(
        fc.property(angles, point, (degrees, p) => {
          const back = degrees.map((value) => -value) as unknown as Vec3;
          for (const [rotationDirection, sent] of [
            ['counter-clockwise', degrees],
            ['clockwise', back],
          ] as const) {
            const rule = { rotationOrder, rotationDirection };
            const moved = transformVec3(rotationFromDegrees(sent, rule), p);
            expectNear(moved, inOrder(degrees, p));
            const child = childFrame(WORLD_FRAME, [1, 2, 3], sent, rule);
            expectNear(transformVec3(child.rotation, p), moved);
          }
        }),
        { seed: 107 },
      );
    },
  );

  it('never mirrors and never stretches', () => {
    fc.assert(
      fc.property(angles, (degrees) => {
        expect(determinant3(rotationFromDegrees(degrees))).toBeCloseTo(1, 12);
      }),
      { seed: 103 },
    );
  });

  it('is exact at quarter turns', () => {
    expect(rotationFromDegrees([90, 0, 0]).map((v) => v + 0)).toEqual([1, 0, 0, 0, 0, 1, 0, -1, 0]);
    expect(rotationFromDegrees([0, 0, -270]).map((v) => v + 0)).toEqual([
      0, 1, 0, -1, 0, 0, 0, 0, 1,
    ]);
  });
});

describe('cosDegrees and sinDegrees', () => {
  it.each([
    [0, 1, 0],
    [90, 0, 1],
    [180, -1, 0],
    [270, 0, -1],
    [-90, 0, -1],
    [-270, 0, 1],
    [450, 0, 1],
    [-540, -1, 0],
  ])('are exact at %s°', (degrees, cosine, sine) => {
    expect(cosDegrees(degrees)).toBe(cosine);
    expect(sinDegrees(degrees) + 0).toBe(sine);
  });

  it('agree with radians anywhere', () => {
    fc.assert(
      fc.property(angle, (degrees) => {
        expect(cosDegrees(degrees)).toBeCloseTo(Math.cos((degrees * Math.PI) / 180), 11);
        expect(sinDegrees(degrees)).toBeCloseTo(Math.sin((degrees * Math.PI) / 180), 11);
      }),
      { seed: 104 },
    );
  });
});

describe('childFrame', () => {
  it("is not moved by its own rotation: the offset is in the parent's frame", () => {
    const child = childFrame(WORLD_FRAME, [1, 2, 3], [30, 20, 10]);
    expect(child.translationMetres).toEqual([1, 2, 3]);
    expectNear(child.rotation, rotationFromDegrees([30, 20, 10]));
  });

  it('turns the offset of a child by the rotation of its parent', () => {
    const parent = childFrame(WORLD_FRAME, [1, 0, 0], [0, 90, 0]);
    expectNear(childFrame(parent, [1, 0, 0], [0, 0, 0]).translationMetres, [1, 0, -1]);
  });

  it('places a point of the child as parent and child do one after the other', () => {
    fc.assert(
      fc.property(frame, point, angles, point, (parent, offset, degrees, p) => {
        const child = childFrame(parent, offset, degrees);
        const inParent = byHand(degrees, p).map((v, k) => v + offset[k]!) as unknown as Vec3;
        expectNear(movePoint(child, p), movePoint(parent, inParent));
      }),
      { seed: 105 },
    );
  });
});

describe('relativeFrame', () => {
  it('is undone by its base', () => {
    fc.assert(
      fc.property(frame, frame, point, (base, target, p) => {
        expectNear(
          movePoint(base, movePoint(relativeFrame(base, target), p)),
          movePoint(target, p),
        );
      }),
      { seed: 106 },
    );
  });

  it('is the frame itself for the article', () => {
    const frameOfPart = childFrame(WORLD_FRAME, [1, 2, 3], [30, 20, 10]);
    expect(relativeFrame(WORLD_FRAME, frameOfPart)).toBe(frameOfPart);
  });
});

describe('the sign of zero, which is part of the bytes of a GLB', () => {
  it('stays as in the product of the three turns written out', () => {
    const [, , , m01, , , , m12] = rotationFromDegrees([90, 0, 0]);
    expect(m01).toBe(-0);
    expect(m12).toBe(-1);
  });
});
