import { expect, test } from 'vitest';
import { millimetresText, priceText } from '../../../../../src/web/planning/state/format.ts';
import { readTyped } from '../../../../../src/web/planning/state/property-range.ts';
import { missingLanguage, textsOf } from '../../../../../src/web/planning/state/texts.ts';

const HOSTILE = '"><img src=x onerror=alert(1)>';

test.each<[tags: string[], language: string, locale: string, missing: string | undefined]>([
  [['de'], 'de', 'de', undefined],
  [['de-CH'], 'de', 'de-CH', undefined],
  [['de_ch'], 'de', 'de-CH', undefined],
  [['en-GB'], 'en', 'en-GB', undefined],
  [['fr-CA'], 'en', 'en', 'Canadian French'],
  [['fr_CA', 'de-AT'], 'de', 'de-AT', 'Französisch (Kanada)'],
  [['xx', '', 'de-LI'], 'de', 'de-LI', 'xx'],
  [['', 'en-IE'], 'en', 'en-IE', undefined],
  // Other digits are no matter of an address.
  [['de-CH-u-nu-arab'], 'de', 'de-CH', undefined],
  [['constructor'], 'en', 'en', 'constructor'],
  [['__proto__', 'de'], 'de', 'de', '__proto__'],
  [['de-'], 'en', 'en', 'de-'],
  [['i-klingon'], 'en', 'en', 'i-klingon'],
  [[HOSTILE], 'en', 'en', HOSTILE.slice(0, 20)],
  [['x'.repeat(10_000)], 'en', 'en', 'x'.repeat(20)],
])('%j has the texts of %s and the numbers of %s', (tags, language, locale, missing) => {
  const texts = textsOf(...tags);
  expect(texts).toMatchObject({ language, locale });
  expect(missingLanguage(texts, tags[0]!)).toBe(missing);
  expect(priceText(texts, 1721.5, 'EUR')).toBe(
    new Intl.NumberFormat(locale, { style: 'currency', currency: 'EUR' }).format(1721.5),
  );
});

test('money and lengths of Switzerland are those that it writes, and are read as written', () => {
  const texts = textsOf('de-CH');
  const price = priceText(texts, 1721.5, 'CHF');
  expect(price).toMatch(/^CHF\s1[’']721\.50$/);
  expect(price).not.toBe(priceText(textsOf('de'), 1721.5, 'CHF'));
  const length = millimetresText(texts, 1600);
  expect(length).toMatch(/^1[’']600 mm$/);
  const property = {
    ...{ name: 'B', text: '', proptype: 'N' as const, currentvalue: '', enabled: true },
    ...{ visible: true, obligatory: false, obligatory2c: false, addvalues: false },
    ...{ propclassname: '', digits: 4, decdigits: 1, propertyvalues: [], ranges: [] },
  };
  expect(readTyped(texts, property, length.replace(' mm', ''))).toEqual({ value: '1600' });
  expect(readTyped(texts, property, '80.5')).toEqual({ value: '80.5' });
});
