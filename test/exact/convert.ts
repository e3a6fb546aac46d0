/**
 * Convert: raw bodies through the converter to a GLB, as a black box.
 */
import { createHash } from 'node:crypto';
import type { Article } from '../../src/model/article.ts';
import type { Loss } from '../../src/model/scene.ts';
import type { ArticleSnapshot, Fetched } from '../../src/model/snapshot.ts';
import { sharpImageCodec } from '../../src/support/image-codec.ts';
import { loadTangentGenerator } from '../../src/support/tangent-generator.ts';
import { CONVERT_DEFAULTS, type ConvertOptions } from '../../src/transform/convert-options.ts';
import { createMeshCache } from '../../src/transform/mesh-cache.ts';
import { transformArticle } from '../../src/transform/transform-article.ts';
import { writeGlb } from '../../src/write/glb.ts';

/** The bodies that a service sent for one article. */
export interface Bodies {
  partsList: Uint8Array;
  /** By canonical name; a name without a body is missing. */
  blocks: ReadonlyMap<string, Uint8Array | undefined>;
  /** By image reference. */
  images: ReadonlyMap<string, Uint8Array | undefined>;
}

/** Converts them; holes in the article are left open, and losses are added to the list. */
export async function convert(
  bodies: Bodies,
  options: Partial<ConvertOptions>,
  losses: Loss[] = [],
): Promise<Uint8Array> {
  const byDigest = new Map<string, Uint8Array>();
  const keep = (bytes: Uint8Array): string => {
    const digest = createHash('sha256').update(bytes).digest('hex');
    byDigest.set(digest, bytes);
    return digest;
  };
  const fetched = (bytes: Uint8Array | undefined): Fetched =>
    bytes
      ? { digest: keep(bytes), bytes: bytes.length }
      : { missing: { code: 'BLOCK_MISSING', message: 'not there' } };
  const entries = (map: ReadonlyMap<string, Uint8Array | undefined>) =>
    new Map([...map].map(([name, bytes]) => [name, fetched(bytes)]));
  const snapshot: ArticleSnapshot = {
    key: KEY,
    article: ARTICLE,
    partsList: keep(bodies.partsList),
    blocks: entries(bodies.blocks),
    images: entries(bodies.images),
    warnings: [],
  };
  const scene = await transformArticle({
    snapshot,
    read: async (digest) => byDigest.get(digest)!,
    options: { ...CONVERT_DEFAULTS, allowMissingParts: true, ...options },
    images: sharpImageCodec(),
    loadTangents: loadTangentGenerator,
    cache: createMeshCache(),
  });
  losses.push(...scene.losses);
  return writeGlb(scene);
}

/** Manufacturer and series of the key under which all articles are converted. */
export const SERIES = 'GEN::RANGE';

const KEY = {
  manufacturer: 'GEN',
  program: 'RANGE',
  basearticlenumber: '1',
  finalarticlenumber: '1',
  reinitstring: '',
  metareinitstring: '',
};

const ARTICLE: Article = {
  id: '1',
  rootid: '1',
  manufacturer: 'GEN',
  program: 'RANGE',
  basearticlenumber: '1',
  typename: '',
  reinit: '',
  children: [],
  propclasses: [],
  metamessages: undefined,
  ocd: undefined,
  dump: '',
};
