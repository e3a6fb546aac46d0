/** How a run ended: one value from which exit code, report and log are derived. */

import type { ConverterError } from '../../support/errors.ts';
import type { RunReport } from '../report/run-report.ts';

/** How a run ended; the code of `error` gives the exit code. */
export type RunEnd =
  /** Everything that was selected was processed and published. */
  | { kind: 'complete'; error?: undefined }
  /**
   * The run stopped before everything was processed. `outOfTime`: the deadline passed, what was processed is
   * published; `notSelected`: it passed during the selection; `interrupted`: by the signal; `failed`: by an error.
   */
  | { kind: 'outOfTime' | 'notSelected' | 'interrupted' | 'failed'; error: ConverterError }
  /**
   * The processing ended, but its result was not accepted. `refused`: by a gate or the failure limit;
   * `publishFailed`: by an error of the output folder; `recordFailed`: published, but an error of the database
   * prevents that later runs know of it.
   */
  | {
      kind: 'refused' | 'publishFailed' | 'recordFailed';
      error: ConverterError;
      /** Whether everything was processed, rather than what the deadline allowed. */
      isComplete: boolean;
    };

/** What a run returns. */
export interface RunResult {
  report: RunReport;
  /** Folder of the report; undefined if none was written. */
  runFolder: string | undefined;
  end: RunEnd;
}

const ENDED: Partial<Record<RunEnd['kind'], RunReport['ended']>> = {
  outOfTime: 'until',
  notSelected: 'until',
  interrupted: 'interrupted',
  failed: 'stopped',
};

/** Returns the field `ended` of the report. */
export function reportedEnd(end: RunEnd): RunReport['ended'] {
  return ENDED[end.kind] ?? ('isComplete' in end && !end.isComplete ? 'until' : 'complete');
}

const PUBLISHED: ReadonlySet<RunEnd['kind']> = new Set(['complete', 'outOfTime', 'recordFailed']);

/** Whether the manifest is that of the run. */
export function isPublished({ kind }: RunEnd): boolean {
  return PUBLISHED.has(kind);
}
