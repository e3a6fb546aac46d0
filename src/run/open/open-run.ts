/** Opens all that a run needs: where bytes come from, where results go, and the notes of what is in work. */

import type { Digest } from '../../model/snapshot.ts';
import type { CacheDatabase } from '../../source/cache/database.ts';
import { asConverterError, endsRun } from '../../support/errors.ts';
import { temporaryFolder } from '../../support/files.ts';
import { Spool } from '../../support/spool.ts';
import { RunMetrics } from './metrics.ts';
import { type OutputAccess, openRunOutput, type RunOutput } from './output.ts';
import type { RunEnvironment } from './run-environment.ts';
import { checkRun, type RunOptions } from './run-options.ts';
import type { OpenSharedStore, SharedStore } from './shared-store.ts';
import { type RunContext, type SourceOpening, type Sources, withSources } from './sources.ts';

/** An open run: its options and measurements, where bytes come from, where results go, and what is in work. */
export interface Run extends RunContext<RunOptions> {
  readonly metrics: RunMetrics;
  readonly sources: Sources;
  readonly output: RunOutput;
  readonly notes: WorkNotes;
}

type Work<T> = (run: Run) => Promise<T>;

/**
 * Opens a run that publishes, works with it and closes it, also if the work fails. The output folder is locked. Takes
 * what opens the store of a pipeline with `store:`, too.
 *
 * @throws {@link ConverterError} `OUTPUT_UNWRITABLE`, `STATE_INVALID`, `STORE_DAMAGED`, or what the work throws.
 */
export const withRun = opener({
  ...{ isAttended: false, publishes: true, loadsState: true },
  notes: (database, { outputDir }) => workNotes(database, outputDir),
});

/** The same for a run that fetches and publishes nothing: it locks nothing. */
export const withFetch = opener({
  ...{ isAttended: false, publishes: false, loadsState: true },
  notes(database, { outputDir }, startedAt) {
    // What others have in work at the same time is no sign of a kill.
    const isAlone = !database.runs.isInUse(outputDir, startedAt);
    return workNotes(database, `fetch ${outputDir}`, isAlone);
  },
});

/** The same for what only reads, such as `explain` and a dry run: a person waits for its answer. */
export const withReadingRun = opener({ isAttended: true, publishes: false, loadsState: true });

/**
 * The same for a worker of a run of another machine.
 *
 * @param shared - The store that it has opened.
 * @param missing - Published GLBs that the coordinator has not found.
 */
export function withWorkerRun<T>(
  options: RunOptions,
  environment: RunEnvironment,
  work: Work<T>,
  { shared, missing }: { shared: SharedStore; missing: ReadonlySet<Digest> },
): Promise<T> {
  const access = { publishes: false, loadsState: false, missing };
  const openStore = async () => shared;
  return withOpen(options, environment, work, { isAttended: false, ...access }, openStore);
}

interface Opening extends OutputAccess {
  /** Whether a person waits for the answer; a run waits for the service from the first request on. D-843 */
  isAttended: boolean;
  /** Opens the notes of what is in work; without it, nothing is noted. */
  notes?(database: CacheDatabase, pipeline: RunOptions['pipeline'], startedAt: number): WorkNotes;
}

function opener(opening: Opening) {
  return <T>(
    options: RunOptions,
    environment: RunEnvironment,
    work: Work<T>,
    openStore?: OpenSharedStore,
  ): Promise<T> => withOpen(options, environment, work, opening, openStore);
}

async function withOpen<T>(
  given: RunOptions,
  environment: RunEnvironment,
  work: Work<T>,
  { isAttended, notes, ...access }: Opening,
  openStore: OpenSharedStore | undefined,
): Promise<T> {
  checkRun(given, environment);
  let shared: SharedStore | undefined;
  const openShared =
    openStore &&
    (async () => {
      shared = await openStore(given.pipeline, environment);
      return shared;
    });
  // The run starts before its stopwatch does: the end in its report is the start plus the measured time.
  const startedAt = environment.startedAt ?? environment.now();
  const metrics = new RunMetrics(environment.now);
  const opening: SourceOpening = {
    openShared,
    waitsForFirstAnswer: !isAttended,
    onRequest: (event) => metrics.requests.count(event),
    onDrift: (drift) => metrics.drift.count(drift),
  };
  const started = { ...environment, startedAt };
  return withSources(given, started, opening, async (context, sources) => {
    const { options } = context;
    const { database } = sources;
    const spool = await Spool.openIn(temporaryFolder(options.pipeline.cacheDir));
    try {
      const output = await openRunOutput(context, { database, spool, shared }, access);
      const noted = notes?.(database, options.pipeline, startedAt) ?? workNotes(database);
      return await work({ ...context, metrics, sources, output, notes: noted });
    } finally {
      spool.close();
    }
  });
}

type WorkNotes = ReturnType<typeof workNotes>;

/**
 * The notes of what a run has in work, by which the next one finds out what was if this one is killed. D-852
 *
 * @param owner - Names the run among all that use the cache; undefined if nothing is noted.
 * @param isAlone - Whether what is noted now was left by a killed run.
 */
function workNotes({ work }: Pick<CacheDatabase, 'work'>, owner?: string, isAlone = true) {
  return {
    /** Returns what was in work when earlier runs were killed. */
    begin: () => (owner !== undefined && isAlone ? work.begin(owner) : []),
    /** Does what is noted meanwhile; what an interruption ended may still be what killed an earlier run. */
    async during<T>(what: string, task: () => Promise<T>): Promise<T> {
      if (owner === undefined) return task();
      await work.start(owner, what);
      try {
        const result = await task();
        work.finish(owner, what);
        return result;
      } catch (error) {
        if (!endsRun(asConverterError(error).code)) work.finish(owner, what);
        throw error;
      }
    },
    /** Removes the notes of what is in work, since the run ends by itself. */
    stop(): void {
      if (owner !== undefined) work.stop(owner);
    },
  };
}
