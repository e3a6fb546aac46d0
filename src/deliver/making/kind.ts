/** A kind of delivery: its key in the pipeline file, and the code that makes its files. */
import { z } from 'zod';
import type { Run } from '../../run/open/open-run.ts';
import { ERROR_CODES, type ErrorCode } from '../../support/errors.ts';
import type { Delivery, ReadMaster } from './delivery.ts';
import type { FileContents } from './file-contents.ts';
import type { Once } from './once.ts';
import type { Functions, Threads } from './threads.ts';

/** What a kind opens its deliveries with. */
export interface Opening {
  run: Run;
  /** Whether what was made before is made again. */
  again: boolean;
  readMaster: ReadMaster;
  /** Where the contents of files are. */
  contents: FileContents;
  /** Does the {@link Kind.functions} of all deliveries. */
  threads: Threads;
}

export interface Kind<S extends z.ZodType = z.ZodType> {
  /** Schema of its key in `deliver:`, with defaults. */
  schema(): S;
  /** Names of its deliveries, which are also the names of their folders. */
  names: readonly string[];
  /** Opens its deliveries, and loads the code that makes them. */
  open(wanted: NonNullable<z.output<S>>, opening: Opening): Promise<Delivery[]>;
  /** The functions that threads do for its deliveries, by the name of the delivery; `close` ends what they have opened. */
  functions?(wanted: NonNullable<z.output<S>>, once: Once): Promise<ReadonlyMap<string, Functions>>;
}

/** A row whose functions have the output type of its schema. */
export function kind<S extends z.ZodType>(row: Kind<S>): Kind<S> {
  return row;
}

const CODES = Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]];

/** Codes of failures of a delivery, none by default. */
export const acceptSchema = () =>
  z
    .array(z.enum(CODES))
    .default([])
    .describe('codes of failures that are known: reported, and no failure of the run');
