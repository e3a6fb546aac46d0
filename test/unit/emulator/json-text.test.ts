import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonText, parseJsonExactly } from '../../../src/emulator/json-text.ts';
import { samples } from '../../helpers/samples.ts';

/** A value in a parts list of this depth, for which `JSON.stringify` has no stack on Node 20 to 24. */
const DEPTH = 10_000;
const [BEFORE, AFTER] = ['{"childs":['.repeat(DEPTH), ']}'.repeat(DEPTH)];

function nested(value: unknown): unknown {
  let list = value;
  for (let level = 0; level < DEPTH; level++) list = { childs: [list] };
  return list;
}

test('the text is the one that the runtime writes, however deep the value is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(jsonText(value)).toBe(text);
      expect(jsonText(nested(value)) === `${BEFORE}${text}${AFTER}`).toBe(true);
    }),
    { seed: 3, numRuns: samples(30) },
  );
});

test('an id keeps its digits, and everything else is what the runtime reads', () => {
  const big = '9007199254740993';
  const inText = JSON.stringify(`\\"id":${big}, {"id":${big}}`);
  const text = `{"id": ${big}, "price": ${big}, "rootid":-${big}\n,"newvalue":1.50,"name":${inText}}`;
  expect(parseJsonExactly(text)).toEqual({
    ...JSON.parse(text),
    id: big,
    rootid: `-${big}`,
  });
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const written = JSON.stringify({ id: 7, name: value });
      expect(parseJsonExactly(written)).toEqual(JSON.parse(written));
    }),
    { seed: 3, numRuns: samples(100) },
  );
});

test('what is undefined is left out of objects, and null in lists', () => {
  const text = jsonText(nested({ a: undefined, b: [undefined] }));
  expect(text === `${BEFORE}{"b":[null]}${AFTER}`).toBe(true);
});
