/**
 * Run: the main job, and its two halves.
 *
 * In: a job (a checked pipeline and what of it is to be done) and what a run is handed.
 * Out: a report; GLBs, links, manifest and catalogue on disk. It must not print anything.
 *
 * `run` is `fetch` and `build` in one, article by article:
 * select → fetch → build → publish → report.
 */
import type { SelectedArticle } from '../fetch/select-articles.ts';
import { convertFetched, convertLive } from './convert-configuration.ts';
import { eachConfiguration, type Work } from './each-configuration.ts';
import { fetchLive } from './fetch-configuration.ts';
import type { Outcome } from './manifest-lines.ts';
import { lockOutput } from './output-lock.ts';
import { publishOutcomes } from './publish-outcomes.ts';
import { makeReport, type RunReport, writeReport } from './report.ts';
import { type Job, type RunContext, type RunTools, withRun } from './run-context.ts';
import { selectConfigurations, selectFetched } from './select.ts';

/** What a run leaves behind for whoever started it. */
export interface RunResult {
  report: RunReport;
  /** Folder of the report; undefined where nothing was published. */
  runFolder: string | undefined;
}

/**
 * Converts what a pipeline selects: service → GLBs.
 *
 * @throws {@link ConverterError} what ends a run, such as `SERVICE_UNREACHABLE`; failures of single
 *   articles stand in the report.
 *
 * @example
 * ```ts
 * const { report } = await runPipeline({ pipeline: await loadPipeline('demo.yaml', {}) }, tools);
 * report.configurations; // → { selected: 72, converted: 72, unchanged: 0, failed: 0 }
 * ```
 */
export function runPipeline(job: Job, tools: RunTools): Promise<RunResult> {
  return withLockedRun(job, tools, async (run) => {
    const selected = await selectConfigurations(run);
    const outcomes = await workOn(run, selected, await convertLive(run));
    await run.closeService();
    return publishAndReport(run, 'run', outcomes);
  });
}

/** Fetches what a pipeline selects: service → snapshots in the cache. */
export function fetchPipeline(job: Job, tools: RunTools): Promise<RunResult> {
  return withRun(job, tools, async (run) => {
    const selected = await selectConfigurations(run);
    const lines = await workOn(run, selected, await fetchLive(run));
    return { report: makeReport(run, 'fetch', lines, await run.cacheHits()), runFolder: undefined };
  });
}

/** Builds what was fetched: snapshots → GLBs, without a network. */
export function buildPipeline(job: Job, tools: RunTools): Promise<RunResult> {
  return withLockedRun(job, tools, async (run) => {
    const selected = await selectFetched(run);
    const outcomes = await workOn(run, selected, await convertFetched(run));
    return publishAndReport(run, 'build', outcomes);
  });
}

/** Selects and does nothing: what `--dry-run` shows. */
export function previewPipeline(job: Job, tools: RunTools): Promise<SelectedArticle[]> {
  return withRun(job, tools, selectConfigurations);
}

/** A run that publishes has its output folder for itself. */
async function withLockedRun<T>(
  job: Job,
  tools: RunTools,
  work: (run: RunContext) => Promise<T>,
): Promise<T> {
  const release = await lockOutput(job.pipeline.outputDir, tools.now());
  try {
    return await withRun(job, tools, work);
  } finally {
    await release();
  }
}

function workOn<T>(run: RunContext, selected: SelectedArticle[], work: Work<T>): Promise<T[]> {
  run.tools.log.info('selected', { configurations: selected.length });
  const requests = selected.map(({ request }) => request);
  return eachConfiguration(run, requests, work);
}

async function publishAndReport(
  run: RunContext,
  command: 'run' | 'build',
  outcomes: Outcome[],
): Promise<RunResult> {
  const lines = await publishOutcomes(run, outcomes);
  const report = makeReport(run, command, lines, await run.cacheHits());
  return { report, runFolder: await writeReport(report) };
}
