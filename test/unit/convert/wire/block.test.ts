import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBlock, parseBlock } from '../../../../src/convert/wire/block.ts';
import { scanBlock } from '../../../../src/convert/wire/block-scanner.ts';
import { coded } from '../../../helpers/coded-error.ts';
import { driftOf } from '../../../helpers/drift.ts';
import { body, utf8 } from '../../../helpers/graphics.ts';
import { samples } from '../../../helpers/samples.ts';

const triangle = '"V":[0,0,0,1,0,0,0,1,0],"A":[{"F":[0,1,2]}]';

describe('decodeBlock', () => {
  it('reads every field of a block', () => {
    const block = decodeBlock(
      utf8(
        '{"N":"A::B::C","P":[0.1,0.2,0.3],"R":[0,90,0],"V":[0.5,-0.25,1e-3,1,0,0,0,1,0],"T":[0,0,1,0,0,1],"A":[{"F":[0,1,2],"TI":[0,1,2],"C":true},{"F":[],"C":false}]}',
      ),
    );
    expect(block.name).toBe('A::B::C');
    expect(block.positionMetres).toEqual([0.1, 0.2, 0.3]);
    expect(block.rotationDegrees).toEqual([0, 90, 0]);
    expect([...block.positions.subarray(0, 3)]).toEqual([0.5, -0.25, Math.fround(1e-3)]);
    expect([...block.uvs]).toEqual([0, 0, 1, 0, 0, 1]);
    expect(block.surfaces.map((surface) => surface.closed)).toEqual([true, false]);
    expect([...block.surfaces[0]!.uvIndices]).toEqual([0, 1, 2]);
  });

  it('reads nested arrays like flat ones, and keeps the stride of the nesting', () => {
    const block = decodeBlock(
      utf8(
        '{"V":[[0,0,0],[1,0,0],[0,1,0]],"T":[[0,0],[1,0],[0,1]],"A":[{"F":[[0,1,2]],"TI":[[0,1,2]]}]}',
      ),
    );
    expect([...block.positions]).toEqual([0, 0, 0, 1, 0, 0, 0, 1, 0]);
    expect([...block.surfaces[0]!.triangles]).toEqual([0, 1, 2]);
    expect(block.uvStride).toBe(2);
  });

  it('marks what is no number instead of failing: null, truth values, fractions as indices', () => {
    const block = decodeBlock(utf8('{"V":[null,true,2],"A":[{"F":[0,1.5,-1]}]}'));
    expect([...block.positions]).toEqual([Number.NaN, Number.NaN, 2]);
    expect([...block.surfaces[0]!.triangles]).toEqual([0, -(2 ** 31), -1]);
  });

  it('leaves closed open where C is missing', () => {
    expect(decodeBlock(utf8(`{${triangle}}`)).surfaces[0]!.closed).toBeUndefined();
  });

  it('keeps a flag C that cannot be read, but not one that is null', () => {
    const unreadable = ['maybe', 1, ['x']];
    const A = [...unreadable, null, true, undefined].map((C) => ({ F: [0, 1, 2], C }));
    const { surfaces } = decodeBlock(body({ ...WHOLE, A }));
    const kept = surfaces.map(({ unreadableClosed }) => unreadableClosed);
    expect(kept).toEqual([...unreadable, undefined, undefined, undefined]);
    expect(surfaces[0]!.closed).toBeUndefined();
    expect(surfaces[4]).not.toHaveProperty('unreadableClosed');
  });

  it.each([
    ['truncated', '{"V":[0,0'],
    ['not JSON', '<html></html>'],
    ['a list', '[]'],
    ['without V', '{"A":[]}'],
    ['without A', '{"V":[]}'],
    ['with a bad surface', '{"V":[],"A":[{"F":3}]}'],
    ['with trailing rubbish', `{${triangle}} x`],
    ['with a leading zero', '{"V":[01,0,0],"A":[]}'],
    ['with an empty number', '{"V":[1,,2],"A":[]}'],
  ])('refuses a body that is %s', (_name, text) => {
    expect(() => decodeBlock(utf8(text))).toThrow(coded('BLOCK_INVALID'));
  });

  it.each([
    ['V', { V: [0, '1', 0, 1, 0, 0, 0, 1, 0] }, 'V[1]'],
    [
      'nested V',
      {
        V: [
          [0, 0, 0],
          ['1', 0, 0],
          [0, 1, 0],
        ],
      },
      'V[1]',
    ],
    ['T', { T: ['0.5', 0] }, 'T[0]'],
    ['F', { A: [{ F: [0, 1, '2'] }] }, 'A[0].F[2]'],
    ['TI', { A: [{ F: [0, 1, 2], TI: ['0', '1', '2'] }] }, 'A[0].TI[0]'],
  ])('refuses numbers of %s that were sent as texts', (_name, change, where) => {
    const message = expect.stringContaining(`${where}: expected a number, received string`);
    expect(() => decodeBlock(body({ ...WHOLE, ...change }))).toThrow(
      coded('BLOCK_INVALID', message),
    );
  });

  it.each(['', ',"more":1'])('never replaces bytes that are no UTF-8 (%j)', (more) => {
    const text = JSON.stringify({ ...WHOLE, N: 'A::B::STÜHLE' }).replace(/}$/, `${more}}`);
    expect(decodeBlock(utf8(text)).name).toBe('A::B::STÜHLE');
    expect(() => decodeBlock(Buffer.from(text, 'latin1'))).toThrow(coded('BLOCK_INVALID', /UTF-8/));
  });

  it('scans what JSON.parse reads, number for number', () => {
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.float({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc
        .tuple(fc.integer({ min: -1e6, max: 1e6 }), fc.nat({ max: 12 }))
        .map(([n, d]) => (n / 1000).toFixed(d)),
      fc
        .bigInt({ min: -(10n ** 20n), max: 10n ** 20n })
        .map((n) => `${n}.${String(n).replace('-', '')}`),
    );
    fc.assert(
      fc.property(
        fc.array(number, { maxLength: 30 }),
        fc.constantFrom('', ' ', '\n\t'),
        (list, blank) => {
          const body = utf8(
            `{"V":[${blank}${list.join(`${blank},${blank}`)}${blank}],"T":[${list.join(',')}],"A":[]}`,
          );
          const scanned = scanBlock(body);
          const parsed = parseBlock(body);
          expect(scanned).toBeDefined();
          expect(scanned!.positions).toEqual(parsed.positions);
          scanned!.uvs.forEach((uv, i) => {
            expect(Math.abs(uv - parsed.uvs[i]!)).toBeLessThanOrEqual(
              2e-15 * Math.abs(parsed.uvs[i]!),
            );
            expect(Math.fround(uv)).toBe(Math.fround(parsed.uvs[i]!));
          });
        },
      ),
      { seed: 1, numRuns: samples(500) },
    );
  });

  it('scans long lists, however their numbers are spread, and refuses a comma at their end', () => {
    const index = (i: number, count: number) => (i < count / 3 ? 123_456 : 7);
    for (const count of [1, 2, 2047, 9000, 20_000]) {
      for (const isReverse of [false, true]) {
        const list = Array.from({ length: count }, (_, i) =>
          index(isReverse ? count - i : i, count),
        );
        const body = (end: string) =>
          utf8(`{"V":[${list}],"T":[${list}${end}],"A":[{"F":[${list}]}]}`);
        // As values: to compare so many one by one takes a second.
        expect(isDeepStrictEqual(scanBlock(body('')), parseBlock(body('')))).toBe(true);
        expect(scanBlock(body(','))).toBeUndefined();
      }
    }
  });

  it('reads indices once that are sent again', () => {
    const body = '{"V":[],"A":[{"F":[0, 1,2],"TI":[0, 1,2]},{"F":[0, 1,2,3],"TI":[0, 1,2] }]}';
    const scanned = scanBlock(utf8(body))!;
    expect(scanned).toEqual(parseBlock(utf8(body)));
    expect(scanned.surfaces[0]!.triangles).toBe(scanned.surfaces[0]!.uvIndices);
    expect(scanBlock(utf8('{"V":[],"A":[{"F":[0,1],"TI":[0,1'))).toBeUndefined();
  });

  it('never disagrees with JSON.parse on mutated bodies', () => {
    const body = `{"N":"a","P":[0,0,0],${triangle.replace(']}', '],"TI":[0,1,2],"C":true}')},"T":[0.5,1]}`;
    fc.assert(
      fc.property(
        fc.nat({ max: body.length - 1 }),
        fc.constantFrom(...'0,.-e[]{}":x n'),
        (at, letter) => {
          const bytes = utf8(body.slice(0, at) + letter + body.slice(at + 1));
          const scanned = scanBlock(bytes);
          if (scanned) expect(scanned).toEqual(parseBlock(bytes));
        },
      ),
      { seed: 2, numRuns: samples(2_000) },
    );
  });
});

const WHOLE = {
  N: 'A::B::C',
  P: [0, 0, 0],
  R: [0, 0, 0],
  V: [0, 0, 0, 1, 0, 0, 0, 1, 0],
  T: [],
  A: [{ F: [0, 1, 2], TI: [], C: true }],
};

const driftIn = (change: object) => driftOf({ ...WHOLE, ...change }, decodeBlock);

describe('drift of a block', () => {
  it('finds nothing in a block as the specification has it', () => {
    expect(driftIn({})).toEqual([]);
    expect(driftIn({ A: [{ F: [0, 1, 2], TI: [] }] })).toEqual([]);
  });

  it.each([
    [{ V: [null, 0, 0] }, 'block.V[]: expected a list of numbers, found nothing'],
    [{ V: [[0, 0, 0]] }, 'block.V[]: expected a list of numbers, found an array of 3'],
    [{ T: [null, 0] }, 'block.T[]: expected a list of numbers, found nothing'],
    [{ P: null }, 'block.P: expected a list of numbers, found nothing'],
    [{ N: 7, V: [[0, 0, 0]] }, 'block.N: expected a text, found number "7"'],
    [
      { A: [{ F: [0, 1, 2], TI: [], C: 'false' }] },
      'block.A[].C: expected true or false, found string "false"',
    ],
  ])('is reported of %j', (change, drift) => {
    expect(driftIn(change)).toContain(drift);
  });
});
