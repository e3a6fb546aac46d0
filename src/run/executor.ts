/** What the wings above bring to a run: who does its work, if not this process, and what is made of its publication. */

import type { ArticleRequest } from '../model/article.ts';
import type { ArticleSnapshot } from '../model/snapshot.ts';
import type { PackedMap } from '../support/packed-map.ts';
import type { ManifestLine } from './lists/manifest-line.ts';
import type { Run } from './open/open-run.ts';
import type { RunEnvironment } from './open/run-environment.ts';
import type { RunOptions } from './open/run-options.ts';
import type { OpenSharedStore } from './open/shared-store.ts';
import type { Execute } from './processing.ts';
import type { Deliveries, DeliveryJobKind, DeliveryWorkers } from './publishing/deliveries.ts';
import type { ArticlePictures, RunReport } from './report/run-report.ts';

/** The kinds of jobs that workers do: conversions, and files that are made of GLBs. */
export const JOB_KINDS = ['convert', 'profiles', 'pictures'] as const satisfies readonly (
  | 'convert'
  | DeliveryJobKind
)[];

export type JobKind = (typeof JOB_KINDS)[number];

/** What workers did, and what is left of it. */
export interface Distribution {
  workers(): NonNullable<RunReport['workers']>;
  fromCache(): number;
  /** Removes what was exchanged. */
  remove(): Promise<void>;
}

/** An executor of one run. */
export interface Executor {
  execute: Execute;
  distribution?: Distribution;
  /** Who makes files of GLBs, if not this process. */
  workers?: DeliveryWorkers;
  close(): Promise<void>;
}

/** Several machines that work together: for a pipeline with `store:`, and for another executor than this process. */
export interface Sharing {
  open: OpenSharedStore;
  /**
   * Prepares a run that others take part in: locks its store, and gives it the start of the run that it continues.
   *
   * @throws {@link ConverterError} `OUTPUT_LOCKED`, `STORE_UNSUPPORTED`, and the codes of store and queue.
   */
  prepare(
    options: RunOptions,
    environment: RunEnvironment,
  ): Promise<{ environment: RunEnvironment; close(): Promise<void> }>;
  /** Opens an executor whose workers are other processes. @param selected - Settles when the run has selected its articles. */
  executor(run: Run, selected: Promise<unknown>): Promise<Executor>;
}

/** Loads the snapshot of the last fetch from the cache. @throws as `loadSnapshot` of `source/fetch/snapshot.ts` */
export type LoadSnapshot = (request: ArticleRequest) => Promise<ArticleSnapshot>;

/** What a survey has decided about a pipeline, by its record beside the pipeline file. */
export interface Surveys {
  /** What the articles of a run say against it, a sentence each; requests nothing. */
  contradictions(
    run: Run,
    recordFile: string,
    lines: PackedMap<ManifestLine>,
    load: LoadSnapshot,
  ): Promise<string[]>;
  /** Its decisions and choices that an article depends on, a sentence each. */
  choicesOf(run: Run, recordFile: string, snapshot: ArticleSnapshot): Promise<string[]>;
}

/** The parts of a run that lie above it; without one, a pipeline that asks for it cannot run. */
export interface RunParts {
  deliveries?: Deliveries;
  sharing?: Sharing;
  surveys?: Surveys;
  /** Makes the page of a report; without it, a run writes the data alone. */
  page?: ReportPage;
}

/** Makes the page of a report, with pictures of what is new and has changed, the most important first. */
export type ReportPage = (
  report: RunReport,
  pictures: readonly ArticlePictures[],
) => Promise<string>;
