/** Pictures on demand: of what an output folder has published, and of what a pipeline can convert. */
import { join } from 'node:path';
import { openDerivedData, openFileStore } from '../cache/content-store.ts';
import { openCacheDatabase } from '../cache/database.ts';
import type { FoundBrowser } from '../deliver/browser.ts';
import { CAMERAS, type CameraName } from '../deliver/camera.ts';
import type { Maker } from '../deliver/maker.ts';
import { PICTURE_FORMATS, type PictureOptions } from '../deliver/picture-options.ts';
import { createPictureMaker } from '../deliver/pictures.ts';
import type { ArticleRequest } from '../model/article.ts';
import { configurationId, configurationKey } from '../model/configuration-id.ts';
import type { Digest } from '../model/snapshot.ts';
import { ConverterError } from '../support/errors.ts';
import { readBytes, sha256Hex, statIfExists, withTemporaryFolder } from '../support/files.ts';
import { MANIFEST_FILE, manifestLines } from '../write/manifest.ts';
import { publishedAsset } from '../write/publish.ts';
import { convertArticle } from './convert-article.ts';
import { bodyFilesOf } from './open-run.ts';
import type { Pipeline } from './pipeline-file.ts';
import type { RunEnvironment } from './run-options.ts';

/** What a picture is asked for: a configuration, and how it is shown. */
export interface ImageRequest extends ArticleRequest {
  /** Undefined: that of the server's defaults; so are width and height. */
  camera: string | undefined;
  /** Pixels. */
  width: number | undefined;
  height: number | undefined;
}

/** A picture of an article. */
export interface ArticleImage {
  bytes: Uint8Array;
  mimeType: string;
  /** Differs where the picture differs. */
  digest: string;
}

/** Where pictures come from. */
interface ImageSourceOptions {
  outputDir: string;
  cacheDir: string;
  browser: FoundBrowser;
  /** What a request does not say. */
  standard: PictureOptions;
  /** Converts what is not in the manifest. @defaultValue only published articles have pictures */
  pipeline?: Pipeline | undefined;
  environment: RunEnvironment;
}

/** Bytes of the pictures that are kept in memory. */
const MOST_BYTES_IN_MEMORY = 64 * 1024 * 1024;

/** Articles that are converted at the same time for requests; others wait. */
const CONVERSIONS_AT_ONCE = 2;

/** Requests that may wait for a conversion. */
const MOST_WAITING = 100;

/** A master in memory or in the output folder. */
interface Master {
  sha256: Digest;
  read(): Promise<Uint8Array>;
}

/** Opens the source of pictures; each picture is made once, however many ask for it. */
export async function openImageSource(options: ImageSourceOptions) {
  const { outputDir, cacheDir, browser, standard, pipeline, environment } = options;
  const database = await openCacheDatabase(cacheDir);
  const files = bodyFilesOf(cacheDir, database);
  const store = openFileStore(files, environment.signal, database.contents);
  const derived = openDerivedData(store, database.contents, environment.now());
  const published = openPublished(outputDir);
  const makers = new Map<string, Maker>();
  const kept = new Map<string, ArticleImage>();
  const running = new Map<string, Promise<ArticleImage>>();
  const converted = new Map<string, Promise<Master | undefined>>();
  let keptBytes = 0;

  const makerOf = (shown: PictureOptions): Maker => {
    const key = JSON.stringify(shown);
    const maker = makers.get(key) ?? createPictureMaker(browser, shown);
    makers.set(key, maker);
    return maker;
  };
  const keep = (key: string, image: ArticleImage) => {
    kept.set(key, image);
    keptBytes += image.bytes.length;
    for (const [oldest, { bytes }] of kept) {
      if (keptBytes <= MOST_BYTES_IN_MEMORY) return;
      kept.delete(oldest);
      keptBytes -= bytes.length;
    }
  };
  const make = async (
    master: Master,
    shown: PictureOptions,
    key: string,
  ): Promise<ArticleImage> => {
    const { mimeType } = PICTURE_FORMATS[shown.format];
    const before = await derived.get(key);
    const bytes = before ?? (await makerOf(shown).make(await master.read()))[0]!.bytes;
    if (before === undefined) await derived.put(key, bytes);
    const image = { bytes, mimeType, digest: sha256Hex(bytes) };
    keep(key, image);
    return image;
  };
  const convert = async (request: ImageRequest): Promise<Master | undefined> => {
    if (pipeline === undefined) return undefined;
    const key = configurationKey(request);
    if (!converted.has(key) && converted.size >= MOST_WAITING) {
      throw new ConverterError('RATE_LIMITED', 'too many articles are being converted');
    }
    const master = converted.get(key) ?? turn(() => convertNow(pipeline, request, environment));
    converted.set(key, master);
    return master.finally(() => converted.delete(key));
  };
  const turn = createTurns(CONVERSIONS_AT_ONCE);

  return {
    /** The picture of a configuration; undefined where there is no such article. */
    async find(request: ImageRequest): Promise<ArticleImage | undefined> {
      const shown = shownAs(request, standard);
      const master = (await published.find(request)) ?? (await convert(request));
      if (master === undefined) return undefined;
      const key = `image ${makerOf(shown).key} ${master.sha256}`;
      const image = kept.get(key);
      if (image !== undefined) return image;
      const made = running.get(key) ?? make(master, shown, key).finally(() => running.delete(key));
      running.set(key, made);
      return made;
    },
    async close(): Promise<void> {
      await Promise.all(Array.from(makers.values(), (maker) => maker.close?.()));
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
  const [first] = standard.cameras;
  return {
    ...standard,
    cameras: [(camera as CameraName | undefined) ?? first ?? 'hero'],
    width: width ?? height ?? standard.width,
    height: height ?? width ?? standard.height,
    frames: 0,
  };
}

/** The published masters by every request that led to them; read again when the manifest is another. */
function openPublished(outputDir: string) {
  let read: { version: string; masters: Promise<Map<string, Master>> } | undefined;
  const readMasters = async () => {
    const masters = new Map<string, Master>();
    for await (const line of manifestLines(outputDir)) {
      const asset = publishedAsset(line);
      if (asset === undefined) continue;
      const master = { sha256: asset.sha256, read: () => readBytes(join(outputDir, asset.glb)) };
      for (const id of [...line.requested, configurationId(line)])
        masters.set(configurationKey(id), master);
    }
    return masters;
  };
  return {
    async find(request: ImageRequest): Promise<Master | undefined> {
      const facts = await statIfExists(join(outputDir, MANIFEST_FILE));
      if (facts === undefined) return undefined;
      const version = `${facts.bytes} ${facts.modifiedMs}`;
      if (read?.version !== version) read = { version, masters: readMasters() };
      return (await read.masters).get(configurationKey(request));
    },
  };
}

async function convertNow(
  pipeline: Pipeline,
  request: ImageRequest,
  environment: RunEnvironment,
): Promise<Master | undefined> {
  try {
    return await withTemporaryFolder(async (folder) => {
      const file = join(folder, 'article.glb');
      await convertArticle(configurationId(request), pipeline, file, environment);
      const bytes = await readBytes(file);
      return { sha256: sha256Hex(bytes), read: async () => bytes };
    });
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ARTICLE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** Runs a few tasks at the same time, the others in the order in which they came. */
function createTurns(most: number) {
  const waiting: (() => void)[] = [];
  let busy = 0;
  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (busy >= most) await new Promise<void>((go) => waiting.push(go));
    else busy++;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else busy--;
    }
  };
}
