/** What every delivery has in common: it makes files of published masters, of each alone or of several together. */
import type { Digest } from '../../model/snapshot.ts';
import type { DeliveredFile, DeliveryLine } from '../../run/output/delivered-files.ts';
import type { Master } from '../../run/publishing/masters.ts';
import type { MadeFile } from './maker.ts';

/** Masters of which files are made together; what fails, fails for all of them. */
export interface Subject {
  /** For people, in a row of failures. */
  label: string;
  masters: readonly [Master, ...Master[]];
  /** Digest of all that decides its files and their paths. */
  source: Digest;
}

/** A file to be published. */
export interface Placed extends MadeFile {
  name: string;
  /** Below the folder of the delivery, with `/`, relative to the output folder. */
  path: string;
}

/** What a delivery has for one master. */
export type Outcome = Pick<DeliveryLine, 'files' | 'splitBy'>;

/** A kind of delivery, and what it works on. */
export interface Delivery {
  /** Also of its folder beside `articles/`. */
  name: string;
  /** Made one after the other, as they are needed. */
  subjects: Iterable<Subject>;
  /** How many subjects are worked on at the same time. */
  atOnce: number;
  /** Codes of failures that the pipeline file accepts: they are reported, and are no failure of the run. */
  accepted: readonly string[];
  /**
   * Makes the files of a subject.
   *
   * @param keep - Stores a file, so that it need not stay in memory; it is published with all others of the subject.
   * @returns What each master has, in their order.
   */
  make(subject: Subject, keep: (file: Placed) => Promise<DeliveredFile>): Promise<Outcome[]>;
  /** Returns a sentence about what it does without, once it has worked. */
  limitation?(): string | undefined;
  /** Ends what `make` has started. */
  close?(): Promise<void>;
}
