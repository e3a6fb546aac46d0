/** Delivery: makes of the published masters what others need, such as pictures, and publishes it beside them. */
import { extname, join } from 'node:path';
import { openFileStore } from '../cache/content-store.ts';
import type { MadeFile, Maker } from '../deliver/maker.ts';
import type { ArticleRequest } from '../model/article.ts';
import { configurationId, configurationLabel } from '../model/configuration-id.ts';
import type { Digest } from '../model/snapshot.ts';
import { asConverterError, ConverterError, endsRun } from '../support/errors.ts';
import {
  linkOrCopy,
  readBytes,
  readTextIfExists,
  removeFile,
  replaceFile,
  sha256Hex,
  statIfExists,
  temporaryFolder,
} from '../support/files.ts';
import { inParallel } from '../support/in-parallel.ts';
import { manifestLines } from '../write/manifest.ts';
import { publishedAsset } from '../write/publish.ts';
import { afterPublish } from './after-publish.ts';
import {
  DELIVERIES_FILE,
  type DeliveredFile,
  type DeliveryLine,
  placeOf,
  readDeliveries,
} from './deliveries.ts';
import { openMakers } from './delivery-makers.ts';
import { writeGallery } from './gallery.ts';
import { openMadeFiles } from './made-files.ts';
import type { Run } from './open-run.ts';
import { objectFiles, requireManifest } from './output-folder.ts';

/** What all deliveries did, in configurations. */
export interface Delivered {
  deliveries: { name: string; made: number; unchanged: number; failed: number; bytes: number }[];
  failures: { article: string; delivery: string; code: string; message: string; help: string }[];
  /** What was left out or not received, and what to do. */
  omitted: string[];
  /** Path of the page of the gallery, where it was wanted. */
  gallery?: string;
}

/** A published master. */
interface Master {
  id: ArticleRequest;
  /** Path of its link. */
  glb: string;
  sha256: Digest;
}

/**
 * Delivers what the pipeline asks for.
 *
 * What an earlier delivery made of the same master is left alone; what another configuration or an interrupted
 * delivery has made is taken from the cache. The failure of one article is a row of the result.
 *
 * @throws {@link ConverterError} an error of the output folder; the reason of the signal.
 */
export async function deliver(run: Run): Promise<Delivered> {
  const { outputDir, deliver: wanted } = run.options.pipeline;
  await requireManifest(outputDir);
  const { makers, omitted } = await openMakers(wanted ?? {}, run.environment.env);
  const delivered: Delivered = {
    deliveries: [],
    failures: [],
    omitted: omitted.map(({ reason }) => reason),
  };
  const before = await readDeliveries(outputDir);
  const lines: DeliveryLine[] = [];
  const masters = await mastersOf(outputDir);
  // What cannot be made now stays as it was.
  for (const { name } of omitted)
    lines.push(...masters.flatMap(({ id }) => before.get(placeOf(name, id)) ?? []));
  const { signal } = run.environment;
  const close = () => void Promise.all(makers.map((maker) => maker.close?.()));
  signal.addEventListener('abort', close);
  try {
    for (const maker of makers) {
      const one = openDelivery(run, maker, before);
      await inParallel(masters, maker.atOnce, async (master) => {
        signal.throwIfAborted();
        lines.push(await one.deliver(master));
      });
      const failed = one.failures.length;
      delivered.deliveries.push({ name: maker.name, ...one.counts, failed });
      delivered.failures.push(...one.failures);
      await maker.close?.();
    }
  } finally {
    signal.removeEventListener('abort', close);
    await Promise.all(makers.map((maker) => maker.close?.()));
  }
  await publishDeliveries(outputDir, lines, before);
  if (wanted?.gallery) delivered.gallery = await writeGallery(run);
  delivered.omitted.push(...(await afterPublish(run, lines)));
  return delivered;
}

async function mastersOf(outputDir: string): Promise<Master[]> {
  const masters: Master[] = [];
  for await (const line of manifestLines(outputDir)) {
    const asset = publishedAsset(line);
    if (asset !== undefined) masters.push({ id: configurationId(line), ...asset });
  }
  return masters;
}

/** One kind of delivery; equal masters are worked on once. */
function openDelivery(
  { options, stores, environment }: Run,
  maker: Maker,
  before: ReadonlyMap<string, DeliveryLine>,
) {
  const { outputDir } = options.pipeline;
  const madeOf = openMadeFiles(stores.derived, options.force);
  const asked = JSON.stringify([maker.name, maker.files]);
  const counts = { made: 0, unchanged: 0, bytes: 0 };
  const failures: Delivered['failures'] = [];
  const storeOf = (name: string) =>
    openFileStore({ ...objectFiles(outputDir), extension: extname(name) });

  const readMaster = async ({ glb, sha256 }: Master): Promise<Uint8Array> => {
    const master = await readBytes(join(outputDir, glb));
    if (sha256Hex(master) === sha256) return master;
    const message = `${glb}: expected the content ${sha256}, received another`;
    throw new ConverterError('STORE_DAMAGED', message);
  };
  const publish = async (name: string, { bytes, facts }: MadeFile, folder: string) => {
    const store = storeOf(name);
    const { digest } = await store.put(bytes);
    const path = `${folder}/${name}`;
    await linkOrCopy(store.pathOf(digest), join(outputDir, path), temporaryFolder(outputDir));
    return { name, path, sha256: digest, bytes: bytes.length, facts };
  };
  const isPublished = async (files: readonly DeliveredFile[], folder: string): Promise<boolean> => {
    if (files.some(({ name, path }) => path !== `${folder}/${name}`)) return false;
    // A link whose object is another file, or that is gone, is made again.
    const found = await Promise.all(
      files.flatMap(({ name, sha256, path }) => [
        statIfExists(storeOf(name).pathOf(sha256)),
        statIfExists(join(outputDir, path)),
      ]),
    );
    return files.every(({ bytes }, i) => {
      const [object, link] = found.slice(2 * i, 2 * i + 2);
      return object?.bytes === bytes && link?.bytes === bytes;
    });
  };

  return {
    counts,
    failures,
    async deliver(master: Master): Promise<DeliveryLine> {
      const { id, glb, sha256 } = master;
      const source = sha256Hex(`${sha256} ${asked}`);
      const former = before.get(placeOf(maker.name, id));
      const folder = glb.replace(/^articles\//, `${maker.name}/`).replace(/\.glb$/, '');
      const isSame = !options.force && former?.source === source && former.error === undefined;
      if (isSame && (await isPublished(former.files, folder))) {
        counts.unchanged++;
        counts.bytes += former.files.reduce((sum, { bytes }) => sum + bytes, 0);
        return former;
      }
      const line = { ...id, delivery: maker.name, source };
      try {
        const made = await madeOf(maker, sha256, () => readMaster(master));
        const files = await Promise.all(
          made.map((file, i) => publish(maker.files[i]!.name, file, folder)),
        );
        counts.made++;
        counts.bytes += files.reduce((sum, { bytes }) => sum + bytes, 0);
        return { ...line, files };
      } catch (thrown) {
        // Where the run was interrupted, it is not the master's failure.
        environment.signal.throwIfAborted();
        const { code, message, help } = asConverterError(thrown);
        if (endsRun(code)) throw thrown;
        const article = configurationLabel(id);
        failures.push({ article, delivery: maker.name, code, message, help });
        // What the last good master became stays.
        return { ...line, files: former?.files ?? [], error: { code, message } };
      }
    },
  };
}

/** Replaces the list, then removes the links that it no longer has. */
async function publishDeliveries(
  outputDir: string,
  lines: readonly DeliveryLine[],
  before: ReadonlyMap<string, DeliveryLine>,
): Promise<void> {
  const keyed = lines.map((line) => [placeOf(line.delivery, line), line] as const);
  keyed.sort(([a], [b]) => (a < b ? -1 : 1));
  const text = keyed.map(([, line]) => `${JSON.stringify(line)}\n`).join('');
  const path = join(outputDir, DELIVERIES_FILE);
  if (text !== (await readTextIfExists(path)))
    await replaceFile(path, text, { tmpDir: temporaryFolder(outputDir) });
  const current = new Set(lines.flatMap(({ files }) => files.map((file) => file.path)));
  for (const { delivery, files } of before.values()) {
    for (const file of files) {
      // The list may have been edited: nothing else is removed.
      const isOwn = file.path.startsWith(`${delivery}/`) && !file.path.includes('..');
      const isKept = delivery === 'articles' || current.has(file.path);
      if (isOwn && !isKept) await removeFile(join(outputDir, file.path));
    }
  }
}
