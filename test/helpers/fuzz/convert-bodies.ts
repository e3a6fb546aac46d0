/** Convert bodies: the whole chain in one process: decode → snapshot → transform → GLB. */
import { createHash } from 'node:crypto';
import { CONVERT_DEFAULTS } from '../../../src/convert/transform/convert-options.ts';
import type { MeshCache } from '../../../src/convert/transform/mesh-cache.ts';
import { transformArticle } from '../../../src/convert/transform/transform-article.ts';
import { decodeArticle } from '../../../src/convert/wire/article.ts';
import { decodeBlock } from '../../../src/convert/wire/block.ts';
import { decodePartsList } from '../../../src/convert/wire/parts-list.ts';
import { checkImage } from '../../../src/convert/wire/resource.ts';
import { writeGlb } from '../../../src/convert/write/glb.ts';
import type { ArticleSnapshot, Fetched } from '../../../src/model/snapshot.ts';
import { loadTangentGenerator } from '../../../src/run/conversions/tangent-generator.ts';
import { missingBecause } from '../../../src/source/cache/missing-body.ts';
import { graphicsRequests } from '../../../src/source/fetch/requests.ts';
import { resolveKey } from '../../../src/source/fetch/resolve-article.ts';
import { asConverterError, ConverterError } from '../../../src/support/errors.ts';
import { sharpImageCodec } from '../../../src/support/image-codec.ts';
import type { Bodies } from './seeds.ts';

const REQUEST = {
  manufacturer: 'GEN',
  program: 'RANGE',
  basearticlenumber: '1',
  finalarticlenumber: '',
  reinitstring: '',
  metareinitstring: '',
};

/**
 * Converts an article as a run does.
 *
 * @param cache - Shared by all articles of a run.
 * @param checked - Whether blocks and images are checked as they come in, as the client does; if not,
 * they are as a store may hold them.
 */
export async function convertBodies(
  bodies: Bodies,
  cache: MeshCache,
  checked: boolean,
): Promise<Uint8Array> {
  const byDigest = new Map<string, Uint8Array>();
  const keep = (bytes: Uint8Array): string => {
    const digest = createHash('sha256').update(bytes).digest('hex');
    byDigest.set(digest, bytes);
    return digest;
  };
  const fetched = (
    bytes: Uint8Array | undefined,
    check: (bytes: Uint8Array) => unknown,
    subject: string,
  ): Fetched => {
    try {
      if (bytes === undefined) throw new ConverterError('BLOCK_MISSING', subject);
      if (checked) check(bytes);
      return { digest: keep(bytes), bytes: bytes.length };
    } catch (error) {
      const known = asConverterError(error);
      if (known.code === 'INTERNAL') throw error;
      return { missing: missingBecause(known, subject) };
    }
  };
  const article = decodeArticle(bodies.article, () => {});
  const { key, warnings } = resolveKey(REQUEST, article);
  const partsList = decodePartsList(bodies.partsList);
  const asked = graphicsRequests(key).bodies(partsList);
  const snapshot: ArticleSnapshot = {
    key,
    article,
    articleDigest: keep(bodies.article),
    partsList: keep(bodies.partsList),
    blocks: new Map(
      [...asked.blocks.keys()].map((name) => [
        name,
        fetched(bodies.blocks.get(name), decodeBlock, `block ${name}`),
      ]),
    ),
    images: new Map(
      asked.images.map((reference) => [
        reference,
        fetched(bodies.images.get(reference), checkImage, `image ${reference}`),
      ]),
    ),
    warnings: [...warnings, ...asked.warnings],
  };
  const scene = await transformArticle({
    snapshot,
    read: async (digest) => byDigest.get(digest)!,
    options: { ...CONVERT_DEFAULTS, allowMissingParts: true, ...bodies.options },
    images: sharpImageCodec(),
    loadTangents: loadTangentGenerator,
    cache,
  });
  return writeGlb(scene);
}
