/** Explains from the cache why configurations look as they do, or why they failed, without a network. */

import type { ArticleKey, ArticleRequest } from '../model/article.ts';
import type { Decision } from '../model/asset.ts';
import {
  type ArticleId,
  articleKey,
  configurationKey,
  configurationLabel,
  isConfigurationKey,
  parseConfigurationKey,
} from '../model/configuration-id.ts';
import type { ArticleSnapshot } from '../model/snapshot.ts';
import type { CacheDatabase } from '../source/cache/database.ts';
import { loadSnapshot, snapshotDigests } from '../source/fetch/snapshot.ts';
import { asConverterError, ConverterError, isConverterError } from '../support/errors.ts';
import { exists } from '../support/files.ts';
import { globMatcher } from '../support/glob.ts';
import { groupBy } from '../support/group-by.ts';
import { didYouMean } from '../support/nearest.ts';
import type { PackedMap } from '../support/packed-map.ts';
import { readNotSelected, readSelection } from './articles/select.ts';
import { type Convert, openConversions } from './conversions/dispatch.ts';
import type { StepResult } from './conversions/steps.ts';
import type { RunParts } from './executor.ts';
import type { Pipeline } from './file/pipeline-file.ts';
import { configurationLabels, type ManifestLine } from './lists/manifest-line.ts';
import { helpFor } from './lists/messages.ts';
import { selectedByOf } from './make-report.ts';
import { type Run, withReadingRun } from './open/open-run.ts';
import type { RunEnvironment } from './open/run-environment.ts';
import { type DeliveryLine, readDeliveries } from './output/delivered-files.ts';
import { publishedAsset } from './output/publish.ts';
import { snapshotSource, sourceDigest } from './processor/configuration.ts';
import { amount } from './report/text.ts';

/** What failed, and what is published, of the configurations that match. */
export interface Explanation {
  failures: FailureExplanation[];
  articles: ArticleExplanation[];
  /** Labels of what is published beside failures; nothing if all that was asked for is. */
  others: string[];
}

/** Why something failed when it was last tried. */
interface FailureExplanation {
  /** The part of the selection that failed; undefined for a configuration. */
  what: string | undefined;
  /** Of a part of the selection: its base article, if it has one. */
  request: ArticleRequest | undefined;
  error: { code: string; message: string; help: string };
  /** Undefined if the cache was deleted. */
  attempts: number | undefined;
  /** ISO 8601. */
  firstSeen: string | undefined;
  lastSeen: string | undefined;
  /** Who asks for it, according to the last selection. */
  selectedBy: readonly string[];
  /** The GLB that stays published. */
  lastGood: string | undefined;
}

/** Why a published configuration looks as it does; without geometry it has no counts and no materials. */
interface ArticleExplanation {
  line: ManifestLine;
  counts: StepResult<'explain'>['counts'] | undefined;
  materials: StepResult<'explain'>['materials'];
  /** Decision of the last run that processed it; undefined if it is not in the cache. */
  decision: (Decision & { run: string }) | undefined;
  /** Whether the next build from the cache would write it anew. */
  rebuilds: boolean;
  /** Decisions and choices of a survey that it depends on; nothing without a record beside the pipeline file. */
  survey: readonly string[];
  deliveries: DeliveryLine[];
  /** The feeds that do not have it, and what they require. */
  leftOut: { feed: string; requires: string }[];
}

/**
 * Explains the configurations of a pipeline that match: what failed, and what is published.
 *
 * @param pattern - Glob on `MANUFACTURER/PROGRAM/number`, base or final, or on a number alone.
 * @throws {@link ConverterError} `USAGE` if none matches; `SNAPSHOT_MISSING` if a published one is not in the cache.
 */
export function explainArticle(
  pattern: string,
  pipeline: Pipeline,
  environment: RunEnvironment,
  { deliveries, sharing, surveys }: RunParts = {},
): Promise<Explanation> {
  const explain = async (run: Run): Promise<Explanation> => {
    const matches = globMatcher(pattern);
    const isMeant = (id: ArticleRequest) =>
      [id.basearticlenumber, id.finalarticlenumber, ...configurationLabels(id)].some(matches);
    const all = run.output.previous.lines;
    const stored = run.sources.database.failures.all(pipeline.outputDir);
    const records = new Map(stored.map((record) => [record.request, record]));
    const failed: ManifestLine[] = [];
    const articles: ArticleExplanation[] = [];
    const convert = openConversions(run, undefined);
    const delivered = await readDeliveries(run.output.listsDir);
    const filesOf = groupBy(delivered.values(), configurationKey);
    for (const line of all.values()) {
      if (!isMeant(line)) continue;
      if (hasFailed(line, records, run)) failed.push(line);
      else {
        const own = filesOf.get(configurationKey(line)) ?? [];
        const entry = run.output.previous.catalogues[0]?.get(configurationKey(line));
        const isInFeeds =
          deliveries !== undefined &&
          pipeline.deliver !== undefined &&
          entry !== undefined &&
          !line.onlyCarts;
        const leftOut = isInFeeds ? await deliveries.leftOut(pipeline, entry, own) : [];
        const explained = await explainLine(line, run, convert, surveys);
        articles.push({ ...explained, deliveries: own, leftOut });
      }
    }
    const failures = await matchingFailures(run, failed, records, isMeant, matches);
    if (articles.length === 0 && failures.length === 0)
      throw noMatch(pattern, run.output.shared?.name ?? pipeline.outputDir, all);
    return { failures, articles, others: othersOf(failures, articles, all) };
  };
  return withReadingRun({ pipeline }, environment, explain, sharing?.open);
}

/** Whether what a line requests failed when it was last tried: not if all of it was fetched since. */
function hasFailed(line: ManifestLine, records: FailureRecords, run: Run): boolean {
  if (line.status !== 'failed') return false;
  const { service, database } = snapshotSource(run);
  const isFetched = (key: string) =>
    !records.has(key) && database.snapshots.get(service, key) !== undefined;
  return !line.requested.map(configurationKey).every(isFetched);
}

const NAMED = 3;

/** What a person may call a configuration. */
const namesOf = (id: ArticleKey): string[] => [id.basearticlenumber, ...configurationLabels(id)];

function noMatch(pattern: string, output: string, all: PackedMap<ManifestLine>) {
  const ids = Array.from(all.keys(), parseConfigurationKey);
  const labels = [...new Set(ids.map(configurationLabel))];
  const hint = didYouMean(pattern, new Set(ids.flatMap(namesOf)));
  const message = `${pattern}: it matches none of ${amount(all.size, 'configuration')} in ${output}${hint}`;
  const some = labels.slice(0, NAMED).join(', ');
  const help = `use MANUFACTURER/PROGRAM/number with * and ?, in quotes; the output has ${some}`;
  const nothing = 'run the pipeline first: it has published nothing yet';
  return new ConverterError('USAGE', message, { help: all.size === 0 ? nothing : help });
}

/** What failed when it was last tried, according to the history; to the manifest if the cache was deleted. */
async function matchingFailures(
  { options: { pipeline } }: Run,
  lines: readonly ManifestLine[],
  records: FailureRecords,
  isMeant: (request: ArticleRequest) => boolean,
  matches: (text: string) => boolean,
): Promise<FailureExplanation[]> {
  const selected = await readSelection(pipeline).catch(undefinedIfMissing);
  const selectorsOf = selectedByOf(selected ?? []);
  const { failures: notSelected } = await readNotSelected(pipeline);
  const isRecording = pipeline.service.recording !== undefined;
  const subjectOf = (key: string) => {
    if (isConfigurationKey(key)) {
      const selectedBy = selectorsOf(parseConfigurationKey(records.get(key)?.root || key)) ?? [];
      return { what: undefined, request: parseConfigurationKey(key), selectedBy };
    }
    const own = notSelected.filter(({ what }) => what === key);
    const article = own.find((failure) => failure.article)?.article;
    const selectedBy = [...new Set(own.flatMap((failure) => failure.selectedBy ?? []))];
    return { what: key, request: article && requestOf(article), selectedBy };
  };
  const explained = ({ key, line }: { key: string; line?: ManifestLine }): FailureExplanation => {
    const record: Failure = records.get(key) ?? line!.error!;
    const { code, message, attempts, firstSeen, lastSeen } = record;
    const { selectedBy, ...subject } = subjectOf(key);
    const error = { code, message, help: helpFor(code, isRecording) };
    const lastGood = line?.lastGood?.glb;
    return { ...subject, error, attempts, firstSeen, lastSeen, selectedBy, lastGood };
  };
  const ofLines = lines.flatMap((line) => {
    const keys = line.requested.map(configurationKey);
    const known = keys.filter((key) => records.has(key));
    return (known.length > 0 ? known : keys.slice(0, 1)).map((key) => ({ key, line }));
  });
  const shown = new Set(ofLines.map(({ key }) => key));
  const isWanted = (key: string) => {
    const { what, request } = subjectOf(key);
    return (request && isMeant(request)) || what?.split(' ').some(matches);
  };
  const others = [...records.keys()].filter((key) => !shown.has(key) && isWanted(key));
  return [...ofLines, ...others.map((key) => ({ key }))].map(explained);
}

/** By request, or by the name of a part of the selection. */
type FailureRecord = ReturnType<CacheDatabase['failures']['all']>[number];
type FailureRecords = ReadonlyMap<string, FailureRecord>;
type Failure = Pick<FailureRecord, 'code' | 'message'> & Partial<FailureRecord>;

/** The request for the default configuration of a base article. */
function requestOf({ manufacturer, program, basearticlenumber }: ArticleId): ArticleRequest {
  const none = { finalarticlenumber: '', reinitstring: '', metareinitstring: '' };
  return { manufacturer, program, basearticlenumber, ...none };
}

/** Nothing before the first selection, or fetch. */
function undefinedIfMissing(error: unknown): undefined {
  if (!isConverterError(error, 'SNAPSHOT_MISSING')) throw error;
}

function othersOf(
  failures: readonly FailureExplanation[],
  explained: readonly ArticleExplanation[],
  all: PackedMap<ManifestLine>,
): string[] {
  const shown = new Set(explained.map(({ line }) => configurationKey(line)));
  const published: ArticleRequest[] = [];
  for (const line of all.values()) {
    const key = configurationKey(line);
    if (!shown.has(key) && publishedAsset(line) !== undefined)
      published.push(parseConfigurationKey(key));
  }
  const failed = failures.flatMap(({ request }) => request ?? []);
  const programOf = ({ manufacturer, program }: ArticleRequest) => `${manufacturer}/${program}`;
  const like = (keyOf: (id: ArticleRequest) => string) => {
    const wanted = new Set(failed.map(keyOf));
    return published.filter((line) => wanted.has(keyOf(line))).map(configurationLabel);
  };
  const same = like(articleKey);
  return [...new Set(same.length > 0 || shown.size > 0 ? same : like(programOf))];
}

async function explainLine(
  line: ManifestLine,
  run: Run,
  convert: Convert,
  surveys: RunParts['surveys'],
): Promise<Omit<ArticleExplanation, 'deliveries' | 'leftOut'>> {
  const { convert: options, outputDir } = run.options.pipeline;
  const { database } = run.sources;
  const sourceOf = sourceDigest(options);
  const isCurrent = (snapshot: ArticleSnapshot) =>
    sourceOf(snapshotDigests(snapshot).inputs) === line.source;
  const snapshot = await snapshotOf(line, run, isCurrent);
  const key = configurationKey(line);
  const decision = database.decisions.get(outputDir, key);
  // Without geometry there is nothing to convert: see `line.reason`.
  const explained = line.sha256 === undefined ? undefined : await convert('explain', snapshot);
  return {
    line,
    ...(explained ?? { materials: [], counts: undefined }),
    decision,
    rebuilds: !isCurrent(snapshot),
    survey: explained === undefined ? [] : await choicesOf(run, snapshot, surveys),
  };
}

/** A record that cannot be read is named, and hides nothing else. */
async function choicesOf(
  run: Run,
  snapshot: ArticleSnapshot,
  surveys: RunParts['surveys'],
): Promise<string[]> {
  const { surveyFile } = run.options.pipeline;
  if (surveys === undefined || surveyFile === undefined || !(await exists(surveyFile))) return [];
  return surveys
    .choicesOf(run, surveyFile, snapshot)
    .catch((thrown: unknown) => [asConverterError(thrown).message]);
}

/** The snapshot of a line: that of this machine, or, if the line was made from another one, what machines share. */
async function snapshotOf(
  line: ManifestLine,
  run: Run,
  isCurrent: (snapshot: ArticleSnapshot) => boolean,
): Promise<ArticleSnapshot> {
  const request = line.requested[0] ?? line;
  const source = snapshotSource(run);
  const { shared } = run.output;
  const { database } = run.sources;
  if (shared === undefined) return loadSnapshot(source, request);
  const own = await loadSnapshot(source, request).catch(undefinedIfMissing);
  if (own !== undefined && isCurrent(own)) return own;
  await shared.loadSnapshots(database, source.service, request);
  return loadSnapshot(source, request);
}
