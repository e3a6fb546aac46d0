/** Delivery: makes of the published masters what others need, such as pictures, and publishes it beside them. */
import { join } from 'node:path';
import { openFileStore } from '../cache/content-store.ts';
import {
  BROWSER_VARIABLE,
  type FoundBrowser,
  findBrowser,
  INSTALL_HELP,
} from '../deliver/browser.ts';
import { type PictureFile, pictureNames } from '../deliver/picture.ts';
import type { PictureOptions } from '../deliver/picture-options.ts';
import type { Renderer } from '../deliver/renderer.ts';
import {
  configurationKey,
  configurationLabel,
  parseConfigurationKey,
} from '../model/configuration-id.ts';
import type { Digest } from '../model/snapshot.ts';
import { asConverterError, ConverterError, endsRun } from '../support/errors.ts';
import {
  linkOrCopy,
  readBytes,
  readTextIfExists,
  removeFile,
  replaceFile,
  sha256Hex,
  temporaryFolder,
} from '../support/files.ts';
import { inParallel } from '../support/in-parallel.ts';
import { manifestLines } from '../write/manifest.ts';
import { publishedAsset } from '../write/publish.ts';
import type { Run } from './open-run.ts';
import { objectFiles, requireManifest } from './output-folder.ts';

/** Raise it where the same model gets another picture. */
const PICTURE_VERSION = 1;

/** Name of the list of what was delivered, in the output folder. */
const DELIVERIES_FILE = 'deliveries.jsonl';

/** A picture, published. */
interface DeliveredPicture {
  name: string;
  path: string;
  sha256: Digest;
  width: number;
  height: number;
  bytes: number;
}

/** What one configuration got. */
interface DeliveryLine {
  /** Of `configurationKey`. */
  key: string;
  /** Digest of the master and of what was asked for: equal digests give equal pictures. */
  source: string;
  pictures: DeliveredPicture[];
  error?: { code: string; message: string };
}

/** What a delivery did, in configurations. */
export interface Delivered {
  made: number;
  unchanged: number;
  failed: number;
  failures: { article: string; code: string; message: string; help: string }[];
  /** Why nothing was made, and what to do. */
  omitted?: string;
}

/**
 * Delivers what the pipeline asks for: pictures of each published master.
 *
 * What an earlier delivery made of the same master is left alone; what another configuration or an interrupted
 * delivery has made is taken from the cache. The failure of one article is a row of the result.
 *
 * @returns Undefined where the pipeline asks for nothing.
 * @throws {@link ConverterError} an error of the output folder; the reason of the signal.
 */
export async function deliver({
  options,
  environment,
  stores,
}: Run): Promise<Delivered | undefined> {
  const { outputDir, deliver: wanted } = options.pipeline;
  const pictures = wanted?.pictures;
  if (pictures === undefined) return undefined;
  await requireManifest(outputDir);
  const delivered: Delivered = { made: 0, unchanged: 0, failed: 0, failures: [] };
  const browser = findBrowser(undefined, environment.env[BROWSER_VARIABLE]);
  if (browser === undefined) return { ...delivered, omitted: `no browser: ${INSTALL_HELP}` };
  const before = await readDeliveries(outputDir);
  const { signal } = environment;
  const lines: DeliveryLine[] = [];
  const camera = openCamera(browser, pictures, options.force ? undefined : stores.derived, signal);
  const store = openFileStore({ ...objectFiles(outputDir), extension: `.${pictures.format}` });
  const deliverLine = async (key: string, glb: string, sha256: Digest): Promise<void> => {
    signal.throwIfAborted();
    const source = sha256Hex(`${sha256} ${pictureKey(pictures)}`);
    const former = before.get(key);
    const folder = glb.replace(/^articles\//, 'pictures/').replace(/\.glb$/, '');
    const isSame = !options.force && former?.source === source && former.error === undefined;
    if (isSame && former.pictures.every(({ path }) => path.startsWith(`${folder}/`))) {
      if (await arePublished(former.pictures)) {
        delivered.unchanged++;
        lines.push(former);
        return;
      }
    }
    try {
      const taken = await camera.take(sha256, () => readBytes(join(outputDir, glb)));
      const published = await Promise.all(taken.map((file) => publishPicture(file, folder)));
      delivered.made++;
      lines.push({ key, source, pictures: published });
    } catch (thrown) {
      const error = asConverterError(thrown);
      if (endsRun(error.code) || signal.aborted) throw thrown;
      const { code, message, help } = error;
      delivered.failed++;
      delivered.failures.push({
        article: configurationLabel(parseConfigurationKey(key)),
        code,
        message,
        help,
      });
      lines.push({ key, source, pictures: former?.pictures ?? [], error: { code, message } });
    }
  };
  const publishPicture = async (
    { name, bytes, width, height }: PictureFile,
    folder: string,
  ): Promise<DeliveredPicture> => {
    const { digest } = await store.put(bytes);
    const path = `${folder}/${name}.${pictures.format}`;
    await linkOrCopy(store.pathOf(digest), join(outputDir, path), temporaryFolder(outputDir));
    return { name, path, sha256: digest, width, height, bytes: bytes.length };
  };
  const arePublished = async (former: readonly DeliveredPicture[]): Promise<boolean> => {
    const sizes = former.map(({ sha256 }) => store.sizeOf(sha256));
    return (await Promise.all(sizes)).every((size, i) => size === former[i]!.bytes);
  };
  try {
    const masters: Parameters<typeof deliverLine>[] = [];
    for await (const line of manifestLines(outputDir)) {
      const asset = publishedAsset(line);
      if (asset !== undefined) masters.push([configurationKey(line), asset.glb, asset.sha256]);
    }
    await inParallel(masters, MASTERS_AT_ONCE, (master) => deliverLine(...master));
  } finally {
    await camera.close();
  }
  await publishDeliveries(outputDir, lines, before);
  return delivered;
}

/** While one is drawn, the pictures of others are encoded and written. */
const MASTERS_AT_ONCE = 4;

function pictureKey(options: PictureOptions): string {
  return `picture ${PICTURE_VERSION} ${JSON.stringify(options)}`;
}

/** Takes pictures, each only once: what was taken is kept in the cache, and equal masters are waited for. */
function openCamera(
  browser: FoundBrowser,
  options: PictureOptions,
  derived: Run['stores']['derived'] | undefined,
  signal: AbortSignal,
) {
  let opened: Promise<{ renderer: Renderer } & typeof import('../deliver/picture.ts')> | undefined;
  const open = async () => {
    const [{ openRenderer }, picture] = await Promise.all([
      import('../deliver/renderer.ts'),
      import('../deliver/picture.ts'),
    ]);
    return { ...picture, renderer: await openRenderer({ browser }) };
  };
  const close = async () => {
    await (await opened?.catch(() => undefined))?.renderer.close();
  };
  const stop = () => void close();
  signal.addEventListener('abort', stop);
  const running = new Map<Digest, Promise<PictureFile[]>>();
  const takeNew = async (
    sha256: Digest,
    read: () => Promise<Uint8Array>,
  ): Promise<PictureFile[]> => {
    const keyOf = (name: string) => `${pictureKey(options)} ${name} ${sha256}`;
    const kept = await Promise.all(pictureNames(options).map((name) => derived?.get(keyOf(name))));
    if (kept.every((packed) => packed !== undefined)) {
      return kept.map((packed, i) => unpack(pictureNames(options)[i]!, packed!));
    }
    opened ??= open();
    const { takePictures, renderer } = await opened;
    const glb = await read();
    if (sha256Hex(glb) !== sha256) {
      const message = `the master: expected the content ${sha256}, received another; btg2gltf verify names the file`;
      throw new ConverterError('STORE_DAMAGED', message);
    }
    const files = await takePictures(renderer, glb, options);
    for (const file of files) await derived?.put(keyOf(file.name), pack(file));
    return files;
  };
  return {
    take(sha256: Digest, read: () => Promise<Uint8Array>): Promise<PictureFile[]> {
      const taken =
        running.get(sha256) ?? takeNew(sha256, read).finally(() => running.delete(sha256));
      running.set(sha256, taken);
      return taken;
    },
    async close() {
      signal.removeEventListener('abort', stop);
      await close();
    },
  };
}

/** Width and height, then the file. */
function pack({ width, height, bytes }: PictureFile): Uint8Array {
  const packed = new Uint8Array(8 + bytes.length);
  const view = new DataView(packed.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  packed.set(bytes, 8);
  return packed;
}

function unpack(name: string, packed: Uint8Array): PictureFile {
  const view = new DataView(packed.buffer, packed.byteOffset);
  const size = { width: view.getUint32(0), height: view.getUint32(4) };
  return { name, ...size, bytes: packed.subarray(8) };
}

/** A list that cannot be read is made again: it says nothing that the pictures do not say. */
async function readDeliveries(outputDir: string): Promise<Map<string, DeliveryLine>> {
  const text = (await readTextIfExists(join(outputDir, DELIVERIES_FILE))) ?? '';
  const lines = new Map<string, DeliveryLine>();
  for (const line of text.split('\n')) {
    try {
      const read = JSON.parse(line) as DeliveryLine;
      lines.set(read.key, read);
    } catch {}
  }
  return lines;
}

/** Replaces the list, then removes the pictures that it no longer has. */
async function publishDeliveries(
  outputDir: string,
  lines: readonly DeliveryLine[],
  before: ReadonlyMap<string, DeliveryLine>,
): Promise<void> {
  const sorted = lines.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const text = sorted.map((line) => `${JSON.stringify(line)}\n`).join('');
  const path = join(outputDir, DELIVERIES_FILE);
  if (text !== (await readTextIfExists(path)))
    await replaceFile(path, text, { tmpDir: temporaryFolder(outputDir) });
  const current = new Set(lines.flatMap(({ pictures }) => pictures.map((picture) => picture.path)));
  for (const { pictures } of before.values()) {
    for (const picture of pictures) {
      const isOwn = /^pictures\/(?!(?:.*\/)?\.\.\/)/.test(picture.path);
      if (isOwn && !current.has(picture.path)) await removeFile(join(outputDir, picture.path));
    }
  }
}
