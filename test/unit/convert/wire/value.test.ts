import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalName,
  decodePermanentId,
  exceededLimit,
  parseJson,
  readNumber,
} from '../../../../src/convert/wire/value.ts';
import { coded } from '../../../helpers/coded-error.ts';
import { utf8 } from '../../../helpers/graphics.ts';
import { expectLinear } from '../../../helpers/growth.ts';

const GUID = '{7C1E0B3A-0000-4000-8000-0123456789AB}';

/** Levels of a value, counted the slow way. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('readNumber', () => {
  it('reads every number that it is sent as a text, with point or comma', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(readNumber(String(value))).toBe(value + 0);
        expect(readNumber(String(value).replace('.', ','))).toBe(value + 0);
      }),
      { seed: 3 },
    );
  });

  it.each(['', ' ', 'abc', '1.2.3', '1,2,3', '0x10', 'Infinity', '1e999', '1.234,50'])(
    'does not guess what %j is',
    (value) => expect(readNumber(value)).toBeUndefined(),
  );
});

describe('a hostile text takes linear time', () => {
  it.each([
    ['digits and a letter', (size: number) => `${'1'.repeat(size)}x`],
    ['digits, a dot and a letter', (size: number) => `${'1'.repeat(size)}.x`],
  ])('as a number: %s', async (_, input) => {
    await expectLinear(40_000, input, (text) => expect(readNumber(text)).toBeUndefined());
  });

  it('as JSON: blanks behind the key of an identifier', async () => {
    const input = (size: number) => utf8(`{"id":${' '.repeat(size)}"x"}`);
    await expectLinear(40_000, input, (bytes) => expect(parseJson(bytes)).toEqual({ id: 'x' }));
  });
});

/** The limit of nested levels. */
const MAX_JSON_DEPTH = 500_000;

const isTooDeep = (bytes: Uint8Array, maxDepth?: number): boolean =>
  exceededLimit(bytes, undefined, maxDepth) === `${maxDepth ?? MAX_JSON_DEPTH} nested levels`;

const hasMoreValues = (bytes: Uint8Array, maxValues: number): boolean =>
  exceededLimit(bytes, maxValues, Infinity) === `${maxValues} objects, lists and keys`;

describe('exceededLimit: nested levels', () => {
  it('draws the line after the last level that is allowed', () => {
    const nested = (levels: number) => utf8(`${'['.repeat(levels)}1${']'.repeat(levels)}`);
    expect(isTooDeep(nested(MAX_JSON_DEPTH))).toBe(false);
    expect(isTooDeep(nested(MAX_JSON_DEPTH + 1))).toBe(true);
  });

  it('needs no end to see it', () => {
    expect(isTooDeep(utf8('{"a":['.repeat(MAX_JSON_DEPTH)))).toBe(true);
  });

  it('counts levels, not brackets', () => {
    expect(isTooDeep(utf8(`[${'[],{},'.repeat(100)}1]`), 2)).toBe(false);
    expect(isTooDeep(utf8('[["[[[[\\"[[[["],"\\\\",{"{{{":"}"}]'), 2)).toBe(false);
    expect(isTooDeep(utf8('[["]]]]",[1]]]'), 2)).toBe(true);
  });

  it('finds the end of a text of any length, behind backslashes and quotes', () => {
    for (let length = 35; length < 45; length++) {
      for (const end of ['', '\\', '\\\\', '"[[', '\\"[[\\']) {
        const text = JSON.stringify('x'.repeat(length) + end);
        expect(isTooDeep(utf8(`[${text},1,2,3]`), 1)).toBe(false);
        expect(isTooDeep(utf8(`[${text},[1]]`), 1)).toBe(true);
        expect(isTooDeep(utf8(`[${text.slice(0, -1)}[[[`), 1)).toBe(false);
      }
    }
  });

  it('agrees with a count of the parsed value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 6 }), (value, limit) => {
        // Padded, for a short text is not looked at.
        const bytes = utf8(`${JSON.stringify(value)}        `);
        expect(isTooDeep(bytes, limit)).toBe(depthOf(value) > limit);
      }),
      { seed: 6 },
    );
  });
});

describe('exceededLimit: objects, lists and keys', () => {
  it('counts objects, lists and keys, not what is in a text, and no number', () => {
    const bytes = utf8('{"a":[1,2,3,{"b":"{[:\\"{["}],"c":{}}');
    expect(hasMoreValues(bytes, 6)).toBe(true);
    expect(hasMoreValues(bytes, 7)).toBe(false);
  });

  it('counts a million empty objects', () => {
    const bytes = utf8(`[${'{},'.repeat(1_000_000)}{}]`);
    expect(hasMoreValues(bytes, 1_000_000)).toBe(true);
    expect(hasMoreValues(bytes, 1_000_002)).toBe(false);
  });
});

describe('canonicalName', () => {
  it('joins spellings that differ in case and in a leading ::', () => {
    expect(canonicalName('::acme::desk::leg')).toBe('ACME::DESK::LEG');
    expect(canonicalName('Acme::Desk::LEG')).toBe('ACME::DESK::LEG');
  });

  it('keeps apart what differs otherwise', () => {
    expect(canonicalName('ACME::DESK::LEG ')).not.toBe(canonicalName('ACME::DESK::LEG'));
    expect(canonicalName('ACME::::LEG')).toBe('ACME::::LEG');
    expect(canonicalName('')).toBe('');
  });

  it('is the same for a name that is canonical already', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        const once = canonicalName(`a${name}`);
        expect(canonicalName(once)).toBe(once);
        expect(canonicalName(`::a${name}`)).toBe(once);
      }),
      { seed: 150 },
    );
  });
});

describe('parseJson', () => {
  const parsed = (text: string) => parseJson(utf8(text));

  it('keeps each digit of a number in the place of an identifier', () => {
    const long = ['9007199254740993', '-9007199254740993', '123456789012345678901234'];
    for (const id of [...long, '4711.10', '1e5']) {
      expect(parsed(`{"id":${id}, "RootId" : ${id} }`)).toEqual({ id, RootId: id });
    }
    expect(parsed('{"id":42,"nodeid":4.5,"price":129.00,"offs":[1.0]}')).toEqual({
      ...{ id: 42, nodeid: 4.5, price: 129, offs: [1] },
    });
  });

  it('changes no text that looks like one', () => {
    const text = '{"id":9007199254740993,"x\\"id":9007199254740993}';
    const value = { json: text, id: ':9007199254740993' };
    expect(parsed(JSON.stringify(value))).toEqual(value);
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const sent = JSON.stringify({ id: JSON.stringify(value), mat: value });
        expect(parsed(sent)).toEqual(JSON.parse(sent));
      }),
      { seed: 7 },
    );
  });

  it('refuses what is no JSON number as before', () => {
    for (const digits of ['0123456789012345678', '1.2.3', '--1']) {
      expect(() => parsed(`{"id":${digits}}`)).toThrow(/^expected JSON/);
    }
  });

  it('never replaces bytes that are no UTF-8, and names the code of its caller', () => {
    const latin1 = Uint8Array.of(0x22, 0xfc, 0x22);
    expect(() => parseJson(latin1, 'BLOCK_INVALID')).toThrow(coded('BLOCK_INVALID', /UTF-8/));
    expect(() => decodePermanentId(latin1)).toThrow(/UTF-8/);
  });
});

describe('decodePermanentId', () => {
  it.each([
    ['"7C1E/a+b="', '7C1E/a+b='],
    ['{"permanentid":"7C1E"}', '7C1E'],
    ['{"id":"1","permanentid":"7C1E"}', '7C1E'],
    ['{"result":["7C1E"]}', '7C1E'],
    ['{"result":"7C1E"}', '7C1E'],
    ['["7C1E"]', '7C1E'],
    ['{"reinit":"7C1E"}', '7C1E'],
    [GUID, GUID],
    ['7C1E\r\n', '7C1E'],
    ['123456789012345678901', '123456789012345678901'],
    ['{"permanentid":42}', '42'],
    ['{"permanentid":12345678901234567890}', '12345678901234567890'],
    ['{"result":[12345678901234567890]}', '12345678901234567890'],
  ])('reads %j', (body, id) => {
    expect(decodePermanentId(utf8(body))).toBe(id);
  });

  it.each([
    '',
    '{}',
    'null',
    'true',
    '""',
    '[]',
    '{"permanentid":""}',
    '{"permanentid":null,"other":"x"}',
    '{"result":[]}',
    '{"a":"x","b":"y"}',
    'two words',
    '{"permanentid":"7C1',
  ])('finds none in %j', (body) => {
    expect(() => decodePermanentId(utf8(body))).toThrow(
      coded('RESPONSE_INVALID', /^expected a permanent identifier, received /),
    );
  });
});
