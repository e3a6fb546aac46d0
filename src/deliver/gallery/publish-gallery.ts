/** The gallery of an output folder: its data from manifest, catalogue and deliveries, and its files. */
import { basename, join } from 'node:path';
import { configurationId, configurationKey } from '../../model/configuration-id.ts';
import type { Digest } from '../../model/snapshot.ts';
import type { CatalogueLine, ManifestLine } from '../../run/lists/manifest-line.ts';
import type { Run } from '../../run/open/open-run.ts';
import {
  type DeliveryLine,
  type DeliveryLines,
  deliveryLines,
  GALLERY_FOLDER,
  isSharedPath,
} from '../../run/output/delivered-files.ts';
import { manifestLines, openCatalogue } from '../../run/output/manifest.ts';
import type { NewLists } from '../../run/output/publication.ts';
import { publishedAsset } from '../../run/output/publish.ts';
import type { Published } from '../../run/output/published.ts';
import { mastersOf } from '../../run/publishing/masters.ts';
import { exists, readBytesIfExists, sha256Hex } from '../../support/files.ts';
import { MASTER } from '../making/names.ts';
import { CONTACT_SHEET_VERSION, contactSheet, MOST_ON_SHEET } from './contact-sheet.ts';
import { GALLERY_DATA_FILE, galleryDataFile, galleryPageFiles } from './gallery.ts';
import {
  type GalleryData,
  type GalleryFile,
  type GalleryItem,
  mainPicture,
} from './gallery-data.ts';

const CONTACT_SHEET = 'contact-sheet.jpg';

/**
 * Writes the page and its contact sheet below `<output>/gallery/`; files that are equal are not written again.
 *
 * @param lines - The delivered files.
 * @returns The path of the page.
 */
export async function writeGallery(
  { options, sources, output }: Run,
  lists: NewLists,
  lines: DeliveryLines,
): Promise<string> {
  const { outputDir, name } = options.pipeline;
  const data = await readGallery(outputDir, name, lines);
  const digests = new Map<string, Digest>();
  for (const { files } of lines.values())
    for (const { path, sha256 } of files) digests.set(path, sha256);
  const read = (path: string) =>
    output.published === undefined
      ? readBytesIfExists(join(outputDir, path))
      : output.published.readFile(path, digests.get(path));
  const sheet = await sheetOf(read, data, sources.derived);
  const files = await galleryPageFiles();
  if (sheet !== undefined) files.set(CONTACT_SHEET, sheet);
  else lists.remove(`${GALLERY_FOLDER}/${CONTACT_SHEET}`);
  const content = galleryDataFile({ ...data, hasContactSheet: sheet !== undefined });
  // The file with the data is written last, because it refers to the others.
  files.set(GALLERY_DATA_FILE, new TextEncoder().encode(content));
  for (const [file, bytes] of files) {
    const before = await readBytesIfExists(join(outputDir, GALLERY_FOLDER, file));
    if (before !== undefined && Buffer.compare(before, bytes) === 0) continue;
    await lists.write(`${GALLERY_FOLDER}/${file}`, bytes);
  }
  return join(outputDir, GALLERY_FOLDER, 'index.html');
}

/** Names the files of the page that each gallery has, below the output folder. */
export async function galleryFiles(): Promise<string[]> {
  const names = [...(await galleryPageFiles()).keys(), GALLERY_DATA_FILE];
  return names.map((name) => `${GALLERY_FOLDER}/${name}`);
}

/** Removes a page that is no longer wanted, which would otherwise outlast the files that it links. */
export async function removeGallery(lists: NewLists): Promise<void> {
  if (!(await exists(join(lists.outputDir, GALLERY_FOLDER, GALLERY_DATA_FILE)))) return;
  for (const file of [...(await galleryPageFiles()).keys(), CONTACT_SHEET, GALLERY_DATA_FILE])
    lists.remove(`${GALLERY_FOLDER}/${file}`);
}

/** The first configuration of each article that has a picture. */
async function sheetOf(
  read: (path: string) => Promise<Uint8Array | undefined>,
  { items }: GalleryData,
  derived: Run['sources']['derived'],
): Promise<Uint8Array | undefined> {
  const first = new Map<string, string>();
  for (const item of items) {
    const path = mainPicture(item)?.path;
    const article = JSON.stringify([item.manufacturer, item.program, item.number]);
    if (path !== undefined && !first.has(article)) first.set(article, path);
  }
  const paths = [...first.values()].slice(0, MOST_ON_SHEET);
  const pictures = (await Promise.all(paths.map(read))).filter((picture) => picture !== undefined);
  if (pictures.length === 0) return undefined;
  const digests = pictures.map((picture) => sha256Hex(picture)).join(' ');
  const key = `${CONTACT_SHEET} ${CONTACT_SHEET_VERSION} ${sha256Hex(digests)}`;
  const kept = await derived.get(key);
  if (kept !== undefined) return kept;
  const sheet = await contactSheet(pictures);
  await derived.put(key, sheet);
  return sheet;
}

/**
 * Opens the gallery of the published files, which need not contain a gallery: its page comes from memory, everything
 * else from the output folder, and nothing is written there.
 *
 * @throws {@link ConverterError} `USAGE` if there is no manifest.
 */
export async function openGallery(published: Published, title = basename(published.name)) {
  await published.requireManifest();
  const page = await galleryPageFiles();
  const sheet = `${GALLERY_FOLDER}/${CONTACT_SHEET}`;
  let shown = new Set<string>();
  const readData = async () => {
    await published.refresh();
    const hasContactSheet = (await published.find(sheet)) !== undefined;
    const data = await readGallery(published.dir, title);
    shown = new Set([sheet, ...data.items.flatMap(({ files }) => files.map(({ path }) => path))]);
    return { ...data, hasContactSheet };
  };
  const { items } = await readData();
  return {
    count: items.length,
    /** Reads a file by its path, as the page names it; undefined for files that the gallery does not show. */
    async read(path: string): Promise<Uint8Array | undefined> {
      // The data is read again, since a run may have published in the meantime.
      if (path === `${GALLERY_FOLDER}/${GALLERY_DATA_FILE}`)
        return new TextEncoder().encode(galleryDataFile(await readData()));
      const [folder, name = '', ...below] = path.split('/');
      const own =
        folder === GALLERY_FOLDER && below.length === 0
          ? page.get(name || 'index.html')
          : undefined;
      if (own !== undefined) return own;
      const isPublished = shown.has(path) || isSharedPath(path);
      return isPublished ? published.find(path) : undefined;
    },
  };
}

/**
 * Reads the data of the gallery: every configuration with a GLB, in the order of the manifest.
 *
 * @param lines - The delivered files. @defaultValue the list of deliveries
 */
export async function readGallery(
  outputDir: string,
  title: string,
  lines?: DeliveryLines,
): Promise<GalleryData> {
  const catalogue = await openCatalogue(outputDir);
  const delivered = new Map<string, DeliveryLine[]>();
  for await (const line of lines?.values() ?? deliveryLines(outputDir)) {
    const key = configurationKey(configurationId(line));
    delivered.set(key, [...(delivered.get(key) ?? []), line]);
  }
  const masters = await mastersOf(outputDir);
  const links = new Map(masters.map(({ id, link }) => [configurationKey(id), link]));
  const places = new Map<string, number>();
  const placeOf = ({ where, field, value, done }: ManifestLine['losses'][number]): number => {
    const key = JSON.stringify([where, field, String(value), done]);
    const place = places.get(key) ?? places.size;
    places.set(key, place);
    return place;
  };
  const items: GalleryItem[] = [];
  for await (const line of manifestLines(outputDir)) {
    const key = configurationKey(configurationId(line));
    const made = delivered.get(key) ?? [];
    const item = itemOf(line, links.get(key), catalogue.get(key), made, placeOf);
    if (item !== undefined) items.push(item);
  }
  const losses = Array.from(places.keys(), (key) => JSON.parse(key));
  return { title, hasContactSheet: false, losses, items };
}

function itemOf(
  line: ManifestLine,
  link: string | undefined,
  entry: CatalogueLine | undefined,
  deliveries: readonly DeliveryLine[],
  placeOf: (loss: ManifestLine['losses'][number]) => number,
): GalleryItem | undefined {
  const asset = publishedAsset(line);
  if (asset === undefined || link === undefined || !isBelow(asset.glb)) return undefined;
  const { manufacturer, program, basearticlenumber, finalarticlenumber, error } = line;
  const figures = line.glb === undefined ? line.lastGood : line;
  // The name is that of the link, because configurations share an object.
  const name = link.slice(link.lastIndexOf('/') + 1);
  const master = { delivery: MASTER, name, path: asset.glb, bytes: figures?.bytes ?? 0 };
  const others = deliveries.flatMap(({ delivery, files }) =>
    files
      .filter(({ facts }) => facts.isFormerAddress !== true)
      .map(({ name, path, bytes, facts: { variant, camera } }): GalleryFile => {
        const finish = typeof variant === 'string' ? { finish: variant } : {};
        const view = typeof camera === 'string' ? { camera } : {};
        return { delivery, name, path, bytes, ...finish, ...view };
      }),
  );
  const splitBy = deliveries.find((line) => line.splitBy !== undefined)?.splitBy;
  const losses = line.losses.filter(({ expected }) => !expected).map(placeOf);
  return {
    id: link.replace(/^articles\/|\.glb$/g, ''),
    ...{ manufacturer, program, number: basearticlenumber, configuration: finalarticlenumber },
    name: entry?.shorttext ?? '',
    text: entry?.longtext ?? '',
    variant: entry?.varianttext ?? '',
    price: entry?.price ?? null,
    currency: entry?.currency ?? '',
    sizeMillimetres: entry?.sizeMillimetres ?? null,
    triangles: figures?.triangles ?? null,
    losses: [...new Set(losses)],
    files: [master, ...others.filter(({ path }) => isBelow(path) && !isSharedPath(path))],
    ...(splitBy && { splitBy }),
    ...(error && { error: `${error.code}: ${error.message}` }),
  };
}

/** Whether a path stays below the output folder: the lists may have been edited. */
function isBelow(path: string): boolean {
  const [first = '', ...rest] = path.split('/');
  return (
    rest.length > 0 &&
    !/[\\:\p{Cc}]/u.test(path) &&
    [first, ...rest].every((part) => part !== '' && !part.startsWith('.'))
  );
}
