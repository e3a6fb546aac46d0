/**
 * Build article: a snapshot as a GLB in the object store.
 *
 * In: a snapshot and its source digest. Out: the figures of the GLB, whose bytes are stored.
 * It must not know the service, other articles or the manifest.
 */
import pLimit from 'p-limit';
import type { ContentStore } from '../../cache/content-store.ts';
import type { Built } from '../../model/asset.ts';
import type { Scene } from '../../model/scene.ts';
import type { ArticleSnapshot, ContentReader, Digest } from '../../model/snapshot.ts';
import type { ConvertOptions } from '../../transform/convert-options.ts';
import type { MaterialExplanation } from '../../transform/material-table.ts';
import type { Stopwatch } from '../context/stopwatch.ts';

/** Articles transformed at the same time: one computes while another's images are at work. */
const BUILDS_AT_ONCE = 2;

/** Builds articles. */
export interface Builder {
  /**
   * Builds an article unless one of the same source was built before in this run.
   *
   * @throws {@link ConverterError} what the transformation says, such as `BLOCK_MISSING`.
   */
  build(snapshot: ArticleSnapshot, source: Digest): Promise<Built>;
}

/** What a builder needs. */
export interface BuilderOptions {
  read: ContentReader;
  objects: ContentStore;
  convert: ConvertOptions;
  stopwatch: Stopwatch;
}

/**
 * Creates a builder; the converter is loaded with the first article that has to be built, so that
 * a night without changes does not pay for it.
 */
export function createBuilder({ read, objects, convert, stopwatch }: BuilderOptions): Builder {
  let converter: Promise<Converter> | undefined;
  const limit = pLimit(BUILDS_AT_ONCE);
  const known = new Map<Digest, Promise<Built>>();

  const buildAnew = async (snapshot: ArticleSnapshot): Promise<Built> => {
    converter ??= loadConverter(read, convert);
    const { transform, writeGlb } = await converter;
    const scene = await stopwatch.during('transform', () => transform(snapshot));
    return stopwatch.during('write', async () => {
      const bytes = writeGlb(scene);
      const { digest } = await objects.put(bytes);
      return figuresOf(scene, digest, bytes.length);
    });
  };

  return {
    build(snapshot, source) {
      const built = known.get(source) ?? limit(() => buildAnew(snapshot));
      known.set(source, built);
      return built;
    },
  };
}

/** The converter itself: pure, but for the bodies that it reads. */
export interface Converter {
  transform(
    snapshot: ArticleSnapshot,
    explain?: (material: MaterialExplanation) => void,
  ): Promise<Scene>;
  writeGlb(scene: Scene): Uint8Array;
}

/** Loads the converter, with one cache of meshes for all articles. */
export async function loadConverter(
  read: ContentReader,
  options: ConvertOptions,
): Promise<Converter> {
  const [
    { transformArticle },
    { createMeshCache },
    { sharpImageCodec },
    { loadTangentGenerator: loadTangents },
    { writeGlb },
  ] = await Promise.all([
    import('../../transform/transform-article.ts'),
    import('../../transform/mesh-cache.ts'),
    import('../../support/image-codec.ts'),
    import('../../support/tangent-generator.ts'),
    import('../../write/glb.ts'),
  ]);
  const cache = createMeshCache();
  const images = sharpImageCodec();
  return {
    transform: (snapshot, explain) =>
      transformArticle({ snapshot, read, options, images, loadTangents, explain, cache }),
    writeGlb,
  };
}

function figuresOf(scene: Scene, sha256: Digest, bytes: number): Built {
  return {
    sha256,
    bytes,
    triangles: scene.triangles,
    drawCalls: scene.drawCalls,
    materials: scene.materials.length,
    textures: scene.images.length,
    boundsMetres: scene.boundsMetres,
    losses: scene.losses,
    warnings: scene.warnings,
    counts: scene.counts,
  };
}
