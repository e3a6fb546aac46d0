import { describe, expect, it } from 'vitest';
import { decodeArticle } from '../../../../src/convert/wire/article.ts';
import type { ArticleRequest } from '../../../../src/model/article.ts';
import { configurationKey } from '../../../../src/model/configuration-id.ts';
import type { Configurator } from '../../../../src/source/fetch/resolve-article.ts';
import { selectPlannings } from '../../../../src/source/fetch/select-plannings.ts';
import { ConverterError } from '../../../../src/support/errors.ts';
import { acme } from '../../../helpers/fetch-bench.ts';
import { body } from '../../../helpers/graphics.ts';

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

/** A service that answers each article with the children of its default planning. */
const serving = (children: object[], article: object = stored('P', { children })) => ({
  asked: [] as string[],
  async resolve(request: ArticleRequest) {
    this.asked.push(configurationKey(request));
    return { key: request, article: decodeArticle(body(article)), articleDigest: '' };
  },
});

const select = (
  json: unknown,
  as: 'planning' | 'articles' = 'planning',
  service: Pick<Configurator, 'resolve'> = serving([]),
) =>
  selectPlannings(
    { kind: 'planning', as, plannings: [{ name: 'cart a.json', article: { json } }] },
    service,
  );

const CHILDREN = [
  { ...resolved('D'), parent: -1 },
  { ...resolved('C'), parent: -1 },
  { ...resolved('L'), parent: 0 },
];

describe('a stored planning', () => {
  it('is one article with its stored children', async () => {
    const request = { ...resolved('P'), metareinitstring: 'M{…}::' };
    const expected = [{ request, why: ['cart a.json'], children: CHILDREN }];
    const none = { failures: [], warnings: [], unread: [], names: [] };
    expect(await select(PLANNING)).toEqual({ articles: expected, ...none });
  });

  it('is read out of a cart post, too, as an object or as its text', async () => {
    const expected = await select(PLANNING);
    expect(await select({ json: PLANNING })).toEqual(expected);
    expect(await select({ json: JSON.stringify(PLANNING) })).toEqual(expected);
  });

  it('gives each child as an article of its own where that is wanted', async () => {
    const { articles } = await select(PLANNING, 'articles');
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
    ['text that is no JSON', { json: '{' }, 'CART_INVALID', /json: expected JSON/],
    [
      'the cart of an older version',
      { manuid: 'ACME' },
      'CART_INVALID',
      /received no id; migrate\(\) converts a cart of v1/,
    ],
  ])('with %s fails by itself', async (_, json, code, message) => {
    const good = { name: 'cart b.json', article: { json: PLANNING } };
    const bad = { name: 'cart a.json', article: { json } };
    const source = { kind: 'planning', as: 'planning', plannings: [bad, good] } as const;
    const result = await selectPlannings(source, serving([]));
    expect(result.articles).toHaveLength(1);
    expect(result.failures).toMatchObject([
      { what: 'cart a.json', code, message: expect.stringMatching(message) },
    ]);
  });

  it('without a configuration is the default one, and is reported', async () => {
    for (const ocd of [{}, { reinitstring: '' }, undefined]) {
      const { articles, warnings } = await select(stored('P', { ocd }));
      expect(articles[0]!.request).toMatchObject({ basearticlenumber: 'P', reinitstring: '' });
      expect(warnings).toMatchObject([{ code: 'CART_WITHOUT_CONFIGURATION' }]);
    }
  });

  it('with children beyond the limit of articles is omitted, and the rest is not read', async () => {
    const plannings = [stored('A'), PLANNING, stored('B')].map((json, index) => {
      return { name: `cart ${index}`, onlyCarts: true as const, article: { json } };
    });
    const source = { kind: 'planning', as: 'planning', plannings, maxArticles: 4 } as const;
    const { articles, failures } = await selectPlannings(source, serving([]));
    expect(articles.map(({ why }) => why)).toEqual([['cart 0']]);
    expect(failures).toMatchObject([{ what: 'cart 1', onlyCarts: true, code: 'CARTS_LIMITED' }]);
    const all = await selectPlannings({ ...source, maxArticles: 6 }, serving([]));
    expect([all.articles.length, all.failures]).toEqual([3, []]);
  });

  it('names the article that failed as far as it is known', async () => {
    const { failures } = await select({ json: stored('P', { rootid: '' }) });
    const article = { manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'P' };
    expect(failures?.[0]?.article).toEqual(article);
  });

  it('does not reach for a prototype', async () => {
    const evil = `{"__proto__":{"id":"1","rootid":"1"},${JSON.stringify(PLANNING).slice(1)}`;
    expect((await select(JSON.parse(evil))).articles).toHaveLength(1);
    expect(({} as { rootid?: string }).rootid).toBeUndefined();
  });

  describe('without reinit', () => {
    const D = stored('D', { id: 'd', rootid: 'P' });
    const C = stored('C', { id: 'c', rootid: 'P' });
    const numbers = async (...parameters: Parameters<typeof select>) => {
      const { articles, warnings } = await select(...parameters);
      return [
        articles.map(({ request }) => request.basearticlenumber),
        warnings.map(({ code }) => code),
      ];
    };

    it('is the default planning if the service plans the same children, in any order', async () => {
      const unnamed = { ...C, ocd: { finalarticlenumber: '', reinitstring: 'C=X::' } };
      const orders = { same: [D, C], other: [C, D], unnamed: [D, unnamed] };
      for (const [order, children] of Object.entries(orders)) {
        const read = await numbers(stored('P', { children }), 'planning', serving([D, C]));
        expect(read, order).toEqual([['P'], []]);
      }
    });

    it.each([
      ['another configuration of a child', [D, stored('C', { ocd: { reinitstring: 'C=Y::' } })]],
      ['a child more', [D, C, C]],
      ['a child less', [D]],
    ])('and with %s, is its children, and is reported', async (_, children) => {
      const cart = stored('P', { children });
      const own = children.map(
        (child) => (child as { basearticlenumber: string }).basearticlenumber,
      );
      for (const as of ['planning', 'articles'] as const) {
        expect(await numbers(cart, as, serving([D, C]))).toEqual([own, ['CART_WITHOUT_REINIT']]);
      }
      const { articles } = await select(cart, 'planning', serving([D, C]));
      expect(articles[1]?.request ?? null).toEqual(
        children.length > 1 ? expect.objectContaining(keyOf(children[1]!)) : null,
      );
    });

    it('and without a configuration, is its children too, unless they are the default ones', async () => {
      for (const ocd of [{}, undefined]) {
        const read = (children: object[]) =>
          numbers(stored('P', { ocd, children }), 'planning', serving([D, C]));
        expect(await read([D])).toEqual([['D'], ['CART_WITHOUT_REINIT']]);
        expect(await read([D, C])).toEqual([['P'], ['CART_WITHOUT_CONFIGURATION']]);
      }
    });

    it('and without the children that the service plans, is a failure', async () => {
      for (const as of ['planning', 'articles'] as const) {
        const result = await select(stored('P'), as, serving([D, C]));
        expect(result.articles).toEqual([]);
        expect(result.failures).toEqual([
          {
            what: 'cart a.json',
            code: 'CART_INVALID',
            message: 'expected reinit, or the children of the planning, received neither',
            article: { manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'P' },
          },
        ]);
      }
      expect(await numbers(stored('P'), 'planning', serving([]))).toEqual([['P'], []]);
    });

    it('asks for nothing where there is a reinit, or neither configuration nor child', async () => {
      const service = serving([D]);
      await select(PLANNING, 'planning', service);
      await select(stored('P', { ocd: {} }), 'planning', service);
      expect(service.asked).toEqual([]);
    });

    it('is left to its conversion if the service does not answer, unless the run ends', async () => {
      const refusing = (code: 'ARTICLE_NOT_FOUND' | 'TOKEN_DIED') => ({
        resolve: () => Promise.reject(new ConverterError(code, 'no')),
      });
      const cart = stored('P', { children: [D] });
      expect(await numbers(cart, 'planning', refusing('ARTICLE_NOT_FOUND'))).toEqual([['P'], []]);
      await expect(select(cart, 'planning', refusing('TOKEN_DIED'))).rejects.toThrow('no');
    });

    it('keeps ids apart that differ beyond 2^53', async () => {
      const json = `{"json":${JSON.stringify(
        JSON.stringify(PLANNING)
          .replaceAll('"id":"P"', '"id":9007199254740993')
          .replaceAll('"rootid":"P"', '"rootid":9007199254740992'),
      )}}`;
      const { failures } = await select(JSON.parse(json));
      expect(failures).toMatchObject([{ code: 'CHILD_WITHOUT_ROOT' }]);
    });
  });
});

/** What a child is as a configuration. */
function keyOf(child: object) {
  const { ocd } = child as { ocd: { finalarticlenumber?: string; reinitstring: string } };
  return { finalarticlenumber: ocd.finalarticlenumber ?? '', reinitstring: ocd.reinitstring };
}
