import { describe, expect, it } from 'vitest';
import type { ArticleRequest } from '../../../../src/model/article.ts';
import type { CatalogueNode } from '../../../../src/model/catalogue.ts';
import type {
  CatalogueReader,
  Configurator,
} from '../../../../src/source/fetch/resolve-article.ts';
import { distinctArticles, selectArticles } from '../../../../src/source/fetch/select-articles.ts';
import type { SelectedArticle } from '../../../../src/source/fetch/selection.ts';
import { ConverterError } from '../../../../src/support/errors.ts';
import { acme, openFetchBench } from '../../../helpers/fetch-bench.ts';
import { expectLinear } from '../../../helpers/growth.ts';
import { IS_LONG } from '../../../helpers/samples.ts';
import { smallRange } from '../../../helpers/small-range.ts';

function node(nodeid: string, more: Partial<CatalogueNode> = {}): CatalogueNode {
  const none = { manufacturername: '', basearticlenumber: '', variantcode: '', convertdate: '' };
  const fields = {
    nodeid,
    text: '',
    nodetype: 'F' as const,
    manufacturer: '',
    program: '',
    resources: [],
  };
  return { ...fields, ...none, ...more };
}

const article = (number: string, more: Partial<CatalogueNode> = {}): CatalogueNode =>
  node(`id ${number}`, { nodetype: 'A', basearticlenumber: number, ...more });

const TOP = { kind: 'catalogue', parentnode: '' } as const;

/** A catalogue in memory whose folders answer after a different number of turns each. */
function reader(folders: Record<string, CatalogueNode[] | 'gone'>, delays: number[] = [0]) {
  const asked: string[] = [];
  const catalogue: CatalogueReader & Configurator & { asked: string[] } = {
    resolve: () => Promise.reject(new Error('nothing is configured here')),
    change: () => Promise.reject(new Error('nothing is configured here')),
    asked,
    nodes: async (parentnode) => {
      const turns = delays[asked.push(parentnode) % delays.length]!;
      for (let i = 0; i < turns; i++) await Promise.resolve();
      const nodes = folders[parentnode];
      if (nodes === 'gone') throw new ConverterError('NODE_NOT_FOUND', `no ${parentnode}`);
      if (nodes === undefined) throw new Error(`no folder ${parentnode}`);
      return nodes;
    },
    search: async () => [],
  };
  return catalogue;
}

const FOLDERS = {
  '': [
    node('a', { manufacturer: 'ACME', program: 'DESK' }),
    node('b', { manufacturer: 'BETA', program: 'LAMP' }),
  ],
  a: [node('a1'), article('D2', { variantcode: 'D2-X' }), node('info', { nodetype: 'I' })],
  a1: [article('D1'), node('a'), node('a1'), article('D2', { variantcode: 'D2-X' })],
  b: [article('L1'), node('shared')],
  shared: [article('S1', { manufacturer: 'acme', program: 'desk' }), article('')],
};

const OWNER = { manufacturer: 'ACME', program: 'DESK' };

const numbers = (selected: { request: { manufacturer: string; basearticlenumber: string } }[]) =>
  selected.map(({ request }) => `${request.manufacturer} ${request.basearticlenumber}`);

/** Only the articles of a selection. */
const select = async (...parameters: Parameters<typeof selectArticles>) =>
  (await selectArticles(...parameters)).articles;

describe('the categories of a catalogue', () => {
  const categoriesIn = async (folders: Parameters<typeof reader>[0], parentnode = '') => {
    const source = { kind: 'catalogue', parentnode } as const;
    const { names = [] } = await selectArticles([source], reader(folders));
    return Object.fromEntries(names.flatMap(({ categories = [] }) => categories));
  };
  const top = node('top', { manufacturer: 'ACME', text: 'Acme' });
  const series = node('series', { program: 'DESK', text: 'Desks' });

  it('are the innermost folders of a series, at any depth, and those between manufacturer and series', async () => {
    const folders = {
      '': [top],
      top: [series, node('work', { text: 'Work' })],
      series: [article('D1'), node('benches', { text: 'Benches' })],
      benches: [article('D2'), node('high', { text: ' High ' }), node('unnamed')],
      high: [article('D3')],
      unnamed: [article('D4')],
      work: [
        node('lamps', { manufacturer: 'ACME', program: 'LAMP', text: 'Lamps' }),
        article('X1', OWNER),
      ],
      lamps: [article('L1'), node('floor', { text: 'Floor lamps' })],
      floor: [article('L2')],
    };
    expect(await categoriesIn(folders)).toEqual({
      ...{ D1: '', D2: 'Benches', D3: 'High', D4: 'Benches' },
      ...{ X1: 'Work', L1: 'Work', L2: 'Floor lamps' },
    });
    expect(await categoriesIn(folders, 'work')).toEqual({ X1: '', L1: '', L2: 'Floor lamps' });
  });

  it('are the first ones of articles that are in several folders', async () => {
    const folders = {
      '': [top],
      top: [series],
      series: [article('D1'), node('b', { text: 'B' }), node('a', { text: 'A' })],
      b: [article('D1')],
      a: [article('D1')],
    };
    expect(await categoriesIn(folders)).toEqual({ D1: 'B' });
  });

  it('are not known of articles that no folder lists', async () => {
    const found = { ...reader({}), search: async () => [article('D1', OWNER)] };
    const source = { kind: 'search', manufacturer: 'ACME', query: 'D1' } as const;
    const { names } = await selectArticles([source], found);
    expect(names).toMatchObject([{ program: 'DESK' }]);
    expect(names![0]).not.toHaveProperty('categories');
  });
});

describe('selectArticles', () => {
  it('lists what exists if a catalogue selects nothing', async () => {
    const problems = async (more: object) => {
      const { warnings } = await selectArticles([{ ...TOP, ...more }], reader(FOLDERS));
      return warnings.filter(({ code }) => code !== 'CATALOGUE_CIRCULAR');
    };
    const empty = (message: string) => [{ code: 'CATALOGUE_EMPTY', message }];
    expect(await problems({ manufacturers: ['ACNE', 'X*'] })).toEqual(
      empty(
        'the catalogue has no manufacturer that matches ACNE, X*; it has ACME, BETA; did you mean "ACME"?',
      ),
    );
    expect(await problems({ manufacturers: ['ACME'], programs: ['DISK'] })).toEqual(
      empty('the catalogue has no series that matches DISK; it has DESK; did you mean "DESK"?'),
    );
    expect(await problems({ parentnode: 'a1', manufacturers: ['BETA'] })).toEqual(
      empty('catalogue a1 has no article that matches the entry'),
    );
    expect(await problems({ manufacturers: ['ACME'] })).toEqual([]);
  });

  it('names each glob that matches nothing, also where others do', async () => {
    const source = { ...TOP, manufacturers: ['ACME', 'ACNE'], programs: ['D*', 'DISK'] };
    const { articles, warnings } = await selectArticles([source], reader(FOLDERS));
    expect(articles).not.toHaveLength(0);
    expect(warnings.filter(({ code }) => code === 'CATALOGUE_EMPTY')).toEqual([
      {
        code: 'CATALOGUE_EMPTY',
        message:
          'the catalogue has no manufacturer that matches ACNE; it has ACME, BETA; did you mean "ACME"?',
      },
      {
        code: 'CATALOGUE_EMPTY',
        message: 'the catalogue has no series that matches DISK; it has DESK; did you mean "DESK"?',
      },
    ]);
  });

  it('names a manufacturer of which no article is selected, because another glob excludes its series', async () => {
    const source = { ...TOP, manufacturers: ['ACME', 'BETA'], programs: ['DESK'] };
    const { warnings } = await selectArticles([source], reader(FOLDERS));
    expect(warnings.filter(({ code }) => code === 'CATALOGUE_EMPTY')).toEqual([
      {
        code: 'CATALOGUE_EMPTY',
        message: 'the catalogue has no article of the manufacturer BETA that matches the entry',
      },
    ]);
  });

  it('fails for articles without manufacturer, series or number, which are not known', async () => {
    const folders = { '': [article('D1'), article('D2', { manufacturer: 'ACME' })] };
    const catalogue = await selectArticles([TOP], reader(folders));
    expect([catalogue.articles, catalogue.failures.map(({ message }) => message)]).toEqual([
      [],
      [
        'expected the manufacturer of an article, received nothing of "D1"',
        'expected the series of an article, received nothing of "D2"',
      ],
    ]);
    const found = { ...reader(folders), search: async () => [article('', OWNER), article('S')] };
    const source = { kind: 'search', manufacturer: 'ACME', query: 'x' } as const;
    const search = await selectArticles([source], found);
    expect(search.failures).toMatchObject([
      { what: 'search ACME "x"', code: 'RESPONSE_INVALID' },
      { what: 'search ACME "x"', code: 'RESPONSE_INVALID' },
    ]);
    expect(search.unread).toEqual([
      { manufacturer: 'ACME', program: '' },
      { manufacturer: 'ACME', program: '' },
    ]);
  });

  it('lists the catalogue in reading order, though folders contain themselves', async () => {
    const catalogue = reader(FOLDERS);
    const { articles, failures, warnings } = await selectArticles([TOP], catalogue);
    expect(numbers(articles)).toEqual(['ACME D1', 'ACME D2', 'BETA L1', 'ACME S1']);
    expect(articles[1]).toEqual({
      request: acme('D2', { finalarticlenumber: 'D2-X' }),
      why: ['catalogue a / a1', 'catalogue a'],
    });
    expect(catalogue.asked.sort()).toEqual(['', 'a', 'a1', 'b', 'shared']);
    expect(failures).toEqual([
      {
        what: 'a node in catalogue shared',
        selectedBy: ['articles, entry 1 of the pipeline file'],
        code: 'RESPONSE_INVALID',
        message: 'expected the number of an article, received nothing',
      },
    ]);
    expect(warnings).toEqual([
      {
        code: 'CATALOGUE_CIRCULAR',
        message: 'catalogue a1 contains a, which contains it: it is read once',
      },
      {
        code: 'CATALOGUE_CIRCULAR',
        message: 'catalogue a1 contains a1, which contains it: it is read once',
      },
    ]);
  });

  it('fails for folders beyond 64 in one another, whose articles are not known', async () => {
    const folders = Object.fromEntries(
      Array.from({ length: 70 }, (_, depth) => [
        depth === 0 ? '' : `f${depth}`,
        [node(`f${depth + 1}`, OWNER), article(`D${depth}`, OWNER)],
      ]),
    );
    const { articles, failures, unread } = await selectArticles([TOP], reader(folders));
    expect(articles).toHaveLength(65);
    expect(failures).toMatchObject([
      {
        what: 'catalogue f65',
        code: 'RESPONSE_INVALID',
        message: expect.stringMatching(/^expected at most 64 folders/),
      },
    ]);
    expect(unread).toEqual([{ manufacturer: 'ACME', program: 'DESK' }]);
  });

  it('names folders by their labels, by an id only where no label is known', async () => {
    const named = (nodeid: string, text: string) => node(nodeid, { ...OWNER, text });
    const folders = {
      '': [named('1', 'Acme'), { ...article('TOP'), ...OWNER }],
      1: [named('2', ' Desks\n'), named('3', '')],
      2: [article('D1')],
      3: [article('D2')],
    };
    const why = async (parentnode: string) =>
      (await select([{ ...TOP, parentnode }], reader(folders))).flatMap((one) => one.why);
    expect(await why('')).toEqual([
      'catalogue Acme / Desks',
      'catalogue Acme / 3',
      'the top of the catalogue',
    ]);
    expect(await why('1')).toEqual(['catalogue 1 / Desks', 'catalogue 1 / 3']);
  });

  it('keeps that order however fast folders answer', async () => {
    const expected = await selectArticles([TOP], reader(FOLDERS));
    for (const delays of [
      [9, 0],
      [0, 9, 3],
      [5, 4, 3, 2, 1],
    ]) {
      expect(await selectArticles([TOP], reader(FOLDERS, delays))).toEqual(expected);
    }
  });

  it('leaves folders of other manufacturers and series closed', async () => {
    const catalogue = reader(FOLDERS);
    const source = { ...TOP, manufacturers: ['ac*'], programs: ['D?SK'] };
    expect(numbers(await select([source], catalogue))).toEqual(['ACME D1', 'ACME D2']);
    expect(catalogue.asked.sort()).toEqual(['', 'a', 'a1']);
    expect(await select([{ ...TOP, manufacturers: ['X'] }], catalogue)).toEqual([]);
  });

  it('merges sources in their order, each article once, with every reason', async () => {
    const rows = [
      acme('D9'),
      acme('D1'),
      acme('D9', { program: 'desk' }),
      acme('D9', { reinitstring: 'x::' }),
    ].map((request, index) => ({ request, line: index + 2 }));
    const selected = await select(
      [
        { kind: 'list', name: 'articles.csv', rows },
        { kind: 'catalogue', parentnode: 'a1' },
        { kind: 'article', ...acme('D9') },
        { kind: 'article', ...acme('Z') },
      ],
      reader({ ...FOLDERS, a1: [article('D1', { manufacturer: 'ACME', program: 'DESK' })] }),
    );
    const reasons = selected.map(({ request, why }) => `${request.basearticlenumber} ${why}`);
    expect(reasons).toEqual([
      'D9 articles.csv:2,articles.csv:4,article of the pipeline file',
      'D1 articles.csv:3,catalogue a1',
      'D9 articles.csv:5',
      'Z article of the pipeline file',
    ]);
    expect(selected.flatMap(({ alike = [] }) => alike)).toEqual([]);
  });

  it('ends with an error of the program itself', async () => {
    const catalogue = reader({ ...FOLDERS, '': [...FOLDERS[''], node('unread')] });
    await expect(select([TOP], catalogue)).rejects.toThrow('unread');
  });

  it('continues without what cannot be read, and says which part of the range that is', async () => {
    const top = [node('b', OWNER), node('', { manufacturer: 'BETA' }), article('D1', OWNER)];
    const catalogue = reader({ '': top, b: 'gone', c: 'gone' });
    catalogue.search = () => Promise.reject(new ConverterError('HTTP_STATUS', 'status 500'));
    const { articles, failures, unread } = await selectArticles(
      [
        TOP,
        { kind: 'catalogue', parentnode: 'c' },
        { kind: 'search', manufacturer: 'ACME', query: 'desk' },
      ],
      catalogue,
    );
    expect(numbers(articles)).toEqual(['ACME D1']);
    expect(catalogue.asked.filter((id) => id === '')).toHaveLength(1);
    const entry = (n: number) => ({ selectedBy: [`articles, entry ${n} of the pipeline file`] });
    expect(failures).toEqual([
      { what: 'catalogue b', ...entry(1), code: 'NODE_NOT_FOUND', message: 'no b' },
      {
        what: 'a node in the top of the catalogue',
        ...entry(1),
        code: 'RESPONSE_INVALID',
        message: 'expected the id of a folder, received nothing',
      },
      { what: 'catalogue c', ...entry(2), code: 'NODE_NOT_FOUND', message: 'no c' },
      { what: 'search ACME "desk"', ...entry(3), code: 'HTTP_STATUS', message: 'status 500' },
    ]);
    expect(unread).toEqual([
      OWNER,
      { manufacturer: 'BETA', program: '' },
      { manufacturer: '', program: '' },
      { manufacturer: 'ACME', program: '' },
    ]);
  });

  it('says of a search that it finds nothing', async () => {
    const source = { kind: 'search', manufacturer: 'ACME', query: 'x"' } as const;
    expect(await selectArticles([source], reader(FOLDERS))).toEqual({
      articles: [],
      failures: [],
      warnings: [{ code: 'SEARCH_EMPTY', message: 'search ACME "x\\"" finds no article' }],
      unread: [],
      names: [],
    });
  });

  it('searches and browses the service, and caches both', async () => {
    const bench = await openFetchBench(smallRange([{ number: 'D1' }, { number: 'D2' }]));
    const sources = [{ kind: 'search', manufacturer: 'ACME', query: '2' } as const, TOP];
    const selected = await select(sources, bench.fetcher('2024-05-15'));
    expect(selected.map(({ request, why }) => `${request.finalarticlenumber} ${why}`)).toEqual([
      'D2-STD search ACME "2",catalogue Desks',
      'D1-STD catalogue Desks',
    ]);
    bench.requests();
    expect(await select(sources, bench.fetcher('2024-05-16'))).toEqual(selected);
    expect(bench.requests()).toEqual({ getnodes: 1 });
  });
});

const chosen = (why: string, more: Partial<ArticleRequest>, number = 'D1'): SelectedArticle => ({
  request: acme(number, more),
  why: [why],
});

/** Resolves a request without a reinit string to the default, `F0`. */
function service() {
  const asked: ArticleRequest[] = [];
  const resolve = async (request: ArticleRequest) => {
    asked.push(request);
    if (request.finalarticlenumber === 'GONE')
      throw new ConverterError('ARTICLE_NOT_FOUND', 'none');
    const reinitstring = request.reinitstring || 'default::';
    const finalarticlenumber = reinitstring === 'default::' ? 'F0' : 'F1';
    return { key: { ...request, finalarticlenumber, reinitstring } };
  };
  return { asked, resolve };
}

it.runIf(IS_LONG)(
  'selects 200,000 articles of one folder, more than a call has parameters',
  async () => {
    const range = { manufacturer: 'ACME', program: 'DESK' };
    const listed = Array.from({ length: 200_000 }, (_, n) => article(`D${n}`, range));
    const { articles } = await selectArticles([TOP], reader({ '': listed }));
    expect(articles).toHaveLength(200_000);
    const notResolved = () => Promise.reject(new Error('they differ'));
    expect(await distinctArticles(articles, notResolved)).toHaveLength(200_000);
  },
);

describe('distinctArticles', () => {
  it('makes one of all spellings of a configuration, at the place of the first', async () => {
    const { resolve, asked } = service();
    const list = chosen('list', { reinitstring: 'default::' });
    const catalogue = chosen('catalogue', { finalarticlenumber: 'F0' });
    const other = chosen('cart', { finalarticlenumber: 'F1', reinitstring: 'b::' });
    const lamp = chosen('catalogue', { finalarticlenumber: 'L' }, 'L1');
    expect(await distinctArticles([list, other, lamp, catalogue], resolve)).toEqual([
      { request: list.request, why: ['list', 'catalogue'], alike: [catalogue.request] },
      other,
      lamp,
    ]);
    expect(asked).toEqual([list.request, catalogue.request]);
  });

  it('requests nothing if all of them differ for certain', async () => {
    const { resolve, asked } = service();
    const articles = ['a::', 'b::', 'c::'].map((reinitstring) => chosen('list', { reinitstring }));
    expect(await distinctArticles(articles, resolve)).toEqual(articles);
    expect(asked).toEqual([]);
  });

  it('leaves what cannot be resolved as it is, and stops where the run has to', async () => {
    const { resolve } = service();
    const gone = chosen('list', { finalarticlenumber: 'GONE' });
    const any = chosen('article', {});
    expect(await distinctArticles([gone, any], resolve)).toEqual([gone, any]);
    const dead = () => Promise.reject(new ConverterError('TOKEN_DIED', 'dead'));
    await expect(distinctArticles([gone, any], dead)).rejects.toMatchObject({ code: 'TOKEN_DIED' });
  });

  it('takes linear time for spellings that differ, and for equal ones', async () => {
    const key = acme('D1');
    const same = async () => ({ key });
    const spellings = (form: (index: number) => Partial<ArticleRequest>) => (size: number) =>
      Array.from({ length: size }, (_, index) => chosen('cart', form(index)));
    const different = spellings((index) => ({ reinitstring: `${index}::` }));
    await expectLinear(2_000, different, async (articles) => {
      expect(await distinctArticles(articles, same)).toHaveLength(articles.length);
    });
    const equal = spellings((index) => ({
      [index % 2 ? 'reinitstring' : 'finalarticlenumber']: `${index}`,
    }));
    await expectLinear(1000, equal, async (articles) => {
      expect(await distinctArticles(articles, same)).toHaveLength(1);
    });
  });
});
