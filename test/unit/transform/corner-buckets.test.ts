import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bucketCorners,
  countDuplicates,
  pointNumbers,
} from '../../../src/transform/corner-buckets.ts';

const bucket = (points: number[]) => bucketCorners(Uint32Array.from(points), 0, pointNumbers(100));

describe('bucketCorners', () => {
  it('numbers the points of a surface in first-use order and brings their corners together', () => {
    const { localPoints, count, starts, corners } = bucket([7, 3, 9, 9, 3, 1]);
    expect([...localPoints]).toEqual([0, 1, 2, 2, 1, 3]);
    expect(count).toBe(4);
    expect([...starts]).toEqual([0, 1, 3, 5, 6]);
    expect([...corners]).toEqual([0, 1, 4, 2, 3, 5]);
  });

  it('begins anew for the next surface of a block', () => {
    const numbers = pointNumbers(10);
    bucketCorners(Uint32Array.of(0, 1, 2), 0, numbers);
    const second = bucketCorners(Uint32Array.of(2, 1, 5), 1, numbers);
    expect([...second.localPoints]).toEqual([0, 1, 2]);
  });

  it('loses no corner, whatever the points', () => {
    const triangles = fc.array(fc.nat({ max: 20 }), { maxLength: 60 });
    fc.assert(
      fc.property(triangles, (points) => {
        const { localPoints, count, starts, corners } = bucket(points);
        expect(count).toBe(new Set(points).size);
        expect([...corners].sort((a, b) => a - b)).toEqual(points.map((_, i) => i));
        for (let local = 0; local < count; local++) {
          const own = [...corners.subarray(starts[local], starts[local + 1])];
          expect(own.every((corner) => localPoints[corner] === local)).toBe(true);
          expect(new Set(own.map((corner) => points[corner])).size).toBe(1);
          expect(own).toEqual(own.toSorted((a, b) => a - b));
        }
      }),
      { seed: 240 },
    );
  });
});

describe('countDuplicates', () => {
  it('counts a triangle that repeats another in the same turn, from any corner', () => {
    expect(countDuplicates(bucket([0, 1, 2, 0, 1, 2]))).toBe(1);
    expect(countDuplicates(bucket([0, 1, 2, 3, 2, 1, 1, 2, 0, 2, 0, 1]))).toBe(2);
  });

  it('does not count two that lie back to back, nor those that share an edge', () => {
    expect(countDuplicates(bucket([0, 1, 2, 0, 2, 1]))).toBe(0);
    expect(countDuplicates(bucket([0, 1, 2, 1, 0, 3]))).toBe(0);
  });

  it('counts what a set of turned triples would', () => {
    const triple = fc.uniqueArray(fc.nat({ max: 4 }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(triple, { maxLength: 12 }), (triangles) => {
        const keys = triangles.map((t) => {
          const at = t.indexOf(Math.min(...t));
          return [...t.slice(at), ...t.slice(0, at)].join();
        });
        const wanted = keys.length - new Set(keys).size;
        expect(countDuplicates(bucket(triangles.flat()))).toBe(wanted);
      }),
      { seed: 241 },
    );
  });
});
