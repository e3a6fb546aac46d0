/** The interface of all deliveries: they make files of published masters, of each alone or of several together. */
import type { Digest } from '../../model/snapshot.ts';
import type { DeliveredFile, DeliveryLine } from '../../run/lists/delivered-files.ts';
import type { Master } from '../../run/publishing/masters.ts';
import type { MadeFile } from './maker.ts';

/** Masters of which files are made together; a failure is a failure of all of them. */
export interface Subject {
  /** Name for people, in a row of failures. */
  label: string;
  masters: readonly [Master, ...Master[]];
  /** Digest of everything that determines its files and their paths. */
  source: Digest;
}

/** A file to be published. */
export interface Placed extends MadeFile {
  name: string;
  /** Path below the folder of the delivery, with `/`, relative to the output folder. */
  path: string;
}

/** The files of a delivery for one master. */
export type Outcome = Pick<DeliveryLine, 'files' | 'splitBy'>;

/** A kind of delivery with its subjects. */
export interface Delivery {
  /** Name of the delivery and of its folder beside `articles/`. */
  name: string;
  /** The subjects, which are created one after the other, as they are needed. */
  subjects: Iterable<Subject>;
  /** How many subjects are worked on at the same time. */
  atOnce: number;
  /** Codes of failures that the pipeline file accepts: they are reported, and are no failure of the run. */
  accepted: readonly string[];
  /**
   * Makes the files of a subject.
   *
   * @param keep - Stores a file, so that it need not stay in memory; it is published with all others of the subject.
   * @returns The files of each master, in the order of the masters.
   */
  make(subject: Subject, keep: (file: Placed) => Promise<DeliveredFile>): Promise<Outcome[]>;
  /** Returns a sentence about a limitation, once the delivery has worked. */
  limitation?(): string | undefined;
  /** Closes everything that `make` has started. */
  close?(): Promise<void>;
}
