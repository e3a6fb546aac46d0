/**
 * Ending: what other programs are told of a run: its report where it got so far, and its exit code.
 */
import type { RunReport } from './run-report.ts';

/** How a run ended, for programs that watch over it. */
export interface Ending {
  pipeline: string;
  exitCode: number;
  /** Instants, milliseconds since 1970. */
  startedAt: number;
  endedAt: number;
  /** Undefined where it could not begin. */
  report: RunReport | undefined;
  /** What ended it before its time, or refused its result. */
  error?: { code: string; message: string };
}
