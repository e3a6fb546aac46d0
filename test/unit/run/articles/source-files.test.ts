import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  findCarts,
  findPlannings,
  parseArticleList,
  readPermanentIds,
} from '../../../../src/run/articles/source-files.ts';
import { allOf } from '../../../helpers/all-of.ts';
import { acme } from '../../../helpers/fetch-bench.ts';
import { folderPerTest } from '../../../helpers/folder-per-test.ts';
import { bytesOf } from '../../../helpers/object-stores.ts';

const at = folderPerTest();

async function files(contents: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(contents)) {
    await mkdir(dirname(at(path)), { recursive: true });
    await writeFile(at(path), content);
  }
}
const LIMITS = { maxCarts: 100, maxCartBytes: 1000, maxCartValues: 500 };
const carts = async (glob: string, limits = LIMITS) => allOf(await findCarts(at(glob), limits));
const names = async (glob: string, limits = LIMITS) =>
  (await carts(glob, limits)).map(({ name }) => name);

describe('cart files', () => {
  test('are those that the glob matches, in the order of their names', async () => {
    const paths = ['b.json', 'a.json', 'a.txt', '.c.json', 'x/d.json', 'x/y/e.json', 'z.json/f'];
    await files(Object.fromEntries(paths.map((path) => [path, '{}'])));
    expect(await names('*.json')).toEqual(['cart a.json', 'cart b.json']);
    expect(await names('?.txt')).toEqual(['cart a.txt']);
    expect(await names('*/*.json')).toEqual(['cart x/d.json']);
    const all = ['cart a.json', 'cart b.json', 'cart x/d.json', 'cart x/y/e.json'];
    expect(await names('**/*.json')).toEqual(all);
    expect(await names('x/**/*.json')).toEqual(['cart d.json', 'cart y/e.json']);
    expect(await names('none/*.json')).toEqual([]);
  });

  test('return their content, or why they cannot be read', async () => {
    await files({ 'a.json': '\uFEFF{"id":"1"}', 'b.json': '{"id":            ' });
    expect(await carts('*.json')).toMatchObject([
      { article: { json: { id: '1' } } },
      { article: { error: { code: 'CART_INVALID', message: expect.stringMatching(/JSON/) } } },
    ]);
    expect(await carts('c.json')).toMatchObject([
      { article: { error: { code: 'CART_INVALID', message: 'expected a file, received none' } } },
    ]);
  });

  test('keep each digit of their ids, and are refused in Latin-1', async () => {
    await files({ 'b.json': '{"id":9007199254740993,"children":[{"id":9007199254740995}]}' });
    await writeFile(at('a.json'), Buffer.from('{"id":"ü"}', 'latin1'));
    expect(await carts('*.json')).toMatchObject([
      { article: { error: { code: 'CART_INVALID', message: expect.stringMatching(/UTF-8/) } } },
      { article: { json: { id: '9007199254740993', children: [{ id: '9007199254740995' }] } } },
    ]);
  });
});

describe('carts beyond a limit', () => {
  const omitted = (count: number) => ({
    ...{ name: 'carts *.json', onlyCarts: true },
    article: {
      error: {
        code: 'CARTS_LIMITED',
        message: expect.stringMatching(`received 4: the ${count} largest are omitted$`),
      },
    },
  });
  beforeEach(() =>
    files({
      ...{ 'a.json': `{"id":"${'1'.repeat(500)}"}`, 'b.json': '{"id":"1"}' },
      ...{ 'c.json': '{}', 'd.json': '{}' },
    }),
  );

  test('are the largest, and one error names their number', async () => {
    const sorted = ['cart c.json', 'cart d.json', 'cart b.json', 'cart a.json'];
    expect(await names('*.json')).toEqual(sorted);
    expect(await names('*.json', { ...LIMITS, maxCarts: 3 })).toHaveLength(4);
    const [c, d, b, rest] = await carts('*.json', { ...LIMITS, maxCarts: 3 });
    expect([c, d, b].map((cart) => cart!.name)).toEqual(sorted.slice(0, 3));
    expect(rest).toMatchObject(omitted(1));
    const [first, second] = await carts('*.json', { ...LIMITS, maxCartBytes: 3 });
    expect(first!.name).toBe('cart c.json');
    expect(second).toMatchObject(omitted(3));
  });

  test('are not read, and the others one at a time', async () => {
    const found = await findCarts(at('*.json'), LIMITS);
    for (const name of ['a', 'b']) await writeFile(at(`${name}.json`), '{"id":"later"}');
    const [, , ...read] = (await allOf(found)).map(({ article }) => article);
    expect(read).toEqual([{ json: { id: 'later' } }, { json: { id: 'later' } }]);
  });

  test('of values and bytes of one file fail alone', async () => {
    await files({ 'a.json': `{"a":[${'{},'.repeat(500)}{}]}` });
    const [c, , , a] = await carts('*.json', { ...LIMITS, maxCartBytes: 1e9 });
    expect(c).toMatchObject({ article: { json: {} } });
    expect(a).toMatchObject({
      article: {
        error: { code: 'CART_INVALID', message: expect.stringMatching(/at most 500 obj/) },
      },
    });
  });
});

describe('permanent identifiers', () => {
  test('are read one per line, each once with its lines, without blank lines and comments', async () => {
    const text = '# orders of May\r\nP-1\n\n  P-2 \nP-1\r#P-3\nä b/;\n';
    await files({ 'ids.txt': text });
    expect([...(await readPermanentIds(at('ids.txt')))]).toEqual([
      ['P-1', [2, 5]],
      ['P-2', [4]],
      ['ä b/;', [7]],
    ]);
  });

  test('are found for the service that issued them, and for no other', async () => {
    const known = new Map<string, unknown>([['test P-1', { id: '7' }]]);
    const permanentIds = {
      get: (service: string, id: string) => known.get(`${service} ${id}`),
      put() {},
    };
    const ids = [{ id: 'P-1' }, { id: 'P-2' }];
    const none = { error: { code: 'PERMANENT_ID_NOT_RESOLVABLE' } };
    expect(await findPlannings(ids, { service: 'test', permanentIds })).toMatchObject([
      { name: 'permanentid P-1', article: { json: { id: '7' } } },
      { name: 'permanentid P-2', article: none },
    ]);
    const others = await findPlannings(ids, { service: 'production', permanentIds });
    expect(others).toMatchObject([{ article: none }, { article: none }]);
  });
});

const parse = (text: string | Uint8Array) =>
  parseArticleList(typeof text === 'string' ? bytesOf(text) : text, 'list.csv');
const refusal = (text: string | Uint8Array): string => {
  try {
    parse(text);
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code} ${message}`;
  }
  return 'accepted';
};
const ROW = acme('D1/80');

describe('an article list', () => {
  test('takes commas or semicolons, a byte-order mark, any order and case of columns', () => {
    expect(parse('manufacturer,program,basearticlenumber\nACME,DESK,D1/80\n')).toEqual([ROW]);
    expect(parse('\uFEFFProgram;Manufacturer;BaseArticleNumber\r\ndesk;acme;D1/80\r\n')).toEqual([
      ROW,
    ]);
  });

  test('takes what Excel calls Unicode text', () => {
    const text = '\uFEFFmanufacturer;program;basearticlenumber\r\nACME;DESK;D1/80\r\n';
    expect(parse(Buffer.from(text, 'utf16le'))).toEqual([ROW]);
  });

  test('leaves final numbers and reinit strings byte for byte', () => {
    const opaque = ' FARBE=ÄÖ;X,Y"+\'/::';
    const cell = `"${opaque.replaceAll('"', '""')}"`;
    const header = 'manufacturer;program;basearticlenumber;finalarticlenumber;reinitstring';
    const [row] = parse(`${header}\nA;B;C;${cell};${cell}\n`);
    expect([row!.finalarticlenumber, row!.reinitstring]).toEqual([opaque, opaque]);
  });

  test('leaves foreign columns and empty rows alone', () => {
    const text = 'manufacturer;program;basearticlenumber;price\nACME;DESK;D1/80;99\n;;;\n';
    expect(parse(text)).toEqual([ROW]);
  });

  test('names a missing column with its line and what may have been meant', () => {
    expect(refusal('manufacturer,program,basearticle\nA,B,C\n')).toBe(
      'LIST_INVALID list.csv:1: expected a column "basearticlenumber", received the header "manufacturer,program,basearticle"; is "basearticle" meant?',
    );
    expect(refusal('manufacturer,program,basearticlenumber,reinit_string\n')).toMatch(
      /list\.csv:1: unknown column "reinit_string" in the header .*; did you mean "reinitstring"\?/,
    );
    expect(refusal('')).toMatch(
      /list\.csv:1: the list is empty; expected a header line such as manufacturer,/,
    );
  });

  test('shows a header as it is in the file', () => {
    const header = 'Manufacturer;Program;Basearticle';
    expect(refusal(`\n;;\n${header}\nA;B;C\n`)).toBe(
      `LIST_INVALID list.csv:3: expected a column "basearticlenumber", received the header "${header}"; is "basearticle" meant?`,
    );
    const good = 'Manufacturer;Program;BasearticleNumber';
    for (const [line, problem] of [
      ['A;B;C;D', `expected 3 cells as in the header "${good}", received 4`],
      ['A;;C', `"program" is empty; the header is "${good}"`],
    ] as const)
      expect(refusal(`${good}\r\n${line}`)).toContain(`LIST_INVALID list.csv:2: ${problem}`);
    const long = `program;${'x;'.repeat(200)}`;
    expect(refusal(long)).toContain(`received the header "${long.slice(0, 200)}…"`);
  });

  test('shows nothing of a file that is no list', () => {
    for (const other of ['root:x:0:0:root:/root:/bin/bash\n', 'a-password\n', 'KEY=a secret;B\n']) {
      const header = other.trim();
      expect(refusal(other)).toContain(
        `received the header of ${header.length} characters, in which no column is known`,
      );
      for (const word of header.split(/[:;=]/).filter((one) => one.length > 2))
        expect(refusal(other)).not.toContain(word);
      expect(refusal(Buffer.from(`${header}\n\xFC`, 'latin1'))).not.toContain(header);
    }
  });

  test('names the line of an empty cell, of one too many and of bytes that are no UTF-8', () => {
    const header = 'manufacturer,program,basearticlenumber\n';
    expect(refusal(`${header}A,B,C\nA,,C\n`)).toMatch(/list\.csv:3: "program" is empty/);
    expect(refusal(`${header}A,B,C,D\n`)).toMatch(/list\.csv:2: expected 3 cells/);
    const latin = Buffer.from(`${header}A,B,C\nA,B,BÜRO\n`, 'latin1');
    expect(refusal(latin)).toMatch(/list\.csv:3: expected UTF-8 text/);
    const open = `${header}A,B,C\nA,B,"C\n`;
    expect(refusal(open)).toMatch(/list\.csv:3: Quote Not Closed/);
    const shown = `; the header is "${header.trim()}"`;
    for (const text of [latin, open]) expect(refusal(text)).toContain(shown);
  });
});
