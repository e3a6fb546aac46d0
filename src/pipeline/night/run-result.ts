/**
 * Run result: what a run leaves behind for whoever started it.
 */
import type { RunReport } from '../../report/run-report.ts';
import type { ConverterError } from '../../support/errors.ts';

/** What a run leaves behind. */
export interface RunResult {
  report: RunReport;
  /** Folder of the report; undefined where none could be written, or none is. */
  runFolder: string | undefined;
  /** Why it ended early, or why nothing was published; its code gives the exit code. */
  stop?: ConverterError | undefined;
}
