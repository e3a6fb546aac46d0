/** The interface of a run to surveys; their code is loaded when there is a record beside the pipeline file. */

import type { Surveys } from '../run/executor.ts';

/** The surveys of this program. */
export const SURVEYS: Surveys = {
  contradictions: async (...run) => (await import('./compare-record.ts')).contradictions(...run),
  choicesOf: async (...article) => (await import('./compare-record.ts')).choicesOf(...article),
};
