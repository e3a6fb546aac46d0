/** Publishes the gallery of an output folder, or serves it. */
import { basename, join } from 'node:path';
import type { Digest } from '../../model/snapshot.ts';
import type { Run } from '../../run/open/open-run.ts';
import {
  type DeliveryLines,
  GALLERY_FOLDER,
  isSharedPath,
} from '../../run/output/delivered-files.ts';
import type { NewLists } from '../../run/output/publication.ts';
import type { Published } from '../../run/output/published.ts';
import { exists, listFolder, readBytesIfExists, sha256Hex } from '../../support/files.ts';
import { CONTACT_SHEET_VERSION, contactSheet, MOST_ON_SHEET } from './contact-sheet.ts';
import {
  EMBEDDED_STUDIO,
  embeddedModel,
  embeddedStudio,
  GALLERY_DATA_FILE,
  galleryDataFile,
  galleryDetailsFile,
  galleryPageFiles,
  hasEmbeddedModel,
  modelScriptsIn,
  partsIn,
} from './gallery.ts';
import { detailsFile } from './gallery-data.ts';
import type { GalleryOptions } from './gallery-schema.ts';
import { type Gallery, readGallery } from './read-gallery.ts';

const CONTACT_SHEET = 'contact-sheet.jpg';

/** Files of which there are as many as the range needs. */
const PART_FILE = /^(?:details-\d+|model-[0-9a-f]{16})\.js$/;
/** Name of the script with a model. */
export const scriptOf = (sha256: Digest): string => `model-${sha256.slice(0, 16)}.js`;

/**
 * Writes the page and its contact sheet below `<output>/gallery/`; files that are equal are not written again.
 *
 * @param lines - The delivered files.
 * @returns The path of the page.
 */
export async function writeGallery(
  { options, sources, output }: Run,
  { assetsUrl, embedModels }: GalleryOptions,
  lists: NewLists,
  lines: DeliveryLines,
): Promise<string> {
  const { outputDir, name } = options.pipeline;
  const folder = join(outputDir, GALLERY_FOLDER);
  const read = (path: string, digest: Digest | undefined) =>
    output.published === undefined
      ? readBytesIfExists(join(outputDir, path))
      : output.published.readFile(path, digest);
  const { derived } = sources;
  const embed = { scriptOf: embedModels ? scriptOf : undefined };
  const gallery = await readGallery(outputDir, name, { read, derived, assetsUrl, ...embed }, lines);
  const written = new Set<string>();
  const write = async (file: string, bytes: Uint8Array | string) => {
    written.add(file);
    const content = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes;
    const before = await readBytesIfExists(join(folder, file));
    if (before === undefined || Buffer.compare(before, content) !== 0)
      await lists.write(`${GALLERY_FOLDER}/${file}`, content);
  };
  const sheet = await sheetOf(read, gallery, derived);
  for (const [file, bytes] of await galleryPageFiles()) await write(file, bytes);
  if (sheet !== undefined) await write(CONTACT_SHEET, sheet);
  if (embedModels) await write(EMBEDDED_STUDIO, await embeddedStudio());
  for (const { embedded } of gallery.parts.flatMap(({ configurations }) => configurations)) {
    if (embedded === undefined || written.has(embedded.script)) continue;
    const { script, path } = embedded;
    written.add(script);
    const digest = gallery.digests.get(path)!;
    const before = await readBytesIfExists(join(folder, script));
    if (before !== undefined && hasEmbeddedModel(before, script, digest)) continue;
    const model = await read(path, digest);
    if (model !== undefined) await write(script, embeddedModel(script, model));
  }
  for (const [part, content] of gallery.parts.entries())
    await write(detailsFile(part), galleryDetailsFile(part, content));
  // The file with the data is written last, because it refers to the others.
  const data = { ...gallery.data, hasContactSheet: sheet !== undefined };
  await write(GALLERY_DATA_FILE, galleryDataFile(data));
  for (const file of await listFolder(folder))
    if (isOwn(file) && !written.has(file)) lists.remove(`${GALLERY_FOLDER}/${file}`);
  return join(folder, 'index.html');
}

/** Whether only some galleries have a file. */
const isOwn = (file: string): boolean =>
  PART_FILE.test(file) || file === CONTACT_SHEET || file === EMBEDDED_STUDIO;

/** Names the files that the gallery of an output folder must have, below that folder. */
export async function galleryFiles(outputDir: string): Promise<string[]> {
  const read = (name: string) => readBytesIfExists(join(outputDir, GALLERY_FOLDER, name));
  const data = await read(GALLERY_DATA_FILE);
  // Each gallery has a file with details; only its data says how many.
  const parts = (data && partsIn(data)) ?? 1;
  const details = Array.from({ length: parts }, (_, part) => detailsFile(part));
  const embedded = new Set<string>();
  for (const name of details) {
    const content = await read(name);
    for (const script of content ? modelScriptsIn(content) : []) embedded.add(script);
  }
  if (embedded.size > 0) embedded.add(EMBEDDED_STUDIO);
  const page = (await galleryPageFiles()).keys();
  const names = [...page, ...details, ...embedded, GALLERY_DATA_FILE];
  return names.map((name) => `${GALLERY_FOLDER}/${name}`);
}

/** Removes a page that is no longer wanted, which would otherwise outlast the files that it links. */
export async function removeGallery(lists: NewLists): Promise<void> {
  const folder = join(lists.outputDir, GALLERY_FOLDER);
  if (!(await exists(join(folder, GALLERY_DATA_FILE)))) return;
  const parts = (await listFolder(folder)).filter(isOwn);
  for (const file of [...(await galleryPageFiles()).keys(), ...parts, GALLERY_DATA_FILE])
    lists.remove(`${GALLERY_FOLDER}/${file}`);
}

/** The first configuration of each article that has a picture. */
async function sheetOf(
  read: (path: string, digest: Digest | undefined) => Promise<Uint8Array | undefined>,
  { data, digests }: Gallery,
  derived: Run['sources']['derived'],
): Promise<Uint8Array | undefined> {
  const first = data.articles.flatMap(
    ({ configurations }) => configurations.find(({ picture }) => picture)?.picture ?? [],
  );
  const paths = first.slice(0, MOST_ON_SHEET);
  const found = await Promise.all(paths.map((path) => read(path, digests.get(path))));
  const pictures = found.filter((picture) => picture !== undefined);
  if (pictures.length === 0) return undefined;
  const contents = pictures.map((picture) => sha256Hex(picture)).join(' ');
  const key = `${CONTACT_SHEET} ${CONTACT_SHEET_VERSION} ${sha256Hex(contents)}`;
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
  const encoder = new TextEncoder();
  let gallery: Gallery;
  let shown = new Set<string>();
  const refresh = async () => {
    await published.refresh();
    gallery = await readGallery(published.dir, title, { read: (path) => published.find(path) });
    const files = gallery.parts.flatMap(({ configurations }) =>
      configurations.flatMap(({ files }) => files.map(({ path }) => path)),
    );
    shown = new Set([sheet, ...files]);
  };
  const dataFile = async () => {
    await refresh();
    const hasContactSheet = (await published.find(sheet)) !== undefined;
    return galleryDataFile({ ...gallery.data, hasContactSheet });
  };
  /** A file of the page; undefined if it has none of this name. */
  const pageFile = async (name: string): Promise<Uint8Array | undefined> => {
    // The data is read again, since a run may have published in the meantime.
    if (name === GALLERY_DATA_FILE) return encoder.encode(await dataFile());
    const part = gallery.parts.findIndex((_, part) => detailsFile(part) === name);
    if (part >= 0) return encoder.encode(galleryDetailsFile(part, gallery.parts[part]!));
    return page.get(name || 'index.html');
  };
  await refresh();
  return {
    count: gallery!.data.articles.flatMap(({ configurations }) => configurations).length,
    /** Reads a file by its path, as the page names it; undefined for files that the gallery does not show. */
    async read(path: string): Promise<Uint8Array | undefined> {
      const [folder, name = '', ...below] = path.split('/');
      const isOfPage = folder === GALLERY_FOLDER && below.length === 0;
      const own = isOfPage ? await pageFile(name) : undefined;
      if (own !== undefined) return own;
      return shown.has(path) || isSharedPath(path) ? published.find(path) : undefined;
    },
  };
}
