/**
 * Fetch configuration: one request, from the service to its snapshot in the cache.
 *
 * In: a request. Out: what a report says of it; the snapshot stands in state and store.
 */
import type { ArticleRequest } from '../../model/article.ts';
import type { UnplacedChild } from '../../model/snapshot.ts';
import type { ReportedLine } from '../../report/collect.ts';
import type { ConverterError } from '../../support/errors.ts';
import type { RunContext } from '../context/run-context.ts';
import type { Work } from './each-configuration.ts';

/** A line of a report, and what else came to light. */
type FetchedLine = ReportedLine & { unplaced?: UnplacedChild[] };

/** Fetches from the service and builds nothing. */
export async function fetchLive(run: RunContext): Promise<Work<FetchedLine>> {
  const fetcher = await run.fetcher();
  return {
    async work({ request, children }) {
      const snapshot = await run.stopwatch.during('fetch', () => fetcher.fetch(request, children));
      const { key, warnings, unplaced = [] } = snapshot;
      return { ...key, status: 'fetched', warnings, losses: [], unplaced };
    },
    onFailure: async (request, error) => failed(request, error),
  };
}

function failed(request: ArticleRequest, { code, message }: ConverterError): ReportedLine {
  return { ...request, status: 'failed', warnings: [], losses: [], error: { code, message } };
}
