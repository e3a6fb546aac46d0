import fc from 'fast-check';
import { expect, it } from 'vitest';
import { tuples, uniqueNames } from '../../../../src/deliver/usd/usd-text.ts';

it('makes names of prims and files of any text, each another', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 90 }), { maxLength: 8 }), (texts) => {
      const nameOf = uniqueNames('Part');
      const names = texts.map(nameOf);
      for (const name of names) expect(name).toMatch(/^[A-Za-z]\w*$/);
      const folded = names.map((name) => name.toLowerCase());
      expect(new Set(folded).size).toBe(texts.length);
    }),
  );
});

it('writes numbers within half of their last decimal', () => {
  const number = fc.double({ min: -500, max: 500, noNaN: true });
  fc.assert(
    fc.property(fc.array(fc.tuple(number, number, number)), (values) => {
      const text = tuples(values.flat(), 3, 6);
      const read = JSON.parse(text.replaceAll('(', '[').replaceAll(')', ']')) as number[][];
      expect(read).toHaveLength(values.length);
      read.flat().forEach((value, i) => {
        expect(Math.abs(value - values.flat()[i]!)).toBeLessThan(0.51e-6);
      });
    }),
  );
});
