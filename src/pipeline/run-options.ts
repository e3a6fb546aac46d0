/** The options of a run, and what the process provides for it. */
import type { Logger } from '../support/log.ts';
import type { Pipeline } from './pipeline-file.ts';
import type { ServiceEnvironment } from './service.ts';

/** What a run is to do. */
export interface RunOptions {
  pipeline: Pipeline;
  /** A glob on `MANUFACTURER/PROGRAM/number`, base or final; only these are processed. */
  only?: string;
  /** Process at most this many configurations. */
  limit?: number;
  /** Fetch and build everything anew. */
  force?: boolean;
  /** Process only what failed in earlier runs. */
  failedOnly?: boolean;
  /** Build what is published but damaged or missing. */
  repair?: boolean;
  /** Publish although a gate refuses. */
  accept?: boolean;
  /** Deadline, milliseconds since 1970. */
  until?: number;
  /** Refuse the result if more configurations fail: a number, or a share from 0 to 1. */
  maxFailures?: { count: number } | { share: number };
}

/** How far a run is, in configurations. */
export interface Progress {
  total: number;
  done: number;
  failed: number;
}

/** What the process provides: clock, random numbers, signal, variables, log and progress. */
export interface RunEnvironment extends Omit<ServiceEnvironment, 'onRequest' | 'onDrift'> {
  log: Logger;
  /** Milliseconds since 1970; gives the run its id. @defaultValue `now()` */
  startedAt?: number;
  progress?: (progress: Progress) => void;
  /** Called during selection with the number of articles found so far. */
  selecting?: (found: number) => void;
  /** Called with the planning of each permanent identifier that is selected. */
  onPlanning?: (id: string, topLevelArticle: unknown) => Promise<void>;
}

/** Whether a run processes a part of what its pipeline selects. */
export function isPartial({ only, limit, failedOnly }: RunOptions): boolean {
  return only !== undefined || limit !== undefined || failedOnly === true;
}

/** Returns the id of a run: its start, as `2026-11-21T02-00-00.000Z`; some file systems refuse colons. */
export function runId(startedAt: number): string {
  return new Date(startedAt).toISOString().replaceAll(':', '-');
}
