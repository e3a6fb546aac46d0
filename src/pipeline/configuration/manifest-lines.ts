/**
 * Manifest lines: what became of each request, as one line a configuration.
 *
 * In: outcomes by request and the lines of before. Out: lines of the new manifest, without paths, which
 * publishing gives.
 */

import type { Decision } from '../../cache/cached-builds.ts';
import type { Article, ArticleKey, ArticleRequest } from '../../model/article.ts';
import type { Built, CatalogueLine, LastGood, ManifestLine } from '../../model/asset.ts';
import { configurationId, configurationKey, uniqueRequests } from '../../model/configuration-id.ts';
import type { Digest, UnplacedChild, Warning } from '../../model/snapshot.ts';
import { FIGURE_FIELDS, orderFields } from '../../write/manifest.ts';
import type { PreviousLines } from '../context/previous-lines.ts';

/** Code of the warning that one of several requests of a configuration failed. */
export const REQUEST_FAILED = 'REQUEST_FAILED';

/** What became of one request. */
export type Outcome = Success | Kept | Failure;

/** It was fetched, and built unless an equal one stood there. */
export interface Success {
  request: ArticleRequest;
  status: 'converted' | 'unchanged';
  key: ArticleKey;
  /** Of the article: `YYYY-MM-DD`, or empty. */
  convertdate: string;
  source: Digest;
  built: Built;
  catalogue: CatalogueLine;
  decision: Decision;
  /** Children of a planning that become assets of their own. */
  unplaced?: UnplacedChild[];
}

/** Nothing that it depends on has changed, and nothing was looked at: its lines stay as they are. */
export interface Kept {
  request: ArticleRequest;
  status: 'kept';
  key: ArticleKey;
  unplaced?: never;
}

/** It failed. */
export interface Failure {
  request: ArticleRequest;
  status: 'failed';
  /** Undefined where the request could not be resolved. */
  key: ArticleKey | undefined;
  error: { code: string; message: string };
  unplaced?: never;
}

/**
 * The configuration that an outcome belongs to.
 *
 * A request that failed before it was resolved keeps the identity that it had, so that what is
 * published for it stays known as `lastGood`.
 */
export function keyOfOutcome({ key, request }: Outcome, previous: PreviousLines): string {
  if (key !== undefined) return configurationKey(key);
  return previous.keyByRequest.get(configurationKey(request)) ?? configurationKey(request);
}

/**
 * Makes the line of a configuration from what became of its requests.
 *
 * @param key - Identity of the configuration.
 * @param outcomes - Of all its requests, in the order of the selection; at least one.
 * @param before - Its line of before.
 * @returns A line without a path, but for one that was kept; `before` itself where it says the same.
 *
 * @see D-746.
 */
export function manifestLine(
  key: ArticleRequest,
  outcomes: readonly Outcome[],
  before: ManifestLine | undefined,
): ManifestLine {
  const requested = uniqueRequests(outcomes.map(({ request }) => request));
  const failures = outcomes.filter((o): o is Failure => o.status === 'failed');
  const success = outcomes.find((o): o is Success => 'built' in o);
  const kept = outcomes.some(({ status }) => status === 'kept');
  const failed = failures.map(failedRequest);
  if (success !== undefined) return orderFields(goodLine(key, success, failed, requested));
  if (kept && before !== undefined) return keptLine(before, failed, requested);
  return orderFields(failedLine(key, failures[0]!, requested, before));
}

function goodLine(
  key: ArticleRequest,
  success: Success,
  failed: Warning[],
  requested: ArticleRequest[],
): ManifestLine {
  const { losses, warnings, counts: _, ...figures } = success.built;
  return {
    ...configurationId(key),
    status: success.status,
    ...figures,
    convertdate: success.convertdate,
    source: success.source,
    losses,
    warnings: [...warnings, ...failed],
    requested,
  };
}

function keptLine(
  before: ManifestLine,
  failed: Warning[],
  requested: ArticleRequest[],
): ManifestLine {
  const own = before.warnings.filter(({ code }) => code !== REQUEST_FAILED);
  const warnings = [...own, ...failed];
  const saysTheSame =
    before.status === 'unchanged' &&
    JSON.stringify(before.warnings) === JSON.stringify(warnings) &&
    JSON.stringify(before.requested) === JSON.stringify(requested);
  return saysTheSame
    ? before
    : orderFields({ ...before, status: 'unchanged', warnings, requested });
}

function failedRequest({ request, error }: Failure): Warning {
  return {
    code: REQUEST_FAILED,
    message: `${configurationKey(request)} failed: ${error.code}: ${error.message}`,
  };
}

function failedLine(
  key: ArticleRequest,
  { error }: Failure,
  requested: ArticleRequest[],
  previous: ManifestLine | undefined,
): ManifestLine {
  const lastGood = previous === undefined ? undefined : lastGoodOf(previous);
  return {
    ...configurationId(key),
    status: 'failed',
    convertdate: previous?.convertdate ?? '',
    source: '',
    losses: [],
    warnings: [],
    requested,
    error,
    ...(lastGood === undefined ? {} : { lastGood }),
  };
}

/** What a failed line keeps of the one before: its figures. */
function lastGoodOf(line: ManifestLine): LastGood | undefined {
  if (line.glb === undefined || line.sha256 === undefined) return line.lastGood;
  const known = FIGURE_FIELDS.filter((field) => line[field] !== undefined);
  return Object.fromEntries(known.map((field) => [field, line[field]])) as unknown as LastGood;
}

/** What a shop shows beside the GLB: texts, price and the visible properties with their values. */
export function catalogueLine(key: ArticleKey, article: Article): CatalogueLine {
  const { ocd } = article;
  const classes = [...(ocd?.propclasses ?? []), ...article.propclasses];
  return {
    ...configurationId(key),
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
