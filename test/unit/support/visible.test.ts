import fc from 'fast-check';
import { expect, it } from 'vitest';
import { visible, visibleJson } from '../../../src/support/visible.ts';
import { anyText } from '../../helpers/any-text.ts';

it.each<[string, string, string, boolean?]>([
  ['a screen that is cleared', 'D1\u001b[2J', 'D1\\u{1b}[2J'],
  ['a sequence of eight bits', '\u009b31m', '\\u{9b}31m'],
  ['a line that is written over', 'failed\rok', 'failed\\u{d}ok'],
  ['a reversed text', 'D\u202e1', 'D\\u{202e}1'],
  ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
  ['letters of any script', 'Büro 事務所 🪑', 'Büro 事務所 🪑'],
  ['lines and columns of our own', 'a\tb\n', 'a\tb\n'],
  ['line feeds and tabs of data', 'a\nb\tc', 'a\\u{a}b\\u{9}c', true],
])('shows %s', (_, text, shown, isData = false) => {
  expect(visible(text, isData)).toBe(shown);
});

it('leaves no character that a terminal obeys, and keeps the values of JSON', () => {
  const obeyed = /[\p{Cc}\p{Bidi_Control}]/u;
  fc.assert(
    fc.property(anyText(), (text) => {
      expect(visible(text, true)).not.toMatch(obeyed);
      const json = visibleJson(`${JSON.stringify({ text })}\n`);
      expect(json.slice(0, -1)).not.toMatch(obeyed);
      expect(JSON.parse(json)).toEqual({ text });
    }),
  );
});
