/** The interface of the deliveries that make files of one master at a time. */
import type { Digest } from '../../model/snapshot.ts';
import { type FileFacts, SHARED_FOLDER } from '../../run/output/delivered-files.ts';
import type { Call, MasterFile, Threads } from './threads.ts';

/** A file that was made of a master. */
export interface MadeFile {
  bytes: Uint8Array;
  facts: FileFacts;
  /** Files to which it refers by {@link SHARED_ADDRESS} and their names. */
  shared?: readonly SharedFile[];
}

/** A file that is published once for all masters whose files refer to it. */
export interface SharedFile {
  /** The SHA-256 of its content with its ending, such as `2c26….jpg`. */
  name: string;
  bytes: Uint8Array;
}

/** A content by its digest. */
export interface StoredContent {
  sha256: Digest;
  /** Its size. */
  bytes: number;
}

/** A file that was made of a master, without its content. */
export interface StoredFile extends Pick<MadeFile, 'facts'>, StoredContent {
  /** As {@link MadeFile.shared}. */
  shared?: readonly SharedContent[];
}

/** A file to which another refers, without its content. */
export interface SharedContent extends StoredContent {
  name: string;
}

/** Address of the shared folder from a file beside it: Babylon.js refuses addresses that go up. */
export const SHARED_ADDRESS = `${SHARED_FOLDER}/`;

/** A name under which a file is published. */
export interface FilePlace {
  name: string;
  /** Whether the name of the article precedes it. */
  hasArticle: boolean;
  /** Facts that follow from the options. */
  facts: FileFacts;
}

/** What decides the files of all masters in the same way. */
export interface Edition {
  version: number;
  /** Says in the report why files of unchanged masters were made again. */
  changed: string;
}

/** Receives the milliseconds of a processor that making a file took, without waiting for its turn. */
export type Spend = (ms: number) => void;

/** A kind of delivery with its options. */
export interface Maker {
  /** Name of the delivery, and of its folder beside `articles/`: lower case, digits and `-`. */
  name: string;
  /**
   * The files of each master. A key of options and version differs if the same master would become another file.
   * `places`: where it is published in the folder of the configuration. @defaultValue under its name
   */
  files: readonly { name: string; key: string; places?: readonly FilePlace[] }[];
  /** What decides the files of all masters, such as the light of pictures, and a sentence for where it has changed. */
  edition?: Edition;
  /** Digest of what its files show of a master. @defaultValue that of all its bytes */
  digestOf?(master: Uint8Array): Digest | Promise<Digest>;
  /** Whether its files are side by side, beside {@link SHARED_FOLDER}. @defaultValue each master has a folder */
  isFlat?: boolean;
  /** Whether its files are not made before their masters are published, such as those that it compares. */
  isMadeLate?: boolean;
  /** Whether a browser takes part: files are made only where it is the same. */
  hasBrowser?: boolean;
  /** Number of masters that are processed at the same time. */
  atOnce: number;
  /**
   * Makes files of a master.
   *
   * @param names - Names of the files to make, of {@link Maker.files}, in their order.
   * @throws {@link ConverterError} if this master cannot be delivered; the others continue.
   */
  make(master: Uint8Array, names: readonly string[], spend?: Spend): Promise<MadeFile[]>;
  /** The same, of a file that is not in memory: another thread reads it, and may store what it makes. @throws also `STORE_DAMAGED`, as does reading it. */
  makeFromFile?(
    master: MasterFile,
    names: readonly string[],
    spend?: Spend,
  ): Promise<(MadeFile | StoredFile)[]>;
  /** Returns a sentence about a limitation, such as a missing browser, once the maker has worked. */
  limitation?(): string | undefined;
  close?(): Promise<void>;
}

/** Has the maker of a delivery make files in threads. */
export function makeIn(
  threads: Threads,
  delivery: string,
): Required<Pick<Maker, 'make' | 'makeFromFile'>> {
  const made = async <F>(call: Omit<Call, 'delivery'>, spend: Spend | undefined): Promise<F[]> => {
    const { result, ms } = await threads.call<F[]>({ delivery, ...call });
    spend?.(ms);
    return result;
  };
  return {
    make: (master, names, spend) =>
      made({ name: 'make', given: [master, names], weight: master.length }, spend),
    makeFromFile: (file, names, spend) =>
      made({ name: 'make', given: [names], weight: file.bytes, file, stores: names }, spend),
  };
}
