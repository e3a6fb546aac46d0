import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as text from '../../../../src/run/report/text.ts';

test.each([
  [text.integer(0), '0'],
  [text.integer(1234567), '1,234,567'],
  [text.amount(1, 'file'), '1 file'],
  [text.amount(2000, 'file'), '2,000 files'],
  [text.size(999), '999 bytes'],
  [text.size(12_345_678), '12.3 MB'],
  [text.size(2.5e9), '2.5 GB'],
  [text.duration(850), '850 ms'],
  [text.duration(12_500), '12.5 s'],
  [text.duration(185_000), '3 min 5 s'],
  [text.duration(119_700), '2 min 0 s'],
  [text.duration(7_440_000), '2 h 4 min'],
  [text.percentage(0, 0), '0 %'],
  [text.percentage(1, 3), '33.3 %'],
  [text.percentage(1, 50_000), '< 0.1 %'],
  [text.percentage(49_999, 50_000), '> 99.9 %'],
  [text.percentage(7, 7), '100 %'],
  [text.instant('2026-11-21T02:00:00.000Z'), '21 Nov 2026, 02:00 UTC'],
  [text.day('2026-01-05'), '5 Jan 2026'],
  [text.day('soon'), 'soon'],
])('%s', (said, expected) => {
  expect(said).toBe(expected);
});

test.each<[string, string, number, string[]]>([
  ['a line that fits', '  Time   4 s', 4, ['  Time   4 s']],
  [
    'prose, below its own text',
    '  → check the path of the whole file',
    4,
    ['  → check the path of the', '    whole file'],
  ],
  [
    'blanks between columns, which stay',
    'ok   login     a long account name',
    5,
    ['ok   login     a long', '     account name'],
  ],
  [
    'a number with its unit',
    'Time  transform 1.6 s, write 446 ms',
    6,
    ['Time  transform 1.6 s,', '      write 446 ms'],
  ],
  [
    'a path, which is never divided',
    'cannot read /srv/assets/nightly/manifest.jsonl: no permission',
    2,
    ['cannot read', '  /srv/assets/nightly/manifest.jsonl:', '  no permission'],
  ],
])('wraps %s', (_, line, indent, lines) => {
  expect(text.wrapped(line, 26, indent)).toEqual(lines);
});

test('no word is lost, and only a line of one word is too long', () => {
  const words = fc.array(fc.stringMatching(/^[a-zö🪑]{1,30}$/u), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(words, fc.integer({ min: 1, max: 60 }), (words, columns) => {
      const lines = text.wrapped(words.join(' '), columns, 2);
      expect(lines.flatMap((line) => line.trim().split(' '))).toEqual(words);
      for (const line of lines) {
        const isLong = Array.from(line).length > Math.max(columns, 22);
        if (isLong) expect(line.trim()).not.toContain(' ');
      }
    }),
  );
});
