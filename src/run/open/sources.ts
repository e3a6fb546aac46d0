/** Opens where bytes come from: the service, the cache and the measurements of both. */
import { join } from 'node:path';
import type { ArticleRequest } from '../../model/article.ts';
import type { SharedResponses } from '../../source/cache/cached-responses.ts';
import {
  type ContentStore,
  type DerivedData,
  type FileStoreOptions,
  openDerivedData,
  openFileStore,
  type SharedDerivedData,
} from '../../source/cache/content-store.ts';
import { type CacheDatabase, openCacheDatabase } from '../../source/cache/database.ts';
import { ConverterError } from '../../support/errors.ts';
import { refuseLinksBelow } from '../../support/file-operations.ts';
import {
  readTextIfExists,
  removeStaleTemporaries,
  replaceFile,
  sha256Hex,
  temporaryFolder,
} from '../../support/files.ts';
import { pipelineServiceId, withAccount } from './connect.ts';
import type { RunEnvironment, ServiceEnvironment } from './run-environment.ts';
import { ServiceSession, type SourceOptions, type SourceSettings } from './run-session.ts';
import type { BudgetMember, BudgetPlace } from './service-budget.ts';

/** The responses, bodies and snapshots of a store that several machines share. */
export interface SharedSources {
  /** For people: its address, or its folder. */
  readonly name: string;
  readonly responses: SharedResponses;
  readonly derived: SharedDerivedData;
  /** Puts the bodies of this machine before those of the store; `flush` waits until the store has all. */
  bodies(own: ContentStore): ContentStore & { flush(): Promise<void> };
  /** Takes a lease of a piece of work; returns what ends it, or undefined if another machine has it. */
  lease(name: string): Promise<(() => Promise<void>) | undefined>;
  /** Where those that send requests to a service see each other. */
  members(member: BudgetMember): BudgetPlace;
  /** Takes the snapshots of the series of a request into the database. @param service - Its name there. */
  loadSnapshots(database: CacheDatabase, service: string, request: ArticleRequest): Promise<void>;
}

/** Where bytes come from: the service, and the cache with what was computed. */
export interface Sources {
  readonly session: ServiceSession;
  readonly database: CacheDatabase;
  /** Responses of the service, by content. */
  readonly bodies: ContentStore;
  /** Where they are: a child process opens the store itself. */
  readonly bodyFiles: FileStoreOptions;
  /** Waits until other machines have the bodies, if there are any. */
  readonly flushBodies: (() => Promise<void>) | undefined;
  /** What was computed from them. */
  readonly derived: DerivedData;
  /** Notes that the data for the output folder is of the account of this run. */
  noteAccount(): Promise<void>;
}

/** What every step of a run has: what it is to do, and what the process provides. */
export interface RunContext<O extends SourceOptions> {
  /** The service of the pipeline has its account. */
  readonly options: O;
  /** Clock, signal, log and variables. */
  readonly environment: RunEnvironment;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  isOutOfTime(): boolean;
}

export interface SourceOpening extends Pick<ServiceEnvironment, 'onRequest' | 'onDrift'> {
  /** Whether the service is waited for from the first request on: a run is unattended. D-843 */
  waitsForFirstAnswer: boolean;
  /** Opens what several machines share, for a pipeline with `store:`. */
  openShared: (() => Promise<SharedSources>) | undefined;
}

/**
 * Opens the sources of a pipeline, works with them and closes them, also if the work fails.
 *
 * @throws {@link ConverterError} `OUTPUT_UNWRITABLE`, `STATE_INVALID`, `PIPELINE_VARIABLE_UNSET`, or what the work throws.
 */
export async function withSources<O extends SourceOptions, T>(
  given: O,
  environment: RunEnvironment,
  { openShared, ...ofService }: SourceOpening,
  work: (context: RunContext<O>, sources: Sources) => Promise<T>,
): Promise<T> {
  const { pipeline } = given;
  const { cacheDir, outputDir } = pipeline;
  for (const folder of [outputDir, cacheDir]) {
    refuseLinksBelow(folder);
    await removeStaleTemporaries(temporaryFolder(folder));
  }
  const startedAt = environment.startedAt ?? environment.now();
  if (pipeline.store && !openShared)
    throw new ConverterError(
      'INTERNAL',
      'parts: expected other machines, for store:, received none',
    );
  const shared = pipeline.store && (await openShared?.());
  const { database, bodyFiles, bodies: ownBodies } = await openCache(cacheDir, environment.signal);
  const account = accountNote(pipeline, database);
  const service = await withAccount(pipeline.service, environment.env, account.read).catch(
    (error: unknown) => {
      database.close();
      throw error;
    },
  );
  const options = { ...given, pipeline: { ...pipeline, service } };
  const sharedBodies = shared?.bodies(ownBodies);
  const bodies = sharedBodies ?? ownBodies;
  const session = new ServiceSession({
    ...{ options, startedAt, bodies, database, shared },
    environment: { ...environment, ...ofService },
  });
  const stopDeadline = startDeadline(options.until, environment.now, session);
  const isOutOfTime = () => options.until !== undefined && environment.now() >= options.until;
  const sources: Sources = {
    session,
    database,
    bodies,
    bodyFiles,
    flushBodies: sharedBodies && (() => sharedBodies.flush()),
    derived: openDerivedData(bodies, database.contents, startedAt, shared?.derived),
    noteAccount: () => account.note(service.account),
  };
  try {
    return await work({ options, environment, startedAt, isOutOfTime }, sources);
  } finally {
    stopDeadline();
    await session.close();
    database.close();
  }
}

/** Opens a cache: its database, which the caller closes, and the bodies with what was computed from them. */
export async function openCache(cacheDir: string, signal?: AbortSignal) {
  const database = await openCacheDatabase(cacheDir);
  const bodyFiles: FileStoreOptions = {
    dir: join(cacheDir, 'objects'),
    root: cacheDir,
    tmpDir: temporaryFolder(cacheDir),
    repair: true,
    dropDamaged: true,
    database: database.contents.path,
  };
  return { database, bodyFiles, bodies: openFileStore(bodyFiles, signal, database.contents) };
}

/** How long work in progress may continue after the deadline, milliseconds: most requests take less. */
const GRACE_MS = 10_000;
/** How often it is checked in this time whether the service imposes a pause, milliseconds. */
const LOOK_MS = 250;
/** Longest timer of Node, milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Closes the session at a time; work in progress may continue for a short time. Returns what ends the wait. @see D-834 */
function startDeadline(
  until: number | undefined,
  now: () => number,
  session: ServiceSession,
): () => void {
  if (until === undefined) return () => {};
  const beginsInMs = Math.min(Math.max(0, until - now()), LONGEST_TIMER_MS);
  const waitOrDrop = (leftMs: number) => {
    // In a pause nothing is in progress.
    if (leftMs <= 0 || session.isPaused()) void session.close();
    else timer = setTimeout(waitOrDrop, Math.min(leftMs, LOOK_MS), leftMs - LOOK_MS).unref();
  };
  const graceMs = Math.min(GRACE_MS, until + GRACE_MS - now());
  let timer = setTimeout(waitOrDrop, beginsInMs, graceMs).unref();
  return () => clearTimeout(timer);
}

/** The note of the account by which the data for an output folder was fetched. D-716 */
function accountNote(
  { service, cacheDir, outputDir }: SourceSettings,
  { snapshots }: CacheDatabase,
) {
  const beginning = pipelineServiceId({ ...service, account: '-' }).slice(0, -1);
  const digest = sha256Hex(JSON.stringify([outputDir, beginning])).slice(0, 16);
  const path = join(cacheDir, 'selections', `${digest}.account`);
  const options = { tmpDir: temporaryFolder(cacheDir), access: 'private' } as const;
  return {
    async read(): Promise<string | undefined> {
      const noted = await readTextIfExists(path);
      if (noted !== undefined) return noted;
      const [only, another] = snapshots.servicesOf(beginning);
      if (another === undefined) return only?.slice(beginning.length);
      const message = `BTG2GLTF_USERNAME and BTG2GLTF_APP_KEY, or BTG2GLTF_TOKEN: expected those of the fetch, since ${cacheDir} has data of several accounts, received none`;
      throw new ConverterError('PIPELINE_VARIABLE_UNSET', message);
    },
    async note(account: string | undefined): Promise<void> {
      if (account === undefined || (await readTextIfExists(path)) === account) return;
      await replaceFile(path, account, options);
    },
  };
}
