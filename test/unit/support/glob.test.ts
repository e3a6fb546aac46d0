import { expect, test } from 'vitest';
import { globMatcher } from '../../../src/support/glob.ts';
import { expectLinear } from '../../helpers/growth.ts';

test.each([
  ['*', '', true],
  ['*', 'ACME/DESK/D1/80', true],
  ['ACME/*', 'acme/DESK/D1/80', true],
  ['ACME/*', 'ACME', false],
  ['*/D1?', 'ACME/DESK/D16', true],
  ['a?c', 'a/c', true],
  ['a?c', 'ac', false],
  ['D1[0].{x}+(y)!', 'd1[0].{X}+(Y)!', true],
  ['D[12]', 'D1', false],
  ['!D1', 'D2', false],
  ['a**b', 'a/x/b', true],
  ['a*b', 'a\nb', true],
])('%j matches %j: %j', (glob, text, matches) => {
  expect(globMatcher(glob)(text)).toBe(matches);
});

test.each(['*', '*aab', '*/*/*b', 'a*a*a*a*b'])('%j takes linear time', async (glob) => {
  const matches = globMatcher(glob);
  await expectLinear(
    50_000,
    (size) => 'a/'.repeat(size),
    (text) => void matches(text),
  );
});
