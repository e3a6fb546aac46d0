/** A run of another machine, of which this process does a part. */

import type { Digest } from '../model/snapshot.ts';
import type { SelectedArticle } from '../source/fetch/selection.ts';
import { syncFolders } from '../support/folders.ts';
import type { CollectedResult, Processor } from './articles/results.ts';
import { pipelineServiceId } from './open/connect.ts';
import { type HeldRun, holdRun } from './open/held-run.ts';
import type { Measurements } from './open/metrics.ts';
import { type Run, withWorkerRun } from './open/open-run.ts';
import type { RunEnvironment } from './open/run-environment.ts';
import type { RunOptions } from './open/run-options.ts';
import type { SharedStore } from './open/shared-store.ts';
import { inThisProcess } from './processing.ts';
import { fetchAndConvert } from './processor/configuration.ts';

/** What a worker did for a run. */
export interface WorkDone {
  results: CollectedResult[];
  /** Measurements since the last work of this worker, and how many responses were cached. */
  measured: Measurements & { fromCache: number };
}

/**
 * Opens a run of another machine, until it is closed.
 *
 * @param options - Those of the run.
 * @param shared - The open store, and published GLBs that the coordinator has not found.
 * @throws {@link ConverterError} as `withWorkerRun`.
 */
export async function openWorkerRun(
  options: RunOptions,
  environment: RunEnvironment,
  shared: { shared: SharedStore; missing: ReadonlySet<Digest> },
): Promise<WorkerRun> {
  return new WorkerRun(await holdRun((work) => withWorkerRun(options, environment, work, shared)));
}

class WorkerRun {
  readonly run: Run;
  readonly close: () => Promise<void>;
  /** Name of the service in the database. */
  readonly service: string;
  /** A worker that only makes files needs no service. */
  #processor: Promise<Processor> | undefined;
  /** Number of responses from the cache that earlier measurements have reported. */
  #reportedHits = 0;

  constructor({ run, close }: HeldRun) {
    this.run = run;
    this.close = close;
    this.service = pipelineServiceId(run.options.pipeline.service);
  }

  /**
   * Processes articles; some have no result if the deadline of the run has passed.
   *
   * @returns The results, by their place in the list, and how many failures were logged.
   */
  async process(articles: readonly SelectedArticle[], signal: AbortSignal) {
    const { run } = this;
    // The progress belongs to the run.
    const { progress: _, ...environment } = run.environment;
    const own = { ...environment, signal: AbortSignal.any([environment.signal, signal]) };
    const results: CollectedResult[] = [];
    const progress = { total: articles.length, done: 0, failed: 0 };
    this.#processor ??= fetchAndConvert(run);
    const execute = inThisProcess({ ...run, environment: own }, await this.#processor);
    await execute(articles, progress, 0, (result, { place, ms }) =>
      results.push({ place, ms, result }),
    );
    await this.share();
    return { results, failed: progress.failed };
  }

  /** Waits until other processes have what this one has stored. */
  async share(): Promise<void> {
    const { sources, output } = this.run;
    sources.database.flush();
    // The coordinator publishes them, and they must outlive a power cut.
    await syncFolders(output.unsynced);
    await sources.flushBodies?.();
  }

  /** Returns what was measured since the last call, and begins anew. */
  async takeMeasured(): Promise<WorkDone['measured']> {
    const hits = await this.run.sources.session.cacheHits();
    const measured = { ...this.run.metrics.take(), fromCache: hits - this.#reportedHits };
    this.#reportedHits = hits;
    return measured;
  }
}
