/**
 * Report: what a run did, as one value that is written, printed and returned.
 *
 * In: the lines of this run and its counts. Out: a {@link RunReport} and the folder of the run.
 * It must not know how it is shown.
 */
import { join } from 'node:path';
import type { Selection, SelectionFailure } from '../fetch/select-articles.ts';
import type { ArticleKey } from '../model/article.ts';
import type { ManifestLine } from '../model/asset.ts';
import type { GeometryCounts } from '../model/scene.ts';
import type { UnplacedChild, Warning } from '../model/snapshot.ts';
import { ERROR_CODES, type ErrorCode } from '../support/errors.ts';
import { replaceFile } from '../support/files.ts';
import { compareKeys, identityOf, jsonLines } from '../write/manifest.ts';
import type { DriftRow } from './drift.ts';
import { type RequestTotals, sorted } from './request-counts.ts';
import type { RunContext } from './run-context.ts';
import { describeService } from './service-setup.ts';
import type { Stage } from './stopwatch.ts';

/** What a run did. Counts are of configurations unless they say otherwise. */
export interface RunReport {
  format: 1;
  command: 'run' | 'fetch' | 'build';
  pipeline: string;
  /** Address of the service, or what the emulator served. */
  service: string;
  /** ISO 8601, UTC. */
  startedAt: string;
  totalMs: number;
  stageMs: Partial<Record<Stage, number>>;
  configurations: Record<'selected' | 'fetched' | 'converted' | 'unchanged' | 'failed', number>;
  /** Base articles among them. */
  articles: number;
  /** Distinct GLBs of these configurations, and what it saved to store each once. */
  objects: { distinct: number; bytes: number; savedFiles: number; savedBytes: number };
  /** Drawn triangles of these configurations together. */
  triangles: number;
  /** What their geometry lost or changed on its way, over those of which that is known. */
  geometry: GeometryCounts & { configurations: number };
  requests: RequestTotals & { fromCache: number };
  /** By code. */
  warnings: Record<string, number>;
  /** The first warnings of single configurations, with whose they are; all stand in the manifest. */
  articleWarnings: (Warning & { article: string })[];
  /** What concerns the selection and no configuration. */
  selectionWarnings: Warning[];
  /** By field of the service. */
  losses: Record<string, number>;
  /** Answers that are not what the specification says, by operation and field. */
  drift: DriftRow[];
  failures: FailureRow[];
  outputDir: string;
  cacheDir: string;
}

/** A failed configuration, or a part of the selection that failed; what is not known of it is empty. */
export interface FailureRow {
  /** What was to be selected, where that failed: `permanentid P-17`. */
  what?: string;
  manufacturer: string;
  program: string;
  basearticlenumber: string;
  finalarticlenumber: string;
  reinitstring: string;
  metareinitstring: string;
  code: string;
  message: string;
  /** What helps. */
  help: string;
}

/** What a report takes from a configuration: a line of the manifest, or one that was only fetched. */
export type ReportedLine = ArticleKey &
  Pick<ManifestLine, 'sha256' | 'bytes' | 'triangles' | 'warnings' | 'losses' | 'error'> & {
    status: ManifestLine['status'] | 'fetched';
    unplaced?: UnplacedChild[];
    counts?: GeometryCounts | undefined;
  };

/** Name of the folder of runs in the output folder. */
export const RUNS_FOLDER = 'runs';

/**
 * Sums up a run.
 *
 * @param selection - What was selected, or could not be.
 * @param lines - The lines of this run's configurations, not those of earlier ones.
 */
export function makeReport(
  run: RunContext,
  command: RunReport['command'],
  selection: Selection,
  lines: readonly ReportedLine[],
  fromCache: number,
): RunReport {
  const { pipeline } = run.job;
  const count = (status: ReportedLine['status']) => lines.filter((l) => l.status === status).length;
  const notSelected = selection.failures.length;
  const warnings = [...selection.warnings, ...lines.flatMap((line) => line.warnings)];
  return {
    format: 1,
    command,
    pipeline: pipeline.name,
    service: describeService(pipeline.service),
    startedAt: new Date(run.startedAt).toISOString(),
    totalMs: run.stopwatch.totalMs(),
    stageMs: run.stopwatch.stageMs(),
    configurations: {
      selected: lines.length + notSelected,
      fetched: count('fetched'),
      converted: count('converted'),
      unchanged: count('unchanged'),
      failed: count('failed') + notSelected,
    },
    articles: new Set(
      lines.map((l) => JSON.stringify([l.manufacturer, l.program, l.basearticlenumber])),
    ).size,
    objects: objectTotals(lines),
    triangles: lines.reduce((sum, line) => sum + (line.triangles ?? 0), 0),
    geometry: geometryTotals(lines),
    requests: { ...run.requests.totals(), fromCache },
    warnings: countBy(warnings.map(({ code }) => code)),
    articleWarnings: articleWarnings(lines),
    selectionWarnings: selection.warnings,
    losses: countBy(lines.flatMap((line) => line.losses.map(({ field }) => field))),
    drift: run.drift.rows(),
    failures: [...selection.failures.map(selectionRow), ...failureRows(lines)],
    outputDir: pipeline.outputDir,
    cacheDir: pipeline.cacheDir,
  };
}

/** Beyond this a report would repeat the manifest. */
const MOST_ARTICLE_WARNINGS = 200;

function articleWarnings(lines: readonly ReportedLine[]): RunReport['articleWarnings'] {
  return lines
    .flatMap((line) => {
      const { manufacturer, program, basearticlenumber, finalarticlenumber } = line;
      const article = `${manufacturer}/${program}/${finalarticlenumber || basearticlenumber}`;
      return line.warnings.map((warning) => ({ ...warning, article }));
    })
    .slice(0, MOST_ARTICLE_WARNINGS);
}

/**
 * Writes `report.json` and `failures.jsonl` into the folder of the run.
 *
 * @returns The folder. Its name is the UTC time at which the run began, without the colons that
 *   some file systems refuse.
 */
export async function writeReport(report: RunReport): Promise<string> {
  const folder = join(report.outputDir, RUNS_FOLDER, report.startedAt.replaceAll(':', '-'));
  const { failures, ...rest } = report;
  await replaceFile(join(folder, 'failures.jsonl'), jsonLines(failures));
  await replaceFile(join(folder, 'report.json'), `${JSON.stringify(rest, null, 2)}\n`);
  return folder;
}

function objectTotals(lines: readonly ReportedLine[]): RunReport['objects'] {
  const built = lines.filter((line) => line.sha256 !== undefined);
  const bytesByObject = new Map(built.map((line) => [line.sha256, line.bytes ?? 0]));
  const bytes = [...bytesByObject.values()].reduce((sum, size) => sum + size, 0);
  const together = built.reduce((sum, line) => sum + (line.bytes ?? 0), 0);
  return {
    distinct: bytesByObject.size,
    bytes,
    savedFiles: built.length - bytesByObject.size,
    savedBytes: together - bytes,
  };
}

function geometryTotals(lines: readonly ReportedLine[]): RunReport['geometry'] {
  const known = lines.flatMap(({ counts }) => counts ?? []);
  const sum = (of: (counts: GeometryCounts) => number) =>
    known.reduce((total, counts) => total + of(counts), 0);
  return {
    configurations: known.length,
    droppedTriangles: sum((counts) => counts.droppedTriangles),
    duplicateTriangles: sum((counts) => counts.duplicateTriangles),
    flippedSurfaces: sum((counts) => counts.flippedSurfaces),
    splitVertices: sum((counts) => counts.splitVertices),
    droppedLayers: sum((counts) => counts.droppedLayers),
    skippedNodes: sum((counts) => counts.skippedNodes),
  };
}

function failureRows(lines: readonly ReportedLine[]): FailureRow[] {
  return lines
    .filter((line) => line.error !== undefined)
    .sort(compareKeys)
    .map((line) => ({ ...identityOf(line), ...line.error!, help: helpFor(line.error!.code) }));
}

function selectionRow({ what, code, message, article }: SelectionFailure): FailureRow {
  const { manufacturer = '', program = '', basearticlenumber = '' } = article ?? {};
  const unknown = { finalarticlenumber: '', reinitstring: '', metareinitstring: '' };
  const ids = { manufacturer, program, basearticlenumber, ...unknown };
  return { what, ...ids, code, message, help: helpFor(code) };
}

/** The sentence that helps with an error code. */
export function helpFor(code: string): string {
  return ERROR_CODES[code as ErrorCode]?.help ?? ERROR_CODES.INTERNAL.help;
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return sorted(counts);
}
