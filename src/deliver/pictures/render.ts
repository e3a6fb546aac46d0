/** Pictures without a run: of a GLB, and of all published articles of an output folder as files of another folder. */
import { join } from 'node:path';
import type { Bounds } from '../../model/asset.ts';
import { configurationLabel } from '../../model/configuration-id.ts';
import type { RunEnvironment } from '../../run/open/run-environment.ts';
import { openCache } from '../../run/open/sources.ts';
import type { Published } from '../../run/output/published.ts';
import { mastersOf } from '../../run/publishing/masters.ts';
import { openDerivedData } from '../../source/cache/content-store.ts';
import { asConverterError, ConverterError, endsRun } from '../../support/errors.ts';
import { replaceFile } from '../../support/files.ts';
import { inParallel } from '../../support/in-parallel.ts';
import { FileContents } from '../making/file-contents.ts';
import { madeFiles } from '../making/made-files.ts';
import type { StoredFile } from '../making/maker.ts';
import { findBrowser, whyNoBrowser } from './browser.ts';
import { type PictureFile, takePictures } from './picture.ts';
import type { PictureOptions } from './picture-options.ts';
import { createPictureMaker, PICTURES_AT_ONCE } from './pictures.ts';
import { type Picture, type Renderer, rendererFor } from './renderer.ts';
import { MOST_PIXELS_A_SIDE, type PicturePart, type PictureSize, type Shot } from './shot.ts';

type Rendered =
  | { article: string; files: { path: string; picture: StoredFile }[]; error?: undefined }
  | { article: string; error: ConverterError };

interface RenderOptions {
  published: Published;
  cacheDir: string;
  /** Folder that receives `<MANUFACTURER>/<PROGRAM>/<article>/<configuration>/<picture>`. */
  folder: string;
  environment: Pick<RunEnvironment, 'now' | 'signal' | 'progress'>;
  onRendered(result: Rendered): void;
}

/** What a picture shows that is compared with others: white, without a floor, whose shadow would be a difference, too. */
export interface ComparedView extends PictureSize {
  /** As those of `Camera`. */
  azimuthDegrees: number;
  elevationDegrees: number;
  framed: Bounds;
  part?: PicturePart;
}

/** Pictures that a browser takes. */
export interface Pictures {
  /** How many models should be drawn at the same time. */
  atOnce: number;
  /** Takes the pictures of a GLB. @throws {@link ConverterError} As `takePictures`. */
  take(glb: Uint8Array, options: PictureOptions): Promise<PictureFile[]>;
  /** Takes a picture to compare with others, as pixels. @throws {@link ConverterError} As `takePictures`. */
  draw(glb: Uint8Array, view: ComparedView): Promise<Picture>;
  /**
   * Takes the pictures of all published configurations; earlier pictures of the same GLB come from the cache. The
   * failure of one configuration is a result like any other.
   *
   * @throws {@link ConverterError} `USAGE` without a manifest; an error that every configuration would have, such as
   *   `BROWSER_MISSING`; the reason of the signal.
   */
  renderPublished(options: PictureOptions, what: RenderOptions): Promise<void>;
}

/**
 * Finds a browser, which is closed when the work has ended, or when the signal aborts.
 *
 * @param browser - The value of the option `--browser`, as `findBrowser` has it.
 * @param warn - Receives a sentence if the browser has no sandbox.
 * @throws {@link ConverterError} `BROWSER_MISSING`; `USAGE` if the named file is no program.
 */
export async function withPictures<Result>(
  { env, signal }: Pick<RunEnvironment, 'env' | 'signal'>,
  cacheDir: string,
  browser: string | undefined,
  warn: (text: string) => void,
  work: (pictures: Pictures) => Promise<Result>,
): Promise<Result> {
  const found = await findBrowser(env, cacheDir, browser);
  if (found === undefined) {
    const { why, help } = whyNoBrowser(env, browser);
    throw new ConverterError('BROWSER_MISSING', `pictures need a browser, but ${why}`, { help });
  }
  const renderer = rendererFor({ browser: found, warn });
  const stop = () => void renderer.close();
  signal.addEventListener('abort', stop);
  const working = work({
    atOnce: PICTURES_AT_ONCE,
    take: (glb, options) => takePictures(renderer, glb, options),
    draw: async (glb, view) => (await renderer.takePictures(glb, [shotOf(view)]))[0]!,
    renderPublished: (options, what) => renderPublished(renderer, options, what),
  });
  return working.finally(() => {
    signal.removeEventListener('abort', stop);
    return renderer.close();
  });
}

function shotOf({ width, height, framed, part, ...angles }: ComparedView): Shot {
  return {
    camera: { ...angles, projection: 'perspective' },
    framed,
    ...(part !== undefined && { part }),
    size: { width, height },
    imagePixels: part === undefined ? Math.max(width, height) : MOST_PIXELS_A_SIDE,
    backdrop: { color: [1, 1, 1], shadow: 0, floor: 'never' },
  };
}

async function renderPublished(
  renderer: Renderer,
  options: PictureOptions,
  { published, cacheDir, folder, environment, onRendered }: RenderOptions,
): Promise<void> {
  const maker = createPictureMaker(renderer, options);
  await published.requireManifest();
  const { signal } = environment;
  const { database, bodies } = await openCache(cacheDir, signal);
  try {
    const derived = openDerivedData(bodies, database.contents, environment.now());
    const contents = new FileContents(derived);
    const picturesOf = madeFiles(maker, derived, contents);
    const masters = await mastersOf(published.dir);
    const progress = { making: maker.name, total: masters.length, done: 0, failed: 0 };
    const show = () => environment.progress?.({ ...progress });
    show();
    await inParallel(masters, maker.atOnce, async ({ id, glb, link, sha256 }) => {
      signal.throwIfAborted();
      const article = configurationLabel(id);
      try {
        const made = await picturesOf(sha256, {
          read: () => published.read({ path: glb, sha256 }),
        });
        const name = link.replace(/^articles\//, '').replace(/\.glb$/, '');
        const files = made.map((picture, i) => {
          return { path: join(folder, name, maker.files[i]!.name), picture };
        });
        for (const { path, picture } of files)
          await replaceFile(path, (await contents.read(picture, path))!);
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
