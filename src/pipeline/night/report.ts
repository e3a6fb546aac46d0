/**
 * Report: what a run tells when it is over, and where that is put.
 *
 * In: the lines of this run, one at a time, and what else the run knows. Out: a {@link RunReport}, and
 * the folder of the run. It must not know how any of it is worded: `report/` does.
 */
import { join, relative, sep } from 'node:path';
import type { Selection, SelectionFailure } from '../../fetch/selection.ts';
import type { ArticleKey } from '../../model/article.ts';
import type { FailureHistory, ReportedLine } from '../../report/collect.ts';
import { createCollector } from '../../report/collect.ts';
import type { FailureRow, GateReport, RunReport } from '../../report/run-report.ts';
import { helpFor } from '../../support/errors.ts';
import { listFolder, replaceFile, temporaryFolder } from '../../support/files.ts';
import { redactAll } from '../../support/redact.ts';
import { jsonLines } from '../../write/manifest.ts';
import { RUNS_FOLDER, type RunContext, runId } from '../context/run-context.ts';
import { describeService } from '../context/service-setup.ts';

export type { ReportedLine } from '../../report/collect.ts';

/** What {@link runId} makes. */
const RUN_ID = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;

/** What only the run knows; by default it came to its end and published. */
export interface RunFacts {
  /** @defaultValue 'complete' */
  ended?: RunReport['ended'];
  /** Whether the manifest is this run's. @defaultValue true, but for `fetch` */
  published?: boolean;
  /** What ended it, or why nothing was published. */
  stop?: { code: string; message: string };
  /** Configurations that are published no more. */
  removed?: Iterable<ArticleKey>;
  gates?: GateReport;
  /** What other nights know of a part of the selection that failed. */
  historyOf?: (what: string) => FailureHistory | undefined;
}

/** A report with all of its failures, of which it holds the first only. */
export interface MadeReport {
  report: RunReport;
  failures(): Iterable<FailureRow>;
}

const NO_GATES: GateReport = {
  refused: false,
  accepted: false,
  count: 0,
  byGate: {},
  findings: [],
};

/**
 * Sums up a run.
 *
 * @param selection - What was selected, or could not be.
 * @param lines - The lines of this run's configurations, not those of earlier ones; read once.
 */
export function makeReport(
  run: RunContext,
  command: RunReport['command'],
  selection: Pick<Selection, 'failures' | 'warnings'>,
  lines: Iterable<ReportedLine>,
  fromCache: number,
  facts: RunFacts = {},
): MadeReport {
  const { ended = 'complete', published = command !== 'fetch', stop } = facts;
  const collector = createCollector();
  for (const line of lines) collector.add(published ? line : inStore(run, line));
  for (const failure of selection.failures)
    collector.addNotSelected({ ...selectionRow(failure), ...facts.historyOf?.(failure.what) });
  for (const warning of selection.warnings) collector.addSelectionWarning(warning);
  for (const key of facts.removed ?? []) collector.addRemoved(key);
  const collected = collector.collected();
  const { pipeline } = run.job;
  const totalMs = run.stopwatch.totalMs();
  const report: RunReport = {
    format: 2,
    command,
    run: runId(run.startedAt),
    pipeline: pipeline.name,
    service: describeService(pipeline.service),
    startedAt: new Date(run.startedAt).toISOString(),
    endedAt: new Date(run.startedAt + totalMs).toISOString(),
    totalMs,
    stageMs: run.stopwatch.stageMs(),
    ended,
    published,
    ...(stop === undefined ? {} : { stop: stopRow(stop) }),
    ...collected,
    requests: { ...run.requests.totals(), fromCache },
    gates: facts.gates ?? NO_GATES,
    drift: run.drift.rows(),
    outputDir: pipeline.outputDir,
    cacheDir: pipeline.cacheDir,
  };
  return { report: redactAll(report), failures: () => redacted(collector.failures()) };
}

function* redacted(rows: Iterable<FailureRow>): Iterable<FailureRow> {
  for (const row of rows) yield redactAll(row);
}

/** What is not published has no link yet: it is shown where it lies. */
function inStore(run: RunContext, line: ReportedLine): ReportedLine {
  if (line.sha256 === undefined) return line;
  const path = relative(run.job.pipeline.outputDir, run.objects.pathOf(line.sha256));
  return { ...line, glb: path.replaceAll(sep, '/') };
}

/** An error may be handed in, whose message a spread would lose. */
function stopRow({ code, message }: { code: string; message: string }): RunReport['stop'] {
  return { code, message, help: helpFor(code) };
}

/**
 * Writes `report.json`, `report.html` and `failures.jsonl` into the folder of the run.
 *
 * @returns The folder; its name is the id of the run.
 */
export async function writeReport({ report, failures }: MadeReport): Promise<string> {
  const { reportHtml } = await import('../../report/html.ts');
  const runs = join(report.outputDir, RUNS_FOLDER);
  const previousRun = await runBefore(runs, report.run);
  const told = previousRun === undefined ? report : { ...report, previousRun };
  const tmpDir = temporaryFolder(report.outputDir);
  const put = (name: string, content: string | Uint8Array) =>
    replaceFile(join(runs, report.run, name), content, { tmpDir });
  await put('failures.jsonl', jsonLines([...failures()]));
  await put('report.json', `${JSON.stringify(told, null, 2)}\n`);
  await put('report.html', reportHtml(told));
  return join(runs, report.run);
}

/** The latest of the runs that began before one. */
async function runBefore(folder: string, run: string): Promise<string | undefined> {
  const names = await listFolder(folder);
  return names
    .filter((name) => RUN_ID.test(name) && name < run)
    .sort()
    .at(-1);
}

function selectionRow({ what, code, message, article }: SelectionFailure): FailureRow {
  const { manufacturer = '', program = '', basearticlenumber = '' } = article ?? {};
  const unknown = { finalarticlenumber: '', reinitstring: '', metareinitstring: '' };
  const ids = { manufacturer, program, basearticlenumber, ...unknown };
  return { what, ...ids, code, message, help: helpFor(code) };
}
