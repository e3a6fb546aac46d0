import { expect, test } from 'vitest';
import { didYouMean, nearestName } from '../../../src/support/nearest.ts';

const KNOWN = ['output', 'articles', 'convert'];

test('the nearest name is found over swaps, omissions and letter case', () => {
  expect(nearestName('outptu', KNOWN)).toBe('output');
  expect(nearestName('Article', KNOWN)).toBe('articles');
  expect(nearestName('CONVRT', KNOWN)).toBe('convert');
  expect(nearestName('rnu', ['serve', 'run'])).toBe('run');
});

test('of the label of an article each part has to be near, and its number may have slashes', () => {
  const labels = ['FJEL/LINEA/LN-D160/8', 'FJEL/LINEA/LN-M', 'BRNK/TASK/T1'];
  expect(nearestName('FJEL/LINEA/LN-D160', labels)).toBe('FJEL/LINEA/LN-D160/8');
  expect(nearestName('FJELL/LINEA/ln-mm', labels)).toBe('FJEL/LINEA/LN-M');
  // Most letters are the same, but it is another number.
  expect(nearestName('FJEL/LINEA/LN-ZZZ', labels)).toBeUndefined();
});

test('a name that resembles none gets no offer', () => {
  expect(nearestName('zebra', KNOWN)).toBeUndefined();
  expect(didYouMean('zebra', KNOWN)).toBe('');
  expect(didYouMean('x', [])).toBe('');
});
