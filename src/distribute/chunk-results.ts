/** The results of chunks: a worker stores the result of each job, and the coordinator reads it. */

import type { WorkDone } from '../run/worker-run.ts';
import { WORK } from './chunk-objects.ts';
import type { ChunkJob } from './queue/chunk-queue.ts';
import { putJson, readJson } from './store/json-object.ts';
import type { ObjectStore } from './store/object-store.ts';

/** The result of a job. */
export interface ChunkResult extends WorkDone {
  /** Name of the worker. */
  worker: string;
  /** Highest memory of the worker so far, bytes. */
  peakBytes: number;
}

/** The results of a run, beside its other objects. */
export class ChunkResults {
  readonly #store: ObjectStore;
  readonly #run: string;

  /** @param run - Id of the run. */
  constructor(store: ObjectStore, run: string) {
    this.#store = store;
    this.#run = run;
  }

  /** Stores the result of a job; if two workers did the job, the first result counts. */
  put(job: ChunkJob, result: ChunkResult): Promise<'stored' | 'present'> {
    return putJson(this.#store, this.#key(job), result);
  }

  get(job: ChunkJob): Promise<ChunkResult> {
    return readJson(this.#store, this.#key(job));
  }

  async has(job: ChunkJob): Promise<boolean> {
    return (await this.#store.head(this.#key(job))) !== undefined;
  }

  #key({ chunk, from, to }: ChunkJob): string {
    return `${WORK}${this.#run}/results/${chunk}-${from}-${to}.json`;
  }
}
