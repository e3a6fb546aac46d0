/** The interface to threads that do functions of deliveries; where there are none, the calling thread does them. */

import type { Digest } from '../../model/snapshot.ts';

/** What a thread can do for a delivery, by name: what these functions take and return is plain data. */
// biome-ignore lint/suspicious/noExplicitAny: each delivery knows the types of its own functions.
export type Functions = Readonly<Record<string, (...given: any[]) => Promise<any>>>;

/** Reads one of several masters, by its place: the last parameter of a function that is called with it. */
export type ReadByPlace = (place: number) => Promise<Uint8Array>;

/** The file of a master. */
export interface MasterFile {
  path: string;
  /** Its path below the output folder, for people. */
  name: string;
  sha256: Digest;
  bytes: number;
}

/** A function to be done. */
export interface Call {
  delivery: string;
  name: string;
  given: readonly unknown[];
  /** A master that the thread reads: its content is the first parameter, before the given ones. */
  file?: MasterFile;
  /** Names of the files that it makes: where threads can, they store the contents, and return the rest. */
  stores?: readonly string[];
  /** Bytes of what it works on: of the calls that wait, the one with the most begins first. */
  weight: number;
  readMaster?: ReadByPlace;
  /** Ends it, whether it waits or is being done, with the reason of the signal. */
  signal?: AbortSignal;
}

/** Does functions of deliveries. */
export interface Threads {
  /** How many of them are done at the same time. */
  readonly atOnce: number;
  /**
   * Does a function.
   *
   * @returns What it returned, and the milliseconds that it took, without waiting for its turn or for others.
   * @throws {@link ConverterError} what it throws; what has ended its thread twice, such as `OUT_OF_MEMORY`.
   */
  call<R>(call: Call): Promise<{ result: R; ms: number }>;
  /** Ends what threads do, with `INTERRUPTED`; later calls begin anew. */
  close(): Promise<void>;
}
