import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deepJsonText, jsonText } from '../../../src/emulator/json-text.ts';

test('the text is the one that the runtime writes', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(deepJsonText(value)).toBe(JSON.stringify(value));
    }),
    { seed: 3 },
  );
  expect(deepJsonText({ a: undefined, b: [undefined] })).toBe('{"b":[null]}');
});

test('a parts list may be nested as deep as it likes', () => {
  const depth = 50_000;
  const text = '{"childs":['.repeat(depth) + ']}'.repeat(depth);
  expect(jsonText(JSON.parse(text)) === text).toBe(true);
});
