/** Opens where bytes come from: the service, the cache and the measurements of both. */
import { join } from 'node:path';
import {
  type ContentStore,
  type FileStoreOptions,
  openDerivedData,
  openFileStore,
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
import {
  CHECKS,
  checkParameters,
  type ParameterCheck,
  required,
} from '../../support/parameters.ts';
import { PIPELINE_CHECK, type Pipeline } from '../file/pipeline-file.ts';
import { pipelineServiceId, withAccount } from './connect.ts';
import { openDeadline } from './deadline.ts';
import { createRunMetrics } from './metrics.ts';
import { OPTION_CHECKS, type RunEnvironment, type RunOptions } from './run-options.ts';
import { createServiceSession, type ServiceSession } from './run-session.ts';
import type { SharedSources } from './shared-sources.ts';

/** Where bytes come from. */
export interface Sources {
  options: RunOptions;
  environment: RunEnvironment;
  /** Milliseconds since 1970. */
  startedAt: number;
  stores: {
    /** Responses of the service, by content. */
    bodies: ContentStore;
    /** Waits until other machines have them, if there are any. */
    flushBodies: (() => Promise<void>) | undefined;
    /** Where they are: a child process opens the store itself. */
    bodyFiles: FileStoreOptions;
    /** What was computed from them. */
    derived: ReturnType<typeof openDerivedData>;
    database: CacheDatabase;
  };
  session: ServiceSession;
  metrics: ReturnType<typeof createRunMetrics>;
  /** Notes that the data for the output folder is of the account of this run. */
  noteAccount(): Promise<void>;
  /** Whether the deadline of the options has passed. */
  isOutOfTime(): boolean;
}

interface SourcesOptions {
  /** Whether the service is waited for from the first request on. */
  waitsForFirstAnswer: boolean;
  /** For a pipeline with `store:`. */
  openShared?:
    | ((pipeline: Pipeline, environment: RunEnvironment) => Promise<SharedSources>)
    | undefined;
}

const ENVIRONMENT_CHECKS = {
  env: required(CHECKS.env),
  log: required(CHECKS.object),
  now: required(CHECKS.function),
  random: required(CHECKS.function),
  signal: required(CHECKS.signal),
  startEmulator: required(CHECKS.function),
} satisfies Partial<Record<keyof RunEnvironment, ParameterCheck>>;

/** Checks what a program without types passes to a run. @throws {@link ConverterError} `USAGE` naming the field. */
export function checkRun(options: RunOptions, environment: RunEnvironment): void {
  checkParameters('options', options, { pipeline: PIPELINE_CHECK, ...OPTION_CHECKS }, true);
  checkParameters('environment', environment, ENVIRONMENT_CHECKS, true);
}

/**
 * Opens the sources of a pipeline, works with them and closes them, also if the work fails.
 *
 * @throws {@link ConverterError} `OUTPUT_UNWRITABLE`, `STATE_INVALID`, or what the work throws.
 */
export async function withSources<T>(
  given: RunOptions,
  environment: RunEnvironment,
  { waitsForFirstAnswer, openShared }: SourcesOptions,
  work: (sources: Sources) => Promise<T>,
): Promise<T> {
  checkRun(given, environment);
  const { cacheDir, outputDir } = given.pipeline;
  for (const folder of [outputDir, cacheDir]) {
    refuseLinksBelow(folder);
    await removeStaleTemporaries(temporaryFolder(folder));
  }
  const startedAt = environment.startedAt ?? environment.now();
  const metrics = createRunMetrics(environment.now);
  if (given.pipeline.store && !openShared)
    throw new ConverterError(
      'INTERNAL',
      'parts: expected other machines, for store:, received none',
    );
  const shared = given.pipeline.store && (await openShared?.(given.pipeline, environment));
  const database = await openCacheDatabase(cacheDir);
  const account = openAccount(given.pipeline, database);
  const service = await withAccount(given.pipeline.service, environment.env, account.read).catch(
    (error: unknown) => {
      database.close();
      throw error;
    },
  );
  const options = { ...given, pipeline: { ...given.pipeline, service } };
  const bodyFiles = bodyFilesOf(cacheDir, database);
  const ownBodies = openFileStore(bodyFiles, environment.signal, database.contents);
  const sharedBodies = shared?.bodies(ownBodies);
  const bodies = sharedBodies ?? ownBodies;
  const derived = openDerivedData(bodies, database.contents, startedAt, shared?.derived);
  const opening = { options, environment, startedAt, metrics, bodies, database, shared };
  const session = createServiceSession({ ...opening, waitsForFirstAnswer });
  const deadline = openDeadline(options.until, environment.now, session);
  try {
    const flushBodies = sharedBodies && (() => sharedBodies.flush());
    const stores = { bodies, flushBodies, bodyFiles, derived, database };
    const { isOver: isOutOfTime } = deadline;
    const noteAccount = () => account.note(service.account);
    const opened = { options, environment, startedAt, stores, session, metrics };
    return await work({ ...opened, noteAccount, isOutOfTime });
  } finally {
    deadline.close();
    await session.close();
    database.close();
  }
}

/** Where a cache has its bodies, and what was computed from them. */
export function bodyFilesOf(cacheDir: string, { contents }: CacheDatabase): FileStoreOptions {
  return {
    dir: join(cacheDir, 'objects'),
    root: cacheDir,
    tmpDir: temporaryFolder(cacheDir),
    repair: true,
    dropDamaged: true,
    database: contents.path,
  };
}

/** Opens the note of the account by which the data for an output folder was fetched. D-716 */
function openAccount({ service, cacheDir, outputDir }: Pipeline, { snapshots }: CacheDatabase) {
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
