import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closedByEdges } from '../../../../../src/convert/transform/block-mesh.ts';
import { BOX_TRIANGLES, boxPoints, turnedOver } from '../../../../helpers/graphics.ts';
import { signedVolume } from '../../../../helpers/kernels.ts';

const box = Uint32Array.from(BOX_TRIANGLES);

describe('closedByEdges', () => {
  it('holds for a box, whichever way it faces', () => {
    expect(closedByEdges(box)).toBe(true);
    expect(closedByEdges(Uint32Array.from(turnedOver(BOX_TRIANGLES)))).toBe(true);
  });

  it('fails without any one triangle, with one turned over, and with one twice', () => {
    for (let t = 0; t < box.length; t += 3) {
      const triangle = BOX_TRIANGLES.slice(t, t + 3);
      const others = [...BOX_TRIANGLES.slice(0, t), ...BOX_TRIANGLES.slice(t + 3)];
      expect(closedByEdges(Uint32Array.from(others))).toBe(false);
      expect(closedByEdges(Uint32Array.from([...others, ...turnedOver(triangle)]))).toBe(false);
      expect(closedByEdges(Uint32Array.from([...BOX_TRIANGLES, ...triangle]))).toBe(false);
    }
  });

  it('holds for two bodies that share an edge, and fails for three faces at one, and for nothing', () => {
    const other = BOX_TRIANGLES.map((point) => (point < 2 ? point : point + 8));
    expect(closedByEdges(Uint32Array.from([...BOX_TRIANGLES, ...other]))).toBe(true);
    expect(closedByEdges(Uint32Array.from([...BOX_TRIANGLES, 0, 1, 99]))).toBe(false);
    expect(closedByEdges(new Uint32Array(0))).toBe(false);
  });

  it('does not depend on the order of triangles or on their first corner', () => {
    const triangles = Array.from({ length: 12 }, (_, t) => BOX_TRIANGLES.slice(3 * t, 3 * t + 3));
    const order = fc.shuffledSubarray(triangles, { minLength: 12 });
    fc.assert(
      fc.property(order, fc.infiniteStream(fc.nat({ max: 2 })), (shuffled, turns) => {
        const corners = shuffled.flatMap((triangle) => {
          const turn = turns.next().value!;
          return [...triangle.slice(turn), ...triangle.slice(0, turn)];
        });
        expect(closedByEdges(Uint32Array.from(corners))).toBe(true);
      }),
      { seed: 220 },
    );
  });
});

describe('signedVolume', () => {
  it('is six times the volume, negative where the surface faces inwards', () => {
    const points = Float32Array.from(boxPoints(2, 3, 4));
    expect(signedVolume(box, points)).toBeCloseTo(6 * 24, 10);
    expect(signedVolume(Uint32Array.from(turnedOver(BOX_TRIANGLES)), points)).toBeCloseTo(-144, 10);
  });

  it('is the same at any position of a closed surface', () => {
    const far = fc.integer({ min: -1000, max: 1000 });
    fc.assert(
      fc.property(far, far, far, (x, y, z) => {
        const moved = boxPoints().map((value, i) => value + [x, y, z][i % 3]!);
        expect(signedVolume(box, Float32Array.from(moved))).toBeCloseTo(6, 9);
      }),
      { seed: 221 },
    );
  });

  it('is taken about the centre of the bounds: a box without its lid still has the right side', () => {
    const lidless = box.subarray(0, 30);
    const far = boxPoints().map((value, i) => value + (i % 3 === 0 ? 1000 : 0));
    expect(signedVolume(lidless, Float32Array.from(far))).toBeGreaterThan(0);
  });
});
