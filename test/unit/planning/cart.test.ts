import { expect, test } from 'vitest';
import { readAnswer } from '../../../src/planning/cart.ts';

test.each<[unknown, object | undefined]>([
  ['Thank you, we will call you.', { sentence: 'Thank you, we will call you.' }],
  [{ stored: true, id: 7 }, { data: '{\n  "stored": true,\n  "id": 7\n}' }],
  [true, { data: 'true' }],
  [null, { data: 'null' }],
  ['<html><h1>Not found</h1></html>', { data: '<html><h1>Not found</h1></html>' }],
  ['one line\nand another', { data: 'one line\nand another' }],
  ['x'.repeat(300), { data: 'x'.repeat(300) }],
  [{ long: 'x'.repeat(9000) }, { data: expect.toSatisfy((text: string) => text.length <= 2000) }],
  [' ', undefined],
])('the answer %j of a cart is shown as %j', (answer, expected) => {
  expect(readAnswer(answer)).toEqual(expected);
});
