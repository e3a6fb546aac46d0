/** How the articles of a distributed run are divided into chunks. */

import type { SelectedArticle } from '../source/fetch/selection.ts';
import { sha256Hex } from '../support/files.ts';

/** Fewest articles of a chunk: fewer cost more to hand over than to convert. */
const FEWEST = 50;
/** Most articles of a chunk: with more, a killed worker loses too much. */
const MOST = 200;
/** Chunks of a run that has enough articles: at its end, workers wait for the last ones of others. */
const CHUNKS = 96;

/** Hex digits of a number that is exact in JSON. */
const NUMBER_DIGITS = 13;

/** An article with its place among all that the run processes. */
export interface Placed {
  place: number;
  /** Number of its part of the series: chunks divide a series into parts. */
  part: number;
  article: SelectedArticle;
}

/**
 * Divides articles into chunks that share parts: those of a series stay together, in the order of their places (not of
 * the list), as far as 50 to 200 articles make a chunk: the fewer, the smaller the run is.
 *
 * @example `chunksOf(articles).map((chunk) => chunk.length); // → [120, 200, 200, 64]`
 */
export function chunksOf(articles: readonly Omit<Placed, 'part'>[]): Placed[][] {
  const series = new Map<string, Omit<Placed, 'part'>[]>();
  for (const placed of articles.toSorted((a, b) => a.place - b.place)) {
    const name = seriesOf(placed);
    const own = series.get(name) ?? [];
    series.set(name, own);
    own.push(placed);
  }
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
 * The length of the chunks of a run of so many articles.
 *
 * @example `chunkLength(9_600); // → 100`
 */
export function chunkLength(articles: number): number {
  return Math.min(Math.max(Math.ceil(articles / CHUNKS), FEWEST), MOST);
}

/** Names the series of an article. */
export function seriesOf({ article }: { article: Pick<SelectedArticle, 'request'> }): string {
  const { manufacturer, program } = article.request;
  return JSON.stringify([manufacturer.toUpperCase(), program.toUpperCase()]);
}

/** Divides a list into parts of equal lengths but for one, of at most so many unless they would be too short. */
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

/** The number of a chunk is made from its content, so that a coordinator that starts again finds what was done. */
export function chunkNumber(list: readonly Placed[]): number {
  return Number.parseInt(sha256Hex(JSON.stringify(list)).slice(0, NUMBER_DIGITS), 16);
}
