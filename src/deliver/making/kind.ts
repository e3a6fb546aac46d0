/** A kind of delivery: its key in the pipeline file, and what makes its files. */
import type { z } from 'zod';
import type { Run } from '../../run/open/open-run.ts';
import type { Master } from '../../run/publishing/masters.ts';
import type { Delivery } from './delivery.ts';

/** A row of the table of kinds. */
export interface Kind<S extends z.ZodType = z.ZodType> {
  /** Its key in `deliver:`, with defaults. */
  schema(): S;
  /** Names of its deliveries, which are those of their folders too. */
  names: readonly string[];
  /** Opens its deliveries; what makes them is loaded here. */
  open(wanted: NonNullable<z.output<S>>, run: Run, masters: readonly Master[]): Promise<Delivery[]>;
}

/** A row whose functions know what its schema gives. */
export function kind<S extends z.ZodType>(row: Kind<S>): Kind<S> {
  return row;
}
