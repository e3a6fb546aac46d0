/**
 * Run context: all that one run has open.
 *
 * In: a job and what a run is handed. Out: stores, state, client and what was published before.
 * It must not do any of the run's work.
 */
import { join } from 'node:path';
import type { Fetcher } from '../fetch/fetch-article.ts';
import type { CatalogueLine, ManifestLine } from '../model/asset.ts';
import { openState, type State } from '../state/state.ts';
import { type ContentStore, openFileStore } from '../store/content-store.ts';
import { removeStaleTemporaries } from '../support/files.ts';
import type { Logger } from '../support/log.ts';
import { readCatalogue, readManifest } from '../write/manifest.ts';
import { TEMPORARY_FOLDER } from '../write/publish.ts';
import { createDriftCounts, type DriftCounts } from './drift.ts';
import type { Pipeline } from './pipeline-file.ts';
import { createRequestCounts, type RequestCounts } from './request-counts.ts';
import { openService, type Service, type ServiceTools } from './service-setup.ts';
import { createStopwatch, type Stopwatch } from './stopwatch.ts';

/** What is to be done. */
export interface Job {
  pipeline: Pipeline;
  /** A glob on `MANUFACTURER/PROGRAM/number`, base or final; only these are worked on. */
  only?: string;
  /** At most that many configurations are worked on. */
  limit?: number;
  /** Fetch and build everything anew. */
  force?: boolean;
}

/** How far a run is. */
export interface Progress {
  total: number;
  done: number;
  failed: number;
}

/** What a run is handed from outside. */
export interface RunTools extends Omit<ServiceTools, 'onRequest' | 'onDrift'> {
  log: Logger;
  progress?: (progress: Progress) => void;
  /** Told while articles are chosen how many the catalogue has shown so far. */
  selecting?: (found: number) => void;
  /** Handed the planning behind each permanent identifier that is selected. */
  onPlanning?: (id: string, topLevelArticle: unknown) => Promise<void>;
}

/** All that a run has open. */
export interface RunContext {
  job: Job;
  tools: RunTools;
  /** Instant at which the run began, milliseconds since 1970. */
  startedAt: number;
  stopwatch: Stopwatch;
  requests: RequestCounts;
  drift: DriftCounts;
  /** Answers of the service, by content. */
  bodies: ContentStore;
  /** Published GLBs, by content. */
  objects: ContentStore;
  state: State;
  previous: ManifestLine[];
  previousCatalogue: CatalogueLine[];
  /** What fetches from the service; both are opened when first asked for. */
  fetcher(): Promise<Fetcher>;
  /** Answers that came from the cache instead of the service. */
  cacheHits(): Promise<number>;
  /** Drops what is in flight and logs out, where the service was opened at all. */
  closeService(): Promise<void>;
}

/** Name of the folder of bodies in the cache folder, and of GLBs in the output folder. */
export const OBJECTS_FOLDER = 'objects';

/**
 * Opens a run, does some work with it and closes it, whatever becomes of the work.
 *
 * @throws {@link ConverterError} `OUTPUT_UNWRITABLE`, `STATE_INVALID`, `STORE_DAMAGED`, or what the work throws.
 */
export async function withRun<T>(
  job: Job,
  tools: RunTools,
  work: (run: RunContext) => Promise<T>,
): Promise<T> {
  const { outputDir, cacheDir, service: content } = job.pipeline;
  const cacheTemporaries = join(cacheDir, TEMPORARY_FOLDER);
  await removeStaleTemporaries(join(outputDir, TEMPORARY_FOLDER));
  await removeStaleTemporaries(cacheTemporaries);
  const state = await openState(cacheDir);
  const bodies = openFileStore({
    dir: join(cacheDir, OBJECTS_FOLDER),
    tmpDir: cacheTemporaries,
    repair: true,
  });
  const startedAt = tools.now();
  const requests = createRequestCounts();
  const drift = createDriftCounts();
  let service: Promise<Service> | undefined;
  const openFetcher = async (): Promise<Fetcher> => {
    const told = { onRequest: requests.count, onDrift: drift.count };
    service = openService(content, { ...tools, ...told });
    const { client } = await service;
    const { createFetcher } = await import('../fetch/fetch-article.ts');
    const force = job.force ?? false;
    const { imageLocation } = content;
    return createFetcher({ client, store: bodies, state, now: startedAt, force, imageLocation });
  };
  let fetcher: Promise<Fetcher> | undefined;
  const closeService = async () => {
    // A service that could not be opened has said so where it was asked for.
    await service?.then((opened) => opened.close()).catch(() => undefined);
  };
  try {
    return await work({
      job,
      tools,
      startedAt,
      stopwatch: createStopwatch(tools.now),
      requests,
      drift,
      bodies,
      objects: openObjects(outputDir, job.force),
      state,
      previous: await readManifest(outputDir),
      previousCatalogue: await readCatalogue(outputDir),
      fetcher: () => {
        fetcher ??= openFetcher();
        return fetcher;
      },
      cacheHits: async () => {
        const counts = [...((await fetcher)?.counts.values() ?? [])];
        return counts.reduce((sum, { remembered }) => sum + remembered, 0);
      },
      closeService,
    });
  } finally {
    await closeService();
    state.close();
  }
}

/**
 * Opens the store of published GLBs of an output folder.
 *
 * @param repair - Damaged GLBs are written anew when they are built again: `--force`.
 *
 * @see D-740, D-734.
 */
export function openObjects(outputDir: string, repair = false): ContentStore {
  return openFileStore({
    repair,
    dir: join(outputDir, OBJECTS_FOLDER),
    tmpDir: join(outputDir, TEMPORARY_FOLDER),
    extension: '.glb',
  });
}
