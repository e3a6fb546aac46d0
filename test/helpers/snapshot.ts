/**
 * A snapshot of one article made in sight: its parts list, blocks and images as the service would
 * send them, with the way from it to a scene.
 */
import { createHash } from 'node:crypto';
import type { ContentReader } from '../../src/convert/model/input.ts';
import type { Scene } from '../../src/convert/model/scene.ts';
import {
  CONVERT_DEFAULTS,
  type ConvertOptions,
} from '../../src/convert/transform/convert-options.ts';
import { createMeshCache, type MeshCache } from '../../src/convert/transform/mesh-cache.ts';
import { transformArticle } from '../../src/convert/transform/transform-article.ts';
import { canonicalName } from '../../src/convert/wire/value.ts';
import type { ArticleKey } from '../../src/model/article.ts';
import type { ArticleSnapshot, Fetched } from '../../src/model/snapshot.ts';
import { sharpImageCodec } from '../../src/support/image-codec.ts';
import { articleKeyOf } from './article-key.ts';
import { BOX_TRIANGLES, body, boxPoints } from './graphics.ts';

/** What an article is made of. */
export interface MadeArticle {
  btg: unknown[];
  mats?: unknown[];
  /** Bodies by block name; a block that is not there is missing. */
  blocks?: Record<string, unknown>;
  /** Bodies by reference as a material spells it; undefined is a 404. */
  images?: Record<string, Uint8Array | undefined>;
}

/** The body of a box of one metre. */
export const BOX_BODY = { V: boxPoints(), A: [{ F: BOX_TRIANGLES }] };

/** The bodies that a service sent for one article; one that is undefined is a 404. */
export interface Bodies {
  partsList: Uint8Array;
  /** By canonical name. */
  blocks: ReadonlyMap<string, Uint8Array | undefined>;
  /** By reference. */
  images: ReadonlyMap<string, Uint8Array | undefined>;
}

/** A snapshot, what reads its bodies, and how often each was read. */
export function snapshotOf({ partsList, ...others }: Bodies, key: ArticleKey) {
  const bodies = new Map<string, Uint8Array>();
  const reads: string[] = [];
  const put = (bytes: Uint8Array) => {
    const digest = createHash('sha256').update(bytes).digest('hex');
    bodies.set(digest, bytes);
    return digest;
  };
  const fetched = (bytes: Uint8Array | undefined): Fetched =>
    bytes
      ? { digest: put(bytes), bytes: bytes.length }
      : { missing: { code: 'IMAGE_MISSING', message: 'status 404' } };
  const allOf = (map: Bodies['blocks']) =>
    new Map(Array.from(map, ([name, bytes]) => [name, fetched(bytes)]));
  const snapshot = {
    key,
    article: {} as ArticleSnapshot['article'],
    articleDigest: put(body({})),
    partsList: put(partsList),
    blocks: allOf(others.blocks),
    images: allOf(others.images),
    warnings: [],
  } satisfies ArticleSnapshot;
  const read: ContentReader = async (digest) => {
    reads.push(digest);
    return bodies.get(digest)!;
  };
  return { snapshot, read, reads };
}

/** The snapshot of an article made in sight. */
export function makeSnapshot({ btg, mats = [], blocks = {}, images = {} }: MadeArticle) {
  const named = Object.entries(blocks).map(
    ([name, value]) => [canonicalName(name), body(value)] as const,
  );
  const bodies: Bodies = {
    partsList: body({ btg, mats, blocks: Object.keys(blocks) }),
    blocks: new Map(named),
    images: new Map(Object.entries(images)),
  };
  return snapshotOf(bodies, articleKeyOf('T1', { finalarticlenumber: 'T1' }));
}

/** What a snapshot is transformed with, beside its reader. */
export function transformedWith(
  options: Partial<ConvertOptions> = {},
  cache: MeshCache = createMeshCache(),
) {
  return {
    options: { ...CONVERT_DEFAULTS, ...options },
    images: sharpImageCodec(),
    cache,
    loadTangents: async () =>
      (await import('../../src/run/conversions/tangent-generator.ts')).loadTangentGenerator(),
  };
}

/** The scene of an article made in sight. */
export function sceneOf(
  article: MadeArticle,
  options?: Partial<ConvertOptions>,
  cache?: MeshCache,
): Promise<Scene> {
  return transformArticle({ ...makeSnapshot(article), ...transformedWith(options, cache) });
}
