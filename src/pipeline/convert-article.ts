/** Converts one article into one file, without manifest and store. */
import { basename, dirname, extname, join } from 'node:path';
import type { ArticleKey, ArticleRequest } from '../model/article.ts';
import type { Scene } from '../model/scene.ts';
import type { Warning } from '../model/snapshot.ts';
import { ConverterError } from '../support/errors.ts';
import { replaceFile } from '../support/files.ts';
import { redactMessages } from '../support/redact.ts';
import type { NamedFile } from '../write/gltf.ts';
import { openConversions } from './conversion.ts';
import { bodyStore, withRun } from './open-run.ts';
import type { Pipeline } from './pipeline-file.ts';
import type { RunEnvironment } from './run-options.ts';
import { inFirstLanguage } from './service.ts';

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
  pipeline: Pipeline,
  file: string,
  environment: RunEnvironment,
): Promise<ConvertedArticle> {
  const encode = encoderOf(file);
  // Nothing is published, so no output folder is read.
  const options = { pipeline: { ...inFirstLanguage(pipeline), outputDir: pipeline.cacheDir } };
  return withRun(options, environment, async ({ session, stores }) => {
    const fetcher = await session.fetcher();
    const snapshot = await fetcher.fetch(request);
    const convert = openConversions({
      store: bodyStore(pipeline.cacheDir),
      bodies: stores.bodies,
      decoded: fetcher.decoded,
      options: pipeline.convert,
      heapMb: pipeline.limits.conversionHeapMb,
      signal: session.ended,
    });
    const scene = await convert('transform', snapshot, session.ended);
    const written = await encode(scene, basename(file, extname(file)));
    const beside = written.slice(0, -1).map(({ name }) => join(dirname(file), name));
    const files = [...beside, file];
    for (const [index, { bytes }] of written.entries()) await replaceFile(files[index]!, bytes);
    await session.finish(false);
    const warnings = redactMessages([...snapshot.warnings, ...scene.warnings]);
    const bytes = written.reduce((sum, { bytes: { length } }) => sum + length, 0);
    return { key: snapshot.key, file, files, bytes, scene, warnings };
  });
}

type Encoder = (scene: Scene, stem: string) => Promise<NamedFile[]>;

/** The containers of glTF by the ending of the file. */
const ENCODERS: Readonly<Record<string, Encoder>> = {
  '.glb': async (scene, stem) => {
    const { writeGlb } = await import('../write/glb.ts');
    return [{ name: `${stem}.glb`, bytes: writeGlb(scene) }];
  },
  '.gltf': async (scene, stem) => (await import('../write/gltf.ts')).writeGltf(scene, stem),
};

function encoderOf(file: string): Encoder {
  const encoder = ENCODERS[extname(file).toLowerCase()];
  if (encoder !== undefined) return encoder;
  const expected = 'expected a file name that ends with .glb or .gltf';
  throw new ConverterError('USAGE', `output: ${expected}, received "${basename(file)}"`);
}
