/** Opens all that a run needs: the stores, the session with the service and the measurements. */

import type { ArticleRequest } from '../../model/article.ts';
import type { CatalogueLine, ListedRequest, ManifestLine } from '../../model/asset.ts';
import { configurationKey } from '../../model/configuration-id.ts';
import type { Digest } from '../../model/snapshot.ts';
import { openFileStore } from '../../source/cache/content-store.ts';
import type { CacheDatabase } from '../../source/cache/database.ts';
import { asConverterError, endsRun } from '../../support/errors.ts';
import { temporaryFolder } from '../../support/files.ts';
import { PackedMap } from '../../support/packed-map.ts';
import { openScratchFile } from '../../support/scratch-file.ts';
import { createSpool, type Spool } from '../../support/spool.ts';
import type { Pipeline } from '../file/pipeline-file.ts';
import { catalogueFiles, openCatalogue, openManifest } from '../output/manifest.ts';
import { objectFiles, openObjectChecks } from '../output/output-folder.ts';
import { publishedAsset } from '../output/publish.ts';
import { languagesOf } from './connect.ts';
import type { RunEnvironment, RunOptions } from './run-options.ts';
import type { OpenSharedStore, SharedOutput, SharedStore } from './shared-store.ts';
import { type Sources, withSources } from './sources.ts';

/** An open run: where bytes come from, where results go, and what is in work. */
export interface Run extends Sources {
  stores: Sources['stores'] &
    Awaited<ReturnType<typeof openOutput>> & {
      /** Lines and results. */
      spool: Spool;
      /** What several machines share. */
      shared: SharedStore | undefined;
    };
  notes: ReturnType<typeof openNotes>;
}

/**
 * Whose part in a run it is: the one that has locked the output folder, a fetch, or a worker, with the store that it has
 * opened, and the published GLBs that are missing there. The first two note what is in work.
 */
export type Role = 'owner' | 'fetch' | { missing: ReadonlySet<Digest>; shared: SharedStore };

/** What the output folder published before the run. */
export type PreviousOutput = Awaited<ReturnType<typeof openPrevious>>;

/**
 * Opens a run, works with it and closes it, also if the work fails.
 *
 * @param role - Whose part in a run it is. @defaultValue one that notes nothing, such as that of `explain`
 * @param openStore - For a pipeline with `store:`.
 * @throws {@link ConverterError} `OUTPUT_UNWRITABLE`, `STATE_INVALID`, `STORE_DAMAGED`, or what the work throws.
 */
export async function withRun<T>(
  given: RunOptions,
  environment: RunEnvironment,
  work: (run: Run) => Promise<T>,
  role?: Role,
  openStore?: OpenSharedStore,
): Promise<T> {
  const { cacheDir } = given.pipeline;
  const isWorker = typeof role === 'object';
  // A run is unattended; a person waits for what any other command answers. D-843
  const waitsForFirstAnswer = role !== undefined;
  const openWith = isWorker ? async () => role.shared : openStore;
  let shared: SharedStore | undefined;
  const openShared: typeof openWith =
    openWith &&
    (async (...pipeline) => {
      shared = await openWith(...pipeline);
      return shared;
    });
  return withSources(given, environment, { waitsForFirstAnswer, openShared }, async (sources) => {
    const { options, startedAt } = sources;
    const { database } = sources.stores;
    const scratch = await openScratchFile(temporaryFolder(cacheDir));
    try {
      const spool = createSpool(scratch);
      const output = await openOutput(options, environment, database, spool, { shared, role });
      const stores = { ...sources.stores, spool, shared, ...output };
      const notes = openNotes(
        database,
        role === 'owner' || role === 'fetch' ? role : undefined,
        options.pipeline.outputDir,
        startedAt,
      );
      return await work({ ...sources, stores, notes });
    } finally {
      scratch.close();
    }
  });
}

/** Opens the notes of what a run has in work, by which the next one finds out what was if this one is killed. D-852 */
function openNotes(
  { work, runs }: CacheDatabase,
  noting: 'owner' | 'fetch' | undefined,
  outputDir: string,
  startedAt: number,
) {
  // A fetch locks nothing: what others have in work at the same time is no sign of a kill.
  const isAlone = noting === 'owner' || !runs.isInUse(outputDir, startedAt);
  const owner = noting === 'fetch' ? `fetch ${outputDir}` : outputDir;
  return {
    /** Returns what was in work when earlier runs were killed. */
    begin: (): ReturnType<typeof work.begin> =>
      noting !== undefined && isAlone ? work.begin(owner) : [],
    /** Does what is noted meanwhile; what an interruption ended may still be what killed an earlier run. */
    async during<T>(what: string, task: () => Promise<T>): Promise<T> {
      if (noting === undefined) return task();
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
    stop: () => work.stop(owner),
  };
}

/** A published file that something else has changed or removed, of a configuration. */
export interface Damage {
  problem: string;
  /** The GLB of the configuration; undefined if only the link to it was damaged. */
  object?: Digest;
}

/** Damaged lines logged one by one. */
const LOGGED_LINES = 20;

async function openOutput(
  { pipeline, repair = false }: RunOptions,
  { log }: RunEnvironment,
  database: CacheDatabase,
  spool: Spool,
  { shared, role }: { shared: SharedStore | undefined; role: Role | undefined },
) {
  const { outputDir } = pipeline;
  const publishes = role === 'owner';
  // A line that cannot be read is treated as missing, so that its configuration is built anew.
  let leftOut = 0;
  const onDamaged = (where: string, problem: string) => {
    if (leftOut++ < LOGGED_LINES)
      log.warn('a line is left out, since it cannot be read', { where, problem });
  };
  const published: SharedOutput | undefined =
    shared === undefined
      ? undefined
      : await shared.openOutput(pipeline, database, {
          publishes,
          repair: publishes && repair,
          sizes: publishes ? undefined : sizesOf(role, () => previous),
          // A worker has nothing to do with it.
          loadsState: typeof role !== 'object',
        });
  const checks = published?.checks ?? openObjectChecks(outputDir, database, repair);
  const listsDir = published?.dir ?? outputDir;
  const { service } = pipeline;
  const watch = { spool, ...(repair && { onDamaged }) };
  const previous = await openPrevious({ outputDir: listsDir, service }, watch);
  if (leftOut > LOGGED_LINES)
    log.warn('lines are left out, since they cannot be read', { leftOut });
  const unsynced = new Set<string>();
  return {
    /** Published GLBs, by content, and where they are. */
    objects: openFileStore({ ...objectFiles(outputDir), unsynced }),
    /** Folders of those that this run has stored, until publishing syncs them. */
    unsynced,
    objectFiles: objectFiles(outputDir),
    /** Folder of manifest, catalogues and the list of deliveries. */
    listsDir,
    /** The output in the store that several machines share. */
    published,
    checks,
    /** What the run found damaged or missing, by configuration. */
    damages: new Map<string, Damage>(),
    previous,
    /** Whether an intact GLB of this size is in the store. */
    hasObject: async (object: Digest, size: number | undefined) => {
      const { problem, bytes } = await checks.check(object);
      return problem === undefined && bytes === size;
    },
  };
}

/** Only who publishes lists the store: what the manifest says is there but for what a coordinator has missed. */
function sizesOf(role: Role | undefined, previous: () => PreviousOutput) {
  const missing = typeof role === 'object' ? role.missing : undefined;
  return (object: Digest) => (missing?.has(object) ? undefined : previous().objects.get(object));
}

/** What a run without changes needs of a line. */
type SettledLine = Pick<ManifestLine, 'source' | 'bytes' | 'triangles' | 'losses'> &
  Pick<ListedRequest, 'answers'> &
  Published;
type Published = NonNullable<ReturnType<typeof publishedAsset>>;

async function openPrevious(
  { outputDir, service }: Pick<Pipeline, 'outputDir' | 'service'>,
  watch: { spool: Spool; onDamaged?: (where: string, problem: string) => void },
) {
  const keys = new Map<string, string>();
  const objects = new Map<Digest, number | undefined>();
  const carts = new Set<string>();
  // In memory: each is read three times.
  const settled = new PackedMap<SettledLine>();
  const onLine = (line: ManifestLine, key: string) => {
    const { status, source, bytes, triangles, losses, warnings, requested } = line;
    if (line.onlyCarts) carts.add(key);
    for (const request of requested) keys.set(configurationKey(request), key);
    const asset = publishedAsset(line);
    if (asset !== undefined) objects.set(asset.sha256, bytes ?? line.lastGood?.bytes);
    const isPlain = requested.length === 1 && warnings.length === 0 && !line.onlyCarts;
    if (status !== 'unchanged' || !isPlain || asset === undefined) return;
    if (bytes !== undefined && triangles !== undefined)
      settled.set(key, {
        source,
        answers: requested[0]!.answers,
        bytes,
        triangles,
        losses,
        ...asset,
      });
  };
  const outdated = new Set<string>();
  const onEntry = ({ missing }: Partial<CatalogueLine>, key: string) => {
    if (missing === undefined) outdated.add(key);
  };
  const open = (file: string) => openCatalogue(outputDir, { onLine: onEntry, ...watch }, file);
  const catalogues = await Promise.all(catalogueFiles(languagesOf(service)).map(open));
  return {
    /** Lines of the manifest by key. */
    lines: await openManifest(outputDir, { onLine, ...watch }),
    /** Lines that stay as they are if their only request is fresh. */
    settled,
    /** Whether a line stays as it is if this is its only request. */
    isSettled: (key: string, request: ArticleRequest) =>
      settled.has(key) && keys.get(configurationKey(request)) === key,
    /** The GLBs that these lines publish, with their sizes. */
    objects,
    /** Keys of the lines that only carts selected. */
    carts: carts as ReadonlySet<string>,
    /** The catalogue in each language of the pipeline. */
    catalogues,
    /** Whether each catalogue has a line with all of today's fields. */
    isCatalogued: (key: string) => !outdated.has(key) && catalogues.every((of) => of.has(key)),
    /** Returns the key of the configuration that a request resolved to. */
    keyOfRequest: (request: ArticleRequest) => keys.get(configurationKey(request)),
  };
}
