import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeFileName, LONGEST_FILE_NAME } from '../../../src/support/file-names.ts';

describe('encodeFileName', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.constantFrom('', '.', '..', '...', 'a.', 'a ', 'CON', 'nul.txt', 'LPT1', '\ud800', 'ä/ö'),
  );

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
      { seed: 3, numRuns: 2000 },
    );
  });

  it('gives different texts different names', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        fc.pre(a !== b);
        expect(encodeFileName(a)).not.toBe(encodeFileName(b));
      }),
      { seed: 3, numRuns: 2000 },
    );
    expect(encodeFileName('\ud800')).not.toBe(encodeFileName('\ud801'));
    expect(encodeFileName('\ud800')).not.toBe(encodeFileName('\ufffd'));
    // A short text cannot spell the name of a long one.
    expect(encodeFileName(encodeFileName('x'.repeat(99)))).not.toBe(encodeFileName('x'.repeat(99)));
  });
});
