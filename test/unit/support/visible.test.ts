import fc from 'fast-check';
import { expect, it } from 'vitest';
import { visible, visibleJson } from '../../../src/support/visible.ts';

it.each([
  ['a screen that is cleared', 'D1\u001b[2J', 'D1\\u{1b}[2J'],
  ['a sequence of eight bits', '\u009b31m', '\\u{9b}31m'],
  ['a line that is written over', 'failed\rok', 'failed\\u{d}ok'],
  ['a reversed text', 'D\u202e1', 'D\\u{202e}1'],
  ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
  ['letters of any script', 'Büro 事務所 🪑', 'Büro 事務所 🪑'],
  ['lines and columns of our own', 'a\tb\n', 'a\tb\n'],
])('shows %s', (_, text, shown) => {
  expect(visible(text)).toBe(shown);
});

it('shows line feeds and tabs of data', () => {
  expect(visible('a\nb\tc', true)).toBe('a\\u{a}b\\u{9}c');
});

it('leaves no character that a terminal obeys', () => {
  const any = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(any, (text) => {
      expect(visible(text, true)).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    }),
    { seed: 20_261_122 },
  );
});

it('keeps the values of JSON', () => {
  const any = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(any, (text) => {
      const json = visibleJson(`${JSON.stringify({ text })}\n`);
      expect(json.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
      expect(JSON.parse(json)).toEqual({ text });
    }),
    { seed: 20_261_122 },
  );
});
