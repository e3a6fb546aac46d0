/** Objects in the store that coordinator and workers of a run share: what the run is, and the list of each chunk. */

import type { Digest } from '../model/snapshot.ts';
import type { RunOptions } from '../run/open/run-options.ts';
import { inParallel } from '../support/in-parallel.ts';
import type { Placed } from './chunks.ts';
import type { ChunkJob } from './queue/chunk-queue.ts';
import { putJson, readJson } from './store/json-object.ts';
import type { ObjectStore } from './store/object-store.ts';

/** Prefix of the objects of runs that have not ended. */
export const WORK = 'work/';
/** Objects removed at the same time. */
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

/** The state of a run in the store. */
interface RunState {
  /** Whether the run is described and not complete. */
  isOpen: boolean;
  /** Whether a user has cancelled the run. */
  isCancelled: boolean;
}

const STEERING_FOLDER = 'steering/';
/** Names of the objects that describe and cancel a run: one request lists all of them. */
const STEERING = {
  description: `${STEERING_FOLDER}run.json`,
  cancelled: `${STEERING_FOLDER}cancelled.json`,
} as const;

/** The objects of a run that its coordinator and its workers exchange; they are removed when it has ended. */
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

  /** Stores the articles of a chunk, unless an earlier coordinator of the run has stored them. */
  putList(chunk: number, articles: readonly Placed[]): Promise<'stored' | 'present'> {
    return this.#put(`chunks/${chunk}.json`, articles);
  }

  /** Reads the articles of a job. */
  async list({ chunk, from, to }: ChunkJob): Promise<Placed[]> {
    const all = await this.#read<Placed[]>(`chunks/${chunk}.json`);
    return all.slice(from, to);
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

  #read<T>(name: string): Promise<T> {
    return readJson(this.#store, this.#folder + name);
  }

  #put(name: string, value: unknown): Promise<'stored' | 'present'> {
    return putJson(this.#store, this.#folder + name, value);
  }
}

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
