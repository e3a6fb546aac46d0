import { describe, expect, test } from 'vitest';
import type { Article, ArticleKey } from '../../../src/model/article.ts';
import type { ManifestLine } from '../../../src/model/asset.ts';
import {
  indexPrevious,
  manifestLines,
  type Outcome,
} from '../../../src/pipeline/manifest-lines.ts';
import { mergeManifest } from '../../../src/write/merge-manifest.ts';

const key = (basearticlenumber: string, finalarticlenumber = ''): ArticleKey => ({
  manufacturer: 'ACME',
  program: 'DESK',
  basearticlenumber,
  finalarticlenumber,
  reinitstring: '',
  metareinitstring: '',
});
const ARTICLE = { ocd: { convertdate: '2024-05-14' } } as Article;
const BUILT = {
  sha256: 'a'.repeat(64),
  bytes: 10,
  triangles: 12,
  drawCalls: 1,
  materials: 1,
  textures: 0,
  boundsMetres: { min: [0, 0, 0], max: [1, 1, 1] },
  losses: [],
  warnings: [],
} as const;
const good = (request: ArticleKey, resolved: ArticleKey): Outcome => ({
  request,
  status: 'converted',
  key: resolved,
  article: ARTICLE,
  source: 's',
  built: structuredClone(BUILT) as never,
});
const bad = (request: ArticleKey, resolved?: ArticleKey): Outcome => ({
  request,
  status: 'failed',
  key: resolved,
  error: { code: 'HTTP_STATUS', message: 'the service answered with status 500' },
});
const NONE = indexPrevious([]);
const published = (line: ManifestLine): ManifestLine => ({ ...line, glb: 'articles/x.glb' });

describe('the lines of a run', () => {
  test('two requests that resolve alike are one line, whose `requested` lists both', () => {
    const resolved = key('D1', 'D1-OAK');
    const lines = manifestLines([good(resolved, resolved), good(key('D1'), resolved)], NONE);
    expect(lines).toHaveLength(1);
    expect(lines[0]!.requested).toEqual([key('D1'), resolved]);
  });

  test('a failed configuration has no GLB, and keeps what it had as lastGood', () => {
    const resolved = key('D1', 'D1-OAK');
    const [before] = manifestLines([good(key('D1'), resolved)], NONE).map(published);
    const [line] = manifestLines([bad(key('D1'))], indexPrevious([before!]));
    expect(line).toMatchObject({ ...resolved, status: 'failed' });
    expect(line!.glb).toBeUndefined();
    expect(line!.lastGood).toEqual({ glb: 'articles/x.glb', sha256: BUILT.sha256 });
    const [next] = manifestLines([bad(key('D1'))], indexPrevious([line!]));
    expect(next!.lastGood).toEqual(line!.lastGood);
  });

  test('a line is good where one of its requests is, and says that another failed', () => {
    const resolved = key('D1', 'D1-OAK');
    const [line] = manifestLines([bad(resolved, resolved), good(key('D1'), resolved)], NONE);
    expect(line).toMatchObject({ status: 'converted', warnings: [{ code: 'REQUEST_FAILED' }] });
  });

  test('a request that was never resolved stands under its own identity', () => {
    expect(manifestLines([bad(key('D1'))], NONE)).toMatchObject([
      { ...key('D1'), status: 'failed', error: { code: 'HTTP_STATUS' }, source: '' },
    ]);
  });
});

describe('merging', () => {
  const one = manifestLines([good(key('D1'), key('D1', 'D1-A'))], NONE);
  const two = manifestLines([good(key('D2'), key('D2', 'D2-A'))], NONE);

  test('a full run drops what it no longer selects', () => {
    expect(mergeManifest([...one, ...two], two, false)).toEqual(two);
  });

  test('a partial run replaces only the lines that it selected', () => {
    const fresh = [{ ...two[0]!, status: 'unchanged' as const }];
    expect(mergeManifest([...one, ...two], fresh, true)).toEqual([...one, ...fresh]);
  });

  test('a partial run takes a line away whose only request resolves elsewhere now', () => {
    const moved = manifestLines([good(key('D1'), key('D1', 'D1-B'))], NONE);
    expect(mergeManifest(one, moved, true)).toEqual(moved);
  });

  test('a request that was not selected stays listed with its configuration', () => {
    const resolved = key('D1', 'D1-A');
    const both = manifestLines([good(key('D1'), resolved), good(resolved, resolved)], NONE);
    const [line] = mergeManifest(both, one, true);
    expect(line!.requested).toEqual([key('D1'), resolved]);
  });
});
