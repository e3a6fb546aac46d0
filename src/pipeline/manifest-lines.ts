/**
 * Manifest lines: what became of each request, as one line a configuration.
 *
 * In: outcomes by request and the lines of before. Out: lines and catalogue lines.
 * It must not know paths: publishing gives them.
 */
import type { Article, ArticleKey, ArticleRequest } from '../model/article.ts';
import type { Built, CatalogueLine, ManifestLine } from '../model/asset.ts';
import type { GeometryCounts } from '../model/scene.ts';
import type { Digest, UnplacedChild, Warning } from '../model/snapshot.ts';
import { identityOf, keyOf } from '../write/manifest.ts';
import { uniqueRequests } from '../write/merge-manifest.ts';
import { publishedAsset } from '../write/publish.ts';

/** Code of the warning that one of several requests of a configuration failed. */
export const REQUEST_FAILED = 'REQUEST_FAILED';

/** What became of one request. */
export type Outcome =
  | {
      request: ArticleRequest;
      status: 'converted' | 'unchanged';
      key: ArticleKey;
      article: Article;
      source: Digest;
      built: Built;
      /** Children of a planning that become assets of their own. */
      unplaced?: UnplacedChild[];
    }
  | {
      request: ArticleRequest;
      status: 'failed';
      /** Undefined where the request could not be resolved. */
      key: ArticleKey | undefined;
      error: { code: string; message: string };
      unplaced?: never;
    };

type Failure = Extract<Outcome, { status: 'failed' }>;
type Success = Exclude<Outcome, Failure>;

/** The lines of before, by key and by request. */
export interface PreviousLines {
  byKey: Map<string, ManifestLine>;
  byRequest: Map<string, ManifestLine>;
}

/** Indexes the lines of before. */
export function indexPrevious(lines: readonly ManifestLine[]): PreviousLines {
  return {
    byKey: new Map(lines.map((line) => [keyOf(line), line])),
    byRequest: new Map(lines.flatMap((line) => line.requested.map((r) => [keyOf(r), line]))),
  };
}

/**
 * Makes one line for each configuration that the outcomes name.
 *
 * A request that failed before it was resolved keeps the identity that it had, so that what is
 * published for it stays known as `lastGood`.
 *
 * @returns Lines without paths, in no particular order.
 *
 * @see D-746.
 */
export function manifestLines(
  outcomes: readonly Outcome[],
  previous: PreviousLines,
): ManifestLine[] {
  const byKey = new Map<string, { key: ArticleKey; outcomes: Outcome[] }>();
  for (const outcome of outcomes) {
    const key = identityFor(outcome, previous);
    const group = byKey.get(keyOf(key)) ?? { key, outcomes: [] };
    group.outcomes.push(outcome);
    byKey.set(keyOf(key), group);
  }
  return [...byKey.values()].map((group) => lineOf(group.key, group.outcomes, previous));
}

/** What the geometry of each configuration lost or changed, by key; it stands in no line. */
export function countsByKey(outcomes: readonly Outcome[]): Map<string, GeometryCounts> {
  return new Map(
    outcomes.flatMap((outcome): [string, GeometryCounts][] => {
      if (outcome.status === 'failed' || outcome.built.counts === undefined) return [];
      return [[keyOf(outcome.key), outcome.built.counts]];
    }),
  );
}

function identityFor(outcome: Outcome, previous: PreviousLines): ArticleKey {
  const known = outcome.key ?? previous.byRequest.get(keyOf(outcome.request));
  return identityOf(known ?? outcome.request);
}

function lineOf(key: ArticleKey, outcomes: Outcome[], previous: PreviousLines): ManifestLine {
  const requested = uniqueRequests(outcomes.map(({ request }) => request));
  const failures = outcomes.filter((o): o is Failure => o.status === 'failed');
  const success = outcomes.find((o): o is Success => o.status !== 'failed');
  if (success !== undefined) return goodLine(key, success, failures, requested);
  return failedLine(key, failures[0]!, requested, previous.byKey.get(keyOf(key)));
}

function goodLine(
  key: ArticleKey,
  success: Success,
  failures: Failure[],
  requested: ArticleRequest[],
): ManifestLine {
  const { losses, warnings, counts: _, ...figures } = success.built;
  return {
    ...key,
    status: success.status,
    ...figures,
    convertdate: success.article.ocd?.convertdate ?? '',
    source: success.source,
    losses,
    warnings: [...warnings, ...failures.map(failedRequest)],
    requested,
  };
}

function failedRequest({ request, error }: Failure): Warning {
  return {
    code: REQUEST_FAILED,
    message: `${keyOf(request)} failed: ${error.code}: ${error.message}`,
  };
}

function failedLine(
  key: ArticleKey,
  { error }: Failure,
  requested: ArticleRequest[],
  previous: ManifestLine | undefined,
): ManifestLine {
  const asset = previous === undefined ? undefined : publishedAsset(previous);
  return {
    ...key,
    status: 'failed',
    convertdate: previous?.convertdate ?? '',
    source: '',
    losses: [],
    warnings: [],
    requested,
    error,
    ...(asset === undefined ? {} : { lastGood: asset }),
  };
}

/**
 * Makes the catalogue lines of a manifest: fresh ones, and for the rest those of before.
 *
 * @param lines - All lines of the new manifest.
 */
export function catalogueLines(
  lines: readonly ManifestLine[],
  outcomes: readonly Outcome[],
  previous: readonly CatalogueLine[],
): CatalogueLine[] {
  const known = new Map(previous.map((line) => [keyOf(line), line]));
  for (const outcome of outcomes) {
    if (outcome.status === 'failed') continue;
    known.set(keyOf(outcome.key), catalogueLine(outcome.key, outcome.article));
  }
  return lines.flatMap((line) => known.get(keyOf(line)) ?? []);
}

/** What a shop shows beside the GLB: texts, price and the visible properties with their values. */
export function catalogueLine(key: ArticleKey, article: Article): CatalogueLine {
  const { ocd } = article;
  const classes = [...(ocd?.propclasses ?? []), ...article.propclasses];
  return {
    ...identityOf(key),
    shorttext: ocd?.shorttext ?? '',
    longtext: ocd?.longtext ?? '',
    price: ocd?.price ?? 0,
    currency: ocd?.currency ?? '',
    properties: classes.flatMap(({ name, properties }) =>
      properties
        .filter(({ visible }) => visible)
        .map((property) => ({
          class: name,
          name: property.name,
          text: property.text,
          value: property.currentvalue,
          valueText:
            property.propertyvalues.find((v) => v.valuefrom === property.currentvalue)?.text ??
            property.currentvalue,
        })),
    ),
  };
}
