/**
 * Run: the main job, and its two halves.
 *
 * In: a job (a checked pipeline and what of it is to be done) and what a run is handed.
 * Out: a report; GLBs, links, manifest and catalogue on disk. It must not print anything.
 *
 * `run` is `fetch` and `build` in one, article by article.
 */
import type { ReportedLine } from '../report/collect.ts';
import { convertFetched, convertLive } from './configuration/convert-configuration.ts';
import { fetchLive } from './configuration/fetch-configuration.ts';
import { workOn } from './configuration/work-on.ts';
import { type Job, type RunContext, type RunTools, withRun } from './context/run-context.ts';
import { workThroughNight } from './night/night.ts';
import { makeReport } from './night/report.ts';
import type { RunResult } from './night/run-result.ts';
import { lockOutput } from './output/output-lock.ts';
import { type Preview, previewRun } from './preview.ts';
import { isPartial, selectFetched, selectLive } from './select/select.ts';

export type { RunResult } from './night/run-result.ts';

/**
 * Converts what a pipeline selects: service → GLBs.
 *
 * @throws {@link ConverterError} what kept it from beginning, such as `OUTPUT_LOCKED`; what ended it later
 *   is `stop` of the result, and failures of single articles stand in the report.
 *
 * @example
 * ```ts
 * const { report } = await runPipeline({ pipeline: await loadPipeline('demo.yaml', {}) }, tools);
 * report.configurations; // → { selected: 72, converted: 72, unchanged: 0, failed: 0 }
 * ```
 */
export function runPipeline(job: Job, tools: RunTools): Promise<RunResult> {
  const plan = { command: 'run', select: selectLive, work: convertLive } as const;
  return withLockedRun(job, tools, (run) => workThroughNight(run, plan));
}

/** Builds what was fetched: snapshots → GLBs, without a network. */
export function buildPipeline(job: Job, tools: RunTools): Promise<RunResult> {
  const plan = { command: 'build', select: selectFetched, work: convertFetched } as const;
  return withLockedRun(job, tools, (run) => workThroughNight(run, plan));
}

/** Fetches what a pipeline selects: service → snapshots in the cache. */
export function fetchPipeline(job: Job, tools: RunTools): Promise<RunResult> {
  return withRun(job, tools, async (run) => {
    if (isPartial(job)) run.leaveOthersUnfinished();
    const selection = await selectLive(run);
    const lines: ReportedLine[] = [];
    const collect = (line: ReportedLine) => void lines.push(line);
    await workOn(run, selection.articles, await fetchLive(run), collect);
    const { report } = makeReport(run, 'fetch', selection, lines, await run.cacheHits());
    return { report, runFolder: undefined };
  });
}

/** Selects and fetches no geometry: what `--dry-run` shows. */
export function previewPipeline(job: Job, tools: RunTools): Promise<Preview> {
  return withRun(job, tools, previewRun);
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
    // What became of the run matters more than a lock that stays: that of a dead process is taken over.
    await release().catch((error: Error) => tools.log.warn(error.message));
  }
}
