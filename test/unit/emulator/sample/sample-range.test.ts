import { describe, expect, it } from 'vitest';
import { createSampleRange } from '../../../../src/emulator/sample/sample-range.ts';
import {
  configurationsCsv,
  SAMPLE_CONFIGURATIONS,
} from '../../../helpers/sample-configurations.ts';
import { allArticles, allRequests, articleOf, type Wire } from '../../../helpers/sample-range.ts';

const range = createSampleRange();
const requests = allRequests(range);

describe('the catalogue of the sample range', () => {
  it('has at least 3 manufacturers, 8 series and 60 articles', () => {
    const root = range.nodes('')!;
    const series = root.flatMap(({ nodeid }) => range.nodes(String(nodeid))!);
    expect(root.length).toBeGreaterThanOrEqual(3);
    expect(series.filter(({ nodetype }) => nodetype === 'F').length).toBeGreaterThanOrEqual(8);
    expect(allArticles(range).length).toBeGreaterThanOrEqual(60);
  });

  it('gives the conversion date on the top level only', () => {
    const root = range.nodes('')!;
    for (const node of root) expect(node.convertdate).toMatch(/^20\d\d-\d\d-\d\d$/);
    for (const node of allArticles(range)) expect(node.convertdate).toBeUndefined();
  });

  it('has a path to each folder, article and info node, and nothing below the last two', () => {
    const [first] = range.nodes('')!;
    const children = range.nodes(String(first!.nodeid))!;
    const pathToSeries = [first!, children[0]!].map(({ nodeid, text }) => ({ nodeid, text }));
    expect(range.breadcrumbs('')).toEqual([]);
    expect(range.breadcrumbs(String(children[0]!.nodeid))).toEqual(pathToSeries);
    for (const node of [...allArticles(range), children.at(-1)!]) {
      expect(range.nodes(node.nodeid)).toEqual([]);
      const { nodeid, text } = node;
      expect(range.breadcrumbs(nodeid)!.at(-1)).toEqual({ nodeid, text });
    }
    const article = allArticles(range)[0];
    expect(range.breadcrumbs(article.nodeid)!.map(({ text }) => text)).toEqual([
      'Fjelmark Büromöbel',
      'LINEA Arbeitstische',
      article.text,
    ]);
  });

  it('names each manufacturer by what it makes, in the language of the reader', () => {
    const texts = (lang: string) => range.nodes('', { lang })!.map(({ text }) => text);
    expect(texts('de')).toEqual(['Fjelmark Büromöbel', 'Brenkhoff Sitzmöbel', 'Aulinde Wohnen']);
    expect(texts('en')).toEqual([
      'Fjelmark office furniture',
      'Brenkhoff seating',
      'Aulinde home furniture',
    ]);
  });

  it('has no folder that it did not name', () => {
    expect(range.nodes('NOWHERE')).toBeUndefined();
    expect(range.breadcrumbs('NOWHERE')).toBeUndefined();
  });

  it('finds articles by the words of number and short text in either language', () => {
    const numbers = (query: string): unknown[] =>
      range.search('FJEL', query).map((node) => node.basearticlenumber);
    expect(numbers('ln-d16')).toEqual(['LN-D160/80']);
    expect(numbers('Rundtisch')).toEqual(['FM-R110']);
    expect(numbers('round table')).toEqual(['FM-R110']);
    expect(numbers('  Table  ROUND')).toEqual(['FM-R110']);
    expect(numbers('r110 table')).toEqual(['FM-R110']);
    expect(numbers('round chair')).toEqual([]);
    expect(numbers(' ')).toEqual([]);
    expect(range.search('BRNK', 'Rundtisch')).toEqual([]);
  });
});

describe('an article of the sample range', () => {
  it('carries a reinit string that ends with :: and gives the same configuration again', () => {
    for (const { article, query } of requests) {
      const { ocd } = article;
      expect(ocd.reinitstring).toMatch(/::$/);
      const again = range.article({ ...query, ocdreinitstring: ocd.reinitstring });
      expect(again).toEqual(article);
    }
  });

  it('is not there for an unknown number, series or reinit string', () => {
    const query = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-D120/80' };
    expect(range.article({ ...query, basearticlenumber: 'LN-D121/80' })).toBeUndefined();
    expect(range.article({ ...query, program: 'DEPOT' })).toBeUndefined();
    expect(range.article({ ...query, ocdreinitstring: 'NONSENSE::' })).toBeUndefined();
    const forged = String(articleOf(range, query).ocd.reinitstring).replace("'EI'", "'XX'");
    expect(range.article({ ...query, ocdreinitstring: forged })).toBeUndefined();
  });

  it('has properties whose current value is one of their values or in their range', () => {
    for (const { article } of requests) {
      for (const { properties } of article.ocd.propclasses) {
        for (const property of properties) {
          const values = property.propertyvalues.map(({ valuefrom }: Wire) => valuefrom);
          const within = ({ valuefrom = -1e9, valueto = 1e9 }: Wire): boolean =>
            Number(property.currentvalue) >= valuefrom && Number(property.currentvalue) <= valueto;
          if (property.ranges.length > 0) {
            expect(property.ranges.some(within)).toBe(true);
          } else if (property.currentvalue !== '') {
            expect(values).toContain(property.currentvalue);
          } else {
            expect(property.obligatory2c).toBe(true);
          }
        }
      }
    }
  });

  it('has a value for each property, children included, whether it is a default or in the demo', () => {
    const incomplete = requests.flatMap(({ query }) => {
      const root = articleOf(range, { ...query, getallproperties: 'true' });
      return [root, ...root.children].flatMap(({ basearticlenumber, ocd, propclasses }: Wire) =>
        [...ocd.propclasses, ...propclasses]
          .flatMap(({ properties }: Wire) => properties)
          .filter(({ visible, currentvalue }: Wire) => visible && currentvalue.trim() === '')
          .map(({ name }: Wire) => `${basearticlenumber} ${name}`)
          .concat(ocd.obligatory2c ? [basearticlenumber] : []),
      );
    });
    expect(incomplete).toEqual([]);
  });

  it('may be one that search alone finds: with messages, without a place in the demo', () => {
    const listed = allArticles(range).map(({ basearticlenumber }) => basearticlenumber);
    const [dumped, planned] = ['DP-R1', 'LN-PLATZ 0'].map((query) => {
      const [node] = range.search('FJEL', query);
      expect(listed).not.toContain(node!.basearticlenumber);
      return articleOf(range, { ...node, lang: 'en' });
    });
    expect(dumped.dump).toContain('no price of DP-R1');
    expect(dumped.ocd).toMatchObject({ articlewithprice: false, price: 0 });
    expect(planned.metamessages).toEqual(['Without a lamp: check the lighting of the workplace.']);
    for (const { article } of requests) {
      expect([article.dump, article.metamessages]).toEqual([undefined, []]);
    }
  });

  it('is identified by nothing but itself', () => {
    const ids = new Set(requests.map(({ article }) => article.id));
    expect(ids.size).toBe(requests.length);
    for (const { article } of requests) expect(article.rootid).toBe(article.id);
  });

  it('has children that belong to it where it is a planning', () => {
    const key = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-PLATZ 1' };
    const planning = articleOf(range, key);
    const programs = planning.children.map(({ program }: Wire) => program);
    expect(programs).toEqual(['LINEA', 'DEPOT', 'FORUM', 'LUMO']);
    for (const child of planning.children) expect(child.rootid).toBe(planning.id);
    expect(planning.reinit).not.toBe('');
  });
});

describe('the configurations of the sample range', () => {
  it('are at least 16 over at least a dozen articles, none of them a default', () => {
    const articles = new Set(SAMPLE_CONFIGURATIONS.map((row) => row.basearticlenumber));
    expect(SAMPLE_CONFIGURATIONS.length).toBeGreaterThanOrEqual(16);
    expect(articles.size).toBeGreaterThanOrEqual(12);
    for (const row of SAMPLE_CONFIGURATIONS) {
      expect(articleOf(range, row).ocd.reinitstring).not.toBe(row.reinitstring);
    }
  });

  it('are those of the demo pipeline, by their final numbers', async () => {
    // Written anew by `vitest -u`.
    await expect(configurationsCsv()).toMatchFileSnapshot(
      '../../../../pipelines/demo-configurations.csv',
    );
    for (const row of SAMPLE_CONFIGURATIONS) {
      const article = articleOf(range, { ...row, ocdreinitstring: row.reinitstring });
      expect(article.ocd.finalarticlenumber).toBe(row.finalarticlenumber);
      expect(article.reinit).toBe(row.metareinitstring);
    }
  });
});

describe('a parts list of the sample range', () => {
  it('is answered only for a final number and a reinit string that belong together', () => {
    const row = SAMPLE_CONFIGURATIONS[0]!;
    expect(range.partsList({ ...row })).toBeDefined();
    expect(range.partsList({ ...row, reinitstring: '' })).toBeUndefined();
    expect(range.partsList({ ...row, finalarticlenumber: 'LN-D160/80' })).toBeUndefined();
    expect(range.partsList({ ...row, metareinitstring: 'WRONG::' })).toBeUndefined();
  });
});
