import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SolidType, solidLengths } from '../../../src/transform/solid-params.ts';

const NAMES: Record<SolidType, string[][]> = {
  block: [
    ['w', 'width', 'x'],
    ['h', 'height', 'y'],
    ['d', 'depth', 'z'],
  ],
  frame: [
    ['w', 'width', 'x'],
    ['h', 'height', 'y'],
    ['d', 'depth', 'z'],
    ['t', 'th', 'thick', 'thickness'],
  ],
  cyl: [
    ['l', 'len', 'length'],
    ['r', 'rad', 'radius'],
  ],
  sphere: [['r', 'rad', 'radius']],
  ellipsoid: [['rx'], ['ry'], ['rz']],
};
const types = Object.keys(NAMES) as SolidType[];

describe('solidLengths', () => {
  it.each(types)(
    'reads %s as array, as text with any separator, and as object in any case',
    (type) => {
      const names = NAMES[type];
      const lengths = names.map((_, i) => (i + 1) / 8);
      expect(solidLengths(type, lengths)).toEqual(lengths);
      for (const separator of [' ', ', ', ';', ' ; ', '\t', ','])
        expect(solidLengths(type, lengths.join(separator))).toEqual(lengths);
      const spellings = Math.max(...names.map((aliases) => aliases.length));
      for (let k = 0; k < spellings; k++) {
        const entries = names.map((aliases, i) => {
          const alias = aliases[k % aliases.length]!;
          return [k % 2 === 0 ? alias : alias.toUpperCase(), lengths[i]] as const;
        });
        expect(solidLengths(type, Object.fromEntries(entries.toReversed()))).toEqual(lengths);
      }
    },
  );

  it('reads numbers that were sent as texts', () => {
    expect(solidLengths('cyl', ['0.7', '0,03'])).toEqual([0.7, 0.03]);
    expect(solidLengths('cyl', { L: '0.7', Radius: ' 3e-2 ' })).toEqual([0.7, 0.03]);
  });

  it.each([
    undefined,
    null,
    7,
    true,
    '',
    'wide',
    '1 2',
    [],
    [1, 2],
    [1, 2, 0],
    [1, 2, -3],
    [1, 2, null],
    [1, 2, Number.NaN],
    [1, 2, '1e999'],
    [[1, 2, 3]],
    {},
    { w: 1, h: 2 },
    { w: 1, h: 2, d: {} },
  ])('gives up on %j', (params) => {
    expect(solidLengths('block', params)).toBeUndefined();
  });

  it('never gives anything but positive finite lengths', () => {
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.anything(), (type, params) => {
        const lengths = solidLengths(type, params);
        if (lengths === undefined) return;
        expect(lengths).toHaveLength(NAMES[type].length);
        expect(lengths.every((value) => value > 0 && Number.isFinite(value))).toBe(true);
      }),
      { seed: 280, numRuns: 500 },
    );
  });
});
