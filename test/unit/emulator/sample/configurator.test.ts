import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changeValue } from '../../../../src/emulator/sample/configurator.ts';
import {
  type ArticleDefinition,
  allPropertiesOf,
  isAllowed,
  isVisible,
  type Values,
  valuesOf,
} from '../../../../src/emulator/sample/definition.ts';
import {
  finalNumberOf,
  metaReinitOf,
  reinitOf,
  valuesOfFinalNumber,
  valuesOfReinit,
  withMetaValues,
} from '../../../../src/emulator/sample/numbering.ts';
import { createSampleRange } from '../../../../src/emulator/sample/sample-range.ts';
import { ARTICLES } from '../../../../src/emulator/sample/series/range.ts';
import { samples, someOf } from '../../../helpers/samples.ts';

const range = createSampleRange();

/** Every property that may be changed, with some values that it may take. */
function offers(article: ArticleDefinition, values: Values) {
  return allPropertiesOf(article)
    .filter((property) => isVisible(property, values) && (property.enabled?.(values) ?? true))
    .flatMap((property) => {
      const bounds = (property.ranges?.(values) ?? []).flatMap(({ from, to }) => [from, to]);
      const choices = (property.choices ?? []).map((one) => one.value);
      const proptype = article.properties.includes(property) ? ('ocd' as const) : ('meta' as const);
      const named = { proptype, propclass: property.group, prop: property.name };
      return [...choices, ...bounds.map(String)]
        .filter((value) => isAllowed(property, value, values))
        .map((newvalue) => ({ ...named, newvalue }));
    });
}

/** A configuration is found again by its strings, and has a parts list whose blocks are all there. */
async function expectWhole(article: ArticleDefinition, values: Values): Promise<void> {
  const { manufacturer, program, number: basearticlenumber } = article;
  const refused = allPropertiesOf(article).filter(
    (property) => !isAllowed(property, values[property.name]!, values),
  );
  expect(refused).toEqual([]);
  const finalarticlenumber = finalNumberOf(article, values);
  const reinitstring = reinitOf(article, values);
  const metareinitstring = metaReinitOf(article, values);
  const commercial = valuesOfReinit(article, reinitstring)!;
  expect(withMetaValues(article, commercial, metareinitstring)).toEqual(values);
  expect(valuesOfFinalNumber(article, finalarticlenumber)).toEqual(commercial);
  const key = { manufacturer, program, basearticlenumber };
  const partsList = range.partsList({ ...key, finalarticlenumber, reinitstring, metareinitstring });
  const missing: string[] = [];
  for (const block of partsList!.blocks as string[]) {
    const isThere = isFound.get(block) ?? (await range.block(block)) !== undefined;
    isFound.set(block, isThere);
    if (!isThere) missing.push(block);
  }
  expect(missing).toEqual([]);
}
/** Whether a block is there, since articles share them. */
const isFound = new Map<string, boolean>();

test('every value of every property of every article can be chosen, and leads to a complete article', async () => {
  for (const article of someOf(ARTICLES)) {
    const values = valuesOf(article);
    await expectWhole(article, values);
    for (const change of offers(article, values)) {
      const changed = changeValue(article, values, change).values;
      expect(changed[change.prop]).toBe(change.newvalue);
      await expectWhole(article, changed);
    }
  }
});

test('a property with addvalues takes other values, which its strings find again', async () => {
  const lockers = ARTICLES.find(({ number }) => number === 'DP-X3/4')!;
  const change = { proptype: 'ocd', propclass: 'AUSSTATTUNG', prop: 'SCHLIESSUNG' } as const;
  const lock = (newvalue: string) =>
    changeValue(lockers, valuesOf(lockers), { ...change, newvalue });
  const { values } = lock('ZH-4711');
  expect(finalNumberOf(lockers, values)).toBe('DP-X3/4-LG.B.ZH-4711.1');
  await expectWhole(lockers, values);
  // `E` is the code of a listed value.
  for (const refused of ['E', '', 'A.B', 'X'.repeat(13)]) {
    expect(() => lock(refused)).toThrow('EINZELN, HAUPT, or up to 12 letters, digits and hyphens');
  }
});

test('a range that is open at one side has no bound there', () => {
  const change = (number: string, prop: string, newvalue: string) => {
    const article = ARTICLES.find((one) => one.number === number)!;
    const named = { proptype: 'ocd', propclass: 'AUSSTATTUNG', prop, newvalue } as const;
    return changeValue(article, valuesOf(article), named).values[prop];
  };
  expect(change('DP-X3/4', 'NUMMER', '9999')).toBe('9999');
  expect(() => change('DP-X3/4', 'NUMMER', '0')).toThrow('expected GE 1 raster 1');
  expect(change('LM-DREIBEIN', 'WATT', '1')).toBe('1');
  expect(() => change('LM-DREIBEIN', 'WATT', '41')).toThrow('expected LE 40');
});

test('any walk through the desk made to measure and the planned workplace stays complete', async () => {
  const articles = ARTICLES.filter(({ number }) => ['LN-M', 'LN-PLATZ 1'].includes(number));
  const walk = fc.record({
    article: fc.constantFrom(...articles),
    picks: fc.array(fc.nat(), { minLength: 2, maxLength: 8 }),
  });
  await fc.assert(
    fc.asyncProperty(walk, async ({ article, picks }) => {
      let values = valuesOf(article);
      for (const pick of picks) {
        const offered = offers(article, values);
        values = changeValue(article, values, offered[pick % offered.length]!).values;
      }
      await expectWhole(article, values);
    }),
    { seed: 5, numRuns: samples(60) },
  );
});
