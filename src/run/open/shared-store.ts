/** What a run knows of a store that several machines share; the wing above brings it. */

import type { Digest } from '../../model/snapshot.ts';
import type { CacheDatabase } from '../../source/cache/database.ts';
import type { Pipeline } from '../file/pipeline-file.ts';
import type { DeliveredFile, DeliveryLines } from '../output/delivered-files.ts';
import type { ObjectChecks } from '../output/output-folder.ts';
import type { PrunePlan } from '../output/prune.ts';
import type { RunEnvironment } from './run-environment.ts';
import type { SharedSources } from './sources.ts';

/** Where files are published, and what is removed there. */
export interface PublicationPlace {
  /** Another text for each content of some lists. */
  lists(files: readonly string[]): Promise<string>;
  /** Finds what nothing refers to. */
  plan(): Promise<PrunePlan>;
  /** Finds all reports but the last ones. */
  oldRuns(keepRuns: number): Promise<string[]>;
  remove(plan: PrunePlan): Promise<void>;
  /** Reads the note of what nothing refers to, and since when. */
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
}

/** How a run uses its output in a store. */
interface SharedOutputOptions {
  /** Whether a run publishes it, whose output folder is the copy then. */
  publishes: boolean;
  /** Whether every object is read, and a damaged one removed, so that it is stored again. */
  repair: boolean;
  /** How the sizes of its GLBs are known; undefined if they are listed. */
  sizes: ((object: Digest) => number | undefined) | undefined;
  /** Whether failures and permanent identifiers are taken into the database. */
  loadsState: boolean;
}

/** The output of a run in a store. */
export interface SharedOutput {
  /** Folder of the copies. */
  readonly dir: string;
  readonly checks: ObjectChecks;
  /** Stores failures and permanent identifiers for the next run, wherever that is. */
  saveState(): Promise<void>;
  /** Stores a GLB that was built, unless it is there; then removes its file. */
  shareObject(digest: Digest, path: string): Promise<unknown>;
  /** Reads a published GLB. @throws {@link ConverterError} `STORE_DAMAGED` if it is missing or has another content. */
  readObject(digest: Digest): Promise<Uint8Array>;
  /** Reads a file of a delivery, from this machine if it has this content, or from the store; undefined if there is none. */
  readFile(path: string, sha256: Digest | undefined): Promise<Uint8Array | undefined>;
  /** Whether the store has a file of a delivery with this content. */
  hasFile(file: Pick<DeliveredFile, 'path' | 'sha256'>): Promise<boolean>;
  /** Stores manifest, catalogues and lists in place of those that were copied. @throws {@link ConverterError} `OUTPUT_LOCKED` if another run has replaced one. */
  publish(): Promise<void>;
  /** Stores the files of deliveries that the store does not have, then the lists. @param lastGood - Lines whose files stay. */
  publishDelivered(lines: DeliveryLines, lastGood: DeliveryLines): Promise<void>;
  /** Removes what no list names any more, once all lists and files are in the store. */
  endPublication(): Promise<void>;
  /** Stores files of the output folder, such as those of a report. @param added - Paths below it. */
  add(added: readonly string[]): Promise<void>;
}

/** An open store. */
export interface SharedStore extends SharedSources {
  /** Opens the output, and copies what the run reads of it. */
  openOutput(
    pipeline: Pipeline,
    database: CacheDatabase,
    options: SharedOutputOptions,
  ): Promise<SharedOutput>;
  /** The store as a place; undefined while a run can be continued in it, which may count on any object there. */
  place(outputDir: string, signal: AbortSignal): Promise<PublicationPlace | undefined>;
}

/** Opens the store that `store:` of a pipeline names. @throws {@link ConverterError} `USAGE`, `PIPELINE_VARIABLE_UNSET`. */
export type OpenSharedStore = (
  pipeline: Pipeline,
  environment: RunEnvironment,
) => Promise<SharedStore>;
