/** Dimensions that properties state: in five languages, with a unit that no field names. */
import { expect, test } from 'vitest';
import { decodeArticle } from '../../../../src/convert/wire/article.ts';
import { statedSize } from '../../../../src/convert/wire/stated-size.ts';

const articleOf = (texts: Record<string, string>) => {
  const properties = Object.entries(texts).map(([text, currentvalue], i) => ({
    ...{ name: `P${i}`, text, currentvalue, proptype: 'N', propertyvalues: [], ranges: [] },
  }));
  const propclasses = [{ name: 'SIZE', text: 'Size', properties }];
  const names = { id: '1', rootid: '1', manufacturer: 'A', program: 'B', basearticlenumber: 'C' };
  return decodeArticle({ ...names, children: [], ocd: { finalarticlenumber: 'C-1', propclasses } });
};

test('a value is a length in millimetres, centimetres or metres, on the axis that its name begins with', () => {
  const article = articleOf({ 'Breite in mm': '1600', Hauteur: '74', Djup: '0,8', Colour: '7' });
  expect(statedSize(article)).toEqual([
    [1.6, 16, 1600],
    [0.074, 0.74, 74],
    [0.0008, 0.008, 0.8],
  ]);
});

test('an article without such a name states nothing', () => {
  expect(statedSize(articleOf({ Bandwidth: '3', Width: '' }))).toEqual([[], [], []]);
});
