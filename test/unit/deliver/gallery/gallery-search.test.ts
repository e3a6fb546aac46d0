/** What a visitor of the gallery finds, and the address that says it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COLOURS, coloursOfPixels } from '../../../../src/deliver/gallery/colours.ts';
import { choicesOf } from '../../../../src/deliver/gallery/gallery-choices.ts';
import type { GalleryData, GalleryDetails } from '../../../../src/deliver/gallery/gallery-data.ts';
import {
  addressOfPlace,
  EVERYTHING,
  type Query,
  readPlace,
  SORTS,
} from '../../../../src/deliver/gallery/gallery-query.ts';
import { openSearch } from '../../../../src/deliver/gallery/gallery-search.ts';
import { anyText } from '../../../helpers/any-text.ts';
import { samples } from '../../../helpers/samples.ts';

const COMMON = { manufacturer: 'FJEL', program: 'LINEA', swatches: [], part: 0 } as const;
const NAMES = { manufacturerName: 'Fjell Møbler', programName: 'Linea' } as const;
const DATA: GalleryData = {
  ...{ title: 'office', hasContactSheet: false, parts: 1 },
  texts: ['Finish: Oak', 'Finish: Walnut'],
  articles: [
    {
      ...{ ...COMMON, ...NAMES, number: 'LN-1', name: 'Schreibtisch' },
      configurations: [
        { id: 'a', number: 'LN-1-EI', texts: [0], price: 300, size: [1600, 800, 740] },
        { id: 'b', number: 'LN-1-NB', texts: [1], price: 100, size: [1800, 800, 740] },
      ],
    },
    {
      ...{ ...COMMON, ...NAMES, number: 'ST-2', name: 'Büro chair', kind: 'Seating' },
      configurations: [{ id: 'c', number: 'ST-2-R', texts: [], price: 200, colours: ['red'] }],
    },
  ],
};

const search = openSearch(DATA, (word) => (word === 'schreibtsch' ? ['schreibtisch'] : []));
const idsOf = (query: Partial<Query>) =>
  search({ ...EVERYTHING, ...query }).found.map(({ configurations }) =>
    configurations.map(({ id }) => id),
  );

describe('the search of a gallery', () => {
  it.each<[Partial<Query>, string[][]]>([
    [{}, [['a', 'b'], ['c']]],
    [{ search: 'TISCH' }, [['a', 'b']]],
    [{ search: 'tisch walnut' }, [['b']]],
    [{ search: 'buro' }, [['c']]],
    [{ search: 'fjell ln-1-ei' }, [['a']]],
    [{ search: 'oak walnut' }, []],
    [{ colours: ['red', 'blue'] }, [['c']]],
    [{ figures: { width: [1700, undefined] } }, [['b']]],
    [{ figures: { price: [150, 300] } }, [['a'], ['c']]],
    [{ sort: 'name' }, [['c'], ['a', 'b']]],
    [{ sort: '-price' }, [['a', 'b'], ['c']]],
    [{ sort: 'price', search: 'oak' }, [['a']]],
    [{ sort: 'width' }, [['a', 'b'], ['c']]],
    [{ series: 'other' }, []],
    [{ kind: 'Seating' }, [['c']]],
    [{ search: 'seating' }, [['c']]],
  ])('finds by %j the configurations %j', (query, ids) => {
    expect(idsOf(query)).toEqual(ids);
  });

  it('looks for similar words only in place of a word that nothing has, and says so', () => {
    const { found, replaced } = search({ ...EVERYTHING, search: 'schreibtsch oak' });
    expect(found.map(({ article }) => article.number)).toEqual(['LN-1']);
    expect([...replaced]).toEqual([['schreibtsch', ['schreibtisch']]]);
  });
});

describe('the address of a gallery', () => {
  it('says what is looked for and what is open', () => {
    const text = anyText().map((one) => one.trim());
    const number = fc.option(fc.nat(9999), { nil: undefined });
    const figures = fc
      .dictionary(fc.constantFrom('width', 'depth', 'height', 'price'), fc.tuple(number, number))
      .map((some) =>
        Object.fromEntries(
          Object.entries(some).filter(([, ends]) => ends.some((end) => end !== undefined)),
        ),
      );
    const query = fc.record({
      ...{ search: text, manufacturer: text, series: text, kind: text, figures },
      colours: fc.subarray([...COLOURS]),
      sort: fc.constantFrom(...SORTS),
    });
    fc.assert(
      fc.property(query, text, (query, open) => {
        expect(readPlace(addressOfPlace({ query, open }))).toEqual({ query, open });
      }),
      { numRuns: samples(400) },
    );
  });

  it('is empty for everything, and is read as older versions wrote it', () => {
    expect(addressOfPlace({ query: EVERYTHING, open: '' })).toBe('');
    expect(readPlace('#A%2FB%2Fc%2Fdefault').open).toBe('A/B/c/default');
    expect(readPlace('#width=wide&sort=none&colour=red,plaid').query).toEqual({
      ...EVERYTHING,
      colours: ['red'],
    });
  });
});

const desk = (id: string, decor: string, frame: string, swatches: string[] = []) =>
  ({
    ...{ id, swatches },
    properties: [
      { id: 'A.DECOR', text: 'Decor', value: decor, valueText: decor },
      { id: 'A.FRAME', text: 'Frame', value: frame, valueText: frame },
      { id: 'A.EDGE', text: 'Edge', value: 'round', valueText: 'Round' },
    ],
  }) as unknown as GalleryDetails;

describe('the choices of an article', () => {
  it('are the properties in which its configurations differ, each value with the nearest configuration', () => {
    const all = [
      desk('1', 'oak', 'black'),
      desk('2', 'oak', 'white'),
      desk('3', 'walnut', 'black'),
    ];
    const shown = choicesOf(all, all[1]!).map(({ text, values }) => [
      text,
      values.map(({ value, isChosen, configuration, changes }) => [
        ...[value, isChosen, configuration.id, changes],
      ]),
    ]);
    expect(shown).toEqual([
      [
        'Decor',
        [
          ['oak', true, '2', []],
          ['walnut', false, '3', ['Frame']],
        ],
      ],
      [
        'Frame',
        [
          ['black', false, '1', []],
          ['white', true, '2', []],
        ],
      ],
    ]);
  });

  it('show the finish that only configurations with a value have', () => {
    const all = [desk('1', 'oak', 'black', ['o', 's']), desk('2', 'walnut', 'black', ['w', 's'])];
    expect(choicesOf(all, all[0]!)[0]!.values.map(({ swatch }) => swatch)).toEqual(['o', 'w']);
  });

  it('show none that may be of another property, whose value the same configurations have', () => {
    const all = [desk('1', 'oak', 'black', ['o', 'b']), desk('2', 'walnut', 'white', ['n', 'w'])];
    const swatchesOf = (some: readonly GalleryDetails[]) =>
      choicesOf(some, some[0]!).map(({ values }) => values.map(({ swatch }) => swatch));
    expect(swatchesOf(all).flat()).toEqual([undefined, undefined, undefined, undefined]);
    const third = desk('3', 'walnut', 'black', ['n', 'b']);
    expect(swatchesOf([...all, third])).toEqual([
      ['o', 'n'],
      ['b', 'w'],
    ]);
  });
});

describe('the colours of a picture', () => {
  const SIDE = 10;
  const picture = (colorAt: (x: number, y: number) => readonly number[]) =>
    Uint8Array.from(
      Array.from({ length: SIDE * SIDE }, (_, i) => colorAt(i % SIDE, Math.floor(i / SIDE))).flat(),
    );
  const WHITE = [255, 255, 255, 255];
  const isInside = (x: number, y: number) => x > 1 && x < 8 && y > 1 && y < 8;
  it.each<[string, readonly number[], readonly string[]]>([
    ['oak', [189, 157, 119, 255], ['beige']],
    ['walnut', [92, 62, 42, 255], ['brown']],
    ['petrol', [28, 88, 96, 255], ['blue']],
    ['moss', [86, 96, 48, 255], ['green']],
    ['mustard', [214, 166, 32, 255], ['yellow']],
    ['red lacquer', [190, 30, 36, 255], ['red']],
    ['black', [24, 24, 26, 255], ['black']],
    ['light grey', [150, 152, 154, 255], ['grey']],
    ['white', [232, 232, 228, 255], ['white']],
  ])('of %s', (_, color, colours) => {
    expect(
      coloursOfPixels(
        picture((x, y) => (isInside(x, y) ? color : WHITE)),
        SIDE,
      ),
    ).toEqual(colours);
  });

  it('are those before the background, and not those of the shadow', () => {
    const shadow = [205, 205, 205, 255];
    const oak = [189, 157, 119, 255];
    const table = picture((x, y) => (!isInside(x, y) ? WHITE : y > 4 ? shadow : oak));
    expect(coloursOfPixels(table, SIDE)).toEqual(['beige']);
    const clear = picture((x, y) => (isInside(x, y) ? oak : [0, 0, 0, 0]));
    expect(coloursOfPixels(clear, SIDE)).toEqual(['beige']);
  });
});
