/**
 * Publish: makes finished objects visible by links, then replaces manifest and catalogue, so that a crash
 * leaves no line without its file. It never removes a link.
 */
import { join } from 'node:path';
import type { CatalogueLine, ManifestLine } from '../model/asset.ts';
import { parseConfigurationKey } from '../model/configuration-id.ts';
import type { Digest } from '../model/snapshot.ts';
import { type FileFacts, linkOrCopy, statIfExists, temporaryFolder } from '../support/files.ts';
import { inParallel } from '../support/in-parallel.ts';
import type { PackedMap } from '../support/packed-map.ts';
import { assignPaths } from './article-path.ts';
import { CATALOGUE_FILE, MANIFEST_FILE, orderFields, writeLines } from './manifest.ts';

/** Links made at the same time: enough to hide the disk's latency. */
const LINKS_AT_ONCE = 8;

interface Publication {
  outputDir: string;
  /** All lines of the manifest by key; publishing sets their paths. */
  lines: PackedMap<ManifestLine>;
  catalogue: PackedMap<CatalogueLine>;
  /** Path of an object in the store. */
  objectPath: (digest: Digest) => string;
  /** Ends it between two links, as a crash would, since many thousands of them take minutes. */
  signal?: AbortSignal;
}

/** What publishing did. */
export interface Published {
  /** Links made as copies, since the file system has no hard links. */
  copied: number;
  linked: number;
  /** Configurations whose object is not in the store: their links stayed as they were. */
  withoutObject: string[];
}

/**
 * Publishes a run: links first, then the manifest, then the catalogue.
 *
 * A link to the right content is left alone, and so is an equal manifest. A crash in between leaves links
 * that the old manifest does not list; the next run compares every link with its object and corrects it.
 *
 * @throws {@link ConverterError} `DISK_FULL` or `OUTPUT_UNWRITABLE`; the reason of the signal.
 *
 * @see D-740 (order; copies without hard links).
 */
export async function publish(publication: Publication): Promise<Published> {
  const { outputDir, lines, catalogue } = publication;
  const published = await linkAll(publication);
  await writeLines(outputDir, MANIFEST_FILE, lines);
  await writeLines(outputDir, CATALOGUE_FILE, catalogue);
  return published;
}

/** The path of every line gets its own GLB, or for a failed one the last good one. */
async function linkAll({ outputDir, lines, objectPath, signal }: Publication): Promise<Published> {
  const published = { copied: 0, linked: 0, withoutObject: [] as string[] };
  const tmpDir = temporaryFolder(outputDir);
  // Many configurations share an object.
  const objects = new Map<string, FileFacts | undefined>();
  const paths = assignPaths(Array.from(lines.keys(), parseConfigurationKey));
  await inParallel(paths, LINKS_AT_ONCE, async ([key, glb]) => {
    signal?.throwIfAborted();
    const line = lines.get(key)!;
    const placed = withPath(line, glb);
    if (placed !== line) lines.set(key, orderFields(placed));
    const asset = publishedAsset(placed);
    if (asset === undefined) return;
    const object = objectPath(asset.sha256);
    if (!objects.has(object)) objects.set(object, await statIfExists(object));
    const made = await linkOrCopy(object, join(outputDir, asset.glb), tmpDir, objects.get(object));
    if (made === 'absent') published.withoutObject.push(asset.glb);
    else if (made !== 'present') published[made]++;
  });
  published.withoutObject.sort();
  return published;
}

function withPath(line: ManifestLine, glb: string): ManifestLine {
  const { lastGood } = line;
  if (line.sha256 !== undefined) return line.glb === glb ? line : { ...line, glb };
  if (lastGood === undefined || lastGood.glb === glb) return line;
  return { ...line, lastGood: { ...lastGood, glb } };
}

/** The GLB at a line's path: its own, the last good one of a failed line, or nothing. */
export function publishedAsset(line: ManifestLine): { glb: string; sha256: Digest } | undefined {
  if (line.glb === undefined || line.sha256 === undefined) return line.lastGood;
  return { glb: line.glb, sha256: line.sha256 };
}
