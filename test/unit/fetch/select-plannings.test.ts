import { describe, expect, it } from 'vitest';
import { selectPlannings } from '../../../src/fetch/select-plannings.ts';
import { acme } from '../../helpers/fetch-bench.ts';

const stored = (number: string, more: object = {}): object => ({
  id: number,
  rootid: number,
  manufacturer: 'acme',
  program: 'desk',
  basearticlenumber: number,
  reinit: '',
  children: [],
  ocd: { finalarticlenumber: `${number}-X`, reinitstring: `${number}=X::` },
  ...more,
});
const resolved = (number: string) =>
  acme(number, { finalarticlenumber: `${number}-X`, reinitstring: `${number}=X::` });

const LAMP = stored('L', { id: 'l', rootid: 'P' });
const PLANNING = stored('P', {
  reinit: 'M{…}::',
  children: [
    stored('D', { id: 'd', rootid: 'P', children: [LAMP] }),
    stored('C', { id: 'c', rootid: 'P' }),
  ],
});

const select = (json: unknown, as: 'planning' | 'articles' = 'planning') =>
  selectPlannings({
    kind: 'planning',
    as,
    plannings: [{ name: 'cart a.json', article: { json } }],
  });

const CHILDREN = [
  { ...resolved('D'), parent: -1 },
  { ...resolved('C'), parent: -1 },
  { ...resolved('L'), parent: 0 },
];

describe('a stored planning', () => {
  it('is one article with its stored children', () => {
    const request = { ...resolved('P'), metareinitstring: 'M{…}::' };
    const expected = [{ request, why: ['cart a.json'], children: CHILDREN }];
    expect(select(PLANNING)).toEqual({ articles: expected, failures: [], warnings: [] });
  });

  it('is read out of a cart post, too, as an object or as its text', () => {
    const expected = select(PLANNING);
    expect(select({ json: PLANNING })).toEqual(expected);
    expect(select({ json: JSON.stringify(PLANNING) })).toEqual(expected);
  });

  it('gives each child as an article of its own where that is wanted', () => {
    const { articles } = select(PLANNING, 'articles');
    expect(articles.map(({ request, why }) => [request.basearticlenumber, why])).toEqual([
      ['P', ['cart a.json']],
      ['D', ['child in cart a.json']],
      ['C', ['child in cart a.json']],
      ['L', ['child in cart a.json']],
    ]);
  });

  it.each([
    ['no id', stored('P', { id: '' }), 'CART_INVALID', /expected id and rootid, received no id$/],
    ['no rootid', stored('P', { rootid: undefined }), 'CART_INVALID', /received no rootid$/],
    ['a child', LAMP, 'CHILD_WITHOUT_ROOT', /received a child \(id l, rootid P\)/],
    [
      'no number',
      stored('P', { basearticlenumber: '' }),
      'CART_INVALID',
      /expected basearticlenumber, received none/,
    ],
    ['another shape', stored('P', { children: 7 }), 'CART_INVALID', /article\.children/],
    ['a list', [PLANNING], 'CART_INVALID', /expected an object/],
    ['text that is no JSON', { json: '{' }, 'CART_INVALID', /expected JSON in the property json/],
    [
      'the cart of an older version',
      { manuid: 'ACME' },
      'CART_INVALID',
      /received no id; migrate\(\) converts a cart of v1/,
    ],
  ])('with %s fails by itself', (_, json, code, message) => {
    const good = { name: 'cart b.json', article: { json: PLANNING } };
    const bad = { name: 'cart a.json', article: { json } };
    const result = selectPlannings({ kind: 'planning', as: 'planning', plannings: [bad, good] });
    expect(result.articles).toHaveLength(1);
    expect(result.failures).toMatchObject([
      { what: 'cart a.json', code, message: expect.stringMatching(message) },
    ]);
  });

  it('without a configuration is the default one, and is reported', () => {
    for (const ocd of [{}, { reinitstring: '' }, undefined]) {
      const { articles, warnings } = select(stored('P', { ocd }));
      expect(articles[0]!.request).toMatchObject({ basearticlenumber: 'P', reinitstring: '' });
      expect(warnings).toMatchObject([{ code: 'CART_WITHOUT_CONFIGURATION' }]);
    }
  });

  it('names the article that failed as far as it is known', () => {
    const { failures } = select({ json: stored('P', { rootid: '' }) });
    const article = { manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'P' };
    expect(failures?.[0]?.article).toEqual(article);
  });

  it('does not reach for a prototype', () => {
    const evil = `{"__proto__":{"id":"1","rootid":"1"},${JSON.stringify(PLANNING).slice(1)}`;
    expect(select(JSON.parse(evil)).articles).toHaveLength(1);
    expect(({} as { rootid?: string }).rootid).toBeUndefined();
  });
});
