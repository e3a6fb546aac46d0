/** Makes finished objects visible by links, then replaces catalogues and manifest together: no line lacks its file. */
import { join } from 'node:path';
import type { Bounds } from '../../model/asset.ts';
import type { Digest } from '../../model/snapshot.ts';
import { type FileFacts, statIfExists, temporaryFolder } from '../../support/files.ts';
import { listEntries, syncFolders } from '../../support/folders.ts';
import { inParallel } from '../../support/in-parallel.ts';
import { linkOrCopy } from '../../support/links.ts';
import type { PackedMap } from '../../support/packed-map.ts';
import type { CatalogueLine, ManifestLine } from '../lists/manifest-line.ts';
import { assignPaths } from './article-path.ts';
import { CATALOGUE_FILE, MANIFEST_FILE, orderFields, writeLines } from './manifest.ts';
import { replaceLists } from './publication.ts';

/** Links made, and folders synced, at the same time: enough to hide the disk's latency. */
const LINKS_AT_ONCE = 8;

/** A GLB at the path of a line. */
export interface PublishedAsset {
  /** With `/`, relative to the output folder. */
  glb: string;
  sha256: Digest;
}

interface Publication {
  outputDir: string;
  /** All lines of the manifest by key; publishing sets their paths. */
  lines: PackedMap<ManifestLine>;
  /** The lines that are published now. */
  before: PackedMap<ManifestLine>;
  /** The GLBs of some of them, which need not be decoded. */
  settled?: Pick<PackedMap<PublishedAsset>, 'get'>;
  /** In each language; the first is `catalogue.jsonl` too. */
  catalogues: CataloguePublication[];
  objectPath: (digest: Digest) => string;
  /**
   * The path of an object below the output folder, which then stands in place of a link below `articles/`.
   * @defaultValue each line has a link of its own
   */
  objectKey?: ((digest: Digest) => string) | undefined;
  /** Folders of objects that are not synced yet; publishing adds those of links, and syncs each once. */
  unsynced?: Set<string>;
  /** Whether it is the whole selection of the pipeline; only then are former languages removed. */
  isWhole: boolean;
  /** Ends it between two links, as a crash would, since many thousands of them take minutes. */
  signal?: AbortSignal;
}

interface CataloguePublication {
  file: string;
  /** By key; publishing sets what they say of the GLB. */
  lines: PackedMap<CatalogueLine>;
  before: PackedMap<CatalogueLine>;
}

interface Published {
  /** Links made as copies, since the file system has no hard links. */
  copied: number;
  linked: number;
  /** Keys of lines whose path has the same object as before, and yet had another content or none. */
  restored: string[];
  /** Configurations whose object is not in the store: their links stayed as they were. */
  withoutObject: string[];
}

/**
 * Publishes a run: links first, then manifest and the catalogue of each language together (D-740, D-998). A whole run
 * then removes the catalogues of other languages.
 *
 * A link to the right content is left alone, and so is an equal manifest. A crash in between leaves links
 * that the old manifest does not list; the next run compares every link with its object and corrects it.
 * A line whose path has changed, such as by another naming rule, keeps its GLB: `endPublication` removes the old
 * link, since feeds and gallery still have its address.
 *
 * @throws {@link ConverterError} `DISK_FULL` or `OUTPUT_UNWRITABLE`; the reason of the signal.
 */
export async function publish(publication: Publication): Promise<Published> {
  const { outputDir, lines, catalogues } = publication;
  const { unsynced = new Set() } = publication;
  const published =
    publication.objectKey === undefined
      ? await linkAll(publication, unsynced)
      : placeAll(publication, publication.objectKey);
  await syncFolders(unsynced);
  for (const catalogue of catalogues) describeAssets(publication, catalogue);
  await replaceLists(outputDir, movedFrom(publication), async (lists) => {
    for (const { file, lines: own, before } of catalogues)
      await writeLines(lists, file, own, before);
    const [first] = catalogues;
    if (catalogues.length > 1) await writeLines(lists, CATALOGUE_FILE, first!.lines);
    // Last: what its lines say of the answers is in the catalogues by then.
    await writeLines(lists, MANIFEST_FILE, lines, publication.before);
    if (publication.isWhole) (await otherCatalogues(publication)).forEach(lists.remove);
  });
  return published;
}

/** Two letters and perhaps a region, such as `de` or `en-GB`; `catalogue.old.jsonl` is a file of the user. */
const OF_LANGUAGE = /^catalogue\.[a-z]{2}(?:[-_][a-z]{2})?\.jsonl$/i;

/** The names of the catalogues of one language each. */
export async function cataloguesOfLanguages(outputDir: string): Promise<string[]> {
  const files = (await listEntries(outputDir)).filter(({ kind }) => kind === 'file');
  return files.map(({ name }) => name).filter((name) => OF_LANGUAGE.test(name));
}

/** The catalogues of languages that the pipeline no longer lists; names compare without case. */
async function otherCatalogues({ outputDir, catalogues }: Publication): Promise<string[]> {
  const current = new Set(catalogues.map(({ file }) => file.toUpperCase()));
  const all = await cataloguesOfLanguages(outputDir);
  return all.filter((name) => !current.has(name.toUpperCase()));
}

/** Sets size, path and digest of the published GLB in each line of the catalogue; equal lines have them. */
function describeAssets({ lines, before }: Publication, catalogue: CataloguePublication): void {
  for (const key of catalogue.lines.keys()) {
    if (lines.isShared(key, before) && catalogue.lines.isShared(key, catalogue.before)) continue;
    const line = lines.get(key)!;
    const { glb = null, sha256 = null } = publishedAsset(line) ?? {};
    const sizeMillimetres = sizeOf(line.boundsMetres ?? line.lastGood?.boundsMetres);
    const entry = catalogue.lines.get(key)!;
    catalogue.lines.set(key, { ...entry, sizeMillimetres, glb, sha256 });
  }
}

/** The size of bounds, to a tenth of a millimetre, because bounds are rounded to float32; null without bounds. */
export function sizeOf(bounds: Bounds | undefined): CatalogueLine['sizeMillimetres'] {
  if (bounds === undefined) return null;
  const [width, height, depth] = [0, 1, 2].map(
    (axis) => Math.round((bounds.max[axis]! - bounds.min[axis]!) * 10_000) / 10,
  ) as [number, number, number];
  return { width, depth, height };
}

/** Former paths of lines whose path has changed; another line may have one now. */
function movedFrom({ before, lines }: Publication): string[] {
  const moved: string[] = [];
  for (const key of lines.keys()) {
    if (lines.isShared(key, before)) continue;
    const [was, is] = [before, lines].map((of) => linkOf(of.get(key)));
    if (was !== undefined && was !== is) moved.push(was);
  }
  return moved;
}

function linkOf(line: ManifestLine | undefined): string | undefined {
  return line && publishedAsset(line)?.glb;
}

/** Every line has the path of its object: where links are not possible, such as in a bucket. */
function placeAll(
  { lines, before }: Publication,
  objectKey: (digest: Digest) => string,
): Published {
  for (const key of lines.keys()) {
    if (lines.isShared(key, before)) continue;
    const asset = lines.get(key)!;
    const sha256 = asset.sha256 ?? asset.lastGood?.sha256;
    if (sha256 !== undefined) place(lines, key, objectKey(sha256));
  }
  return { copied: 0, linked: 0, restored: [], withoutObject: [] };
}

/** The path of every line gets its own GLB, or for a failed one the last good one. */
async function linkAll(publication: Publication, unsynced: Set<string>): Promise<Published> {
  const { outputDir, lines, before, settled, objectPath, signal } = publication;
  const published: Published = { copied: 0, linked: 0, restored: [], withoutObject: [] };
  const tmpDir = temporaryFolder(outputDir);
  // Many configurations share an object.
  const objects = new Map<string, FileFacts | undefined>();
  const paths = assignPaths(lines.keys());
  await inParallel(paths, LINKS_AT_ONCE, async ([key, glb]) => {
    signal?.throwIfAborted();
    const known = lines.isShared(key, before) ? settled?.get(key) : undefined;
    const asset = known?.glb === glb ? known : place(lines, key, glb);
    if (asset === undefined) return;
    const object = objectPath(asset.sha256);
    if (!objects.has(object)) objects.set(object, await statIfExists(object));
    const link = join(outputDir, asset.glb);
    const made = await linkOrCopy(object, link, tmpDir, objects.get(object), unsynced);
    if (made === 'present') return;
    const lineBefore = before.get(key);
    const former = lineBefore && publishedAsset(lineBefore);
    if (made !== 'absent') {
      published[made]++;
      if (former?.glb === asset.glb && former.sha256 === asset.sha256) published.restored.push(key);
      return;
    }
    published.withoutObject.push(asset.glb);
    // Its link is all that is left of it: it moves as it is.
    if (former === undefined || former.glb === asset.glb) return;
    await linkOrCopy(join(outputDir, former.glb), link, tmpDir, undefined, unsynced);
  });
  published.restored.sort();
  published.withoutObject.sort();
  return published;
}

/** Sets the path of a line; returns its GLB. */
function place(
  lines: PackedMap<ManifestLine>,
  key: string,
  glb: string,
): PublishedAsset | undefined {
  const line = lines.get(key)!;
  const placed = withPath(line, glb);
  if (placed !== line) lines.set(key, orderFields(placed));
  return publishedAsset(placed);
}

function withPath(line: ManifestLine, glb: string): ManifestLine {
  const { lastGood } = line;
  if (line.sha256 !== undefined) return line.glb === glb ? line : { ...line, glb };
  if (lastGood === undefined || lastGood.glb === glb) return line;
  return { ...line, lastGood: { ...lastGood, glb } };
}

/** The GLB at a line's path: its own, the last good one of a failed line, or nothing. */
export function publishedAsset(line: ManifestLine): PublishedAsset | undefined {
  if (line.glb === undefined || line.sha256 === undefined) return line.lastGood;
  return { glb: line.glb, sha256: line.sha256 };
}
