import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeFileName, LONGEST_FILE_NAME, urlName } from '../../../src/support/file-names.ts';
import { sha256Hex } from '../../../src/support/files.ts';
import { anyText } from '../../helpers/any-text.ts';
import { expectLinear } from '../../helpers/growth.ts';
import { samples } from '../../helpers/samples.ts';

const SAMPLES = { numRuns: samples(2_000) };
const text = fc.oneof(
  anyText({ maxLength: 200 }),
  fc.constantFrom('', '.', '..', '...', 'a.', 'a ', 'CON', 'nul.txt', 'LPT1', '\ud800', 'ä/ö'),
);

describe('encodeFileName', () => {
  it.each([
    ['DT160/80', 'DT160%2F80'],
    ['A B+C', 'A%20B%2BC'],
    ['Größe', 'Gr%C3%B6%C3%9Fe'],
    ['.', '%2E'],
    ['..', '%2E%2E'],
    ['.hidden', '%2Ehidden'],
    ['../../etc/x', '%2E.%2F..%2Fetc%2Fx'],
    ['a.b.', 'a.b%2E'],
    ['NUL', '%4EUL'],
    ['nul.txt', '%6Eul.txt'],
    ['NULL', 'NULL'],
    ['', '%'],
  ])('writes %j as %s', (raw, name) => {
    expect(encodeFileName(raw)).toBe(name);
  });

  it('cuts a long name at 80 characters and adds a hash', () => {
    const name = encodeFileName('x'.repeat(81));
    expect(name).toMatch(/^x{80}~[0-9a-f]{8}$/);
    expect(encodeFileName('x'.repeat(80))).toBe('x'.repeat(80));
    expect(encodeFileName('x'.repeat(82))).not.toBe(name);
  });

  it('is one segment that every system takes', () => {
    fc.assert(
      fc.property(text, (raw) => {
        const name = encodeFileName(raw);
        expect(name).toMatch(/^[A-Za-z0-9\-_.~%]+$/);
        expect(name.length).toBeLessThanOrEqual(LONGEST_FILE_NAME);
        expect(name).not.toMatch(/\.$/);
        expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i);
      }),
      SAMPLES,
    );
  });

  it('gives different texts different names', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        fc.pre(a !== b);
        expect(encodeFileName(a)).not.toBe(encodeFileName(b));
      }),
      SAMPLES,
    );
    expect(encodeFileName('\ud800')).not.toBe(encodeFileName('\ud801'));
    expect(encodeFileName('\ud800')).not.toBe(encodeFileName('\ufffd'));
    // A short text cannot spell the name of a long one.
    expect(encodeFileName(encodeFileName('x'.repeat(99)))).not.toBe(encodeFileName('x'.repeat(99)));
  });
});

describe('urlName', () => {
  it.each(['DT160.80', 'a_b-c', 'a---b', 'NULL', 'x'.repeat(80)])('leaves %j as it is', (raw) =>
    expect(urlName(raw)).toBe(raw),
  );

  it.each([
    ['LM-DOM 16";METALL=MS', 'LM-DOM-16-METALL-MS'],
    ['Größe Élan', 'Gro-e-Elan'],
    ['ＡＢ', 'AB'],
    ['e\u0301', 'e'],
    ['A  /+ B', 'A-B'],
    ['D1~7f3cbdd5', 'D1-7f3cbdd5'],
    ['50%', '50'],
    ['-.D1.-', 'D1'],
    ['', ''],
    ['..', ''],
    ['日本', ''],
    ['CON', 'CON'],
    ['nul.txt', 'nul-txt'],
    ['x'.repeat(81), 'x'.repeat(80)],
    [`${'\u0300\u0316'.repeat(499)}\u{1d400}`, 'A'],
    [`D1${'\u0300\u0316'.repeat(40_000)}`, 'D1'],
    [`D1${' '.repeat(997)}\u{1d400}`, 'D1'],
  ])('writes %j as %j, and the first 8 hex digits of its SHA-256', (raw, name) => {
    expect(urlName(raw)).toBe(`${name}~${sha256Hex(Buffer.from(raw)).slice(0, 8)}`);
  });

  it('is one segment of a path, a URL and a shell command, and no two texts share one', () => {
    const owners = new Map<string, string>();
    fc.assert(
      fc.property(text, (raw) => {
        const name = urlName(raw);
        expect(name).toMatch(/^[A-Za-z0-9._~-]{1,89}$/);
        expect(name).not.toMatch(/^\.|\.$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i);
        expect(new URL(name, 'http://host/').pathname).toBe(`/${name}`);
        expect(owners.get(name) ?? raw).toBe(raw);
        owners.set(name, raw);
      }),
      SAMPLES,
    );
  });
});

describe('a hostile name takes linear time', () => {
  it.each([
    ['encodeFileName', encodeFileName],
    ['urlName', urlName],
  ])('%s of dots and a letter', async (_, name) => {
    const input = (size: number) => `a${'.'.repeat(size)}b`;
    await expectLinear(50_000, input, (text) => expect(name(text).length).toBeLessThanOrEqual(89));
  });

  it('urlName of marks, which are sorted by their class', async () => {
    const input = (size: number) => `a${'\u0300\u0316'.repeat(size)}`;
    await expectLinear(5000, input, (text) => expect(urlName(text)).toMatch(/^a~/));
  });
});
