/** Dimensions that properties state: in five languages, with a unit that no field names. */
import { describe, expect, test } from 'vitest';
import { decodeArticle } from '../../../../src/convert/wire/article.ts';
import {
  orderedSize,
  type StatedValue,
  statedSize,
  statedValues,
} from '../../../../src/convert/wire/stated-size.ts';

const statedBy = (texts: Readonly<Record<string, string>>): StatedValue[] =>
  Object.entries(texts).map(([text, value], i) => ({ name: `P${i}`, text, value }));

test('an article states the values of its commercial properties, then those of its planning', () => {
  const classWith = (name: string, text: string, currentvalue: string) => ({
    ...{ name: 'SIZE', text: 'Size' },
    properties: [{ name, text, currentvalue, proptype: 'N', propertyvalues: [], ranges: [] }],
  });
  const names = { id: '1', rootid: '1', manufacturer: 'A', program: 'B', basearticlenumber: 'C' };
  const article = decodeArticle({
    ...{ ...names, children: [], propclasses: [classWith('H', 'Height', '740')] },
    ocd: { finalarticlenumber: 'C-1', propclasses: [classWith('B', 'Width', '1600')] },
  });
  expect(statedValues(article)).toEqual([
    { name: 'B', text: 'Width', value: '1600' },
    { name: 'H', text: 'Height', value: '740' },
  ]);
});

test('a value is a length in millimetres, centimetres or metres, on the axis that its name begins with', () => {
  const stated = { 'Breite in mm': '1600', Hauteur: '74', Djup: '0,8', Colour: '7' };
  expect(statedSize(statedBy(stated))).toEqual([
    [1.6, 16, 1600],
    [0.074, 0.74, 74],
    [0.0008, 0.008, 0.8],
  ]);
});

test('an article without such a name states nothing', () => {
  expect(statedSize(statedBy({ Bandwidth: '3', Width: '' }))).toEqual([[], [], []]);
});

describe('the size that was ordered', () => {
  const MODEL = [1.6, 0.741, 0.802] as const;

  test.each<[string, Record<string, string>, number[]]>([
    ['values in mm and cm', { 'Depth in mm': '800', 'Höhe in cm': '74' }, [1.6, 0.74, 0.8]],
    ['a value in metres', { Breite: '1.601' }, [1.601, 0.741, 0.802]],
    ['the height of a part', { 'Height of the seat in mm': '460' }, [...MODEL]],
    ['another word', { 'Depth effect': '3', Bandwidth: '1600' }, [...MODEL]],
    ['no value', { 'Depth in mm': '' }, [...MODEL]],
  ])('with %s', (_, stated, expected) => {
    const size = orderedSize(statedBy(stated), MODEL);
    expect(size.map((metres) => Number(metres.toFixed(4)))).toEqual(expected);
  });
});
