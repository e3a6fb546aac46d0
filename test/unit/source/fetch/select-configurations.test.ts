import { describe, expect, it } from 'vitest';
import type { Article, ArticleProperty, PropertyRange } from '../../../../src/model/article.ts';
import type { Configurator, Configured } from '../../../../src/source/fetch/resolve-article.ts';
import { selectConfigurations } from '../../../../src/source/fetch/select-configurations.ts';
import type { SourceOf } from '../../../../src/source/fetch/selection.ts';
import { ConverterError } from '../../../../src/support/errors.ts';
import { acme } from '../../../helpers/fetch-bench.ts';

const SOURCE: SourceOf<'configurations'> = {
  kind: 'configurations',
  manufacturer: 'ACME',
  program: 'DESK',
  basearticlenumber: 'D1',
  values: {},
  each: [],
  max: 1,
};

/** What a property may be; a number may be in its range. */
interface Rule {
  values?: string[];
  ranges?: PropertyRange[];
}
const RULES: Record<string, Rule> = {
  COLOUR: { values: ['OAK', 'WHITE', 'BLACK'] },
  LEGS: { values: ['2', '4'] },
  WIDTH: { ranges: [{ valuefrom: 0.8, opfrom: 'GE', valueto: 1.1, opto: 'LT', raster: 0.1 }] },
  TEXT: {},
};
const START = { COLOUR: 'OAK', LEGS: '4', WIDTH: '0.8', TEXT: '' };

/** A service that configures as one would: each state is a pure function of its values. */
function configurator(start: Record<string, string> = START, more: Partial<Article> = {}) {
  const changes: string[] = [];
  const state = (values: Record<string, string>): Configured => {
    const name = Object.values(values).join('/');
    const properties = Object.entries(values).map(([prop, currentvalue]) =>
      property(prop, currentvalue),
    );
    const ocd = { propclasses: [{ name: 'A.B', text: '', properties }], finalarticlenumber: name };
    const article = { id: '1', rootid: '1', propclasses: [], children: [], ocd, ...more };
    const key = acme('D1', { finalarticlenumber: name, reinitstring: `${name}::` });
    return { key, article: article as unknown as Article, articleDigest: name };
  };
  const service: Configurator & { changes: string[] } = {
    changes,
    resolve: async () => state(start),
    change: async ({ article }, { propclass, prop, newvalue, proptype }) => {
      changes.push(`${proptype} ${propclass}.${prop}=${newvalue}`);
      const values = Object.fromEntries(
        article.ocd!.propclasses[0]!.properties.map((p) => [p.name, p.currentvalue]),
      );
      const refused = RULES[prop]!.values?.includes(newvalue) === false && newvalue !== 'SILENT';
      if (refused) throw new ConverterError('PROPERTY_VALUE_REFUSED', `${prop}: not ${newvalue}`);
      // White desks have four legs.
      const implied = newvalue === 'WHITE' && values.LEGS === '2' ? { LEGS: '4' } : {};
      return state(newvalue === 'SILENT' ? values : { ...values, [prop]: newvalue, ...implied });
    },
  };
  return service;
}

function property(name: string, currentvalue: string): ArticleProperty {
  const { values = [], ranges = [] } = RULES[name]!;
  const propertyvalues = values.map((valuefrom) => ({ valuefrom, text: '' }));
  return { name, currentvalue, propertyvalues, ranges } as unknown as ArticleProperty;
}

const select = async (more: Partial<SourceOf<'configurations'>>, service = configurator()) => {
  const selected = await selectConfigurations({ ...SOURCE, ...more }, service);
  const { articles, failures = [], warnings = [] } = selected;
  const numbers = articles.map(({ request }) => request.finalarticlenumber);
  const why = articles.map((article) => article.why.join());
  return { numbers, why, failures, warnings, changes: service.changes };
};

describe('configurations of a base article', () => {
  it('are the default if nothing else is given, without a change', async () => {
    const { numbers, why, changes } = await select({});
    expect(numbers).toEqual(['OAK/4/0.8/']);
    expect(why).toEqual(['configuration ACME/DESK/D1 default']);
    expect(changes).toEqual([]);
  });

  it('take named values one after the other, and none that is set already', async () => {
    const values = { 'A.B.LEGS': '2', 'A.B.COLOUR': 'OAK', 'A.B.WIDTH': '0,80', 'A.B.TEXT': 'x.y' };
    const { numbers, why, changes } = await select({ values });
    expect(numbers).toEqual(['OAK/2/0.8/x.y']);
    expect(changes).toEqual(['ocd A.B.LEGS=2', 'ocd A.B.TEXT=x.y']);
    expect(why[0]).toMatch(/D1 A\.B\.LEGS=2 A\.B\.COLOUR=OAK/);
  });

  it('take each value of named properties, never two together', async () => {
    const each = ['A.B.COLOUR', 'A.B.LEGS', 'A.B.WIDTH'];
    const { numbers, warnings } = await select({ each, max: 99 });
    expect(numbers).toEqual([
      'OAK/4/0.8/',
      'WHITE/4/0.8/',
      'BLACK/4/0.8/',
      'OAK/2/0.8/',
      'OAK/4/0.9/',
      'OAK/4/1/',
    ]);
    expect(warnings).toEqual([]);
  });

  it('put each value on top of the named ones', async () => {
    const values = { 'A.B.LEGS': '2' };
    const { numbers, failures } = await select({ values, each: ['A.B.COLOUR'], max: 9 });
    expect(failures.map(({ message }) => message)).toEqual([
      'A.B.LEGS: expected "2" to stay when the values after it are set, received "4"',
    ]);
    expect(numbers).toEqual(['OAK/2/0.8/', 'BLACK/2/0.8/']);
  });

  it('replace a named value by each value of the same property', async () => {
    const { numbers, failures } = await select({
      values: { 'A.B.LEGS': '2' },
      each: ['A.B.LEGS'],
      max: 9,
    });
    expect([numbers, failures]).toEqual([['OAK/2/0.8/', 'OAK/4/0.8/'], []]);
  });

  it('are at most as many as allowed, and it is reported that there are more', async () => {
    const { numbers, warnings, changes } = await select({
      each: ['A.B.COLOUR', 'A.B.LEGS'],
      max: 2,
    });
    expect(numbers).toEqual(['OAK/4/0.8/', 'WHITE/4/0.8/']);
    expect(warnings.map(({ code }) => code)).toEqual(['CONFIGURATIONS_LIMITED']);
    expect(changes).toHaveLength(1);
  });

  it('are as many as allowed of a range with a million steps', async () => {
    const wide = { valuefrom: 0, opfrom: 'GT', valueto: 1e6, opto: 'LE', raster: 1 } as const;
    const { numbers } = await withRange(wide, () => select({ each: ['A.B.WIDTH'], max: 4 }));
    expect(numbers).toEqual(['OAK/4/0.8/', 'OAK/4/1/', 'OAK/4/2/', 'OAK/4/3/']);
  });

  it.each([
    [
      'an unknown property',
      { values: { 'A.B.COLOR': 'OAK' } },
      'PROPERTY_UNKNOWN',
      /received "A\.B\.COLOR"; did you mean "A\.B\.COLOUR"/,
    ],
    ['a refused value', { values: { 'A.B.LEGS': '3' } }, 'PROPERTY_VALUE_REFUSED', /LEGS: not 3/],
    [
      'a value that is passed over',
      { values: { 'A.B.TEXT': 'SILENT' } },
      'PROPERTY_VALUE_REFUSED',
      /expected "SILENT" to be taken, received ""/,
    ],
    [
      'a value that a later one changes back',
      { values: { 'A.B.LEGS': '2', 'A.B.COLOUR': 'WHITE' } },
      'PROPERTY_VALUE_REFUSED',
      /LEGS: expected "2" to stay when the values after it are set, received "4"/,
    ],
  ])('%s fails by itself, with the article named', async (_, more, code, message) => {
    const { numbers, failures } = await select(more as Partial<SourceOf<'configurations'>>);
    expect(numbers).toEqual([]);
    const article = { manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D1' };
    expect(failures).toMatchObject([{ code, message: expect.stringMatching(message), article }]);
  });

  it('fail one by one, and the others go on', async () => {
    const open = { valuefrom: 1 };
    const each = ['A.B.WIDTH', 'A.B.TEXT', 'A.B.NONE', 'A.B.LEGS'];
    const { numbers, failures } = await withRange(open, () => select({ each, max: 9 }));
    expect(numbers).toEqual(['OAK/4/0.8/', 'OAK/2/0.8/']);
    expect(failures.map(({ code, what }) => [code, what])).toEqual([
      ['PROPERTY_NOT_ENUMERABLE', 'configuration ACME/DESK/D1 A.B.WIDTH=*'],
      ['PROPERTY_NOT_ENUMERABLE', 'configuration ACME/DESK/D1 A.B.TEXT=*'],
      ['PROPERTY_UNKNOWN', 'configuration ACME/DESK/D1 A.B.NONE=*'],
    ]);
  });

  it('never change a child without its root', async () => {
    const { failures, changes } = await select(
      { values: { 'A.B.LEGS': '2' } },
      configurator(START, { rootid: 'R' }),
    );
    expect(failures.map(({ code }) => code)).toEqual(['CHILD_WITHOUT_ROOT']);
    expect(changes).toEqual([]);
  });
});

async function withRange<T>(range: PropertyRange, work: () => Promise<T>): Promise<T> {
  const before = RULES.WIDTH!;
  RULES.WIDTH = { ranges: [range] };
  try {
    return await work();
  } finally {
    RULES.WIDTH = before;
  }
}
