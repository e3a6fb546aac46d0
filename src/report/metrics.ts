/**
 * Metrics: how the last run ended, for Prometheus' collector of text files.
 *
 * In: how it ended, and the file of the run before. Out: the file. Every figure is a gauge: it is about
 * the last run, not a sum over all. The library is loaded here, since few runs write metrics.
 *
 * @see D-857.
 */
import type { Gauge as PromGauge, Registry as PromRegistry } from 'prom-client';
import type { Ending } from './ending.ts';

type Row = [value: number, labels?: Record<string, string>];

interface Metric {
  name: string;
  help: string;
  /** Names of its labels besides `pipeline`. */
  labels?: readonly string[];
  /** None where it is not known. */
  rows: (ending: Ending) => readonly Row[];
}

const PREFIX = 'btg2gltf_';
const LAST_SUCCESS = `${PREFIX}last_success_timestamp_seconds`;
const LAST_PUBLISHED = `${PREFIX}last_published_timestamp_seconds`;

const seconds = (ms: number) => ms / 1000;

/** Rows of counts by one label. */
function byLabel(label: string, counts: Record<string, number> | undefined): Row[] {
  return Object.entries(counts ?? {}).map(([name, count]) => [count, { [label]: name }]);
}

/** One row from the report, or none where there is no report. */
function from(of: (report: NonNullable<Ending['report']>) => number): Metric['rows'] {
  return ({ report }) => (report === undefined ? [] : [[of(report)]]);
}

/** All metrics but those that remember earlier runs; the names are documented and stay. */
const METRICS: readonly Metric[] = [
  {
    name: 'last_run_timestamp_seconds',
    help: 'When the last run ended, whatever became of it.',
    rows: ({ endedAt }) => [[seconds(endedAt)]],
  },
  {
    name: 'last_run_exit_code',
    help: 'Exit code of the last run: 0 all converted, 1 some failed, 2 usage, 3 cannot go on, 4 refused, 130 interrupted.',
    rows: ({ exitCode }) => [[exitCode]],
  },
  {
    name: 'last_run_duration_seconds',
    help: 'How long the last run took.',
    rows: ({ startedAt, endedAt }) => [[seconds(endedAt - startedAt)]],
  },
  {
    name: 'last_run_stage_seconds',
    help: 'How long each stage of the last run was at work; stages overlap.',
    labels: ['stage'],
    rows: ({ report }) =>
      Object.entries(report?.stageMs ?? {}).map(([stage, ms = 0]) => [seconds(ms), { stage }]),
  },
  {
    name: 'configurations',
    help: 'Configurations of the last run by outcome.',
    labels: ['outcome'],
    rows: ({ report }) => {
      if (report === undefined) return [];
      const { converted, unchanged, fetched, failed, quarantined } = report.configurations;
      const tried = failed - quarantined;
      return byLabel('outcome', { converted, unchanged, fetched, failed: tried, quarantined });
    },
  },
  {
    name: 'changes',
    help: 'Configurations that are new, changed or removed since the run before.',
    labels: ['change'],
    rows: ({ report }) =>
      report === undefined
        ? []
        : Object.entries(report.changes).map(([change, { count }]) => [count, { change }]),
  },
  {
    name: 'failures',
    help: 'Failures of the last run by error code.',
    labels: ['code'],
    rows: ({ report }) => (report?.causes ?? []).map(({ code, count }) => [count, { code }]),
  },
  {
    name: 'gate_findings',
    help: 'Findings of the gates in the last run.',
    labels: ['gate', 'action'],
    rows: ({ report }) =>
      Object.entries(report?.gates.byGate ?? {}).flatMap(([gate, actions]) =>
        Object.entries(actions).map(([action, count]): Row => [count, { gate, action }]),
      ),
  },
  {
    name: 'requests',
    help: 'Requests of the last run by status of the answer; none: no answer came.',
    labels: ['status'],
    rows: ({ report }) => byLabel('status', report?.requests.byStatus),
  },
  {
    name: 'received_bytes',
    help: 'Bytes that the service sent in the last run.',
    rows: from(({ requests }) => requests.bytesReceived),
  },
  {
    name: 'cache_hits',
    help: 'Answers that the cache gave instead of the service in the last run.',
    rows: from(({ requests }) => requests.fromCache),
  },
  {
    name: 'objects',
    help: 'Distinct GLBs of the last run.',
    rows: from(({ objects }) => objects.distinct),
  },
  {
    name: 'objects_bytes',
    help: 'Bytes of the distinct GLBs of the last run.',
    rows: from(({ objects }) => objects.bytes),
  },
  {
    name: 'saved_bytes',
    help: 'Bytes that storing each GLB once saved in the last run.',
    rows: from(({ objects }) => objects.savedBytes),
  },
  {
    name: 'triangles',
    help: 'Drawn triangles of the configurations of the last run.',
    rows: from(({ triangles }) => triangles),
  },
  {
    name: 'drift',
    help: 'Fields of the service whose answers are not as specified.',
    rows: from(({ drift }) => drift.length),
  },
  {
    name: 'warnings',
    help: 'Warnings of the last run by code.',
    labels: ['code'],
    rows: ({ report }) => byLabel('code', report?.warnings),
  },
];

/** The names of all metrics. */
export const METRIC_NAMES: readonly string[] = [
  LAST_SUCCESS,
  LAST_PUBLISHED,
  ...METRICS.map(({ name }) => `${PREFIX}${name}`),
];

/**
 * Makes the text file of a run.
 *
 * @param previous - The file of the run before: a run without success does not forget the last one.
 *
 * @example
 * ```ts
 * await metricsText({ pipeline: 'nightly', exitCode: 0, startedAt, endedAt, report }, undefined);
 * // → '# HELP btg2gltf_last_success_timestamp_seconds …\n…{pipeline="nightly"} 1795313551\n…'
 * ```
 */
export async function metricsText(ending: Ending, previous: string | undefined): Promise<string> {
  const { Registry, Gauge } = (await import('prom-client')).default;
  const registry = new Registry();
  const gauge = gauges(registry, Gauge, ending.pipeline);
  const remembered: [string, string, boolean][] = [
    [LAST_SUCCESS, 'When a run last converted everything that it selected.', isSuccess(ending)],
    [LAST_PUBLISHED, 'When a run last came to its end and published.', isPublished(ending)],
  ];
  for (const [name, help, isNow] of remembered) {
    const value = isNow ? seconds(ending.endedAt) : rememberedIn(previous, name, ending.pipeline);
    gauge(name, help, [], value === undefined ? [] : [[value]]);
  }
  for (const { name, help, labels = [], rows } of METRICS) {
    gauge(`${PREFIX}${name}`, help, labels, rows(ending));
  }
  return await registry.metrics();
}

function gauges(registry: PromRegistry, Gauge: typeof PromGauge, pipeline: string) {
  return (name: string, help: string, labels: readonly string[], rows: readonly Row[]): void => {
    const labelNames = ['pipeline', ...labels];
    const metric = new Gauge({ name, help, labelNames, registers: [registry] });
    for (const [value, of = {}] of rows) metric.set({ pipeline, ...of }, value);
  };
}

/** What was only fetched is not converted. */
function isSuccess({ exitCode, report }: Ending): boolean {
  return exitCode === 0 && report?.published === true;
}

function isPublished({ exitCode, report }: Ending): boolean {
  return exitCode <= 1 && report?.ended === 'complete' && report.published;
}

/** What the file of before said of this pipeline. */
function rememberedIn(
  previous: string | undefined,
  name: string,
  pipeline: string,
): number | undefined {
  const start = `${name}{pipeline="${escapeLabel(pipeline)}"} `;
  const line = previous?.split('\n').find((one) => one.startsWith(start));
  const value = Number(line?.slice(start.length));
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

/** As the format wants it. */
function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
