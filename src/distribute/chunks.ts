/** How the articles of a distributed run are divided into chunks. */

import type { SelectedArticle } from '../source/fetch/selection.ts';
import { sha256Hex } from '../support/files.ts';
import { groupBy } from '../support/group-by.ts';

/** Fewest articles of a chunk: a smaller chunk costs more to hand over than to convert. */
const FEWEST = 50;
/** Most articles of a chunk: if a worker is killed in a larger chunk, too much work is lost. */
const MOST = 200;
/** Chunks of a run that has enough articles: at its end, workers wait for the last chunks of other workers. */
const CHUNKS = 96;

/** Number of hex digits of which a number is exact in JSON. */
const NUMBER_DIGITS = 13;

/** An article with its place among all that the run processes. */
export interface Placed {
  place: number;
  /** Number of the part of the series to which the article belongs: chunks divide a series into parts. */
  part: number;
  article: SelectedArticle;
}

/**
 * Divides articles into chunks, which have parts of series: a series stays together, in the order of places (not of
 * the list), as far as a chunk can have 50 to 200 articles. A smaller run has smaller chunks.
 *
 * @example `chunksOf(articles).map((chunk) => chunk.length); // → [120, 200, 200, 64]`
 */
export function chunksOf(articles: readonly Omit<Placed, 'part'>[]): Placed[][] {
  const inOrder = articles.toSorted((a, b) => a.place - b.place);
  const series = groupBy(inOrder, seriesOf);
  const most = chunkLength(articles.length);
  const chunks: Placed[][] = [];
  let chunk: Placed[] = [];
  const close = () => {
    if (chunk.length > 0) chunks.push(chunk);
    chunk = [];
  };
  for (const own of series.values()) {
    for (const part of evenParts(own, most)) {
      if (chunk.length + part.length > MOST) close();
      chunk.push(...part);
      if (chunk.length >= FEWEST) close();
    }
  }
  close();
  return chunks;
}

/**
 * The length of the chunks of a run with a number of articles.
 *
 * @example `chunkLength(9_600); // → 100`
 */
export function chunkLength(articles: number): number {
  return Math.min(Math.max(Math.ceil(articles / CHUNKS), FEWEST), MOST);
}

/** For each job that workers do at once, this part of what is left is a chunk: at the end, no worker waits long. */
const CHUNKS_PER_SLOT = 3;

/** Fewest and most tasks of a chunk of files; a chunk with fewer bytes costs more to hand over than to make. */
export interface ChunkLimits {
  least: number;
  leastBytes: number;
  most: number;
}

/**
 * The length of the next chunk of tasks whose times are about as their bytes.
 *
 * @param sizes - Bytes of the tasks that it may have, the largest first.
 * @param total - Bytes of all that is left.
 * @param slots - Number of jobs that workers do at once.
 * @example
 * ```ts
 * chunkOfSizes([5e6, 5e6, 2e6, 1e6], 18e6, 1, { least: 1, leastBytes: 2e6, most: 128 });   // → 2
 * ```
 */
export function chunkOfSizes(
  sizes: readonly number[],
  total: number,
  slots: number,
  { least, leastBytes, most }: ChunkLimits,
): number {
  const share = Math.max(leastBytes, total / (CHUNKS_PER_SLOT * Math.max(1, slots)));
  let count = 0;
  for (let bytes = 0; count < sizes.length && bytes < share; count++) bytes += sizes[count]!;
  return Math.min(Math.max(count, least), most, sizes.length);
}

/** Names the series of an article. */
export function seriesOf({ article }: { article: Pick<SelectedArticle, 'request'> }): string {
  const { manufacturer, program } = article.request;
  return JSON.stringify([manufacturer.toUpperCase(), program.toUpperCase()]);
}

/** Divides a list into parts of equal lengths except the last: at most `most` articles, unless that is too short. */
function evenParts(list: readonly Omit<Placed, 'part'>[], most: number): Placed[][] {
  const parts = Math.min(
    Math.ceil(list.length / most),
    Math.max(1, Math.floor(list.length / FEWEST)),
  );
  const length = Math.ceil(list.length / parts);
  return Array.from({ length: parts }, (_, index) =>
    list.slice(index * length, (index + 1) * length).map((one) => ({ ...one, part: index })),
  );
}

/** The number of a chunk depends only on its content, so that a restarted coordinator finds the finished jobs. */
export function chunkNumber(list: readonly unknown[]): number {
  return Number.parseInt(sha256Hex(JSON.stringify(list)).slice(0, NUMBER_DIGITS), 16);
}
