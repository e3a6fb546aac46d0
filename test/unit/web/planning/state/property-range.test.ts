import { describe, expect, test } from 'vitest';
import type { ArticleProperty, PropertyRange } from '../../../../../src/model/article.ts';
import {
  nextInRanges,
  numberText,
  rangesText,
  readTyped,
} from '../../../../../src/web/planning/state/property-range.ts';
import { textsOf } from '../../../../../src/web/planning/state/texts.ts';

const WIDTH: PropertyRange[] = [
  { valuefrom: 800, opfrom: 'GE', valueto: 1400, opto: 'LE', raster: 50 },
  { valuefrom: 1400, opfrom: 'GT', valueto: 2000, opto: 'LE', raster: 100 },
];
const HALVES: PropertyRange[] = [
  { valuefrom: 64, opfrom: 'GT', valueto: 86, opto: 'LT', raster: 0.5 },
];
const texts = textsOf('en');

const property = (change: Partial<ArticleProperty>): ArticleProperty => ({
  ...{ name: 'B', text: '', proptype: 'N', currentvalue: '', enabled: true, visible: true },
  ...{ obligatory: false, obligatory2c: false, addvalues: false, propclassname: '' },
  ...{ digits: 4, decdigits: 0, propertyvalues: [], ranges: WIDTH, ...change },
});

describe('the ranges of a property', () => {
  test.each<[PropertyRange[], number, boolean]>([
    [WIDTH, 800, true],
    [WIDTH, 799, false],
    [WIDTH, 825, false],
    [WIDTH, 1400, true],
    [WIDTH, 1450, false],
    [WIDTH, 1500, true],
    [WIDTH, 2001, false],
    [HALVES, 64, false],
    [HALVES, 64.5, true],
    [HALVES, 85.7, false],
    [[{ raster: 0.1 }], 0.3, true],
    [[], 12.34, true],
  ])('%j contain %d: %s', (ranges, value, expected) => {
    const typed = readTyped(texts, property({ ranges, decdigits: 2 }), String(value));
    expect('value' in typed).toBe(expected);
  });

  test.each<[PropertyRange[], number, 1 | -1, number | undefined]>([
    [WIDTH, 1350, 1, 1400],
    [WIDTH, 1400, 1, 1500],
    [WIDTH, 1500, -1, 1400],
    [WIDTH, 1450, 1, 1500],
    [WIDTH, 810, -1, 800],
    [WIDTH, 800, -1, undefined],
    [WIDTH, 2000, 1, undefined],
    [WIDTH, 0, 1, 800],
    [WIDTH, 9999, -1, 2000],
    [HALVES, 64, 1, 64.5],
    [HALVES, 85.5, 1, undefined],
    [HALVES, 100, -1, 85.5],
    [[], 3, 1, 4],
  ])('%j have after %d towards %d the value %s', (ranges, value, direction, expected) => {
    expect(nextInRanges(ranges, value, direction, 0)).toBe(expected);
  });

  test('are words', () => {
    const both = '800 to 1400 in steps of 50, or 1500 to 2000 in steps of 100';
    expect(rangesText(texts, WIDTH)).toBe(both);
    expect(rangesText(texts, HALVES)).toBe('64.5 to 85.5 in steps of 0.5');
    const one = { valuefrom: 74, opfrom: 'GE', valueto: 74, opto: 'LE' } as const;
    expect(rangesText(texts, [one])).toBe('74');
    expect(rangesText(texts, [{ valuefrom: 1, opfrom: 'GE' }])).toBe('from 1');
    expect(rangesText(textsOf('de'), [{ valueto: 2.5, opto: 'LT' }])).toBe('weniger als 2,5');
  });
});

test.each<[string, string, Partial<ArticleProperty>, object]>([
  ['en', '1500', {}, { value: '1500' }],
  ['en', '1450', {}, { problem: expect.stringContaining('The nearest are 1400 and 1500.') }],
  ['en', '99999', {}, { problem: expect.stringContaining('The largest is 2000.') }],
  ['de', '0', {}, { problem: expect.stringContaining('Der kleinste ist 800.') }],
  ['en', '64,5', { ranges: HALVES, decdigits: 1 }, { value: '64.5' }],
  ['en', '64,5', { ranges: HALVES }, { value: '64.5' }],
  ['en', 'wide', {}, { problem: 'Please enter a number.' }],
  ['en', '1450', { addvalues: true }, { value: '1450' }],
  ['en', ' Müller ', { proptype: 'C', ranges: [] }, { value: 'Müller' }],
  // As the page itself writes large numbers.
  ['en', '1,500', {}, { value: '1500' }],
  ['de', '1.500', {}, { value: '1500' }],
  ['en', '1,600', { ranges: [] }, { value: '1600' }],
  ['de', '1.600', { ranges: [] }, { value: '1600' }],
  ['de', '1.234.567,5', { ranges: [], decdigits: 1 }, { value: '1234567.5' }],
  ['en', '1,234,567.5', { ranges: [], decdigits: 1 }, { value: '1234567.5' }],
  ['de', '1 600', { ranges: [] }, { value: '1600' }],
  ['de', '800.5', { ranges: [], decdigits: 1 }, { value: '800.5' }],
  ['de', '0.125', { ranges: [], decdigits: 3 }, { value: '0.125' }],
  ['de', '1.60.0', { ranges: [] }, { problem: 'Bitte eine Zahl eingeben.' }],
  // Never rounded without a word.
  ['en', '1.6', { ranges: [] }, { problem: 'Please enter a whole number.' }],
  ['de', '1,6', { ranges: [] }, { problem: 'Bitte eine ganze Zahl eingeben.' }],
  ['en', '1.25', { ranges: [], decdigits: 1 }, { problem: expect.stringContaining('1 decimal') }],
  ['en', '1.5', { ranges: [], currentvalue: '2.5' }, { value: '1.5' }],
])('in the language %s a typed "%s" of %j is read', (language, typed, change, expected) => {
  expect(readTyped(textsOf(language), property(change), typed)).toEqual(expected);
});

test.each([
  ['de', 800.5, '800,5'],
  ['en', 800.5, '800.5'],
  ['de', 1600, '1600'],
])('in the language %s the field of %d shows %s', (language, value, expected) => {
  expect(numberText(textsOf(language), value)).toBe(expected);
});
