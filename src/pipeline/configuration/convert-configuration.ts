/**
 * Convert configuration: one request, from its snapshot to its outcome.
 *
 * In: a request. Out: an outcome: kept, unchanged, converted or failed. Live, its snapshot is fetched;
 * for a build it is the one of the last fetch. It must not know the other requests.
 */

import type { Decision } from '../../cache/cached-builds.ts';
import type { SelectedArticle } from '../../fetch/selection.ts';
import {
  inputsDigest,
  loadSnapshot,
  loadSnapshotInputs,
  REPORTED,
  type SnapshotInputs,
} from '../../fetch/snapshot.ts';
import type { ArticleRequest } from '../../model/article.ts';
import type { Built, ManifestLine } from '../../model/asset.ts';
import { configurationKey } from '../../model/configuration-id.ts';
import type { ArticleSnapshot, Digest, Warning } from '../../model/snapshot.ts';
import type { RunContext } from '../context/run-context.ts';
import { pipelineServiceId } from '../context/service-setup.ts';
import { createBuilder } from './build-article.ts';
import type { Work } from './each-configuration.ts';
import {
  catalogueLine,
  type Failure,
  type Kept,
  type Outcome,
  REQUEST_FAILED,
  type Success,
} from './manifest-lines.ts';
import { sourceChanges } from './source-changes.ts';
import { sourceDigest } from './source-digest.ts';

/** Where snapshots come from. */
interface Snapshots {
  /** The snapshot of the last fetch where all of it is known to hold, without looking at it. */
  kept(request: ArticleRequest): Promise<SnapshotInputs | undefined>;
  /** All of it, from wherever it is. */
  load(selected: SelectedArticle): Promise<ArticleSnapshot>;
}

/** Converts with snapshots fetched from the service. */
export async function convertLive(run: RunContext): Promise<Work<Outcome>> {
  const fetcher = await run.fetcher();
  const load: Snapshots['load'] = ({ request, children }) => fetcher.fetch(request, children);
  return {
    ...convertWith(run, { kept: fetcher.freshSnapshot, load }),
    async onFailure(request, error) {
      // Whoever is out of time must not wait for another answer.
      if (error.code === 'ARTICLE_TIMEOUT') return failure(request, error);
      // Who it is was asked in this run already: no further request, and the same failure if that failed.
      const key = await fetcher.resolve(request).then(
        (resolved) => resolved.key,
        () => undefined,
      );
      return failure(request, error, key);
    },
  };
}

/** Converts with the snapshots of the last fetch, without a network. */
export async function convertFetched(run: RunContext): Promise<Work<Outcome>> {
  const service = pipelineServiceId(run.job.pipeline.service);
  const source = { service, database: run.state, store: run.bodies };
  return convertWith(run, {
    kept: async (request) => loadSnapshotInputs(source, request),
    load: ({ request }) => loadSnapshot(source, request),
  });
}

function convertWith(run: RunContext, snapshots: Snapshots): Work<Outcome> {
  const { bodies, objects, stopwatch, job, state, previous } = run;
  const { convert, service } = job.pipeline;
  const read = (digest: Digest) => bodies.get(digest);
  const builder = createBuilder({ read, objects, convert, stopwatch });
  const sourceOf = sourceDigest(convert);
  const serviceId = pipelineServiceId(service);

  /** The line of before, where it says what would be said again and its GLB is still there. */
  const standing = async (key: ArticleRequest, source: Digest) => {
    const line = job.force ? undefined : previous.byKey.get(configurationKey(key));
    if (line?.sha256 === undefined || line.source !== source) return undefined;
    return (await run.holdsObject(line.sha256, line.bytes)) ? line : undefined;
  };

  const keep = async ({ request, children }: SelectedArticle): Promise<Kept | undefined> => {
    // The children of a stored planning are no part of what the service keeps.
    if (job.force || children !== undefined) return undefined;
    const kept = await snapshots.kept(request);
    if (kept === undefined || !run.previousCatalogue.has(configurationKey(kept.key)))
      return undefined;
    const line = await standing(kept.key, sourceOf(kept.inputs));
    return line === undefined ? undefined : { request, status: 'kept', key: kept.key };
  };

  /** What an interrupted run built from the same sources, if it is still there. */
  const builtBefore = async (source: Digest) => {
    const built = job.force ? undefined : state.builds.get(source);
    if (built === undefined) return undefined;
    return (await run.holdsObject(built.sha256, built.bytes)) ? built : undefined;
  };

  const buildAnew = async (snapshot: ArticleSnapshot, source: Digest) => {
    const built = withWarnings(snapshot, await builder.build(snapshot, source));
    state.builds.put(source, built);
    return built;
  };

  return {
    async work(selected) {
      const kept = await stopwatch.during('fetch', () => keep(selected));
      if (kept !== undefined) return kept;
      const { request } = selected;
      const record = state.snapshots.get(serviceId, configurationKey(request));
      const snapshot = await stopwatch.during('fetch', () => snapshots.load(selected));
      const { key, article, unplaced = [] } = snapshot;
      const source = sourceOf(inputsDigest(snapshot));
      const known = await standing(key, source).then(builtOf);
      const built = known ?? (await builtBefore(source)) ?? (await buildAnew(snapshot, source));
      const reported = snapshot.warnings.filter(isReported);
      const outcome: Success = {
        request,
        status: known === undefined ? 'converted' : 'unchanged',
        key,
        convertdate: article.ocd?.convertdate ?? '',
        source,
        built: {
          ...built,
          counts: built.counts ?? state.builds.get(source)?.counts,
          warnings: [...reported, ...built.warnings],
        },
        catalogue: catalogueLine(key, article),
        decision:
          known === undefined
            ? {
                tier: 'built',
                why: whyBuilt(run, previous.byKey.get(configurationKey(key)), record, snapshot),
              }
            : { tier: tierOf(snapshot), why: [] },
      };
      return unplaced.length === 0 ? outcome : { ...outcome, unplaced };
    },
    onFailure: async (request, error) => failure(request, error),
  };
}

/** What it took to find out that nothing has changed. */
function tierOf({ requested }: ArticleSnapshot): Decision['tier'] {
  if (requested === undefined) return 'kept';
  if (requested.bodies > 0) return 'digest';
  return requested.article || requested.partsList ? 'parts-list' : 'kept';
}

function whyBuilt(
  { job }: RunContext,
  line: ManifestLine | undefined,
  record: Parameters<typeof sourceChanges>[0],
  snapshot: ArticleSnapshot,
): string[] {
  if (job.force) return ['--force builds everything anew'];
  if (line === undefined) return ['it is not in the manifest of before'];
  if (line.sha256 === undefined) return ['it had failed before'];
  const changes = sourceChanges(record, snapshot);
  if (changes.length > 0) return changes;
  return ['options or converter have changed, or its GLB was missing or damaged'];
}

function failure(
  request: ArticleRequest,
  { code, message }: Failure['error'],
  key?: Failure['key'],
): Failure {
  return { request, status: 'failed', key, error: { code, message } };
}

function isReported({ code }: Warning): boolean {
  return REPORTED.has(code);
}

function withWarnings(snapshot: ArticleSnapshot, built: Built): Built {
  const fetched = snapshot.warnings.filter((warning) => !isReported(warning));
  return { ...built, warnings: [...fetched, ...built.warnings] };
}

/** What a line says of its GLB, without what each run finds out anew. */
function builtOf(line: ManifestLine | undefined): Built | undefined {
  if (line === undefined) return undefined;
  const { sha256, bytes, triangles, drawCalls, materials, textures, boundsMetres } = line;
  if (sha256 === undefined || bytes === undefined || triangles === undefined) return undefined;
  if (drawCalls === undefined || materials === undefined || textures === undefined)
    return undefined;
  if (boundsMetres === undefined) return undefined;
  const warnings = line.warnings.filter((w) => !isReported(w) && w.code !== REQUEST_FAILED);
  return {
    ...{ sha256, bytes, triangles, drawCalls, materials, textures, boundsMetres },
    losses: line.losses,
    warnings,
  };
}
