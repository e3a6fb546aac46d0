import { expect, test } from 'vitest';
import { configurationLabels, uniqueRequests } from '../../../../src/run/lists/manifest-line.ts';
import { articleKeyOf } from '../../../helpers/article-key.ts';

const DESK = articleKeyOf('D1', { finalarticlenumber: 'D1-B', reinitstring: 'a"b' });

test('a line lists each request once', () => {
  const other = { ...DESK, reinitstring: '' };
  expect(uniqueRequests([DESK, other, DESK])).toEqual([other, DESK]);
});

test('globs match the base number and the final number', () => {
  expect(configurationLabels(DESK)).toEqual(['ACME/DESK/D1', 'ACME/DESK/D1-B']);
});
