/** The chunks of a distributed run in the store: the list of each, and what became of its articles. */

import type { FailedResult, Result } from '../model/result.ts';
import type { Digest } from '../model/snapshot.ts';
import type { Measurements } from '../run/open/metrics.ts';
import type { RunOptions } from '../run/open/run-options.ts';
import type { SelectedArticle } from '../source/fetch/selection.ts';
import { ConverterError } from '../support/errors.ts';
import { sha256Hex } from '../support/files.ts';
import { inParallel } from '../support/in-parallel.ts';
import type { ChunkJob } from './queue/chunk-queue.ts';
import type { ObjectStore } from './store/object-store.ts';

/** Where the objects of runs that have not ended are. */
const WORK = 'work/';
/** Objects removed at the same time. */
const REMOVED_AT_ONCE = 16;

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

/** What a worker found out about one article. */
interface PlacedResult {
  place: number;
  /** Time spent on it including waiting, milliseconds. */
  ms: number;
  result: Result;
}

/** What a worker did for a job. */
export interface ChunkResult {
  /** Name of the worker. */
  worker: string;
  results: PlacedResult[];
  /** What it measured since its last job, and how many responses were cached. */
  measured: Measurements & { fromCache: number };
  /** Highest memory of the worker up to now, bytes. */
  peakBytes: number;
}

/**
 * Of an article that was alone in a job that was given up.
 *
 * @param error - Of the job, each time it was tried. @defaultValue it killed its worker, twice
 */
export function lostResult(
  request: FailedResult['request'],
  error?: FailedResult['error'],
): FailedResult {
  const code = 'KILLED_THE_RUN';
  const message = 'expected to be processed, but two workers died meanwhile';
  return { status: 'failed', request, key: undefined, error: error ?? { code, message } };
}

/** What workers need to know of a run beside its pipeline. */
export interface RunDescription extends Pick<RunOptions, 'force' | 'failedOnly'> {
  /** Milliseconds since 1970. */
  startedAt: number;
  /** Of version and options: a coordinator continues a run with the same one. */
  digest: string;
  /** Published GLBs that are not in the store. */
  missing: Digest[];
}

/** What a look at a run shows. */
export interface RunState {
  /** Whether it is described and not complete. */
  isOpen: boolean;
  /** Whether someone has cancelled it. */
  isCancelled: boolean;
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

const STEERING_FOLDER = 'steering/';
/** Names of the objects by which a run is steered: one list shows all. */
const STEERING = {
  description: `${STEERING_FOLDER}run.json`,
  cancelled: `${STEERING_FOLDER}cancelled.json`,
} as const;

/** The objects of a run that its coordinator and its workers exchange; they are removed when it has ended. */
export class ChunkObjects {
  readonly #store: ObjectStore;
  readonly #run: string;
  readonly #folder: string;

  /** @param run - Its id. */
  constructor(store: ObjectStore, run: string) {
    this.#store = store;
    this.#run = run;
    this.#folder = `${WORK}${run}/`;
  }

  /** Stores what workers must know of the run: from now on it is open. */
  async describe(content: RunDescription): Promise<void> {
    await this.#put(STEERING.description, content);
  }

  description(): Promise<RunDescription> {
    return this.#read(STEERING.description);
  }

  /** Stores the articles of a chunk, unless an earlier coordinator of the run has. */
  putList(chunk: number, articles: readonly Placed[]): Promise<'stored' | 'present'> {
    return this.#put(`chunks/${chunk}.json`, articles);
  }

  /** Reads the articles of a job. */
  async list({ chunk, from, to }: ChunkJob): Promise<Placed[]> {
    const all = await this.#read<Placed[]>(`chunks/${chunk}.json`);
    return all.slice(from, to);
  }

  /** Stores what became of a job; of two workers that did it, the first counts. */
  putResult(job: ChunkJob, result: ChunkResult): Promise<'stored' | 'present'> {
    return this.#put(resultName(job), result);
  }

  result(job: ChunkJob): Promise<ChunkResult> {
    return this.#read(resultName(job));
  }

  async hasResult(job: ChunkJob): Promise<boolean> {
    return (await this.#store.head(this.#folder + resultName(job))) !== undefined;
  }

  /** Asks the coordinator, wherever it is, to end the run. */
  async cancel(): Promise<void> {
    await this.#put(STEERING.cancelled, {});
  }

  async look(): Promise<RunState> {
    const found = new Set<string>();
    for await (const { key } of this.#store.list(this.#folder + STEERING_FOLDER))
      found.add(key.slice(this.#folder.length));
    return {
      isOpen: found.has(STEERING.description),
      isCancelled: found.has(STEERING.cancelled),
    };
  }

  /** Removes what was exchanged in the run, which has ended, and in those before it. */
  async remove(): Promise<void> {
    const keys: string[] = [];
    for await (const { key } of this.#store.list(WORK)) if (runOf(key) <= this.#run) keys.push(key);
    const isDescription = (key: string) => key.endsWith(`/${STEERING.description}`);
    const others = keys.filter((key) => !isDescription(key));
    // Without its description the run has ended: the other objects must be gone by then.
    for (const some of [others, keys.filter(isDescription)])
      await inParallel(some, REMOVED_AT_ONCE, (key) => this.#store.delete(key));
  }

  async #read<T>(name: string): Promise<T> {
    const key = this.#folder + name;
    const found = await this.#store.get(key);
    if (found !== undefined) return JSON.parse(new TextDecoder().decode(found.content)) as T;
    const message = `${this.#store.name}: expected ${key}, received nothing; do all workers of the run use this store?`;
    throw new ConverterError('RUN_DAMAGED', message);
  }

  #put(name: string, value: unknown): Promise<'stored' | 'present'> {
    const content = new TextEncoder().encode(JSON.stringify(value));
    return this.#store.putIfAbsent(this.#folder + name, content);
  }
}

/** The id of the run that has an object. */
const runOf = (key: string): string => key.slice(WORK.length).split('/')[0]!;

const resultName = ({ chunk, from, to }: ChunkJob) => `results/${chunk}-${from}-${to}.json`;

/** A run that has neither ended nor been cancelled. */
export interface UnfinishedRun {
  id: string;
  description: RunDescription;
}

/** Finds the last run if it has neither ended nor been cancelled. */
export async function findUnfinishedRun(store: ObjectStore): Promise<UnfinishedRun | undefined> {
  let id: string | undefined;
  for await (const { key } of store.list(WORK)) id = runOf(key);
  if (id === undefined) return undefined;
  const objects = new ChunkObjects(store, id);
  const { isOpen, isCancelled } = await objects.look();
  return isOpen && !isCancelled ? { id, description: await objects.description() } : undefined;
}
