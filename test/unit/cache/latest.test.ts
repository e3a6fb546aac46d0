import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLatest } from '../../../src/cache/latest.ts';

it('holds the latest half of its limit at least, and never more than the limit', () => {
  const limits = fc.integer({ min: 1, max: 40 });
  const keys = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 300 });
  fc.assert(
    fc.property(limits, keys, (limit, sequence) => {
      const latest = createLatest<number>(limit);
      sequence.forEach((key, index) => {
        latest.set(String(key), index);
      });
      const held = Array.from({ length: 61 }, (_, key) => latest.get(String(key)));
      const count = held.filter((value) => value !== undefined).length;
      expect(count).toBeLessThanOrEqual(limit + 1);
      const distinct = [...new Set(sequence.toReversed())].slice(0, Math.ceil(limit / 2));
      for (const key of distinct) {
        expect(held[key]).toBe(sequence.lastIndexOf(key));
      }
    }),
    { seed: 6, numRuns: 300 },
  );
});
