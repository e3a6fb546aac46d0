/** Metrics of the last run, for the textfile collector of Prometheus: every figure is a gauge. @see D-857 */
import { failuresByCode, workersByState } from './assessment.ts';
import type { FinishedRun, RunReport } from './run-report.ts';

type Row = [value: number, labels: Record<string, string>];

/** One figure, one for each value of the first label, or one for each combination of values. */
type Figures = number | undefined | Readonly<Record<string, number>> | readonly Row[];

type Metric = readonly [help: string, of: (report: RunReport) => Figures, ...labels: string[]];

const PREFIX = 'btg2gltf_';
const EXIT_CODES =
  '0 all converted, 1 some failed, 2 usage, 3 cannot continue, 4 refused, 130 interrupted';

const seconds = (ms = 0) => ms / 1000;

/** The metrics of a run that has a report, with the names of their labels besides `pipeline`. */
const METRICS: Readonly<Record<string, Metric>> = {
  last_run_stage_seconds: [
    'Time of each stage of the last run; stages overlap.',
    ({ stageMs }) => figures(stageMs, seconds),
    'stage',
  ],
  configurations: ['Configurations of the last run by result.', outcomes, 'outcome'],
  changes: [
    'Configurations that are new, changed or removed since the last publication.',
    ({ changes }) => figures(changes, ({ count }) => count),
    'change',
  ],
  failures: ['Failures of the last run by error code.', failuresByCode, 'code'],
  cart_failures: [
    'Configurations of carts that failed in the last run; they count in no other figure of failures.',
    ({ configurations }) => configurations.failedCarts,
  ],
  gate_findings: ['Findings of the gates in the last run.', findings, 'gate', 'action'],
  requests: [
    'Requests of the last run by status of the response; none: without a response.',
    ({ requests }) => requests.byStatus,
    'status',
  ],
  received_bytes: ['Bytes received in the last run.', ({ requests }) => requests.bytesReceived],
  cache_hits: ['Responses from the cache in the last run.', ({ requests }) => requests.fromCache],
  objects: ['Distinct GLBs of the last run.', ({ objects }) => objects.distinct],
  objects_bytes: ['Bytes of the distinct GLBs of the last run.', ({ objects }) => objects.bytes],
  saved_bytes: [
    'Bytes that storing each GLB once saved in the last run.',
    ({ objects }) => objects.savedBytes,
  ],
  triangles: ['Drawn triangles of the last run.', ({ triangles }) => triangles],
  deliveries: [
    'Configurations of each delivery of the last run by outcome.',
    ({ delivered }) =>
      delivered?.deliveries.flatMap(({ name: delivery, made, unchanged, failed, ...rest }) => {
        const { accepted, omitted } = rest;
        return Object.entries({ made, unchanged, failed, accepted, omitted }).map(
          ([outcome, count]): Row => [count, { delivery, outcome }],
        );
      }),
    'delivery',
    'outcome',
  ],
  deliveries_seconds: [
    'Time of processors and browsers for the files that the last run delivered.',
    ({ delivered }) =>
      delivered?.deliveries.map(({ name, ms = 0 }): Row => [seconds(ms), { delivery: name }]),
    'delivery',
  ],
  drift: [
    'Fields of the service whose responses are not as specified.',
    ({ drift }) => drift.length,
  ],
  workers: [
    'Workers of the last run by state.',
    ({ workers }) => workers && workersByState(workers),
    'state',
  ],
  warnings: ['Warnings of the last run by code.', ({ warnings }) => warnings, 'code'],
};

function figures<T extends object>(of: T, figure: (value: T[keyof T]) => number): Figures {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, figure(value)]));
}

function outcomes({ configurations }: RunReport): Figures {
  const { converted, unchanged, skipped, fetched, failed, quarantined } = configurations;
  return { converted, unchanged, skipped, fetched, failed: failed - quarantined, quarantined };
}

function findings({ gates }: RunReport): Figures {
  return Object.entries(gates.byGate).flatMap(([gate, actions]) =>
    Object.entries(actions).map(([action, count]): Row => [count, { gate, action }]),
  );
}

function rowsOf(values: Figures, label = ''): readonly Row[] {
  if (values === undefined) return [];
  if (typeof values === 'number') return [[values, {}]];
  if (Array.isArray(values)) return values;
  return Object.entries(values).map(([value, count]) => [count, { [label]: value }]);
}

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
  const { pipeline, exitCode, startedAt, endedAt, report } = run;
  const add = (name: string, help: string, values: Figures, ...labels: string[]) => {
    const labelNames = ['pipeline', ...labels];
    const metric = new Gauge({ name: PREFIX + name, help, labelNames, registers: [registry] });
    for (const [value, of] of rowsOf(values, labels[0])) metric.set({ pipeline, ...of }, value);
  };
  const addLast = (event: string, help: string, isNow: boolean) => {
    const name = `last_${event}_timestamp_seconds`;
    add(name, help, isNow ? seconds(endedAt) : valueIn(previous, PREFIX + name, pipeline));
  };
  const isPublished = report?.published === true;
  // A fetch publishes nothing and is no success.
  const isSuccess = exitCode === 0 && isPublished;
  addLast('success', 'Last time that a run converted everything it selected.', isSuccess);
  const isComplete = exitCode <= 1 && isPublished && report.ended === 'complete';
  addLast('published', 'Last time that a run processed everything and published.', isComplete);
  addLast('run', 'End of the last run, successful or not.', true);
  add('last_run_exit_code', `Exit code of the last run: ${EXIT_CODES}.`, exitCode);
  add('last_run_duration_seconds', 'Duration of the last run.', seconds(endedAt - startedAt));
  for (const [name, [help, of, ...labels]] of Object.entries(METRICS))
    add(name, help, report && of(report), ...labels);
  return await registry.metrics();
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
