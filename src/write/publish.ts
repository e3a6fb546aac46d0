/**
 * Publish: makes finished objects visible, in an order that a crash cannot turn into a lie.
 *
 * In: the lines of the new manifest, whose objects stand in the store. Out: links, manifest, catalogue.
 * It must not know how the objects came about, and it never removes a link.
 */
import { join } from 'node:path';
import pLimit from 'p-limit';
import type { CatalogueLine, ManifestLine } from '../model/asset.ts';
import type { Digest } from '../model/snapshot.ts';
import { exists, linkOrCopy } from '../support/files.ts';
import { assignPaths } from './article-path.ts';
import { keyOf, writeCatalogue, writeManifest } from './manifest.ts';

/** Name of the folder of temporary files in the output folder: on the same file system as the links. */
export const TEMPORARY_FOLDER = '.tmp';

/** Links made at the same time: enough to hide the disk's latency. */
const LINKS_AT_ONCE = 8;

/** What is to be published. */
export interface Publication {
  outputDir: string;
  /** All lines of the manifest; their paths are given here. */
  lines: readonly ManifestLine[];
  catalogue: readonly CatalogueLine[];
  /** Path of an object in the store. */
  objectPath: (digest: Digest) => string;
}

/** What publishing did. */
export interface Published {
  lines: ManifestLine[];
  /** Links made as copies, since the file system has no hard links. */
  copied: number;
  linked: number;
  /** Configurations whose object is not in the store: their links stayed as they were. */
  withoutObject: string[];
}

/**
 * Publishes a run: links first, then the manifest, then the catalogue.
 *
 * A link that holds its content already is left alone. A crash in between leaves links that the old
 * manifest does not tell of; the next run compares every link with its object and mends it.
 *
 * @throws {@link ConverterError} `DISK_FULL` or `OUTPUT_UNWRITABLE`.
 *
 * @see D-740 (order), D-741 (copies where hard links cannot be had).
 */
export async function publish(publication: Publication): Promise<Published> {
  const lines = withPaths(publication.lines);
  const outcome = await linkAll(lines, publication);
  await writeManifest(publication.outputDir, lines);
  await writeCatalogue(publication.outputDir, [...publication.catalogue]);
  return { lines, ...outcome };
}

/** Every line with what stands at its path: its own GLB, or for a failed one the last good one. */
function withPaths(lines: readonly ManifestLine[]): ManifestLine[] {
  const paths = assignPaths(lines);
  return lines.map((line) => {
    const glb = paths.get(keyOf(line))!;
    if (line.sha256 !== undefined) return { ...line, glb };
    return line.lastGood === undefined ? line : { ...line, lastGood: { ...line.lastGood, glb } };
  });
}

async function linkAll(
  lines: readonly ManifestLine[],
  { outputDir, objectPath }: Publication,
): Promise<Omit<Published, 'lines'>> {
  const outcome = { copied: 0, linked: 0, withoutObject: [] as string[] };
  const tmpDir = join(outputDir, TEMPORARY_FOLDER);
  await pLimit(LINKS_AT_ONCE).map(lines, async (line) => {
    const asset = publishedAsset(line);
    if (asset === undefined) return;
    const object = objectPath(asset.sha256);
    if (!(await exists(object))) {
      outcome.withoutObject.push(asset.glb);
      return;
    }
    const made = await linkOrCopy(object, join(outputDir, asset.glb), tmpDir);
    if (made !== 'present') outcome[made]++;
  });
  outcome.withoutObject.sort();
  return outcome;
}

/** What stands at a line's path: its own GLB, the last good one of a failed line, or nothing. */
export function publishedAsset(line: ManifestLine): { glb: string; sha256: Digest } | undefined {
  if (line.glb === undefined || line.sha256 === undefined) return line.lastGood;
  return { glb: line.glb, sha256: line.sha256 };
}
