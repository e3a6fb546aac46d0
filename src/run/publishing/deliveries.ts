/** What hangs on a run: what is made of its publication, such as pictures. The wing above brings it. */

import type { Digest } from '../../model/snapshot.ts';
import type { PackedMap } from '../../support/packed-map.ts';
import type { PictureDifference } from '../file/gate-table.ts';
import type { Pipeline } from '../file/pipeline-file.ts';
import type { CatalogueLine, ManifestLine } from '../lists/manifest-line.ts';
import type { Run } from '../open/open-run.ts';
import type { RunEnvironment } from '../open/run-environment.ts';
import type { PublishedLine, UrlOf } from '../output/changes.ts';
import type { DeliveryLine } from '../output/delivered-files.ts';
import type { ArticlePictures, RunReport } from '../report/run-report.ts';

/** What all deliveries did, for the report. */
export type Delivered = NonNullable<RunReport['delivered']>;

/** The GLB that is published, and the one that would replace it. */
export type GlbPair = readonly [was: Digest, is: Digest];

/** What pictures of GLBs show. */
interface ComparedPictures {
  /** By both digests, with a space between them. */
  differences: ReadonlyMap<string, PictureDifference>;
  /** What could not be compared, and why. */
  notCompared?: string;
}

/** A GLB that a run has built. */
export interface BuiltGlb {
  sha256: Digest;
  bytes: number;
}

/** What a delivery makes of some GLBs, as plain data: a process that has opened the same deliveries can do it. */
export interface DeliveryTask {
  kind: DeliveryJobKind;
  delivery: string;
  masters: readonly BuiltGlb[];
  /** What the delivery needs besides. */
  given?: unknown;
}

/** What a machine must have for a task: pictures need the browser of the run. */
export type DeliveryJobKind = 'profiles' | 'pictures';

/** Workers that make files of GLBs for a run. */
export interface DeliveryWorkers {
  /** How many tasks of a kind there should be at the same time. */
  atOnce(kind: DeliveryJobKind): number;
  /**
   * Has a worker make the files of a task, which are among the derived data then.
   *
   * @returns Milliseconds of its processor; undefined if no worker can, so that the run makes them itself.
   * @throws {@link ConverterError} why they cannot be made.
   */
  make(task: DeliveryTask): Promise<number | undefined>;
  /** Ends what is being made, and all later tasks, with an error. */
  end(error: unknown): void;
}

/** Deliveries that have begun before their run publishes. */
export interface Begun {
  /** Makes files of a GLB, as soon as there is time. */
  add(glb: BuiltGlb): void;
  /** Has workers make them from now on. */
  share(workers: DeliveryWorkers): void;
  /** Ends what is still being made, whether the run has delivered or not. */
  close(): Promise<void>;
}

/** What became of changes that were sent. */
interface SentChanges {
  /** For the report; undefined where nothing was to be sent. */
  sent?: { counts: Delivered['deliveries'][number]; failures: Delivered['failures'] } | undefined;
  /** Forgets what has arrived; for after the commit of the publication. */
  settle(): Promise<void>;
}

/** What is made of publications. A run calls it only for a pipeline that asks for something. */
export interface Deliveries {
  /** The folder of each delivery that there is, below the output folder. */
  readonly folders: readonly string[];
  /** Checks what deliveries need of this machine, before anything is requested. @throws {@link ConverterError} `USAGE`. */
  check(pipeline: Pipeline, environment: RunEnvironment): Promise<void>;
  /** Returns the address of each published file, if the pipeline names one. */
  urlOf(pipeline: Pipeline): UrlOf | undefined;
  /** Before publication: compares the pictures of GLBs. What cannot be compared is no error of the run. */
  comparePictures(run: Run, pairs: readonly GlbPair[]): Promise<ComparedPictures>;
  /** While the run converts: begins what can be made of one GLB alone. Nothing of it is published. */
  begin(run: Run): Promise<Begun>;
  /** After publication: makes what the pipeline asks for, `again` also what is known. @throws {@link ConverterError} an error of the output folder. */
  deliver(run: Run, again: boolean): Promise<Delivered>;
  /** Returns what sends the changes of a publication; undefined where none are kept for a receiver. */
  sender(
    run: Run,
  ): Promise<
    | ((
        last: PackedMap<PublishedLine>,
        now: PackedMap<PublishedLine>,
        urlOf: UrlOf | undefined,
      ) => Promise<SentChanges>)
    | undefined
  >;
  /** Finds pictures of what is new and has changed, among those that were taken anyway. */
  reportPictures(
    run: Run,
    report: RunReport,
    lines: PackedMap<ManifestLine>,
  ): Promise<ArticlePictures[]>;
  /** Names the lists that lack a published configuration, and what they require. */
  leftOut(
    pipeline: Pipeline,
    entry: CatalogueLine,
    deliveries: readonly DeliveryLine[],
  ): Promise<{ feed: string; requires: string }[]>;
}
