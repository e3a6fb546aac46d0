import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { weldPoints } from '../../../../../src/convert/transform/block-mesh.ts';

const coordinate = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e-45),
  fc.float(),
);

describe('weldPoints', () => {
  it('joins bit-equal positions, −0 with 0, and keeps the order of first appearance', () => {
    const welded = weldPoints(Float32Array.of(1, 0, 0, 2, 0, 0, 1, -0, 0, 2, 0, -0), 0);
    expect([...welded.remap]).toEqual([0, 1, 0, 1]);
    expect([...welded.positions]).toEqual([1, 0, 0, 2, 0, 0]);
  });

  it('keeps apart what differs in the last bit', () => {
    const next = Math.fround(1 + 2 ** -23);
    expect([...weldPoints(Float32Array.of(1, 0, 0, next, 0, 0), 0).remap]).toEqual([0, 1]);
  });

  it('keeps apart many points that differ in one coordinate alone', () => {
    for (const axis of [0, 1, 2]) {
      const column = Array.from({ length: 900 }, (_, i) =>
        i % 3 === axis ? Math.floor(i / 3) : 1,
      );
      expect(weldPoints(Float32Array.from(column), 0).positions).toEqual(Float32Array.from(column));
    }
  });

  it('joins the points of a grid cell where a tolerance is given, at the first of them', () => {
    const { remap, positions } = weldPoints(
      Float32Array.of(1, 0, 0, 1.0004, 0, 0, 1.002, 0, 0),
      0.001,
    );
    expect([...remap]).toEqual([0, 0, 1]);
    expect([...positions]).toEqual([1, 0, 0, Math.fround(1.002), 0, 0]);
  });

  it('ignores a trailing incomplete point, and takes no points at all', () => {
    expect([...weldPoints(Float32Array.of(1, 2, 3, 4, 5), 0).remap]).toEqual([0]);
    expect(weldPoints(new Float32Array(0), 0).positions).toHaveLength(0);
  });

  it('does what a map of texts would do', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(coordinate, coordinate, coordinate), { maxLength: 60 }),
        (points) => {
          const { remap, positions } = weldPoints(Float32Array.from(points.flat()), 0);
          const byText = new Map<string, number>();
          const wanted = points.map((point) => {
            const key = point.map((value) => Math.fround(value) + 0).join();
            if (!byText.has(key)) byText.set(key, byText.size);
            return byText.get(key)!;
          });
          expect([...remap]).toEqual(wanted);
          expect(positions).toHaveLength(3 * byText.size);
          points.forEach((point, i) => {
            const at = 3 * remap[i]!;
            expect([...positions.subarray(at, at + 3)]).toEqual(
              point.map((v) => Math.fround(v) + 0),
            );
          });
        },
      ),
      { seed: 210 },
    );
  });
});
