import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkQuery } from '../../../src/emulator/route.ts';
import { TokenRegistry } from '../../../src/emulator/tokens.ts';
import { anyText } from '../../helpers/any-text.ts';
import { queryOf } from '../../helpers/emulated-session.ts';

const tokens = new TokenRegistry(Date.now, randomBytes);

/** The parameters of a request for an operation that takes them all. */
function parsed(query: string, optional: string[]): object {
  const route = {
    operation: 'any',
    path: '/',
    optional,
    answer: () => ({ kind: 'empty' }) as const,
  };
  return checkQuery(route, `/?${query}`, { tokens, maxQueryBytes: Number.POSITIVE_INFINITY });
}

describe('a query is UTF-8, percent-encoded', () => {
  test('any text arrives as it was sent', () => {
    const text = anyText();
    const parameters = fc.dictionary(
      text.filter((name) => !['', 'token', 'manufacturer', 'program'].includes(name)),
      text,
    );
    fc.assert(
      fc.property(parameters, (sent) => {
        expect({ ...parsed(queryOf(sent), Object.keys(sent)) }).toEqual({ ...sent });
      }),
      { seed: 3 },
    );
  });

  test.each([
    ['a plus is a blank', 'q=1+2', { q: '1 2' }],
    ['an encoded plus is a plus', 'q=1%2B2', { q: '1+2' }],
    ['an encoded percent sign is decoded once', 'q=%252F', { q: '%2F' }],
    ['a semicolon separates nothing', 'q=a;b=c', { q: 'a;b=c' }],
    ['no value is an empty one', 'q&r=', { q: '', r: '' }],
    ['names of the language are names', '__proto__=x', JSON.parse('{"__proto__":"x"}')],
  ])('%s', (_, text, expected) => {
    expect(JSON.stringify(parsed(text, Object.keys(expected)))).toBe(JSON.stringify(expected));
  });

  test.each([
    ['Latin-1', 'q=%FC'],
    ['half an encoding', 'q=%2'],
    ['a parameter given twice', 'q=1&q=1'],
  ])('refused: %s', (_, text) => {
    expect(() => parsed(text, ['q'])).toThrow(expect.objectContaining({ status: 400 }));
  });
});
