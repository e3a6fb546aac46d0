import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Cell, csvRow, tsvRow } from '../../../../src/deliver/feeds/delimited.ts';
import { anyText } from '../../../helpers/any-text.ts';

const hostile = fc.oneof(
  anyText(),
  fc
    .array(fc.constantFrom(...'=+-@＝"\',;\t\r\n\0\u001b \u00a0\u2028\ufeff|aé😀'), {
      maxLength: 12,
    })
    .map((characters) => characters.join('')),
);
const row = fc.array(hostile, { minLength: 3, maxLength: 3 });
const rows = fc.array(row, { minLength: 1, maxLength: 6 });

const parsed = (lines: string[], delimiter: string): string[][] =>
  parse(lines.map((line) => `${line}\n`).join(''), {
    delimiter,
    ...(delimiter === ',' && { record_delimiter: '\r\n' }),
  });
const plain = (text: string) => text.replace(/[^\P{Cc}\t\n\r]/gu, '');

it('a shop reads every text of a CSV as it was, but for control characters', () => {
  fc.assert(
    fc.property(rows, (texts) => {
      const lines = texts.map((cells) => csvRow(cells, { isForSpreadsheets: false }));
      expect(parsed(lines, ',')).toEqual(texts.map((cells) => cells.map(plain)));
    }),
  );
});

it('a spreadsheet reads no text as a formula, and every other one as it was', () => {
  fc.assert(
    fc.property(rows, (texts) => {
      const lines = texts.map((cells) => csvRow(cells));
      const read = parsed(lines, ',').flat();
      for (const [i, text] of texts.flat().entries()) {
        expect(read[i]).not.toMatch(/^[\s\p{Cc}]*[=+\-@＝＋－＠]|^[\t\r]/u);
        expect([plain(text), plain(`'${text}`)]).toContain(read[i]);
      }
    }),
  );
});

it.each<[Cell, string]>([
  ['=1+1', "'=1+1"],
  [' @SUM(A1)', "' @SUM(A1)"],
  ['\u0000=1', "'=1"],
  ['-castors', "'-castors"],
  [-5, '-5'],
  [0.1, '0.1'],
  [null, ''],
  ['a=b', 'a=b'],
])('the cell %j is read as %j', (cell, text) => {
  expect(parsed([csvRow(['x', cell])], ',')).toEqual([['x', text]]);
});

it('a row of tab-separated text is one line with all its cells', () => {
  fc.assert(
    fc.property(rows, (texts) => {
      const lines = texts.map((cells) => tsvRow(['id', ...cells]));
      expect(lines.filter((line) => /[\r\n]/.test(line))).toEqual([]);
      const words = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
      const read = parsed(lines, '\t').flat();
      for (const [i, text] of texts.flatMap((cells) => ['id', ...cells]).entries()) {
        expect([words(text), `'${words(text)}`]).toContain(read[i]);
        expect(read[i]).not.toMatch(/^\s*[=+\-@＝＋－＠]/);
      }
    }),
  );
});
