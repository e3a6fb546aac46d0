/** Pictures of all published articles of an output folder, as files of another folder. */
import { join } from 'node:path';
import { configurationLabel } from '../../model/configuration-id.ts';
import type { RunEnvironment } from '../../run/open/run-environment.ts';
import { openCache } from '../../run/open/sources.ts';
import type { Published } from '../../run/output/published.ts';
import { mastersOf } from '../../run/publishing/masters.ts';
import { openDerivedData } from '../../source/cache/content-store.ts';
import { asConverterError, type ConverterError, endsRun } from '../../support/errors.ts';
import { replaceFile } from '../../support/files.ts';
import { inParallel } from '../../support/in-parallel.ts';
import { madeFiles } from '../making/made-files.ts';
import type { MadeFile, Maker } from '../making/maker.ts';

type Rendered =
  | { article: string; files: { path: string; picture: MadeFile }[]; error?: undefined }
  | { article: string; error: ConverterError };

interface RenderOptions {
  published: Published;
  cacheDir: string;
  /** Folder that receives `<MANUFACTURER>/<PROGRAM>/<article>/<configuration>/<picture>`. */
  folder: string;
  /** The maker, which the caller closes. */
  maker: Maker;
  environment: Pick<RunEnvironment, 'now' | 'signal' | 'progress'>;
  onRendered(result: Rendered): void;
}

/**
 * Takes the pictures of all published configurations; earlier pictures of the same GLB come from the cache.
 *
 * The failure of one configuration is a result like any other.
 *
 * @throws {@link ConverterError} `USAGE` without a manifest; an error that every configuration would have, such as
 *   `BROWSER_MISSING`; the reason of the signal.
 */
export async function renderPublished(options: RenderOptions): Promise<void> {
  const { published, cacheDir, folder, maker, environment, onRendered } = options;
  await published.requireManifest();
  const { signal } = environment;
  const { database, bodies } = await openCache(cacheDir, signal);
  try {
    const derived = openDerivedData(bodies, database.contents, environment.now());
    const picturesOf = madeFiles(maker, derived);
    const masters = await mastersOf(published.dir);
    const progress = { making: maker.name, total: masters.length, done: 0, failed: 0 };
    const show = () => environment.progress?.({ ...progress });
    show();
    await inParallel(masters, maker.atOnce, async ({ id, glb, link, sha256 }) => {
      signal.throwIfAborted();
      const article = configurationLabel(id);
      try {
        const made = await picturesOf(sha256, () => published.read({ path: glb, sha256 }));
        const name = link.replace(/^articles\//, '').replace(/\.glb$/, '');
        const files = made.map((picture, i) => {
          return { path: join(folder, name, maker.files[i]!.name), picture };
        });
        for (const { path, picture } of files) await replaceFile(path, picture.bytes);
        progress.done++;
        onRendered({ article, files });
      } catch (thrown) {
        const error = asConverterError(thrown);
        if (signal.aborted || endsRun(error.code)) throw thrown;
        progress.done++;
        progress.failed++;
        onRendered({ article, error });
      }
      show();
    });
  } finally {
    database.close();
  }
}
