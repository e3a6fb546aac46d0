import { expect, test } from 'vitest';
import { didYouMean, nearestName } from '../../../src/support/nearest.ts';

const KNOWN = ['output', 'articles', 'convert'];

test('the nearest name is found over swaps, omissions and letter case', () => {
  expect(nearestName('outptu', KNOWN)).toBe('output');
  expect(nearestName('Article', KNOWN)).toBe('articles');
  expect(nearestName('CONVRT', KNOWN)).toBe('convert');
  expect(nearestName('rnu', ['serve', 'run'])).toBe('run');
});

test('a name that resembles none gets no offer', () => {
  expect(nearestName('zebra', KNOWN)).toBeUndefined();
  expect(didYouMean('zebra', KNOWN)).toBe('');
  expect(didYouMean('x', [])).toBe('');
});
