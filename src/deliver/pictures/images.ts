/** Pictures on demand: of the published articles of an output folder, and of articles that a pipeline can convert. */

import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { ArticleRequest } from '../../model/article.ts';
import { configurationId, configurationKey } from '../../model/configuration-id.ts';
import type { RunEnvironment } from '../../run/open/run-environment.ts';
import { openCache } from '../../run/open/sources.ts';
import type { Published } from '../../run/output/published.ts';
import { openDerivedData } from '../../source/cache/content-store.ts';
import { evictUnused, MOST_CACHE_BYTES } from '../../source/cache/eviction.ts';
import { ConverterError, isConverterError } from '../../support/errors.ts';
import { readBytes, sha256Hex } from '../../support/files.ts';
import { withTemporaryFolder } from '../../support/folders.ts';
import { FileContents } from '../making/file-contents.ts';
import { madeFiles } from '../making/made-files.ts';
import { findBrowser, installHelp } from './browser.ts';
import { CAMERAS, type CameraName } from './camera.ts';
import { PICTURE_FORMATS, type PictureOptions } from './picture-options.ts';
import { createPictureMaker } from './pictures.ts';
import { type PublishedMaster, publishedMasters } from './published-masters.ts';
import { BrowserRenderer } from './renderer.ts';
import { createSharedWork } from './shared-work.ts';
import { MOST_PIXELS_A_SIDE } from './shot.ts';

interface ImageRequest extends ArticleRequest {
  /** Camera; undefined: the default of the server, as for width and height. */
  camera: string | undefined;
  width: number | undefined;
  height: number | undefined;
}

interface ArticleImage {
  bytes: Uint8Array;
  mimeType: string;
  /** Digest, which differs if the picture differs. */
  digest: string;
}

/** Why there is no picture: no published article fits, or several do, none of which is the default. */
interface NoImage {
  candidates: readonly ArticleRequest[];
}

interface ImageSource {
  /**
   * The picture of a configuration.
   *
   * @param signal - Aborts when the request was ended: a waiting picture is not made then.
   * @throws {@link ConverterError} `RATE_LIMITED` while too many are made; `USAGE` for a picture that is too large.
   */
  find(request: ImageRequest, signal: AbortSignal): Promise<ArticleImage | NoImage>;
  close(): Promise<void>;
}

interface ImageSourceOptions {
  published: Published;
  cacheDir: string;
  /** The value of the option `--browser`, as `findBrowser` has it. */
  browser: string | undefined;
  /** Options for values that a request omits. */
  standard: PictureOptions;
  /**
   * Converts an article that is not in the manifest, into a file.
   *
   * @throws {@link ConverterError} `ARTICLE_NOT_FOUND`, or the problem.
   * @defaultValue only published articles have pictures
   */
  convert?: ((request: ArticleRequest, file: string) => Promise<unknown>) | undefined;
  maxCacheBytes?: number | undefined;
  environment: RunEnvironment;
}

/** Bytes of the pictures that are kept in memory; the GLBs that were converted for requests have the same limit. */
const MOST_BYTES_IN_MEMORY = 64 * 1024 * 1024;

/** How long the result of a conversion is used before the service is asked again, milliseconds: data changes daily. */
const CONVERTED_FOR_MS = 3_600_000;
const UNKNOWN_FOR_MS = 60_000;

/** Articles that are converted at the same time for requests, and models that are drawn; others wait. */
const CONVERSIONS_AT_ONCE = 2;
const DRAWN_AT_ONCE = Math.max(1, Math.floor(availableParallelism() / 2));

/** Most conversions, and most pictures, in work or waiting: they take some seconds. */
const MOST_WAITING = 32;

/** Largest picture that a request may ask for; a picture of 4,096 by 4,096 takes a core for ten seconds. */
const MOST_PIXELS = 2048 ** 2;

/** Sides of pictures are multiples of these, up to the given limits: otherwise each side would give another picture. */
const STEPS = [
  { upTo: 512, pixels: 16 },
  { upTo: Number.POSITIVE_INFINITY, pixels: 64 },
] as const;

/** Number of new pictures after which the cache is reduced to its limit. */
const EVICT_EVERY = 100;

type KeptMaster = PublishedMaster & { bytes: number };

/**
 * Opens the source of pictures; each picture is made once, regardless of the number of requests.
 *
 * @throws {@link ConverterError} `BROWSER_MISSING`; `USAGE` if the named browser is no program.
 */
export async function openImageSource(options: ImageSourceOptions): Promise<ImageSource> {
  const { cacheDir, standard, convert, environment } = options;
  const browser = await findBrowser(environment.env, cacheDir, options.browser);
  if (browser === undefined)
    throw new ConverterError('BROWSER_MISSING', `images: expected a browser; ${installHelp()}`);
  const { database, bodies: store } = await openCache(cacheDir, environment.signal);
  const findPublished = publishedMasters(options.published);
  const warn = (text: string) => environment.log.warn(text);
  const renderer = new BrowserRenderer({ browser, pages: DRAWN_AT_ONCE, warn });
  const kept = new LRUCache<string, ArticleImage>({ maxSize: MOST_BYTES_IN_MEMORY });
  const drawOnce = createSharedWork<ArticleImage>(
    DRAWN_AT_ONCE,
    MOST_WAITING,
    'too many pictures are being made',
  );
  const convertOnce = createSharedWork<KeptMaster | undefined>(
    CONVERSIONS_AT_ONCE,
    MOST_WAITING,
    'too many articles are being converted',
  );
  const maxBytes = options.maxCacheBytes ?? MOST_CACHE_BYTES;
  let drawn = 0;
  const converted = new LRUCache<string, { master: KeptMaster | undefined }>({
    maxSize: MOST_BYTES_IN_MEMORY,
  });

  const make = async (master: PublishedMaster, shown: PictureOptions): Promise<ArticleImage> => {
    const maker = createPictureMaker(renderer, shown);
    const now = environment.now();
    if (drawn++ % EVICT_EVERY === 0) await evictUnused({ store, database, now, maxBytes });
    const derived = openDerivedData(store, database.contents, now);
    const contents = new FileContents(derived);
    const filesOf = madeFiles(maker, derived, contents);
    const [file] = await filesOf(master.sha256, {
      read: () => {
        environment.log.info('a picture is made');
        return master.read();
      },
    });
    const bytes = (await contents.read(file!, maker.files[0]!.name))!;
    return { bytes, mimeType: PICTURE_FORMATS[shown.format].mimeType, digest: file!.sha256 };
  };
  const convertKept = async (
    request: ImageRequest,
    signal: AbortSignal,
  ): Promise<KeptMaster | undefined> => {
    if (convert === undefined) return undefined;
    const key = configurationKey(request);
    const before = converted.get(key);
    if (before !== undefined) return before.master;
    return convertOnce(key, signal, async () => {
      const master = await convertNow(request, convert);
      const ttl = master === undefined ? UNKNOWN_FOR_MS : CONVERTED_FOR_MS;
      converted.set(key, { master }, { size: 1 + (master?.bytes ?? 0), ttl });
      return master;
    });
  };

  return {
    async find(request, signal) {
      const shown = shownAs(request, standard);
      const { master: own, candidates } = await findPublished(request);
      const master = own ?? (await convertKept(request, signal));
      if (master === undefined) return { candidates };
      const key = JSON.stringify([shown, master.sha256]);
      const image = kept.get(key);
      if (image !== undefined) return image;
      return drawOnce(key, signal, async () => {
        const made = await make(master, shown);
        kept.set(key, made, { size: made.bytes.length });
        return made;
      });
    },
    async close() {
      await renderer.close();
      database.close();
    },
  };
}

function shownAs(
  { camera, width, height }: ImageRequest,
  standard: PictureOptions,
): PictureOptions {
  if (camera !== undefined && !Object.hasOwn(CAMERAS, camera)) {
    const names = Object.keys(CAMERAS).join(', ');
    throw new ConverterError('USAGE', `camera: expected one of ${names}, received another`);
  }
  for (const [name, pixels = 1] of Object.entries({ width, height })) {
    if (pixels <= MOST_PIXELS_A_SIDE) continue;
    const expected = `expected at most ${MOST_PIXELS_A_SIDE} pixels`;
    throw new ConverterError('USAGE', `${name}: ${expected}, received ${pixels}`);
  }
  const [first] = standard.cameras;
  const sides = {
    width: inSteps(width ?? height) ?? standard.width,
    height: inSteps(height ?? width) ?? standard.height,
  };
  const most = Math.max(MOST_PIXELS, standard.width * standard.height);
  if (sides.width * sides.height > most) {
    const received = `${sides.width} × ${sides.height}`;
    throw new ConverterError(
      'USAGE',
      `width × height: expected at most ${most}, received ${received}`,
    );
  }
  const cameras = [(camera as CameraName | undefined) ?? first ?? 'hero'];
  return { ...standard, ...sides, cameras, frames: 0 };
}

function inSteps(pixels: number | undefined): number | undefined {
  if (pixels === undefined) return undefined;
  const step = STEPS.find(({ upTo }) => pixels <= upTo)!.pixels;
  return Math.ceil(pixels / step) * step;
}

async function convertNow(
  request: ImageRequest,
  convert: NonNullable<ImageSourceOptions['convert']>,
): Promise<KeptMaster | undefined> {
  try {
    return await withTemporaryFolder(async (folder) => {
      const file = join(folder, 'article.glb');
      await convert(configurationId(request), file);
      const bytes = await readBytes(file);
      return { sha256: sha256Hex(bytes), bytes: bytes.length, read: async () => bytes };
    });
  } catch (error) {
    if (isConverterError(error, 'ARTICLE_NOT_FOUND')) return undefined;
    throw error;
  }
}
