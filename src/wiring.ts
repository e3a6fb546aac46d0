/** The parts that the wings above a run bring to it: only here, and where a command begins, they meet. */
import { DELIVERIES } from './deliver/hooks.ts';
import { SHARING } from './distribute/sharing.ts';
import type { RunParts } from './run/executor.ts';

/** Everything that a pipeline may ask for. */
export const PARTS: RunParts = {
  deliveries: DELIVERIES,
  sharing: SHARING,
  page: async (...content) =>
    (await import('./run/report/html.ts')).reportHtmlWithPictures(...content),
};
