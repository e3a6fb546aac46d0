/** What the coordinator and the workers of a run exchange in the store: the list of each chunk, and what became of it. */

import type { Digest } from '../model/snapshot.ts';
import type { Result } from '../run/articles/results.ts';
import type { Measurements } from '../run/open/metrics.ts';
import type { RunOptions } from '../run/open/run-options.ts';
import { ConverterError } from '../support/errors.ts';
import { inParallel } from '../support/in-parallel.ts';
import type { Placed } from './chunks.ts';
import type { ChunkJob } from './queue/chunk-queue.ts';
import type { ObjectStore } from './store/object-store.ts';

/** Where the objects of runs that have not ended are. */
const WORK = 'work/';
/** Objects removed at the same time. */
const REMOVED_AT_ONCE = 16;

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
interface RunState {
  /** Whether it is described and not complete. */
  isOpen: boolean;
  /** Whether someone has cancelled it. */
  isCancelled: boolean;
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
