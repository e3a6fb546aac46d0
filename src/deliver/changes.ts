/** What differs between two publications: for caches, shops and other systems that mirror the output folder. */
import type { ArticleRequest } from '../model/article.ts';
import { sortConfigurationKeys } from '../model/configuration-id.ts';
import type { PublishedFile } from './feeds.ts';

/** What a publication has of a configuration; a line of `published.jsonl`. */
export type PublishedLine = ArticleRequest & { files: PublishedFile[] };

/** What became of a configuration or of a file. */
export type Change = 'new' | 'changed' | 'removed';

/** A configuration that is new, changed or removed; a line of `changes.jsonl`. */
export type ChangeLine = { change: Change } & ArticleRequest & { files: ChangedFile[] };

/** Its digest is the new one; of a removed file the last one. */
type ChangedFile = { change: Change; url?: string } & PublishedFile;

/**
 * Compares two publications, each by configuration key.
 *
 * @param urlOf - Returns the address of a path, if there is one.
 * @returns The configurations that differ, sorted, each with its files that differ.
 *
 * @example
 * ```ts
 * [...changesBetween(new Map(), new Map([[key, line]]))]; // → [{ change: 'new', …, files: [{ change: 'new', … }] }]
 * ```
 */
export function* changesBetween(
  before: ReadonlyMap<string, PublishedLine>,
  now: ReadonlyMap<string, PublishedLine>,
  urlOf?: (path: string) => string,
): Iterable<ChangeLine> {
  for (const key of sortConfigurationKeys(new Set([...before.keys(), ...now.keys()]))) {
    const [former, current] = [before.get(key), now.get(key)];
    const { files: _, ...id } = (current ?? former)!;
    const files = changedFiles(former?.files ?? [], current?.files ?? [], urlOf);
    if (former !== undefined && current !== undefined && files.length === 0) continue;
    const change = former === undefined ? 'new' : current === undefined ? 'removed' : 'changed';
    yield { change, ...id, files };
  }
}

function changedFiles(
  before: readonly PublishedFile[],
  now: readonly PublishedFile[],
  urlOf: ((path: string) => string) | undefined,
): ChangedFile[] {
  const former = new Map(before.map(({ path, sha256 }) => [path, sha256]));
  const current = new Set(now.map(({ path }) => path));
  const withUrl = (change: Change, file: PublishedFile): ChangedFile => ({
    change,
    ...(urlOf && { url: urlOf(file.path) }),
    ...file,
  });
  return [
    ...now
      .filter(({ path, sha256 }) => former.get(path) !== sha256)
      .map((file) => withUrl(former.has(file.path) ? 'changed' : 'new', file)),
    ...before.filter(({ path }) => !current.has(path)).map((file) => withUrl('removed', file)),
  ];
}

/** Many web servers accept 1 MiB. */
const MOST_MESSAGE_BYTES = 512 * 1024;

/**
 * Makes a JSON message of a summary, the number of changes, and the first changes: as many as fit.
 *
 * @example
 * ```ts
 * changesMessage({ pipeline: 'shop' }, []);
 * // → '{"pipeline":"shop","changes":{"new":0,"changed":0,"removed":0},"complete":true,"configurations":[]}'
 * ```
 */
export function changesMessage(
  summary: Readonly<Record<string, unknown>>,
  lines: Iterable<ChangeLine>,
): string {
  const changes: Record<Change, number> = { new: 0, changed: 0, removed: 0 };
  const listed: string[] = [];
  let [bytes, count] = [0, 0];
  for (const line of lines) {
    changes[line.change]++;
    count++;
    if (bytes > MOST_MESSAGE_BYTES) continue;
    const text = JSON.stringify(line);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes <= MOST_MESSAGE_BYTES) listed.push(text);
  }
  const head = JSON.stringify({ ...summary, changes, complete: listed.length === count });
  return `${head.slice(0, -1)},"configurations":[${listed.join(',')}]}`;
}
