/**
 * Convert article: one article into one file, without manifest or store.
 *
 * In: a request and where its service is. Out: a GLB file, and what is worth telling about it.
 */
import type { ArticleKey, ArticleRequest } from '../model/article.ts';
import type { Scene } from '../model/scene.ts';
import type { Warning } from '../model/snapshot.ts';
import { replaceFile } from '../support/files.ts';
import { loadConverter } from './configuration/build-article.ts';
import { type RunTools, withRun } from './context/run-context.ts';
import type { Pipeline } from './file/pipeline-file.ts';

/** What became of the article. */
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
 * @param pipeline - Gives service, options and cache; its articles and output do not matter.
 * @param file - Replaced as a whole.
 * @throws {@link ConverterError} `ARTICLE_NOT_FOUND`, `BLOCK_MISSING` and what else fails an article or a run.
 *
 * @example
 * ```ts
 * await convertArticle(request, pipeline, 'desk.glb', tools);
 * // → { key: { manufacturer: 'ACME', … }, file: 'desk.glb', bytes: 81234, … }
 * ```
 */
export function convertArticle(
  request: ArticleRequest,
  pipeline: Pipeline,
  file: string,
  tools: RunTools,
): Promise<ConvertedArticle> {
  // Nothing is published, so there is no output folder to look at.
  const job = { pipeline: { ...pipeline, outputDir: pipeline.cacheDir } };
  return withRun(job, tools, async (run) => {
    const fetcher = await run.fetcher();
    const snapshot = await fetcher.fetch(request);
    const converter = await loadConverter((digest) => run.bodies.get(digest), pipeline.convert);
    const scene = await converter.transform(snapshot);
    const bytes = converter.writeGlb(scene);
    await replaceFile(file, bytes);
    const warnings = [...snapshot.warnings, ...scene.warnings];
    return { key: snapshot.key, file, bytes: bytes.length, scene, warnings };
  });
}
