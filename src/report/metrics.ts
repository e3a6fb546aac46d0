/** Metrics of the last run, for the textfile collector of Prometheus: every figure is a gauge. @see D-857 */
import { failuresByCode } from './assessment.ts';
import type { FinishedRun, RunReport } from './run-report.ts';

type Row = [value: number, labels?: Record<string, string>];

type Figures = number | undefined | Readonly<Record<string, number>> | readonly Row[];

type Metric = readonly [help: string, of: (run: FinishedRun) => Figures, ...labels: string[]];

const PREFIX = 'btg2gltf_';
const LAST_SUCCESS = `${PREFIX}last_success_timestamp_seconds`;
const LAST_PUBLISHED = `${PREFIX}last_published_timestamp_seconds`;
const EXIT_CODES =
  '0 all converted, 1 some failed, 2 usage, 3 cannot continue, 4 refused, 130 interrupted';

const seconds = (ms: number) => ms / 1000;

/** All metrics of the last run by name, with the names of their labels besides `pipeline`. */
const METRICS: Readonly<Record<string, Metric>> = {
  last_run_timestamp_seconds: [
    'End of the last run, successful or not.',
    ({ endedAt }) => seconds(endedAt),
  ],
  last_run_exit_code: [`Exit code of the last run: ${EXIT_CODES}.`, ({ exitCode }) => exitCode],
  last_run_duration_seconds: [
    'Duration of the last run.',
    ({ startedAt, endedAt }) => seconds(endedAt - startedAt),
  ],
  last_run_stage_seconds: [
    'Time of each stage of the last run; stages overlap.',
    ({ report }) => report && figures(report.stageMs, (ms = 0) => seconds(ms)),
    'stage',
  ],
  configurations: [
    'Configurations of the last run by result.',
    ({ report }) => report && outcomes(report),
    'outcome',
  ],
  changes: [
    'Configurations that are new, changed or removed since the previous run.',
    ({ report }) => report && figures(report.changes, ({ count }) => count),
    'change',
  ],
  failures: [
    'Failures of the last run by error code.',
    ({ report }) =>
      report &&
      Object.entries(failuresByCode(report)).map(([code, count]): Row => [count, { code }]),
    'code',
  ],
  gate_findings: [
    'Findings of the gates in the last run.',
    ({ report }) => report && findings(report),
    'gate',
    'action',
  ],
  requests: [
    'Requests of the last run by status of the response; none: without a response.',
    ({ report }) => report?.requests.byStatus,
    'status',
  ],
  received_bytes: ['Bytes received in the last run.', (run) => run.report?.requests.bytesReceived],
  cache_hits: [
    'Responses from the cache in the last run.',
    (run) => run.report?.requests.fromCache,
  ],
  objects: ['Distinct GLBs of the last run.', ({ report }) => report?.objects.distinct],
  objects_bytes: [
    'Bytes of the distinct GLBs of the last run.',
    (run) => run.report?.objects.bytes,
  ],
  saved_bytes: [
    'Bytes that storing each GLB once saved in the last run.',
    ({ report }) => report?.objects.savedBytes,
  ],
  triangles: ['Drawn triangles of the last run.', ({ report }) => report?.triangles],
  drift: [
    'Fields of the service whose responses are not as specified.',
    ({ report }) => report?.drift.length,
  ],
  warnings: ['Warnings of the last run by code.', ({ report }) => report?.warnings, 'code'],
};

function figures<T extends object>(
  of: T,
  figure: (value: T[keyof T]) => number,
): Record<string, number> {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, figure(value)]));
}

function outcomes({ configurations }: RunReport): Record<string, number> {
  const { converted, unchanged, skipped, fetched, failed, quarantined } = configurations;
  return { converted, unchanged, skipped, fetched, failed: failed - quarantined, quarantined };
}

function findings({ gates }: RunReport): Row[] {
  return Object.entries(gates.byGate).flatMap(([gate, actions]) =>
    Object.entries(actions).map(([action, count]): Row => [count, { gate, action }]),
  );
}

function rowsOf(values: Figures, label = ''): readonly Row[] {
  if (values === undefined) return [];
  if (typeof values === 'number') return [[values]];
  if (Array.isArray(values)) return values;
  return Object.entries(values).map(([value, count]) => [count, { [label]: value }]);
}

/** The names of all metrics. */
export const METRIC_NAMES: readonly string[] = [
  LAST_SUCCESS,
  LAST_PUBLISHED,
  ...Object.keys(METRICS).map((name) => `${PREFIX}${name}`),
];

/**
 * Makes the text file of a run. It loads the library only now, because few runs write metrics.
 *
 * @param previous - The file of the previous run, which has the time of the last success.
 *
 * @example
 * ```ts
 * await metricsText({ pipeline: 'nightly', exitCode: 0, startedAt, endedAt, report }, undefined);
 * // → '# HELP btg2gltf_last_success_timestamp_seconds …\n…{pipeline="nightly"} 1795313551\n…'
 * ```
 */
export async function metricsText(run: FinishedRun, previous: string | undefined): Promise<string> {
  const { Registry, Gauge } = (await import('prom-client')).default;
  const registry = new Registry();
  const { pipeline, endedAt } = run;
  const add = (name: string, help: string, labels: readonly string[], rows: readonly Row[]) => {
    const labelNames = ['pipeline', ...labels];
    const metric = new Gauge({ name, help, labelNames, registers: [registry] });
    for (const [value, of = {}] of rows) metric.set({ pipeline, ...of }, value);
  };
  const addTime = (name: string, help: string, isNow: boolean) => {
    const value = isNow ? seconds(endedAt) : valueIn(previous, name, pipeline);
    add(name, help, [], value === undefined ? [] : [[value]]);
  };
  addTime(LAST_SUCCESS, 'Last time that a run converted everything it selected.', isSuccess(run));
  addTime(
    LAST_PUBLISHED,
    'Last time that a run processed everything and published.',
    isPublished(run),
  );
  for (const [name, [help, of, ...labels]] of Object.entries(METRICS)) {
    add(`${PREFIX}${name}`, help, labels, rowsOf(of(run), labels[0]));
  }
  return await registry.metrics();
}

/** A fetch publishes nothing and is no success. */
function isSuccess({ exitCode, report }: FinishedRun): boolean {
  return exitCode === 0 && report?.published === true;
}

function isPublished({ exitCode, report }: FinishedRun): boolean {
  return exitCode <= 1 && report?.ended === 'complete' && report.published;
}

function valueIn(previous: string | undefined, name: string, pipeline: string): number | undefined {
  const start = `${name}{pipeline="${escapeLabel(pipeline)}"} `;
  const line = previous?.split('\n').find((one) => one.startsWith(start));
  const value = Number(line?.slice(start.length));
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
