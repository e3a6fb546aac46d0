/** Metrics of the last run, for the textfile collector of Prometheus: every figure is a gauge. @see D-857 */
import type { FinishedRun, RunReport } from './run-report.ts';

type Row = [value: number, labels?: Record<string, string>];

interface Metric {
  name: string;
  help: string;
  /** Names of its labels besides `pipeline`. */
  labels?: readonly string[];
  /** No row if the figure is unknown. */
  rows: (run: FinishedRun) => readonly Row[];
}

const PREFIX = 'btg2gltf_';
const LAST_SUCCESS = `${PREFIX}last_success_timestamp_seconds`;
const LAST_PUBLISHED = `${PREFIX}last_published_timestamp_seconds`;

const seconds = (ms: number) => ms / 1000;

/** A gauge from the report with one value, or with one value for each value of a label. */
function gauge(
  name: string,
  help: string,
  of: (report: RunReport) => number | Record<string, number>,
  label?: string,
): Metric {
  const rows = ({ report }: FinishedRun): Row[] => {
    const values = report === undefined ? {} : of(report);
    if (typeof values === 'number') return [[values]];
    return Object.entries(values).map(([value, count]) => [count, { [label!]: value }]);
  };
  return { name, help, labels: label === undefined ? [] : [label], rows };
}

/** An object with a figure for each name. */
const figures = <T>(entries: readonly (readonly [string, T])[], figure: (of: T) => number) =>
  Object.fromEntries(entries.map(([name, of]) => [name, figure(of)]));

/** All metrics of the last run; the README documents their names. */
const METRICS: readonly Metric[] = [
  {
    name: 'last_run_timestamp_seconds',
    help: 'End of the last run, successful or not.',
    rows: ({ endedAt }) => [[seconds(endedAt)]],
  },
  {
    name: 'last_run_exit_code',
    help: 'Exit code of the last run: 0 all converted, 1 some failed, 2 usage, 3 cannot continue, 4 refused, 130 interrupted.',
    rows: ({ exitCode }) => [[exitCode]],
  },
  {
    name: 'last_run_duration_seconds',
    help: 'Duration of the last run.',
    rows: ({ startedAt, endedAt }) => [[seconds(endedAt - startedAt)]],
  },
  gauge(
    'last_run_stage_seconds',
    'Time of each stage of the last run; stages overlap.',
    ({ stageMs }) => figures(Object.entries(stageMs), (ms = 0) => seconds(ms)),
    'stage',
  ),
  gauge(
    'configurations',
    'Configurations of the last run by result.',
    ({ configurations: { converted, unchanged, fetched, failed, quarantined } }) => {
      return { converted, unchanged, fetched, failed: failed - quarantined, quarantined };
    },
    'outcome',
  ),
  gauge(
    'changes',
    'Configurations that are new, changed or removed since the previous run.',
    ({ changes }) => figures(Object.entries(changes), ({ count }) => count),
    'change',
  ),
  gauge(
    'failures',
    'Failures of the last run by error code.',
    ({ causes }) => Object.fromEntries(causes.map(({ code, count }) => [code, count])),
    'code',
  ),
  {
    name: 'gate_findings',
    help: 'Findings of the gates in the last run.',
    labels: ['gate', 'action'],
    rows: ({ report }) =>
      Object.entries(report?.gates.byGate ?? {}).flatMap(([gate, actions]) =>
        Object.entries(actions).map(([action, count]): Row => [count, { gate, action }]),
      ),
  },
  gauge(
    'requests',
    'Requests of the last run by status of the response; none: without a response.',
    ({ requests }) => requests.byStatus,
    'status',
  ),
  gauge(
    'received_bytes',
    'Bytes received in the last run.',
    ({ requests }) => requests.bytesReceived,
  ),
  gauge(
    'cache_hits',
    'Responses from the cache in the last run.',
    ({ requests }) => requests.fromCache,
  ),
  gauge('objects', 'Distinct GLBs of the last run.', ({ objects }) => objects.distinct),
  gauge(
    'objects_bytes',
    'Bytes of the distinct GLBs of the last run.',
    ({ objects }) => objects.bytes,
  ),
  gauge(
    'saved_bytes',
    'Bytes that storing each GLB once saved in the last run.',
    ({ objects }) => objects.savedBytes,
  ),
  gauge('triangles', 'Drawn triangles of the last run.', ({ triangles }) => triangles),
  gauge(
    'drift',
    'Fields of the service whose responses are not as specified.',
    ({ drift }) => drift.length,
  ),
  gauge('warnings', 'Warnings of the last run by code.', ({ warnings }) => warnings, 'code'),
];

/** The names of all metrics. */
export const METRIC_NAMES: readonly string[] = [
  LAST_SUCCESS,
  LAST_PUBLISHED,
  ...METRICS.map(({ name }) => `${PREFIX}${name}`),
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
  for (const { name, help, labels = [], rows } of METRICS) {
    add(`${PREFIX}${name}`, help, labels, rows(run));
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

/** A value of a pipeline in an earlier file. */
function valueIn(previous: string | undefined, name: string, pipeline: string): number | undefined {
  const start = `${name}{pipeline="${escapeLabel(pipeline)}"} `;
  const line = previous?.split('\n').find((one) => one.startsWith(start));
  const value = Number(line?.slice(start.length));
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
