/** The list of what was delivered: which files each configuration has beside its GLB. */
import { join } from 'node:path';
import type { ArticleRequest } from '../../model/article.ts';
import { configurationKey } from '../../model/configuration-id.ts';
import type { Digest } from '../../model/snapshot.ts';
import { readTextIfExists } from '../../support/files.ts';
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

function placeOf(delivery: string, id: ArticleRequest): string {
  return `${delivery} ${configurationKey(id)}`;
}

/**
 * Reads a list of deliveries. A line that cannot be read is made again: it says nothing that the files do not say.
 *
 * @param file - {@link DELIVERIES_FILE} or {@link LAST_GOOD_FILE}.
 */
export async function readDeliveries(
  outputDir: string,
  file: typeof DELIVERIES_FILE | typeof LAST_GOOD_FILE = DELIVERIES_FILE,
): Promise<Map<string, DeliveryLine>> {
  const text = (await readTextIfExists(join(outputDir, file))) ?? '';
  const lines = new Map<string, DeliveryLine>();
  for (const line of text.split('\n')) {
    try {
      const read = JSON.parse(line) as DeliveryLine;
      lines.set(placeOf(read.delivery, read), read);
    } catch {}
  }
  return lines;
}

/** Replaces both lists, sorted. An equal list is left alone. */
export async function writeDeliveries(
  lists: ListWriter,
  delivered: readonly DeliveryLine[],
  lastGood: readonly DeliveryLine[],
): Promise<void> {
  const contents = { [LAST_GOOD_FILE]: lastGood, [DELIVERIES_FILE]: delivered };
  for (const [file, lines] of Object.entries(contents)) {
    const keyed = lines.map((line) => [placeOf(line.delivery, line), line] as const);
    keyed.sort(([a], [b]) => (a < b ? -1 : 1));
    const text = keyed.map(([, line]) => `${JSON.stringify(line)}\n`).join('');
    const before = await readTextIfExists(join(lists.outputDir, file));
    // A list without lines stays: a store has it.
    const isNew = before === undefined && (file === DELIVERIES_FILE || text !== '');
    if (isNew || (before !== undefined && text !== before)) await lists.write(file, text);
  }
}
