/** Converts one article into one file, without manifest and store. */

import { basename, dirname, extname, join } from 'node:path';
import type { Scene } from '../convert/model/scene.ts';
import type { ArticleKey, ArticleRequest } from '../model/article.ts';
import type { Warning } from '../model/warning.ts';
import { ConverterError } from '../support/errors.ts';
import { replaceFile } from '../support/files.ts';
import { type ConvertingRun, openConversions, within } from './conversions/dispatch.ts';
import { redactMessages } from './lists/messages.ts';
import { inFirstLanguage } from './open/connect.ts';
import type { RunEnvironment } from './open/run-environment.ts';
import type { SourceSettings } from './open/run-session.ts';
import { type SharedSources, withSources } from './open/sources.ts';

/** The result of {@link convertArticle}. */
export interface ConvertedArticle {
  /** As the service resolved it. */
  key: ArticleKey;
  file: string;
  /** Every file that was written, `file` last: a `.gltf` file has its buffer and images beside it. */
  files: string[];
  /** Of all files together. */
  bytes: number;
  scene: Scene;
  warnings: Warning[];
}

/**
 * Fetches and converts one article.
 *
 * @param pipeline - Provides service, options and cache; its articles and output are not used.
 * @param file - Replaced as a whole: `.glb`, or `.gltf` with buffer and images in files beside it.
 * @throws {@link ConverterError} `USAGE` for a file name with another ending; `ARTICLE_NOT_FOUND`, `BLOCK_MISSING` and any other code that fails an article or a run.
 *
 * @example
 * ```ts
 * await convertArticle(request, pipeline, 'desk.glb', environment);
 * // → { key: { manufacturer: 'ACME', … }, file: 'desk.glb', bytes: 81234, … }
 * ```
 */
export async function convertArticle(
  request: ArticleRequest,
  pipeline: SourceSettings & ConvertingRun['options']['pipeline'],
  file: string,
  environment: RunEnvironment,
  openShared?: () => Promise<SharedSources>,
): Promise<ConvertedArticle> {
  if (!['.glb', '.gltf'].includes(extname(file).toLowerCase())) {
    const expected = 'expected a file name that ends with .glb or .gltf';
    throw new ConverterError('USAGE', `output: ${expected}, received "${basename(file)}"`);
  }
  // Nothing is published, so no output folder is read.
  const options = { pipeline: { ...inFirstLanguage(pipeline), outputDir: pipeline.cacheDir } };
  const opening = { waitsForFirstAnswer: false, openShared };
  return withSources(options, environment, opening, async (context, sources) => {
    const { session, bodies, bodyFiles } = sources;
    const fetcher = await session.fetcher();
    // Nothing is stored there.
    const output = { objects: bodies, objectFiles: bodyFiles };
    const run = { ...context, metrics: NOT_MEASURED, sources, output };
    const snapshot = await within(run, () => fetcher.fetch(request));
    const convert = openConversions(run, fetcher.decoded);
    const { scene, files: written } = await convert('write', snapshot, file);
    const beside = written.slice(0, -1).map(({ name }) => join(dirname(file), name));
    const files = [...beside, file];
    for (const [index, { bytes }] of written.entries()) await replaceFile(files[index]!, bytes);
    await session.finish(false);
    const warnings = redactMessages([...snapshot.warnings, ...scene.warnings]);
    const bytes = written.reduce((sum, { bytes: { length } }) => sum + length, 0);
    return { key: snapshot.key, file, files, bytes, scene, warnings };
  });
}

const NOT_MEASURED: ConvertingRun['metrics'] = {
  stopwatch: { during: (_stage, work) => work() },
};
