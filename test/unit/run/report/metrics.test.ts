import { expect, test } from 'vitest';
import { metricsText } from '../../../../src/run/report/metrics.ts';
import type { FinishedRun } from '../../../../src/run/report/run-report.ts';
import { documentedMetrics } from '../../../helpers/documented-metrics.ts';
import { mixedReport, reportedLine, reportOf, WORKERS } from '../../../helpers/reports.ts';

const TIMES = { startedAt: 1_000_000, endedAt: 1_751_000 };
const quiet: FinishedRun = {
  ...{ pipeline: 'nightly', exitCode: 0, ...TIMES },
  report: reportOf([reportedLine('D1'), reportedLine('D2')]),
};

/** The value of a metric of the pipeline; undefined where the file has none. */
function valueIn(text: string, metric: string, labels = ''): number | undefined {
  const begin = `btg2gltf_${metric}{pipeline="nightly"${labels && `,${labels}`}} `;
  const line = text.split('\n').find((one) => one.startsWith(begin));
  return line === undefined ? undefined : Number(line.slice(begin.length));
}

test('a run has figures: outcome, requests, bytes, cache hits, times', async () => {
  const report = mixedReport(900);
  const text = await metricsText({ ...quiet, exitCode: 1, report }, undefined);
  const of = (metric: string, labels?: string) => valueIn(text, metric, labels);
  const { failed, quarantined, converted } = report.configurations;
  expect(of('last_run_exit_code')).toBe(1);
  expect(of('last_run_timestamp_seconds')).toBe(1751);
  expect(of('last_run_duration_seconds')).toBe(751);
  expect(of('last_run_stage_seconds', 'stage="fetch"')).toBe(702.3);
  expect(of('configurations', 'outcome="converted"')).toBe(converted);
  expect(of('configurations', 'outcome="failed"')).toBe(failed - quarantined);
  expect(of('configurations', 'outcome="quarantined"')).toBe(quarantined);
  expect(of('changes', 'change="removed"')).toBe(14);
  expect(of('requests', 'status="429"')).toBe(9);
  expect(of('received_bytes')).toBe(412_000_000);
  expect(of('cache_hits')).toBe(61_240);
  expect(of('gate_findings', 'gate="triangles",action="warn"')).toBe(482);
});

test('workers are counted by state, where a run has any', async () => {
  const report = { ...quiet.report!, workers: WORKERS };
  const text = await metricsText({ ...quiet, report }, undefined);
  expect(valueIn(text, 'workers', 'state="idle"')).toBe(2);
  expect(valueIn(text, 'workers', 'state="lost"')).toBe(1);
  expect(await metricsText(quiet, undefined)).not.toContain('btg2gltf_workers{');
});

test('a run without success retains the time of the last one, and one that failed in parts has published', async () => {
  const timesIn = (text: string) =>
    ['success', 'published'].map((what) => valueIn(text, `last_${what}_timestamp_seconds`));
  const first = await metricsText(quiet, undefined);
  expect(timesIn(first)).toEqual([1751, 1751]);
  const inParts = { ...quiet, exitCode: 1, endedAt: 3e6, report: mixedReport(100) };
  const second = await metricsText(inParts, first);
  expect(timesIn(second)).toEqual([1751, 3000]);
  const failed = { ...quiet, exitCode: 3, endedAt: 5e6, report: undefined };
  const third = await metricsText(failed, second);
  expect(timesIn(third)).toEqual([1751, 3000]);
  expect(valueIn(third, 'last_run_exit_code')).toBe(3);
  expect(third).not.toContain('btg2gltf_configurations{');
  const fetched = { ...quiet.report!, command: 'fetch' as const, published: false };
  const fourth = await metricsText({ ...quiet, endedAt: 7e6, report: fetched }, third);
  expect(timesIn(fourth)).toEqual([1751, 3000]);
});

test('another pipeline in the file, and a file of something else, are not believed', async () => {
  const failed: FinishedRun = { ...quiet, exitCode: 3, report: undefined };
  const other = await metricsText({ ...quiet, pipeline: 'other' }, undefined);
  const notANumber = 'btg2gltf_last_success_timestamp_seconds{pipeline="nightly"} NaN';
  for (const previous of [other, 'no metrics at all', notANumber])
    expect(await metricsText(failed, previous)).not.toContain('last_success_timestamp_seconds{');
});

test('a name with quotes, a backslash and an end of line comes back from the file', async () => {
  const pipeline = 'a"b\\c\nd';
  const first = await metricsText({ ...quiet, pipeline }, undefined);
  expect(first.split('\n').every((line) => /^(#.*|btg2gltf_\w+\{.*\} [\d.e+]+|)$/.test(line))).toBe(
    true,
  );
  const second = await metricsText({ ...quiet, pipeline, exitCode: 3, endedAt: 9e6 }, first);
  expect(second).toMatch(/^btg2gltf_last_success_timestamp_seconds\{.*\} 1751$/m);
});

test('the page on operating names every metric and no other', async () => {
  const failed = await metricsText({ ...quiet, report: undefined }, undefined);
  const defined = [...failed.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name);
  expect(await documentedMetrics('pipelines/README.md')).toEqual(defined.sort());
});
