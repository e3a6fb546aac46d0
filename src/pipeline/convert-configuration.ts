/**
 * Convert configuration: one request, from its snapshot to its outcome.
 *
 * In: a request. Out: an outcome: unchanged, converted or failed. Live, its snapshot is fetched;
 * for a build it is the one of the last fetch. It must not know the other requests.
 */
import type { SelectedArticle } from '../fetch/select-articles.ts';
import type { ArticleKey, ArticleRequest } from '../model/article.ts';
import type { Built, ManifestLine } from '../model/asset.ts';
import type { ArticleSnapshot, Digest, Warning } from '../model/snapshot.ts';
import type { ConverterError } from '../support/errors.ts';
import { keyOf } from '../write/manifest.ts';
import { createBuilder } from './build-article.ts';
import type { Work } from './each-configuration.ts';
import { indexPrevious, type Outcome, REQUEST_FAILED } from './manifest-lines.ts';
import type { RunContext } from './run-context.ts';
import { pipelineServiceId } from './service-setup.ts';
import { REPORTED, sourceDigest } from './source-digest.ts';

/** Gets a snapshot, from wherever it is. */
type SnapshotOf = (selected: SelectedArticle) => Promise<ArticleSnapshot>;

/** Converts with snapshots fetched from the service. */
export async function convertLive(run: RunContext): Promise<Work<Outcome>> {
  const fetcher = await run.fetcher();
  return {
    ...convertWith(run, ({ request, children }) => fetcher.fetch(request, children)),
    async onFailure(request, error) {
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
  const { loadSnapshot } = await import('../fetch/load-snapshot.ts');
  const service = pipelineServiceId(run.job.pipeline.service);
  const source = { service, state: run.state, store: run.bodies };
  return convertWith(run, ({ request }) => loadSnapshot(source, request));
}

function convertWith(run: RunContext, snapshotOf: SnapshotOf): Work<Outcome> {
  const { bodies, objects, stopwatch, job } = run;
  const { convert } = job.pipeline;
  const read = (digest: Digest) => bodies.get(digest);
  const builder = createBuilder({ read, objects, convert, stopwatch });
  const { byKey } = indexPrevious(run.previous);

  /** What the last run built from the same sources, if it is still there. */
  const unchanged = async (line: ManifestLine | undefined, source: Digest) => {
    if (job.force || line === undefined || line.source !== source) return undefined;
    const built = builtOf(line);
    if (built === undefined || !(await objects.has(built.sha256))) return undefined;
    return { ...built, counts: run.state.builds.get(source)?.counts };
  };

  /** What an interrupted run built from the same sources, if it is still there. */
  const builtBefore = async (source: Digest) => {
    const built = job.force ? undefined : run.state.builds.get(source);
    return built !== undefined && (await objects.has(built.sha256)) ? built : undefined;
  };

  const buildAnew = async (snapshot: ArticleSnapshot, source: Digest) => {
    const built = withWarnings(snapshot, await builder.build(snapshot, source));
    run.state.builds.put(source, built);
    return built;
  };

  return {
    async work(selected) {
      const snapshot = await stopwatch.during('fetch', () => snapshotOf(selected));
      const { key, article, unplaced = [] } = snapshot;
      const { request } = selected;
      const source = sourceDigest(snapshot, convert);
      const known = await unchanged(byKey.get(keyOf(key)), source);
      const built = known ?? (await builtBefore(source)) ?? (await buildAnew(snapshot, source));
      const status = known === undefined ? 'converted' : 'unchanged';
      const reported = snapshot.warnings.filter(isReported);
      const warnings = [...reported, ...built.warnings];
      const of = { request, key, article, source, unplaced };
      return { ...of, status, built: { ...built, warnings } };
    },
    onFailure: async (request, error) => failure(request, error),
  };
}

function failure(
  request: ArticleRequest,
  { code, message }: ConverterError,
  key?: ArticleKey,
): Outcome {
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
function builtOf(line: ManifestLine): Built | undefined {
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
