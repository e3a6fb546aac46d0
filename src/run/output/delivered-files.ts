/** The list of what was delivered: which files each configuration has beside its GLB. */
import { join } from 'node:path';
import type { ArticleRequest } from '../../model/article.ts';
import { configurationKey, ID_FIELDS } from '../../model/configuration-id.ts';
import type { Digest } from '../../model/snapshot.ts';
import { exists } from '../../support/files.ts';
import { PackedMap } from '../../support/packed-map.ts';
import type { Spool } from '../../support/spool.ts';
import { readLines, writeLines } from './manifest.ts';
import type { ListWriter } from './publication.ts';

/** Name of the list of what was delivered, in the output folder. */
export const DELIVERIES_FILE = 'deliveries.jsonl';
/**
 * Name of the list of what deliveries made of older masters, where nothing could be made of those that are published:
 * it stays at its place, and no other list names it.
 */
export const LAST_GOOD_FILE = 'deliveries-last-good.jsonl';
/** Every published file with its digest, and digests of texts; the next publication is compared with it. */
export const PUBLISHED_FILE = 'published.jsonl';
/** The configurations that differ from the publication before. */
export const CHANGES_FILE = 'changes.jsonl';
/** The changes that the receiver of the webhook has not accepted yet. */
export const OUTBOX_FILE = 'outbox.jsonl';
/** Names of folders of files that are made of the whole range. */
export const [FEEDS_FOLDER, GALLERY_FOLDER] = ['feeds', 'gallery'] as const;

/** Facts of a file that readers of `deliveries.jsonl` need, such as the width of a picture. */
export type FileFacts = Readonly<Record<string, string | number | boolean>>;

/** The folder of shared files, below that of their delivery. */
export const SHARED_FOLDER = 'files';

/** A published file of a configuration. */
export interface PublishedFile {
  /** Name of the delivery that made it; `articles` for the master. */
  delivery: string;
  /** With `/`, relative to the output folder. */
  path: string;
  sha256: Digest;
}

/** A file that was delivered. */
export interface DeliveredFile {
  name: string;
  /** With `/`, relative to the output folder. */
  path: string;
  sha256: Digest;
  bytes: number;
  facts: FileFacts;
}

/** What one configuration got of one delivery; a line of `deliveries.jsonl`. */
export type DeliveryLine = ArticleRequest & {
  delivery: string;
  /** Digest of the masters, of their links and of what was asked for: equal digests give equal files. */
  source: string;
  /** Version of what decides the files of all masters, such as the light of pictures. */
  version?: number;
  files: DeliveredFile[];
  /** Texts of the properties that divide the article into several files, where there are several. */
  splitBy?: string[];
  /** `attempts`: of those with the same source, where an attempt takes long. */
  error?: { code: string; message: string; attempts?: number };
};

const FLAT_PATH = /^[\w-]+\/[^/]+-[0-9a-f]{16}\.gltf$/;

const SHARED_PATH = new RegExp(`^[\\w-]+/${SHARED_FOLDER}/[0-9a-f]{64}\\.\\w+$`);

/** Whether a path is that of a shared file: a part of other files, and nothing that a person opens. */
export function isSharedPath(path: string): boolean {
  return SHARED_PATH.test(path);
}

const CONFIGURATION_PATH = /^[\w-]+(?:\/[^/]+){3}\/(?:default|[0-9a-f]{16})(?:\.glb|\/[^/]+)$/;

/** Whether a delivery gives its files such a path. Other files in its folder may be those of a user. */
export function isDeliveryPath(path: string): boolean {
  return CONFIGURATION_PATH.test(path) || FLAT_PATH.test(path) || isSharedPath(path);
}

/** The lines of a list of deliveries, by {@link deliveryKey}. */
export type DeliveryLines = PackedMap<DeliveryLine>;

/** The key of a line: what one configuration got of one delivery. */
export function deliveryKey({
  delivery,
  ...id
}: Pick<DeliveryLine, 'delivery'> & ArticleRequest): string {
  return `${delivery} ${configurationKey(id)}`;
}

const DELIVERY_FORM = { texts: [...ID_FIELDS, 'delivery', 'source'], lists: ['files'] };

/** Reads the lines of a list of deliveries one after the other. A line that cannot be read is left out: it is made again. */
export async function* deliveryLines(
  outputDir: string,
  file: DeliveriesFile = DELIVERIES_FILE,
): AsyncIterable<DeliveryLine> {
  for await (const lines of readLines<DeliveryLine>(join(outputDir, file), DELIVERY_FORM, () => {}))
    for (const { line } of lines) yield line;
}

/** Name of a list of deliveries. */
type DeliveriesFile = typeof DELIVERIES_FILE | typeof LAST_GOOD_FILE;

/** Reads a list of deliveries. @param spool - Where the lines are kept. @defaultValue one in memory */
export async function readDeliveries(
  outputDir: string,
  file: DeliveriesFile = DELIVERIES_FILE,
  spool?: Spool,
): Promise<DeliveryLines> {
  const lines: DeliveryLines = new PackedMap(spool);
  for await (const line of deliveryLines(outputDir, file)) lines.set(deliveryKey(line), line);
  return lines;
}

/** Replaces both lists, sorted. An equal list is left alone. */
export async function writeDeliveries(
  lists: ListWriter,
  delivered: DeliveryLines,
  lastGood: DeliveryLines,
): Promise<void> {
  const contents = { [LAST_GOOD_FILE]: lastGood, [DELIVERIES_FILE]: delivered };
  for (const [file, lines] of Object.entries(contents)) {
    // A list without lines stays: a store has it.
    const isWritten = file === DELIVERIES_FILE || lines.size > 0;
    if (!isWritten && !(await exists(join(lists.outputDir, file)))) continue;
    await writeLines(lists, file, lines, undefined, (keys) => [...keys].sort());
  }
}
