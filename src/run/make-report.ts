/** Makes the report of a run from its results, and writes it into the folder of the run. */

import { join, relative, sep } from 'node:path';
import type { ArticleKey, ArticleRequest } from '../model/article.ts';
import type { Built } from '../model/asset.ts';
import {
  configurationId,
  configurationKey,
  ID_FIELDS,
  parseConfigurationKey,
  sortConfigurationKeys,
} from '../model/configuration-id.ts';
import type { Warning } from '../model/warning.ts';
import type { CacheDatabase } from '../source/cache/database.ts';
import type { SelectedArticle, Selection } from '../source/fetch/selection.ts';
import {
  digestOfFile,
  exists,
  readPieces,
  replaceFile,
  temporaryFolder,
} from '../support/files.ts';
import { syncFolders } from '../support/folders.ts';
import type { PackedMap } from '../support/packed-map.ts';
import { redact } from '../support/redact.ts';
import { cutText, TEXT_LIMITS } from '../support/text-limits.ts';
import { visibleJson } from '../support/visible.ts';
import type { CollectedResult, Result, Results } from './articles/results.ts';
import type { Distribution, ReportPage } from './executor.ts';
import type { Quarantine } from './failures/quarantine.ts';
import type { ManifestLine } from './lists/manifest-line.ts';
import { helpFor, redactMessages } from './lists/messages.ts';
import { describeService, languagesOf } from './open/connect.ts';
import type { Run } from './open/open-run.ts';
import type { Damage, PreviousOutput } from './open/output.ts';
import { isPublished, type RunEnd, reportedEnd } from './open/run-end.ts';
import { isPartial, type RunOptions, runId } from './open/run-options.ts';
import { catalogueFiles, jsonPieces } from './output/manifest.ts';
import { linkLatestRun, RUNS_FOLDER, runFolders } from './output/output-folder.ts';
import { publishedAsset, sizeOf } from './output/publish.ts';
import type { Deliveries } from './publishing/deliveries.ts';
import type { Changes } from './publishing/last-publication.ts';
import { type Collected, Collector, type ReportedLine } from './report/collect.ts';
import type {
  ArticlePictures,
  Description,
  FailureRow,
  GateReport,
  RunReport,
} from './report/run-report.ts';

interface ReportContent {
  command: RunReport['command'];
  end: RunEnd;
  selection: Selection;
  gates?: GateReport | undefined;
  /** Of a fetch, which makes no manifest. */
  fetched?: readonly Result[];
  /** Of a run or build. */
  outcome?: RunOutcome;
  delivered?: RunReport['delivered'] | undefined;
  /** Of the comparison with a survey. */
  surveyWarnings?: readonly Warning[];
  /** Of a distributed run. */
  distribution?: Pick<Distribution, 'workers' | 'fromCache'> | undefined;
  /** They find pictures of what is new and has changed. */
  deliveries?: Deliveries | undefined;
}

interface RunOutcome {
  /** Of the new manifest. */
  lines: PackedMap<ManifestLine>;
  results: Results;
  quarantine: Pick<Quarantine, 'historyOf' | 'rootOf'>;
  /** Since the last publication. */
  changes: Changes;
}

const NO_GATES = { refused: false, accepted: false, count: 0, byGate: {}, findings: [] };

/** What is written into the folder of a run. No message has a secret. */
interface MadeReport {
  report: RunReport;
  /** All of them, those of deliveries last; the report lists the first. */
  failures: () => Iterable<unknown>;
  /** Of what is new and has changed. */
  pictures: readonly ArticlePictures[];
}

/** Summarizes a run. */
export async function makeReport(run: Run, content: ReportContent): Promise<MadeReport> {
  const { options, metrics, startedAt } = run;
  const { pipeline } = options;
  const { command, end, gates = NO_GATES, outcome } = content;
  const untranslated = isOutputPublished(content) ? await languagesNotOffered(pipeline) : [];
  const collector = collectRows(run, content, untranslated);
  const totalMs = metrics.stopwatch.totalMs();
  const { error: stop } = end;
  const { distribution } = content;
  const fromCache = (await run.sources.session.cacheHits()) + (distribution?.fromCache() ?? 0);
  const report: RunReport = {
    format: 2,
    command,
    run: runId(startedAt),
    pipeline: pipeline.name,
    service: redact(describeService(pipeline.service)),
    startedAt: new Date(startedAt).toISOString(),
    endedAt: new Date(startedAt + totalMs).toISOString(),
    totalMs,
    stageMs: metrics.stopwatch.stageMs(),
    ended: reportedEnd(end),
    published: isOutputPublished(content),
    ...(stop && { stop: { code: stop.code, message: stop.message, help: stop.help } }),
    ...withDescriptions(collector.collected(), (id) => describe(id, outcome, run.output.previous)),
    requests: { ...metrics.requests.totals(), fromCache },
    gates,
    drift: metrics.drift.rows(),
    ...(content.delivered && { delivered: content.delivered }),
    ...(distribution && { workers: distribution.workers() }),
    outputDir: redact(pipeline.outputDir),
    cacheDir: redact(pipeline.cacheDir),
  };
  const redacted = redactMessages(report);
  const pictures = await picturesOf(run, redacted, outcome?.lines, content.deliveries);
  const failures = () => allFailures(collector.failures(), redacted);
  return { report: redacted, failures, pictures };
}

/** Languages of which the catalogue has the texts of another one, in all articles. */
async function languagesNotOffered(pipeline: Run['options']['pipeline']): Promise<Warning[]> {
  const { outputDir, service } = pipeline;
  const languages = languagesOf(service);
  if (languages.length < 2) return [];
  const known = new Map<string, string>();
  const warnings: Warning[] = [];
  for (const [at, file] of catalogueFiles(languages).entries()) {
    const path = join(outputDir, file);
    if (!(await exists(path))) continue;
    const lang = languages[at]!;
    const { sha256 } = await digestOfFile(path);
    const same = known.get(sha256);
    if (same === undefined) known.set(sha256, lang);
    else if (await hasText(path)) {
      const message = `the texts in "${lang}" are those in "${same}", of all articles`;
      warnings.push({ code: 'LANGUAGE_NOT_OFFERED', message });
    }
  }
  return warnings;
}

async function hasText(path: string): Promise<boolean> {
  for await (const piece of readPieces(path))
    if (SOME_TEXT.test(Buffer.from(piece).toString())) return true;
  return false;
}

const SOME_TEXT = /"(?:short|long)text":"[^"]/;

/** Small pictures of what is new and has changed; a report without them is better than none. */
async function picturesOf(
  run: Run,
  report: RunReport,
  lines: RunOutcome['lines'] | undefined,
  deliveries: Deliveries | undefined,
): Promise<readonly ArticlePictures[]> {
  const { new: added, changed } = report.changes;
  const isShown = run.options.pipeline.deliver && added.count + changed.count > 0;
  if (!isShown || lines === undefined || deliveries === undefined) return [];
  return deliveries.reportPictures(run, report, lines).catch((error: Error) => {
    run.environment.log.warn('the report has no pictures', { message: error.message });
    return [];
  });
}

function* allFailures(rows: Iterable<FailureRow>, { delivered }: RunReport) {
  for (const row of rows) yield redactMessages(row);
  yield* delivered?.failures ?? [];
}

function isOutputPublished({ command, end }: ReportContent): boolean {
  return command !== 'fetch' && isPublished(end);
}

function collectRows(
  { options, sources, output }: Run,
  content: ReportContent,
  untranslated: readonly Warning[],
): Collector {
  const { pipeline } = options;
  const { selection, fetched = [], outcome, surveyWarnings = [] } = content;
  const published = isOutputPublished(content);
  const helpOf = (code: string) => helpFor(code, pipeline.service.recording !== undefined);
  const collector = new Collector(helpOf);
  const selectedBy = selectedByOf(selection.articles);
  const overrides = overridesOf(options, sources.database);
  const lines = outcome
    ? runLines(outcome, output.previous, selectedBy, overrides.add)
    : fetched.map((result) => fetchedLine(result, selectedBy));
  for (const line of lines) {
    // A GLB that is not published has no link: its path is that in the store.
    const path = published || line.sha256 === undefined ? '' : output.objects.pathOf(line.sha256);
    const glb = relative(pipeline.outputDir, path).replaceAll(sep, '/');
    collector.add(path === '' ? line : { ...line, glb });
  }
  for (const failure of selection.failures) {
    const { what, article, ...found } = failure;
    const row = { what: cutText(what, TEXT_LIMITS.name), ...NO_ID, ...article, ...found };
    const history = outcome?.quarantine.historyOf(failure);
    collector.addNotSelected({ ...row, help: helpOf(failure.code), ...history });
  }
  const ofSelection = [...selection.warnings, ...untranslated, ...overrides.warnings()];
  for (const warning of [...ofSelection, ...surveyWarnings]) collector.addSelectionWarning(warning);
  for (const [key, damage] of output.damages) {
    const line = outcome?.lines.get(key);
    const { glb, sha256 } = (line && publishedAsset(line)) ?? {};
    const isLeft = damage.object === sha256 && !output.checks.isWritten(damage.object ?? '');
    const row = { ...parseConfigurationKey(key), message: damageText(damage, isLeft) };
    collector.addDamaged(glb === undefined ? row : { ...row, glb });
  }
  if (outcome !== undefined) addOtherChanges(collector, outcome);
  return collector;
}

/** Finds the overrides that changed no material, where that is known of each configuration with a GLB. */
function overridesOf(options: RunOptions, { builds }: Pick<CacheDatabase, 'builds'>) {
  const unused = new Set(Object.keys(options.pipeline.convert.overrides));
  let known = 0;
  let isUnknown = isPartial(options);
  return {
    /** Adds a line; one that was built long ago may not be known any more. */
    add({ source, sha256 }: Pick<ManifestLine, 'source' | 'sha256'>, built?: Built): void {
      if (sha256 === undefined || unused.size === 0) return;
      const used = built?.usedOverrides ?? builds.get(source)?.usedOverrides;
      if (used === undefined) isUnknown = true;
      else known++;
      for (const pattern of used ?? []) unused.delete(pattern);
    },
    warnings(): Warning[] {
      if (isUnknown || known === 0) return [];
      return Array.from(unused, (pattern) => {
        const name = cutText(pattern, TEXT_LIMITS.name);
        const message = `the overrides of ${name} match no material of the ${known} configurations`;
        return { code: 'OVERRIDE_UNUSED', message };
      });
    },
  };
}

/** Adds what is removed, and what this run has not processed: an earlier one published it, and was killed. */
function addOtherChanges(collector: Collector, { lines, results, changes }: RunOutcome): void {
  const processed = new Set(results.keys());
  for (const [key, found] of changes) {
    if (processed.has(key) && lines.has(key)) continue;
    collector.addChange(found, () => lines.get(key) ?? parseConfigurationKey(key));
  }
}

/** @param isLeft - Whether the damaged GLB is still published. */
function damageText({ object, problem }: Damage, isLeft: boolean): string {
  if (object === undefined) return problem;
  return `its GLB was ${problem}; it is ${isLeft ? 'not ' : ''}built anew`;
}

function withDescriptions(collected: Collected, of: (id: ArticleKey) => Description): Collected {
  const each = <T extends ArticleKey>(rows: T[]) => rows.map((row) => ({ ...row, ...of(row) }));
  const list = <T extends { rows: ArticleKey[] }>(one: T) => ({ ...one, rows: each(one.rows) });
  const { changes, incomplete, damaged, slowest, largest, skipped, failures } = collected;
  const { new: added, changed, removed } = changes;
  return {
    ...collected,
    changes: { new: list(added), changed: list(changed), removed: list(removed) },
    incomplete: list(incomplete),
    damaged: list(damaged),
    slowest: each(slowest),
    largest: each(largest),
    skipped: each(skipped),
    failures: each(failures),
  };
}

/** The short text of the catalogue, and the size of the GLB, of this run or of the one before. */
function describe(
  id: ArticleKey,
  outcome: RunOutcome | undefined,
  previous: PreviousOutput,
): Description {
  const key = configurationKey(id);
  const entry = outcome?.results.readOf(key)?.catalogue[0] ?? previous.catalogues[0]?.get(key);
  const line = outcome?.lines.get(key) ?? previous.lines.get(key);
  const size = sizeOf(line?.boundsMetres ?? line?.lastGood?.boundsMetres);
  return {
    ...(entry?.shorttext && { name: cutText(entry.shorttext, TEXT_LIMITS.name) }),
    ...(size && { sizeMillimetres: size }),
  };
}

const NO_ID = Object.fromEntries(ID_FIELDS.map((field) => [field, ''])) as unknown as ArticleKey;

/** Returns who selected a request: lines of lists, folders, carts. */
type SelectedBy = (request: ArticleRequest) => readonly string[] | undefined;

/** Finds who selected a request; articles are searched only if something failed. */
export function selectedByOf(articles: readonly SelectedArticle[]): SelectedBy {
  let known: Map<string, readonly string[]> | undefined;
  return (request) => {
    known ??= new Map(
      articles.flatMap(({ request: first, alike = [], why }) =>
        [first, ...alike].map((one) => [configurationKey(one), why] as const),
      ),
    );
    return known.get(configurationKey(request));
  };
}

function fetchedLine(result: Result, selectedBy: SelectedBy): ReportedLine {
  const { status, request, key } = result;
  if (status === 'failed') {
    const { error } = result;
    return { ...request, status, warnings: [], losses: [], error, selectedBy: selectedBy(request) };
  }
  const warnings = status === 'fetched' ? result.warnings : [];
  const incomplete = incompleteIn(warnings);
  return { ...configurationId(key), status: 'fetched', warnings, losses: [], incomplete };
}

function incompleteIn(warnings: readonly Warning[]): string | undefined {
  return warnings.find(({ code }) => code === 'CONFIGURATION_INVALID')?.message;
}

/** In the order of their keys. */
function* runLines(
  outcome: RunOutcome,
  { lines: before, settled }: PreviousOutput,
  selectedBy: SelectedBy,
  met: ReturnType<typeof overridesOf>['add'],
): Iterable<ReportedLine> {
  const { lines, results, quarantine, changes } = outcome;
  for (const key of sortConfigurationKeys(results.keys())) {
    const fresh = results.onlyFreshOf(key);
    const known = fresh && lines.isShared(key, before) ? settled.get(key) : undefined;
    if (known !== undefined) {
      met(known);
      yield Object.assign(settledLine(key, known, fresh!.ms), changes.get(key));
      continue;
    }
    const line = lines.get(key);
    if (line === undefined) continue;
    const collected = results.of(key);
    const failed = collected.find(({ result }) => result.status === 'failed')?.result;
    const history = failed && quarantine.historyOf(failed.request);
    const earlier = lines.isShared(key, before) ? line : before.get(key);
    const built = collected.map(({ result }) => result).find((result) => 'built' in result)?.built;
    met(line, built);
    yield Object.assign(builtLine(line, collected, built, earlier), changes.get(key), {
      ...(history && { history }),
      ...(failed && { selectedBy: selectedBy(quarantine.rootOf(failed.request)) }),
    });
  }
}

/** Most lines of most runs: a line that stays as it was, which is not decoded. */
function settledLine(
  key: string,
  { source: _, ...line }: NonNullable<ReturnType<PreviousOutput['settled']['get']>>,
  ms: number,
): ReportedLine {
  const found = { status: 'unchanged' as const, warnings: [], isFresh: true, ms };
  return Object.assign(parseConfigurationKey(key), line, found);
}

function builtLine(
  line: ManifestLine,
  collected: readonly CollectedResult[],
  built: Built | undefined,
  known: ManifestLine | undefined,
): ReportedLine {
  const { bytes, triangles } = known ?? {};
  const sizes = bytes === undefined || triangles === undefined ? {} : { bytes, triangles };
  // A spread of its thirty fields takes longer than to decode it.
  return Object.assign(line, {
    ms: collected.reduce((sum, { ms }) => sum + ms, 0),
    isFresh: collected.every(({ result }) => result.status === 'fresh'),
    counts: built?.counts,
    incomplete: incompleteIn(line.warnings),
    ...(known && { before: sizes }),
  });
}

/** Writes `report.json`, `failures.jsonl` and, with its maker, `report.html` into the folder of the run. @returns The folder, which the id of the run names. */
export async function writeReport(
  { options, environment, startedAt, output }: Run,
  { report, failures, pictures }: MadeReport,
  makePage: ReportPage | undefined,
): Promise<string> {
  // Not of the report: the redacted path would be another folder.
  const { outputDir } = options.pipeline;
  const id = runId(startedAt);
  const previousRun = (await runFolders(outputDir)).filter((other) => other < id).at(-1);
  const written = previousRun === undefined ? report : { ...report, previousRun };
  const folder = join(outputDir, RUNS_FOLDER, id);
  const page = await makePage?.(written, pictures);
  const files: [name: string, content: string | Iterable<Uint8Array>][] = [
    ['failures.jsonl', jsonPieces(failures())],
    ['report.json', visibleJson(`${JSON.stringify(written, null, 2)}\n`)],
  ];
  if (page !== undefined) files.push(['report.html', page]);
  const tmpDir = temporaryFolder(outputDir);
  const unsynced = new Set<string>();
  // One file is written while the disk still syncs another.
  const puts = await Promise.allSettled(
    files.map(([name, content]) => replaceFile(join(folder, name), content, { tmpDir, unsynced })),
  );
  await syncFolders(unsynced);
  const failed = puts.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  await output.published?.add(files.map(([name]) => `${RUNS_FOLDER}/${id}/${name}`));
  await linkLatestRun(outputDir, id).catch((error: Error) => environment.log.warn(error.message));
  return folder;
}
