/** Pictures of everything that an output folder has published, as files of a folder of its own. */
import { join } from 'node:path';
import { openDerivedData, openFileStore } from '../cache/content-store.ts';
import { openCacheDatabase } from '../cache/database.ts';
import type { MadeFile, Maker } from '../deliver/maker.ts';
import { configurationLabel } from '../model/configuration-id.ts';
import type { Digest } from '../model/snapshot.ts';
import { asConverterError, type ConverterError, endsRun } from '../support/errors.ts';
import { replaceFile } from '../support/files.ts';
import { inParallel } from '../support/in-parallel.ts';
import { manifestLines } from '../write/manifest.ts';
import { publishedAsset } from '../write/publish.ts';
import { openMadeFiles } from './made-files.ts';
import { bodyFilesOf } from './open-run.ts';
import { objectFiles, requireManifest } from './output-folder.ts';
import type { RunEnvironment } from './run-options.ts';

/** What became of one configuration. */
type Rendered =
  | { article: string; files: { path: string; picture: MadeFile }[]; error?: undefined }
  | { article: string; error: ConverterError };

interface RenderOptions {
  outputDir: string;
  cacheDir: string;
  /** Receives `<MANUFACTURER>/<PROGRAM>/<article>/<configuration>/<picture>`. */
  folder: string;
  /** Closed by the caller. */
  maker: Maker;
  environment: Pick<RunEnvironment, 'now' | 'signal'>;
  onRendered(result: Rendered): void;
}

/**
 * Takes the pictures of all published configurations; what was taken of the same GLB before comes from the cache.
 *
 * The failure of one configuration is a result like any other.
 *
 * @throws {@link ConverterError} `USAGE` without a manifest; an error that every configuration would have, such as
 *   `BROWSER_MISSING`; the reason of the signal.
 */
export async function renderPublished(options: RenderOptions): Promise<void> {
  const { outputDir, cacheDir, folder, maker, environment, onRendered } = options;
  await requireManifest(outputDir);
  const { signal } = environment;
  const database = await openCacheDatabase(cacheDir);
  try {
    const store = openFileStore(bodyFilesOf(cacheDir, database), signal, database.contents);
    const madeOf = openMadeFiles(openDerivedData(store, database.contents, environment.now()));
    const objects = openFileStore(objectFiles(outputDir), signal);
    const masters: { article: string; glb: string; sha256: Digest }[] = [];
    for await (const line of manifestLines(outputDir)) {
      const asset = publishedAsset(line);
      if (asset !== undefined) masters.push({ article: configurationLabel(line), ...asset });
    }
    await inParallel(masters, maker.atOnce, async ({ article, glb, sha256 }) => {
      signal.throwIfAborted();
      try {
        const made = await madeOf(maker, sha256, () => objects.get(sha256));
        const name = glb.replace(/^articles\//, '').replace(/\.glb$/, '');
        const files = made.map((picture, i) => {
          return { path: join(folder, name, maker.files[i]!.name), picture };
        });
        for (const { path, picture } of files) await replaceFile(path, picture.bytes);
        onRendered({ article, files });
      } catch (thrown) {
        const error = asConverterError(thrown);
        if (signal.aborted || endsRun(error.code)) throw thrown;
        onRendered({ article, error });
      }
    });
  } finally {
    database.close();
  }
}
