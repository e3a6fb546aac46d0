/** Makes the report of a run from its results, and writes it into the folder of the run. */
import { join, relative, sep } from 'node:path';
import { CONFIGURATION_INVALID } from '../fetch/resolve-article.ts';
import { isConfigurationOf } from '../fetch/select-configurations.ts';
import type { SelectedArticle, Selection, SelectionFailure } from '../fetch/selection.ts';
import type { ArticleKey, ArticleRequest } from '../model/article.ts';
import type { ManifestLine } from '../model/asset.ts';
import {
  configurationId,
  configurationKey,
  ID_FIELDS,
  parseConfigurationKey,
  sortConfigurationKeys,
} from '../model/configuration-id.ts';
import type { Result } from '../model/result.ts';
import type { Warning } from '../model/snapshot.ts';
import { createCollector, type ReportedLine } from '../report/collect.ts';
import type { Description, FailureRow, GateReport, RunReport } from '../report/run-report.ts';
import { helpFor } from '../support/errors.ts';
import { replaceFile, temporaryFolder } from '../support/files.ts';
import type { PackedMap } from '../support/packed-map.ts';
import { redact } from '../support/redact.ts';
import { jsonLines } from '../write/manifest.ts';
import { publishedAsset, sizeOf } from '../write/publish.ts';
import type { Quarantine } from './failures.ts';
import type { Run } from './open-run.ts';
import { RUNS_FOLDER, runFolders } from './output-folder.ts';
import type { Pipeline } from './pipeline-file.ts';
import type { CollectedResult, Results } from './results.ts';
import { isPublished, type RunEnd, reportedEnd } from './run-end.ts';
import { runId } from './run-options.ts';
import { describeService } from './service.ts';

interface ReportContent {
  command: RunReport['command'];
  end: RunEnd;
  selection: Pick<Selection, 'failures' | 'warnings'>;
  /** Lines of the configurations of this run; read once. */
  lines: Iterable<ReportedLine>;
  /** Lines of the new manifest, and results of this run. */
  described?: Pick<RunLines, 'lines' | 'results'>;
  /** Configurations that are no longer published. */
  removed?: Iterable<ArticleKey>;
  gates?: GateReport | undefined;
  /** Returns the history of a part of the selection that failed. */
  historyOf?: Quarantine['historyOf'];
}

/** A report, which lists the first failures only, and all of them. */
type MadeReport = Awaited<ReturnType<typeof makeReport>>;

const NO_GATES = { refused: false, accepted: false, count: 0, byGate: {}, findings: [] };

/** Summarizes a run. */
export async function makeReport(run: Run, content: ReportContent) {
  const { options, stores, session, metrics, startedAt } = run;
  const { pipeline } = options;
  const { command, end, selection, lines, removed = [], gates = NO_GATES, historyOf } = content;
  const published = command !== 'fetch' && isPublished(end);
  const helpOf = (code: string) => helpFor(code, pipeline.service.recording !== undefined);
  const collector = createCollector(helpOf);
  for (const line of lines) {
    // A GLB that is not published has no link: its path is that in the store.
    const path = published || line.sha256 === undefined ? '' : stores.objects.pathOf(line.sha256);
    const glb = relative(pipeline.outputDir, path).replaceAll(sep, '/');
    collector.add(path === '' ? line : { ...line, glb });
  }
  for (const failure of selection.failures)
    collector.addNotSelected({
      ...selectionRow(failure, helpOf, pipeline),
      ...historyOf?.({ what: failure.what }),
    });
  for (const warning of selection.warnings) collector.addSelectionWarning(warning);
  for (const key of removed) collector.addRemoved(key);
  const totalMs = metrics.stopwatch.totalMs();
  const { error: stop } = end;
  const fromCache = await session.cacheHits();
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
    published,
    ...(stop && { stop: { code: stop.code, message: stop.message, help: stop.help } }),
    ...withDescriptions(collector.collected(), (id) => describe(id, content, stores)),
    requests: { ...metrics.requests.totals(), fromCache },
    gates,
    drift: metrics.drift.rows(),
    outputDir: redact(pipeline.outputDir),
    cacheDir: redact(pipeline.cacheDir),
  };
  return {
    report,
    failures: collector.failures,
    // Not of the report: a secret in the path would change where the report is written.
    place: { outputDir: pipeline.outputDir, id: report.run },
  };
}

type Collected = ReturnType<ReturnType<typeof createCollector>['collected']>;

/** Adds name and size to the rows that the report lists. */
function withDescriptions(collected: Collected, of: (id: ArticleKey) => Description): Collected {
  const each = <T extends ArticleKey>(rows: T[]) => rows.map((row) => ({ ...row, ...of(row) }));
  const list = <T extends { rows: ArticleKey[] }>(one: T) => ({ ...one, rows: each(one.rows) });
  const { changes, incomplete, slowest, largest, skipped, failures } = collected;
  return {
    ...collected,
    changes: {
      new: list(changes.new),
      changed: list(changes.changed),
      removed: list(changes.removed),
    },
    incomplete: list(incomplete),
    ...{ slowest: each(slowest), largest: each(largest) },
    ...{ skipped: each(skipped), failures: each(failures) },
  };
}

/** The short text of the catalogue, and the size of the GLB, of this run or of the one before. */
function describe(
  id: ArticleKey,
  { described }: Pick<ReportContent, 'described'>,
  { previous }: Pick<Run['stores'], 'previous'>,
): Description {
  const key = configurationKey(id);
  const read = described?.results.of(key).find(({ result }) => 'catalogue' in result)?.result;
  const entry = read !== undefined && 'catalogue' in read ? read.catalogue[0] : undefined;
  const name = (entry ?? previous.catalogues[0]?.get(key))?.shorttext;
  const line = described?.lines.get(key) ?? previous.lines.get(key);
  const size = sizeOf(line?.boundsMetres ?? line?.lastGood?.boundsMetres);
  return {
    ...(name ? { name } : {}),
    ...(size && { sizeMillimetres: size }),
  };
}

function selectionRow(
  { what, code, message, article }: SelectionFailure,
  helpOf: (code: string) => string,
  pipeline: Pipeline,
): FailureRow {
  const none = Object.fromEntries(ID_FIELDS.map((field) => [field, ''])) as unknown as ArticleKey;
  const selectedBy = entriesOf(pipeline, what).map(({ name }) => name);
  const selectors = selectedBy.length > 0 && { selectedBy };
  return { what, ...none, ...article, ...selectors, code, message, help: helpOf(code) };
}

/** Finds the entries of `configurations:` of which a configuration could not be selected. */
export function entriesOf({ articles }: Pipeline, what: string) {
  return articles.flatMap((source, index) => {
    if (source.kind !== 'configurations' || !isConfigurationOf(source, what)) return [];
    return [{ source, name: `articles, entry ${index + 1} of the pipeline file` }];
  });
}

/** Flattens the result of a fetch, which has no manifest line, to a row of the report. */
export function fetchedLine(result: Result, selectedBy: SelectedBy): ReportedLine {
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
  return warnings.find(({ code }) => code === CONFIGURATION_INVALID)?.message;
}

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

interface RunLines {
  before: PackedMap<ManifestLine>;
  lines: PackedMap<ManifestLine>;
  results: Results;
  historyOf: Quarantine['historyOf'];
  selectedBy: SelectedBy;
}

/** Flattens the results of a run to rows of the report, in the order of their keys. */
export function* runLines(run: RunLines): Iterable<ReportedLine> {
  for (const key of sortConfigurationKeys(run.results.keys())) {
    const line = run.lines.get(key);
    if (line !== undefined) yield reportedLine(line, run.results.of(key), run);
  }
}

/** Returns the configurations that had a GLB before and have no line now. */
export function* removedConfigurations({
  before,
  lines,
}: Pick<RunLines, 'before' | 'lines'>): Iterable<ArticleKey> {
  for (const key of before.keys()) {
    if (lines.has(key)) continue;
    if (publishedAsset(before.get(key)!) !== undefined) yield parseConfigurationKey(key);
  }
}

function reportedLine(
  line: ManifestLine,
  collected: readonly CollectedResult[],
  { before, lines, historyOf, selectedBy }: RunLines,
): ReportedLine {
  const key = configurationKey(line);
  // Equal lines share their bytes.
  const known = before.bytesOf(key) === lines.bytesOf(key) ? line : before.get(key);
  const results = collected.map(({ result }) => result);
  const built = results.find((result) => 'built' in result);
  const failed = results.find(({ status }) => status === 'failed');
  const history = failed && historyOf(failed.request);
  const { bytes, triangles } = known ?? {};
  const sizes = bytes === undefined || triangles === undefined ? {} : { bytes, triangles };
  return {
    ...line,
    ms: collected.reduce((sum, { ms }) => sum + ms, 0),
    isFresh: results.every(({ status }) => status === 'fresh'),
    counts: built?.built.counts,
    incomplete: incompleteIn(line.warnings),
    ...(line.sha256 === undefined ? {} : { change: changeOf(line, known) }),
    ...(known && { before: sizes }),
    ...(history && { history }),
    ...(failed && { selectedBy: selectedBy(failed.request) }),
  };
}

function changeOf(
  line: ManifestLine,
  before: ManifestLine | undefined,
): NonNullable<ReportedLine['change']> {
  const published = before && publishedAsset(before);
  if (published === undefined) return 'new';
  return published.sha256 === line.sha256 ? 'same' : 'changed';
}

/**
 * Writes `report.json`, `report.html` and `failures.jsonl` into the folder of the run.
 *
 * @returns The folder; its name is the id of the run.
 */
export async function writeReport({ report, failures, place }: MadeReport): Promise<string> {
  const { reportHtml } = await import('../report/html.ts');
  const { outputDir, id } = place;
  const previousRun = (await runFolders(outputDir)).filter((other) => other < id).at(-1);
  const written = previousRun === undefined ? report : { ...report, previousRun };
  const folder = join(outputDir, RUNS_FOLDER, id);
  const put = (name: string, content: string | Uint8Array) =>
    replaceFile(join(folder, name), content, { tmpDir: temporaryFolder(outputDir) });
  await put('failures.jsonl', jsonLines([...failures()]));
  await put('report.json', `${JSON.stringify(written, null, 2)}\n`);
  await put('report.html', reportHtml(written));
  return folder;
}
