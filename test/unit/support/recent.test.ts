/** A cache of a number of entries. */
import { expect, test } from 'vitest';
import { recent } from '../../../src/support/recent.ts';

test('the entry that was used longest ago goes first', () => {
  const known = recent<true>(2);
  known.set('a', true);
  known.set('b', true);
  known.get('a');
  known.set('c', true);
  expect(['a', 'b', 'c'].filter((key) => known.has(key))).toEqual(['a', 'c']);
});
