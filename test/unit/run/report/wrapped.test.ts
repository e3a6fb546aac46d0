import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wrapped } from '../../../../src/run/report/text.ts';

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
    'a path, which is never divided',
    'cannot read /srv/assets/nightly/manifest.jsonl: no permission',
    2,
    ['cannot read', '  /srv/assets/nightly/manifest.jsonl:', '  no permission'],
  ],
])('wraps %s', (_, line, indent, lines) => {
  expect(wrapped(line, 26, indent)).toEqual(lines);
});

test('no word is lost, and only a line of one word is too long', () => {
  const words = fc.array(fc.stringMatching(/^[a-zö🪑]{1,30}$/u), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(words, fc.integer({ min: 1, max: 60 }), (words, columns) => {
      const lines = wrapped(words.join(' '), columns, 2);
      expect(lines.flatMap((line) => line.trim().split(' '))).toEqual(words);
      for (const line of lines) {
        const isLong = Array.from(line).length > Math.max(columns, 22);
        if (isLong) expect(line.trim()).not.toContain(' ');
      }
    }),
  );
});
