import { describe, expect, test } from 'vitest';
import { parseArticleList } from '../../../src/pipeline/article-list.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const parse = (text: string) => parseArticleList(utf8(text), 'list.csv');
const refusal = (bytes: Uint8Array): string => {
  try {
    parseArticleList(bytes, 'list.csv');
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code} ${message}`;
  }
  return 'accepted';
};
const ROW = {
  manufacturer: 'ACME',
  program: 'DESK',
  basearticlenumber: 'D1/80',
  finalarticlenumber: '',
  reinitstring: '',
  metareinitstring: '',
};

describe('an article list', () => {
  test('takes commas or semicolons, a byte-order mark, any order and case of columns', () => {
    expect(parse('manufacturer,program,basearticlenumber\nACME,DESK,D1/80\n')).toEqual([ROW]);
    expect(parse('\uFEFFProgram;Manufacturer;BaseArticleNumber\r\ndesk;acme;D1/80\r\n')).toEqual([
      ROW,
    ]);
  });

  test('takes what Excel calls Unicode text', () => {
    const text = '\uFEFFmanufacturer;program;basearticlenumber\r\nACME;DESK;D1/80\r\n';
    expect(parseArticleList(Buffer.from(text, 'utf16le'), 'list.csv')).toEqual([ROW]);
  });

  test('leaves final numbers and reinit strings byte for byte', () => {
    const opaque = ' FARBE=ÄÖ;X,Y"+\'/::';
    const cell = `"${opaque.replaceAll('"', '""')}"`;
    const [row] = parse(
      `manufacturer;program;basearticlenumber;finalarticlenumber;reinitstring\nA;B;C;${cell};${cell}\n`,
    );
    expect([row!.finalarticlenumber, row!.reinitstring]).toEqual([opaque, opaque]);
  });

  test('leaves foreign columns and empty rows alone', () => {
    expect(
      parse('manufacturer;program;basearticlenumber;price\nACME;DESK;D1/80;99\n;;;\n'),
    ).toEqual([ROW]);
  });

  test('names a missing column with its line and what may have been meant', () => {
    expect(refusal(utf8('manufacturer,program,basearticle\nA,B,C\n'))).toBe(
      'LIST_INVALID list.csv:1: column "basearticlenumber" is missing; is "basearticle" meant?',
    );
    expect(refusal(utf8('manufacturer,program,basearticlenumber,reinit_string\n'))).toMatch(
      /list\.csv:1: unknown column "reinit_string"; did you mean "reinitstring"\?/,
    );
    expect(refusal(utf8(''))).toMatch(/list\.csv:1: expected a header line/);
  });

  test('names the line of an empty cell, of one too many and of bytes that are no UTF-8', () => {
    const header = 'manufacturer,program,basearticlenumber\n';
    expect(refusal(utf8(`${header}A,B,C\nA,,C\n`))).toMatch(/list\.csv:3: "program" is empty/);
    expect(refusal(utf8(`${header}A,B,C,D\n`))).toMatch(/list\.csv:2: expected 3 cells/);
    const latin = Buffer.from(`${header}A,B,C\nA,B,BÜRO\n`, 'latin1');
    expect(refusal(latin)).toMatch(/list\.csv:3: expected UTF-8 text/);
  });
});
