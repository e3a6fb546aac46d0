import fc from 'fast-check';
import { expect, it } from 'vitest';
import { uniqueNames } from '../../../../src/deliver/usd/usd-layer.ts';

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
