/** Converts one article into one file, without manifest and store; loads the converter for all who need it. */
import type { ContentStore } from '../cache/content-store.ts';
import type { ArticleKey, ArticleRequest } from '../model/article.ts';
import type { Scene } from '../model/scene.ts';
import type { ArticleSnapshot, DecodedReader, Warning } from '../model/snapshot.ts';
import { replaceFile } from '../support/files.ts';
import type { ConvertOptions } from '../transform/convert-options.ts';
import type { MaterialExplanation } from '../transform/material-trace.ts';
import { withRun } from './open-run.ts';
import type { Pipeline } from './pipeline-file.ts';
import type { RunEnvironment } from './run-options.ts';

/** The result of {@link convertArticle}. */
export interface ConvertedArticle {
  /** As the service resolved it. */
  key: ArticleKey;
  file: string;
  bytes: number;
  scene: Scene;
  warnings: Warning[];
}

/**
 * Fetches and converts one article.
 *
 * @param pipeline - Provides service, options and cache; its articles and output are not used.
 * @param file - Replaced as a whole.
 * @throws {@link ConverterError} `ARTICLE_NOT_FOUND`, `BLOCK_MISSING` and any other code that fails an article or a run.
 *
 * @example
 * ```ts
 * await convertArticle(request, pipeline, 'desk.glb', environment);
 * // → { key: { manufacturer: 'ACME', … }, file: 'desk.glb', bytes: 81234, … }
 * ```
 */
export function convertArticle(
  request: ArticleRequest,
  pipeline: Pipeline,
  file: string,
  environment: RunEnvironment,
): Promise<ConvertedArticle> {
  // Nothing is published, so no output folder is read.
  const options = { pipeline: { ...pipeline, outputDir: pipeline.cacheDir } };
  return withRun(options, environment, async ({ session, stores }) => {
    const fetcher = await session.fetcher();
    const snapshot = await fetcher.fetch(request);
    const converter = await loadConverter(stores.bodies, pipeline.convert, fetcher.decoded);
    const scene = await converter.transform(snapshot);
    const bytes = converter.writeGlb(scene);
    await replaceFile(file, bytes);
    await session.finish(false);
    const warnings = [...snapshot.warnings, ...scene.warnings];
    return { key: snapshot.key, file, bytes: bytes.length, scene, warnings };
  });
}

/** Transforms snapshots and encodes scenes; it only reads bodies. */
export interface Converter {
  transform(
    snapshot: ArticleSnapshot,
    explain?: (material: MaterialExplanation) => void,
  ): Promise<Scene>;
  writeGlb(scene: Scene): Uint8Array;
}

/** Loads the converter, with one cache of meshes for all articles. */
export async function loadConverter(
  bodies: Pick<ContentStore, 'get'>,
  options: ConvertOptions,
  decoded?: DecodedReader,
): Promise<Converter> {
  const [
    { transformArticle },
    { createMeshCache },
    { sharpImageCodec },
    { loadTangentGenerator: loadTangents },
    { writeGlb },
  ] = await Promise.all([
    import('../transform/transform-article.ts'),
    import('../transform/mesh-cache.ts'),
    import('../support/image-codec.ts'),
    import('../support/tangent-generator.ts'),
    import('../write/glb.ts'),
  ]);
  const cache = createMeshCache();
  const images = sharpImageCodec();
  const read = (digest: string) => bodies.get(digest);
  return {
    transform: (snapshot, explain) =>
      transformArticle({ snapshot, read, decoded, options, images, loadTangents, explain, cache }),
    writeGlb,
  };
}
