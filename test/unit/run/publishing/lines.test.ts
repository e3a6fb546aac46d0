import { describe, expect, test } from 'vitest';
import { decodeArticle } from '../../../../src/convert/wire/article.ts';
import type { ArticleKey } from '../../../../src/model/article.ts';
import {
  configurationKey,
  parseConfigurationKey,
  sortConfigurationKeys,
} from '../../../../src/model/configuration-id.ts';
import { type Result, Results } from '../../../../src/run/articles/results.ts';
import type { ManifestLine } from '../../../../src/run/lists/manifest-line.ts';
import { keepUnselected } from '../../../../src/run/output/manifest.ts';
import { catalogueEntries, manifestLine } from '../../../../src/run/publishing/lines.ts';
import { PackedMap } from '../../../../src/support/packed-map.ts';
import { acme } from '../../../helpers/fetch-bench.ts';

const key = (basearticlenumber: string, finalarticlenumber = '') =>
  acme(basearticlenumber, { finalarticlenumber });
const FIGURES = {
  ...{ sha256: 'a'.repeat(64), bytes: 10, triangles: 12, drawCalls: 1, materials: 1, textures: 0 },
  boundsMetres: { min: [0, 0, 0], max: [1, 1, 1] },
};
const BUILT = { ...FIGURES, losses: [], warnings: [] };
/** As its line lists a request that was read. */
const listed = (request: ArticleKey) => ({
  ...request,
  answers: `of ${configurationKey(request)}`,
});
const good = (request: ArticleKey, resolved: ArticleKey): Result => ({
  request,
  status: 'converted',
  key: resolved,
  convertdate: '2024-05-14',
  source: 's',
  answers: listed(request).answers,
  built: structuredClone(BUILT) as never,
  catalogue: {} as never,
  decision: { tier: 'built', why: [] },
});
const bad = (request: ArticleKey, resolved?: ArticleKey): Result => ({
  request,
  status: 'failed',
  key: resolved,
  error: { code: 'HTTP_STATUS', message: 'the service answered with status 500' },
});
const fresh = (request: ArticleKey, resolved: ArticleKey): Result => ({
  request,
  status: 'fresh',
  key: resolved,
});

const packed = (lines: readonly ManifestLine[]) => {
  const map = new PackedMap<ManifestLine>();
  for (const line of lines) map.set(configurationKey(line), line);
  return map;
};

/** The lines that all make, whatever the order in which they come. */
function manifestLines(all: Result[], before: readonly ManifestLine[]): ManifestLine[] {
  const keyByRequest = new Map(
    before.flatMap((line) =>
      line.requested.map((request) => [configurationKey(request), configurationKey(line)]),
    ),
  );
  const lines = packed(before);
  const keyOfRequest = (of: ArticleKey) => keyByRequest.get(configurationKey(of));
  const made = [all.keys(), all.map((_, place) => place).reverse()].map((places) => {
    const results = new Results({ keyOfRequest });
    for (const place of places) results.add(all[place]!, { place, ms: 1 });
    return sortConfigurationKeys(results.keys()).map((name) => {
      const own = results.of(name).map(({ result }) => result);
      return manifestLine(parseConfigurationKey(name), own, lines.get(name));
    });
  });
  expect(made[1]).toEqual(made[0]);
  return made[0]!;
}

function merged(before: readonly ManifestLine[], fresh: readonly ManifestLine[]): ManifestLine[] {
  const lines = packed(fresh);
  keepUnselected(lines, before);
  return sortConfigurationKeys(lines.keys()).map((name) => lines.get(name)!);
}

const NONE: ManifestLine[] = [];
const published = (line: ManifestLine): ManifestLine => ({ ...line, glb: 'articles/x.glb' });

describe('the lines of a run', () => {
  const resolved = key('D1', 'D1-OAK');

  test('two requests of one configuration are one line, whose `requested` lists both', () => {
    const lines = manifestLines([good(resolved, resolved), good(key('D1'), resolved)], NONE);
    expect(lines).toHaveLength(1);
    expect(lines[0]!.requested).toEqual([key('D1'), resolved].map(listed));
  });

  test('a failed configuration has no GLB, and keeps what it had as lastGood, with its figures', () => {
    const [before] = manifestLines([good(key('D1'), resolved)], NONE).map(published);
    const [line] = manifestLines([bad(key('D1'))], [before!]);
    expect(line).toMatchObject({ ...resolved, status: 'failed' });
    expect(line!.glb).toBeUndefined();
    expect(line!.lastGood).toEqual({ glb: 'articles/x.glb', ...FIGURES });
    const [next] = manifestLines([bad(key('D1'))], [line!]);
    expect(next!.lastGood).toEqual(line!.lastGood);
  });

  test('a line is good where one of its requests is, and says that another failed', () => {
    const [line] = manifestLines([bad(resolved, resolved), good(key('D1'), resolved)], NONE);
    expect(line).toMatchObject({ status: 'converted', warnings: [{ code: 'REQUEST_FAILED' }] });
  });

  test('a fresh one keeps its line, but for a failure of the previous run', () => {
    const all = [good(key('D1'), resolved), bad(resolved, resolved)];
    const [before] = manifestLines(all, NONE).map(published);
    expect(before!.warnings).toMatchObject([{ code: 'REQUEST_FAILED' }]);
    const [line] = manifestLines([fresh(key('D1'), resolved)], [before!]);
    const kept = { ...before, status: 'unchanged', warnings: [] };
    expect(line).toEqual({ ...kept, requested: [listed(key('D1'))] });
  });

  test('a request that was never resolved has its own identity', () => {
    expect(manifestLines([bad(key('D1'))], NONE)).toMatchObject([
      { ...key('D1'), status: 'failed', error: { code: 'HTTP_STATUS' }, source: '' },
    ]);
  });
});

describe('the catalogue', () => {
  const articleOf = (answer: object) =>
    decodeArticle(new TextEncoder().encode(JSON.stringify({ id: '1', children: [], ...answer })));
  const ocd = (more: object) => ({ id: '1', finalarticlenumber: 'D1', ...more });

  test('has texts as they are received', () => {
    const longtext = 'Zeile\n'.repeat(1000);
    const article = articleOf({ ocd: ocd({ longtext }) });
    const { entries, warnings } = catalogueEntries([article], 100_000);
    expect(entries[0]!.longtext).toBe(longtext);
    expect(warnings).toEqual([]);
  });

  test('cuts long texts and lists, and says so in one warning', () => {
    const long = 'x'.repeat(100_000);
    const property = { text: 'x'.repeat(60), visible: true };
    const properties = Array.from({ length: 10_000 }, (_, at) => ({ name: `P${at}`, ...property }));
    const hostile = articleOf({
      ocd: ocd({ longtext: long, shorttext: long, pricecomponents: [long] }),
      propclasses: [{ name: 'C', text: 'C', properties }],
    });
    const { entries, warnings } = catalogueEntries([hostile], 1000);
    expect(entries[0]).toMatchObject({ pricecomponents: null });
    expect(entries[0]!.longtext).toMatch(/^x+… \(100000 characters\)$/);
    expect(entries[0]!.properties).toHaveLength(2000);
    expect(JSON.stringify(entries).length).toBeLessThan(400_000);
    expect(warnings).toEqual([
      { code: 'TEXT_CUT', message: expect.stringContaining('limits.maxTextCharacters (1000)') },
    ]);
  });

  test('has no price components that are nested too deep to write', () => {
    const answer = JSON.stringify({ id: '1', children: [], ocd: ocd({ pricecomponents: 1 }) });
    const deep = `"pricecomponents":${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const body = new TextEncoder().encode(answer.replace('"pricecomponents":1', deep));
    const { entries } = catalogueEntries([decodeArticle(body)], 1_000_000);
    expect(entries[0]!.pricecomponents).toBeNull();
  });
});

describe('merging', () => {
  const one = manifestLines([good(key('D1'), key('D1', 'D1-A'))], NONE);
  const two = manifestLines([good(key('D2'), key('D2', 'D2-A'))], NONE);

  test('a partial run replaces only the lines that it selected', () => {
    const fresh = [{ ...two[0]!, status: 'unchanged' as const }];
    expect(merged([...one, ...two], fresh)).toEqual([...one, ...fresh]);
  });

  test('a partial run removes a line whose only request resolves to another configuration now', () => {
    const moved = manifestLines([good(key('D1'), key('D1', 'D1-B'))], NONE);
    expect(merged(one, moved)).toEqual(moved);
  });

  test('a request that was not selected stays listed with its configuration', () => {
    const resolved = key('D1', 'D1-A');
    const both = manifestLines([good(key('D1'), resolved), good(resolved, resolved)], NONE);
    const [line] = merged(both, one);
    expect(line!.requested).toEqual([key('D1'), resolved].map(listed));
  });
});
