/**
 * Run: the main job, and its two halves.
 *
 * In: a job (a checked pipeline and what of it is to be done) and what a run is handed.
 * Out: a report; GLBs, links, manifest and catalogue on disk. It must not print anything.
 *
 * `run` is `fetch` and `build` in one, article by article:
 * select → fetch → build → publish → report.
 */
import type { Selection } from '../fetch/select-articles.ts';
import type { RunReport } from '../report/run-report.ts';
import { keyOf } from '../write/manifest.ts';
import { convertFetched, convertLive } from './convert-configuration.ts';
import { fetchLive } from './fetch-configuration.ts';
import { countsByKey, type Outcome } from './manifest-lines.ts';
import { lockOutput } from './output-lock.ts';
import { type Preview, previewRun } from './preview.ts';
import { publishOutcomes } from './publish-outcomes.ts';
import { makeReport, writeReport } from './report.ts';
import { type Job, type RunContext, type RunTools, withRun } from './run-context.ts';
import { selectFetched, selectLive } from './select.ts';
import { workOn } from './work-on.ts';

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
    const selection = await selectLive(run);
    const outcomes = await workOn(run, selection, await convertLive(run));
    await run.closeService();
    return publishAndReport(run, 'run', selection, outcomes);
  });
}

/** Fetches what a pipeline selects: service → snapshots in the cache. */
export function fetchPipeline(job: Job, tools: RunTools): Promise<RunResult> {
  return withRun(job, tools, async (run) => {
    const selection = await selectLive(run);
    const lines = await workOn(run, selection, await fetchLive(run));
    const { report } = makeReport(run, 'fetch', selection, lines, await run.cacheHits());
    return { report, runFolder: undefined };
  });
}

/** Builds what was fetched: snapshots → GLBs, without a network. */
export function buildPipeline(job: Job, tools: RunTools): Promise<RunResult> {
  return withLockedRun(job, tools, async (run) => {
    const selection = await selectFetched(run);
    const outcomes = await workOn(run, selection, await convertFetched(run));
    return publishAndReport(run, 'build', selection, outcomes);
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
    await release();
  }
}

async function publishAndReport(
  run: RunContext,
  command: 'run' | 'build',
  selection: Selection,
  outcomes: Outcome[],
): Promise<RunResult> {
  const published = await publishOutcomes(run, outcomes, selection.failures);
  const counts = countsByKey(outcomes);
  const lines = published.map((line) => ({ ...line, counts: counts.get(keyOf(line)) }));
  const made = makeReport(run, command, selection, lines, await run.cacheHits());
  return { report: made.report, runFolder: await writeReport(made) };
}
