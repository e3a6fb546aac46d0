/**
 * Preview: what a run would work on, and what that would take.
 *
 * In: an open run. Out: its selection, and an estimate of requests and time. Nothing but the catalogue
 * and single articles is asked for: no parts list, no geometry.
 */
import type { RequestEstimate } from '../fetch/estimate.ts';
import type { Selection } from '../fetch/selection.ts';
import { createOutcomeBook } from './configuration/outcome-book.ts';
import type { RunContext } from './context/run-context.ts';
import { openQuarantine } from './night/quarantine.ts';
import { selectLive } from './select/select.ts';

/** What `--dry-run` shows. */
export interface Preview {
  selection: Selection;
  /** Requests sent to select. */
  sent: number;
  /** Requests that a run would send after that. */
  estimate: RequestEstimate;
  /** Their number. */
  requests: number;
  /** How long they would take, milliseconds; undefined where nothing was measured. */
  requestsMs: number | undefined;
  /** Requests at the same time, and what one took so far, milliseconds. */
  basis: { concurrency: number; meanMs: number | undefined };
}

/**
 * Selects and estimates.
 *
 * @see D-807.
 */
export async function previewRun(run: RunContext): Promise<Preview> {
  run.leaveOthersUnfinished();
  const selected = await selectLive(run);
  const quarantine = openQuarantine(run, createOutcomeBook(run.previous), false);
  const selection = { ...selected, articles: [...quarantine.choose(selected.articles)] };
  const fetcher = await run.fetcher();
  const requests = selection.articles.flatMap(({ request, alike = [] }) => [request, ...alike]);
  const estimate = await fetcher.estimate(requests);
  const total = estimate.articles + estimate.partsLists + estimate.bodies;
  const { concurrency } = run.job.pipeline.service;
  const meanMs = run.requests.meanMs();
  return {
    selection,
    sent: run.requests.totals().sent,
    estimate,
    requests: total,
    requestsMs:
      meanMs === undefined ? undefined : (total * meanMs) / Math.min(concurrency, total || 1),
    basis: { concurrency, meanMs },
  };
}
