/** Reports of two runs that did the same work in different ways, compared in everything that is not their own. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { reportHtmlWithPictures } from '../../src/run/report/html.ts';
import type { RunReport } from '../../src/run/report/run-report.ts';

/** What a run told to those who started it. */
export interface ToldRun {
  exit: number | null;
  stdout: string;
  report: RunReport;
  /** The page of the report. */
  html: string;
  failures: string[];
}

/** Reads what a run told. @param output - The folder into which it published. */
export async function toldBy(
  { exit, stdout }: Pick<ToldRun, 'exit' | 'stdout'>,
  output: string,
): Promise<ToldRun> {
  const read = (path: string) => readFile(join(output, 'runs/latest', path), 'utf8');
  const report: RunReport = JSON.parse(await read('report.json'));
  const failures = (await read('failures.jsonl')).trimEnd().split('\n');
  return { exit, stdout, report, html: await read('report.html'), failures };
}

/** What is measured, or says when or where. Each process logs in, and reads a folder that none has stored yet. */
const OWN = new Set([
  ...['run', 'previousRun', 'startedAt', 'endedAt', 'totalMs', 'stageMs', 'outputDir', 'cacheDir'],
  ...['slowest', 'ms', 'firstSeen', 'lastSeen', 'requests'],
]);

/** A value in which everything of {@link OWN} is that of another one. */
function withOwnOf(like: unknown, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const others = like as Record<string, unknown> | undefined;
  const entries = Object.entries(value).map(([name, inside]) => [
    name,
    OWN.has(name) ? others?.[name] : withOwnOf(others?.[name], inside),
  ]);
  return Array.isArray(value) ? entries.map(([, inside]) => inside) : Object.fromEntries(entries);
}

const pageOf = (report: RunReport) => reportHtmlWithPictures(report, []);

const withoutTimes = (summary: string) =>
  summary
    .replace(/^ {2}(?:Time|Workers|Output) .*\n/gm, '')
    .replace(/(Requests +)\d+ sent, [\d.]+ (?:bytes|kB)/, '$1')
    .replace(/ · [\d,]+ responses? from the cache/, '')
    .replace(/\S+report\.html$/m, '');

/** A line of JSON with what is {@link OWN} of another one. */
function like(other: string | undefined, line: string): string {
  if (line === '') return line;
  return JSON.stringify(withOwnOf(JSON.parse(other ?? '{}'), JSON.parse(line)));
}

/** Checks that a run of several processes told what one in one process did, but for its workers. */
export function toldTheSame(distributed: ToldRun, local: ToldRun): void {
  const { exit, stdout, report, html, failures } = distributed;
  expect(exit).toBe(local.exit);
  expect(pageOf(local.report)).toBe(local.html);
  expect(pageOf(report)).toBe(html);
  const { workers: _, ...others } = report;
  const same = withOwnOf(local.report, others) as RunReport;
  expect(same).toEqual(local.report);
  expect(Object.keys(same)).toEqual(Object.keys(local.report));
  // How often depends on who did which chunk: a process asks the cache once for what it needs again.
  expect(report.requests.fromCache > 0).toBe(local.report.requests.fromCache > 0);
  expect(pageOf(same)).toBe(local.html);
  expect(failures.map((line, index) => like(local.failures[index], line))).toEqual(local.failures);
  expect(withoutTimes(stdout)).toBe(withoutTimes(local.stdout));
}
