/** What every kind of delivery has in common: it makes files of a master, one article at a time. */
import { type FileFacts, SHARED_FOLDER } from '../../run/output/delivered-files.ts';

/** A file that was made of a master. */
export interface MadeFile {
  bytes: Uint8Array;
  facts: FileFacts;
  /** What it refers to as {@link SHARED_ADDRESS} and their names. */
  shared?: readonly SharedFile[];
}

/** A file that is published once for all masters whose files refer to it. */
export interface SharedFile {
  /** The SHA-256 of its content with its ending, such as `2c26….jpg`. */
  name: string;
  bytes: Uint8Array;
}

/** It leads there from a file beside the folder: Babylon.js refuses addresses that go up. */
export const SHARED_ADDRESS = `${SHARED_FOLDER}/`;

/** A file that a maker makes of each master. */
interface Made {
  /** With its ending, such as `hero.jpg`. */
  name: string;
  /** Differs where the same master would become another file: options and version. */
  key: string;
}

/** A kind of delivery with its options. */
export interface Maker {
  /** Name of the delivery, and of its folder beside `articles/`: lower case, digits and `-`. */
  name: string;
  files: readonly Made[];
  /** Whether its files lie side by side, beside {@link SHARED_FOLDER}. @defaultValue each master has a folder */
  isFlat?: boolean;
  /** How many masters are worked on at the same time. */
  atOnce: number;
  /**
   * Makes files of a master.
   *
   * @param names - Which of {@link Maker.files}, in their order.
   * @throws {@link ConverterError} where this master cannot be delivered; the others go on.
   */
  make(master: Uint8Array, names: readonly string[]): Promise<MadeFile[]>;
  /** Returns a sentence about what it does without, such as a browser, once it has worked. */
  limitation?(): string | undefined;
  /** Ends what `make` has started. */
  close?(): Promise<void>;
}
