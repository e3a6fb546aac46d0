/** A kind of delivery: its key in the pipeline file, and the code that makes its files. */
import { z } from 'zod';
import type { Run } from '../../run/open/open-run.ts';
import type { Master } from '../../run/publishing/masters.ts';
import { ERROR_CODES, type ErrorCode } from '../../support/errors.ts';
import type { Delivery } from './delivery.ts';

export interface Kind<S extends z.ZodType = z.ZodType> {
  /** Schema of its key in `deliver:`, with defaults. */
  schema(): S;
  /** Names of its deliveries, which are also the names of their folders. */
  names: readonly string[];
  /** Opens its deliveries, and loads the code that makes them. */
  open(
    wanted: NonNullable<z.output<S>>,
    run: Run,
    masters: readonly Master[],
    again: boolean,
  ): Promise<Delivery[]>;
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
