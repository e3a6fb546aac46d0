/** What others bring to a run; without a part, a pipeline that asks for it cannot run. */

import type { Sharing } from './executor.ts';
import type { Deliveries } from './publishing/deliveries.ts';

/** The parts of a run that lie above it. */
export interface RunParts {
  /** What is made of its publication. */
  deliveries?: Deliveries;
  /** Other machines. */
  sharing?: Sharing;
}
