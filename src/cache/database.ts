/**
 * CacheDatabase: what earlier runs knew, in `state.db` of the cache folder.
 *
 * In: the cache folder. Out: its tables. All of it can be had again from the service, but for the
 * plannings behind permanent identifiers.
 * It must not know how what it holds came about; each table belongs to one file beside this.
 */
import { join } from 'node:path';
import type { Built } from '../model/asset.ts';
import { BODIES_V1, type Bodies, openBodies } from './cached-bodies.ts';
import { BUILDS_V1, BUILDS_V2, type Builds, openBuilds } from './cached-builds.ts';
import { DECISIONS_V1, type Decisions, openDecisions } from './cached-decisions.ts';
import { openResponses, RESPONSES_V1, RESPONSES_V2, type Responses } from './cached-responses.ts';
import {
  openSnapshots,
  SNAPSHOTS_V1,
  SNAPSHOTS_V2,
  SNAPSHOTS_V3,
  type Snapshots,
} from './cached-snapshots.ts';
import { FAILURES_V1, type Failures, openFailures } from './durable-failures.ts';
import { openPermanentIds, PERMANENT_IDS_V1, type PermanentIds } from './durable-permanent-ids.ts';
import { openRuns, RUNS_V1, type Runs } from './durable-runs.ts';
import { type Database, openDatabase } from './sqlite.ts';

/** An open state. */
export interface CacheDatabase {
  responses: Responses;
  bodies: Bodies;
  snapshots: Snapshots;
  permanentIds: PermanentIds;
  builds: Builds<Built>;
  failures: Failures;
  runs: Runs;
  decisions: Decisions;
  /** Closes the file; nothing may be called after it. */
  close(): void;
}

/** Every change of the schema since the first; only ever appended to. */
const MIGRATIONS = [
  RESPONSES_V1 + SNAPSHOTS_V1,
  PERMANENT_IDS_V1,
  BUILDS_V1,
  RESPONSES_V2 + SNAPSHOTS_V2 + RUNS_V1,
  FAILURES_V1,
  DECISIONS_V1,
  BODIES_V1 + BUILDS_V2 + SNAPSHOTS_V3,
] as const;

/** Name of the state's file in the cache folder. */
export const DATABASE_FILE = 'state.db';

/**
 * Opens the state of a cache folder, which need not exist yet.
 *
 * @throws {@link ConverterError} `STATE_INVALID`, `OUTPUT_UNWRITABLE`, `DISK_FULL`.
 *
 * @example
 * ```ts
 * const state = await openCacheDatabase('.cache');
 * state.snapshots.get(client.id, configurationKey(request));   // → undefined, or its record
 * ```
 */
export async function openCacheDatabase(cacheDir: string): Promise<CacheDatabase> {
  const db = await openDatabase(join(cacheDir, DATABASE_FILE), MIGRATIONS);
  try {
    return openTables(db);
  } catch (error) {
    db.close();
    throw error;
  }
}

function openTables(db: Database): CacheDatabase {
  const runs = openRuns(db);
  return {
    responses: openResponses(db),
    bodies: openBodies(db),
    snapshots: openSnapshots(db),
    permanentIds: openPermanentIds(db),
    builds: openBuilds(db),
    failures: openFailures(db),
    runs,
    decisions: openDecisions(db),
    close: () => {
      runs.abandon();
      db.close();
    },
  };
}
