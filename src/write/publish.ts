/**
 * Publish: makes finished objects visible, in an order that a crash cannot turn into a lie.
 *
 * In: the lines of the new manifest, whose objects stand in the store. Out: links, manifest, catalogue.
 * It must not know how the objects came about, and it never removes a link.
 */

import { join } from 'node:path';
import type { CatalogueLine, ManifestLine } from '../model/asset.ts';
import { parseConfigurationKey } from '../model/configuration-id.ts';
import type { Digest } from '../model/snapshot.ts';
import { type FileFacts, linkOrCopy, statIfExists, temporaryFolder } from '../support/files.ts';
import { inParallel } from '../support/in-parallel.ts';
import type { PackedMap } from '../support/packed-map.ts';
import { assignPaths } from './article-path.ts';
import { orderFields, writeCatalogue, writeManifest } from './manifest.ts';

/** Links made at the same time: enough to hide the disk's latency. */
const LINKS_AT_ONCE = 8;

/** What is to be published. */
export interface Publication {
  outputDir: string;
  /** All lines of the manifest by key; their paths are given here. */
  lines: PackedMap<ManifestLine>;
  catalogue: PackedMap<CatalogueLine>;
  /** Path of an object in the store. */
  objectPath: (digest: Digest) => string;
  /** Ends it between two links, as a crash would: many thousands of them take longer than anyone waits. */
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
 * A link that holds its content already is left alone, and so is a manifest that says the same. A crash
 * in between leaves links that the old manifest does not tell of; the next run compares every link with
 * its object and mends it.
 *
 * @throws {@link ConverterError} `DISK_FULL` or `OUTPUT_UNWRITABLE`; the reason of the signal.
 *
 * @see D-740 (order; copies without hard links).
 */
export async function publish(publication: Publication): Promise<Published> {
  const outcome = await linkAll(publication);
  await writeManifest(publication.outputDir, publication.lines);
  await writeCatalogue(publication.outputDir, publication.catalogue);
  return outcome;
}

/** Every line gets what stands at its path: its own GLB, or for a failed one the last good one. */
async function linkAll({ outputDir, lines, objectPath, signal }: Publication): Promise<Published> {
  const outcome = { copied: 0, linked: 0, withoutObject: [] as string[] };
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
    if (made === 'absent') outcome.withoutObject.push(asset.glb);
    else if (made !== 'present') outcome[made]++;
  });
  outcome.withoutObject.sort();
  return outcome;
}

function withPath(line: ManifestLine, glb: string): ManifestLine {
  const { lastGood } = line;
  if (line.sha256 !== undefined) return line.glb === glb ? line : { ...line, glb };
  if (lastGood === undefined || lastGood.glb === glb) return line;
  return { ...line, lastGood: { ...lastGood, glb } };
}

/** What stands at a line's path: its own GLB, the last good one of a failed line, or nothing. */
export function publishedAsset(line: ManifestLine): { glb: string; sha256: Digest } | undefined {
  if (line.glb === undefined || line.sha256 === undefined) return line.lastGood;
  return { glb: line.glb, sha256: line.sha256 };
}
