import { expect, it } from 'vitest';
import { configurationKey } from '../../../../src/model/configuration-id.ts';
import type { CatalogueEntry, CatalogueNames } from '../../../../src/run/lists/manifest-line.ts';
import {
  catalogueDigests,
  changesBetween,
  type PublishedLine,
} from '../../../../src/run/output/changes.ts';

const line = (number: string, files: Record<string, string>): PublishedLine => ({
  ...{ manufacturer: 'ACME', program: 'DESK', basearticlenumber: number },
  ...{ finalarticlenumber: '', reinitstring: '', metareinitstring: '' },
  files: Object.entries(files).map(([path, sha256]) => ({ delivery: 'articles', path, sha256 })),
});
const publication = (...lines: PublishedLine[]) =>
  new Map(lines.map((each) => [configurationKey(each), each]));
const urlOf = (path: string) => `https://cdn.example/${path}`;
const brief = (...parameters: Parameters<typeof changesBetween>) =>
  Array.from(changesBetween(...parameters), ({ change, basearticlenumber, files }) => [
    `${change} ${basearticlenumber}`,
    ...files.map((file) => `${file.change} ${file.path} ${file.sha256}`),
  ]);

it('lists new, changed and removed configurations with the files that differ', () => {
  const before = publication(
    line('D1', { 'd1.glb': 'a' }),
    line('D2', { 'd2.glb': 'b', 'd2.jpg': 'c' }),
    line('D3', { 'd3.glb': 'd' }),
  );
  const now = publication(
    line('D4', { 'd4.glb': 'e' }),
    line('D3', { 'd3.glb': 'd' }),
    line('D2', { 'd2.glb': 'B', 'd2.webp': 'f' }),
  );
  expect(brief(before, now)).toEqual([
    ['removed D1', 'removed d1.glb a'],
    ['changed D2', 'changed d2.glb B', 'new d2.webp f', 'removed d2.jpg c'],
    ['new D4', 'new d4.glb e'],
  ]);
  const [first] = changesBetween(before, now, urlOf);
  expect(first!.files[0]!.url).toBe('https://cdn.example/d1.glb');
});

it('lists nothing between equal publications, and everything after none', () => {
  const all = publication(line('D2', { 'd2.glb': 'b' }), line('D1', { 'd1.glb': 'a' }));
  expect(brief(all, all)).toEqual([]);
  expect(brief(new Map(), all).map(([change]) => change)).toEqual(['new D1', 'new D2']);
});

type Entry = CatalogueEntry & CatalogueNames;

const entry = (given: Partial<Entry> = {}): Entry => ({
  ...{ manufacturername: 'Acme', programname: 'Desks', category: '' },
  ...{ shorttext: 'Desk', longtext: '', varianttext: '', price: 99, currency: 'EUR' },
  ...{ pricecomponents: null, properties: [], complete: true, missing: [] },
  ...given,
});

it.each<[string, Partial<Entry>[], string[]]>([
  ['nothing', [{}], []],
  ['a price', [{ price: 100 }], ['price']],
  ['a currency', [{ currency: 'CHF' }], ['price']],
  ['a text', [{ longtext: 'of oak' }], ['text']],
  ['the name of a series', [{ programname: 'Tables' }], ['text']],
  ['a category', [{ category: 'Sit-stand desks' }], ['text']],
  ['a value that is missing', [{ missing: ['C.P'], complete: false }], ['properties']],
  ['a language with other texts and the same price', [{}, { shorttext: 'Tisch' }], ['text']],
])('of texts says what differs: %s', (_, entries, what) => {
  const of = (all: readonly Entry[]) =>
    publication({ ...line('D1', { 'd1.glb': 'a' }), ...catalogueDigests(all) });
  const found = [...changesBetween(of([entry()]), of(entries.map(entry)))];
  expect(found.map((change) => [change.change, change.what])).toEqual(
    what.length === 0 ? [] : [['changed', what]],
  );
});

it('tells files of pictures and of other deliveries apart, and all parts of what is new', () => {
  const files = ['articles', 'pictures', 'web'].map((delivery) => {
    return { delivery, path: `${delivery}/d1`, sha256: 'a' };
  });
  const now = { ...line('D1', {}), files, ...catalogueDigests([entry()]) };
  const whatSince = (before: PublishedLine[]) =>
    Array.from(changesBetween(publication(...before), publication(now)), ({ what }) => what);
  expect(whatSince([])).toEqual([['model', 'picture', 'delivery', 'price', 'text', 'properties']]);
  const without = (delivery: string) => ({
    ...now,
    files: files.filter((file) => file.delivery !== delivery),
  });
  expect(whatSince([without('pictures')])).toEqual([['picture']]);
  expect(whatSince([without('web')])).toEqual([['delivery']]);
});

it('a line of an older version, which has no texts, differs by its files only', () => {
  const old = line('D1', { 'd1.glb': 'a' });
  const now = publication({ ...old, ...catalogueDigests([entry()]) });
  expect([...changesBetween(publication(old), now)]).toEqual([]);
});

it('a line without names or category has the digests of an older one, which has no fields for them', () => {
  const { category: _category, ...uncategorized } = entry();
  expect(catalogueDigests([entry()])).toEqual(catalogueDigests([uncategorized as Entry]));
  const { manufacturername: _, programname: __, ...older } = uncategorized;
  const unnamed = entry({ manufacturername: '', programname: '' });
  expect(catalogueDigests([unnamed])).toEqual(catalogueDigests([older as Entry]));
});
