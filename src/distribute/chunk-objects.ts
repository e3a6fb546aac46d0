/** Objects in the store that coordinator and workers of a run share: what the run is, the list of each chunk, and results. */

import type { Digest } from '../model/snapshot.ts';
import type { RunOptions } from '../run/open/run-options.ts';
import type { WorkDone } from '../run/worker-run.ts';
import { ConverterError, type SentError } from '../support/errors.ts';
import { inParallel } from '../support/in-parallel.ts';
import type { ChunkJob } from './queue/chunk-queue.ts';
import type { ObjectStore } from './store/object-store.ts';

/** Prefix of the objects of runs that have not ended. */
const WORK = 'work/';
const REMOVED_AT_ONCE = 16;

/** What workers need to know about a run, besides its pipeline. */
export interface RunDescription extends Pick<RunOptions, 'force' | 'failedOnly'> {
  /** Milliseconds since 1970. */
  startedAt: number;
  /** Digest of version and options: a coordinator continues a run with the same digest. */
  digest: string;
  /** Published GLBs that are not in the store. */
  missing: Digest[];
}

/** Who did a job. */
interface DoneBy {
  /** Name of the worker. */
  worker: string;
  /** Highest memory of the worker so far, bytes. */
  peakBytes: number;
}

/** The result of a job that converts. */
export interface ChunkResult extends WorkDone, DoneBy {}

/** The result of a job that makes files of GLBs: of each task, in their order, the time that it took, or why it failed. */
export interface DeliveryResult extends DoneBy {
  made: ({ ms: number } | { error: SentError })[];
}

const STEERING_FOLDER = 'steering/';
/** Names of the objects that describe and cancel a run: one request lists all of them. */
const STEERING = {
  description: `${STEERING_FOLDER}run.json`,
  cancelled: `${STEERING_FOLDER}cancelled.json`,
} as const;

/**
 * The objects of a run that its coordinator and its workers exchange; they are removed when it has ended. A method that
 * reads an object throws `RUN_DAMAGED` if there is none.
 */
export class ChunkObjects {
  readonly #store: ObjectStore;
  readonly #run: string;
  readonly #folder: string;

  /** @param run - Id of the run. */
  constructor(store: ObjectStore, run: string) {
    this.#store = store;
    this.#run = run;
    this.#folder = `${WORK}${run}/`;
  }

  /** Stores what workers must know about the run, which is open from now on. */
  async describe(content: RunDescription): Promise<void> {
    await this.#put(STEERING.description, content);
  }

  description(): Promise<RunDescription> {
    return this.#read(STEERING.description);
  }

  /** Stores the places of a chunk, articles or tasks, unless an earlier coordinator of the run has stored them. */
  putList(chunk: number, places: readonly unknown[]): Promise<'stored' | 'present'> {
    return this.#put(`chunks/${chunk}.json`, places);
  }

  async list<P>({ chunk, from, to }: ChunkJob): Promise<P[]> {
    const all = await this.#read<P[]>(`chunks/${chunk}.json`);
    return all.slice(from, to);
  }

  /** Stores the result of a job; if two workers did the job, the first result counts. */
  putResult(job: ChunkJob, result: DoneBy): Promise<'stored' | 'present'> {
    return this.#put(resultName(job), result);
  }

  result<R extends DoneBy>(job: ChunkJob): Promise<R> {
    return this.#read(resultName(job));
  }

  async hasResult(job: ChunkJob): Promise<boolean> {
    return (await this.#store.head(this.#folder + resultName(job))) !== undefined;
  }

  /** Asks the coordinator, wherever it is, to end the run. */
  async cancel(): Promise<void> {
    await this.#put(STEERING.cancelled, {});
  }

  /** Whether the run is described and not complete, and whether a user has cancelled it. */
  async look() {
    const found = new Set<string>();
    for await (const { key } of this.#store.list(this.#folder + STEERING_FOLDER))
      found.add(key.slice(this.#folder.length));
    return {
      isOpen: found.has(STEERING.description),
      isCancelled: found.has(STEERING.cancelled),
    };
  }

  /** Removes the objects of the run, which has ended, and those of the runs before it. */
  async remove(): Promise<void> {
    const keys: string[] = [];
    for await (const { key } of this.#store.list(WORK)) if (runOf(key) <= this.#run) keys.push(key);
    const isDescription = (key: string) => key.endsWith(`/${STEERING.description}`);
    const others = keys.filter((key) => !isDescription(key));
    // Removing the description ends the run: the other objects must be gone by then.
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

const resultName = ({ chunk, from, to }: ChunkJob): string => `results/${chunk}-${from}-${to}.json`;

/** The id of the run that has an object. */
const runOf = (key: string): string => key.slice(WORK.length).split('/')[0]!;

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
