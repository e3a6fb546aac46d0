import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  boxFace,
  boxU,
  boxV,
  FRONT,
  MIRRORED,
  SIDE,
  TOP,
} from '../../../src/transform/box-projection.ts';

const half = Math.SQRT1_2;
const third = Math.sqrt(1 / 3);

describe('boxFace', () => {
  it.each([
    [0, 0, 1, FRONT],
    [0, 0, -1, FRONT],
    [1, 0, 0, SIDE],
    [-1, 0, 0, SIDE],
    [0, 1, 0, TOP],
    [0, -1, 0, TOP],
    [0.6, 0.5, -0.62, FRONT],
    [-0.8, 0.5, 0.33, SIDE],
  ])('takes the largest component: (%s, %s, %s)', (x, y, z, face) => {
    expect(boxFace(x, y, z)).toBe(face);
  });

  it.each([
    [half, 0, half, FRONT],
    [0, half, -half, FRONT],
    [half, -half, 0, SIDE],
    [third, third, third, FRONT],
    [half + 4e-7, 0, half - 4e-7, FRONT],
    [half + 1e-6, 0, half - 1e-6, SIDE],
    [half - 4e-7, half + 4e-7, 0, SIDE],
    [half - 1e-6, half + 1e-6, 0, TOP],
  ])('a tie within 1e-6 goes to front, then side, then top: (%s, %s, %s)', (x, y, z, face) => {
    expect(boxFace(x, y, z)).toBe(face);
  });

  it('does not mind the side: opposite normals share a face', () => {
    const number = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(number, number, number, (x, y, z) => {
        expect(boxFace(-x, -y, -z)).toBe(boxFace(x, y, z));
      }),
      { seed: 250 },
    );
  });
});

describe('boxU and boxV', () => {
  it('U of the opposite sides runs the other way where they are mirrored', () => {
    const normals = [
      [0, 0, -1],
      [-1, 0, 0],
      [0, -1, 0],
    ] as const;
    const faces = normals.map(([x, y, z]) => boxFace(x, y, z, true));
    expect(faces).toEqual([FRONT + MIRRORED, SIDE + MIRRORED, TOP + MIRRORED]);
    expect(normals.map(([x, y, z]) => boxFace(-x, -y, -z, true))).toEqual([FRONT, SIDE, TOP]);
    expect(faces.map((face) => [boxU(face, 1, 3), boxV(face, 2, 3)])).toEqual([
      [-1, 2],
      [-3, 2],
      [-1, 3],
    ]);
  });

  it('front takes x and y, side z and y, top x and z, without mirroring', () => {
    const uv = (face: number) => [boxU(face, 1, 3), boxV(face, 2, 3)];
    expect([uv(FRONT), uv(SIDE), uv(TOP)]).toEqual([
      [1, 2],
      [3, 2],
      [1, 3],
    ]);
  });
});
