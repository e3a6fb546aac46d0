/** The size that the page shows: what was ordered, where the article says it and the model agrees. */
import { describe, expect, test } from 'vitest';
import { decodeArticle } from '../../../../../src/convert/wire/article.ts';
import { articleSizeMetres } from '../../../../../src/web/planning/state/article-size.ts';

type Values = readonly (readonly [text: string, currentvalue: string])[];

const articleWith = (values: Values) => {
  const properties = values.map(([text, currentvalue], i) => ({
    ...{ name: `P${i}`, text, currentvalue, proptype: 'N', propertyvalues: [], ranges: [] },
  }));
  const propclasses = [{ name: 'SIZE', text: 'Size', properties }];
  const names = { id: '1', rootid: '1', manufacturer: 'A', program: 'B', basearticlenumber: 'C' };
  return decodeArticle({ ...names, children: [], ocd: { finalarticlenumber: 'C-1', propclasses } });
};

describe('the size of an article', () => {
  test.each<[string, Values, number[]]>([
    [
      'values in mm and cm',
      [
        ['Depth in mm', '800'],
        ['Höhe in cm', '74'],
      ],
      [1.6, 0.74, 0.8],
    ],
    ['a value in metres', [['Breite', '1.601']], [1.601, 0.741, 0.802]],
    ['the height of a part', [['Height of the seat in mm', '460']], [1.6, 0.741, 0.802]],
    [
      'another word',
      [
        ['Depth effect', '3'],
        ['Bandwidth', '1600'],
      ],
      [1.6, 0.741, 0.802],
    ],
    ['no value', [['Depth in mm', '']], [1.6, 0.741, 0.802]],
  ])('with %s', (_, values, expected) => {
    const size = articleSizeMetres(articleWith(values), [1.6, 0.741, 0.802]);
    expect(size.map((metres) => Number(metres.toFixed(4)))).toEqual(expected);
  });
});
