/** Processes what a run has selected: several configurations at a time, until all are done or the deadline has passed. */

import type { ArticleRequest } from '../model/article.ts';
import { articleLabel, configurationKey } from '../model/configuration-id.ts';
import type { UnplacedChild } from '../model/snapshot.ts';
import { everyRequest, type SelectedArticle } from '../source/fetch/selection.ts';
import { asConverterError, ConverterError, endsRun } from '../support/errors.ts';
import { inParallel } from '../support/in-parallel.ts';
import { didYouMean } from '../support/nearest.ts';
import type { FailedResult, Processor, Result, Results } from './articles/results.ts';
import type { Quarantine } from './failures/quarantine.ts';
import type { Run } from './open/open-run.ts';
import type { Progress } from './open/run-environment.ts';

/** Articles in progress per request in flight: enough that requests never wait for articles, which wait for the disk too. */
const ARTICLES_PER_REQUEST = 4;
/** Failures logged one by one; the report lists all. */
const LOGGED_FAILURES = 20;

/**
 * Processes some articles, each with one request: here, or on other machines.
 *
 * @param progress - Continues the counts of earlier calls: `total` includes the articles already.
 * @param first - Place of the first article.
 * @param collect - Receives each result.
 * @throws {@link ConverterError} the first error that ends a run.
 */
export type Execute = (
  articles: readonly SelectedArticle[],
  progress: Progress,
  first: number,
  collect: Results['add'],
) => Promise<void>;

/**
 * Processes each request of each selected article, then the children without a place in their planning,
 * which only its parts list shows.
 *
 * After the deadline no article is started, and one that is cut off has no result. What was in work when a run was
 * killed comes last, one at a time: if this run is killed too, it is known by what.
 *
 * @param quarantine - Receives each result; the places of children follow those of the selection.
 * @returns How many were processed of how many.
 * @throws {@link ConverterError} the first error that ends a run.
 *
 * @see D-800, D-804, D-834.
 */
export async function processAll(
  run: Run,
  articles: readonly SelectedArticle[],
  execute: Execute,
  quarantine: Quarantine,
): Promise<{ done: number; total: number }> {
  const progress = { total: 0, done: 0, failed: 0 };
  let round: readonly SelectedArticle[] = articles.flatMap(everyRequest).filter(newTo(new Set()));
  // Most runs have no such children, and need not remember what they have met.
  let isNew: ReturnType<typeof newTo> | undefined;
  const suspects: SelectedArticle[] = [];
  while (round.length > 0 || suspects.length > 0) {
    for (const one of round) if (quarantine.isSuspect(one.request)) suspects.push(one);
    const trusted = round.filter(({ request }) => !quarantine.isSuspect(request));
    const next = trusted.length > 0 ? trusted : suspects.splice(0, 1);
    const children: { place: number; child: UnplacedChild }[] = [];
    const first = progress.total;
    progress.total += next.length;
    run.environment.progress?.({ ...progress });
    await execute(next, progress, first, (result, origin) => {
      for (const child of result.unplaced ?? []) children.push({ place: origin.place, child });
      quarantine.collect(result, origin);
    });
    children.sort((a, b) => a.place - b.place);
    const why = ['child without a place in its planning'];
    const unplaced = children.map(({ child }) => ({ ...child, why }));
    if (unplaced.length > 0)
      isNew ??= newTo(
        new Set(articles.flatMap(everyRequest).map(({ request }) => configurationKey(request))),
      );
    round = quarantine.filter(unplaced.filter((child) => isNew!(child)));
  }
  return progress;
}

/** Makes a filter of articles whose request is not among the keys, to which it adds that of each. */
function newTo(keys: Set<string>): (article: SelectedArticle) => boolean {
  return ({ request }) => {
    const { size } = keys;
    return keys.add(configurationKey(request)).size > size;
  };
}

/** Processes articles in this process, several at a time. */
export function inThisProcess(run: Run, processor: Processor): Execute {
  const { environment, options, sources, isOutOfTime } = run;
  const { signal, now } = environment;
  const atOnce = options.pipeline.service.concurrency * ARTICLES_PER_REQUEST;

  const attempt = async (selected: SelectedArticle, progress: Progress): Promise<Result> => {
    try {
      signal.throwIfAborted();
      return await processor.process(selected);
    } catch (thrown) {
      const error = await withNearest(run, selected, asConverterError(thrown));
      if (endsRun(error.code)) throw error;
      logFailure(run, progress, selected.request, error);
      return failedResult(processor, selected.request, error);
    }
  };

  return async (articles, progress, first, collect) => {
    await inParallel(articles, atOnce, async (selected, index) => {
      if (isOutOfTime()) return;
      const startedAt = now();
      try {
        const result = await attempt(selected, progress);
        const ms = now() - startedAt;
        const article = articleLabel(selected.request);
        environment.log.debug('configuration', { article, status: result.status, ms });
        collect(result, { place: first + index, ms });
        progress.done++;
        environment.progress?.({ ...progress });
      } catch (thrown) {
        const error = asConverterError(thrown);
        if (error.code === 'INTERRUPTED' && isOutOfTime() && !signal.aborted) return;
        // Ends the requests of the other articles at once.
        await sources.session.close();
        throw error;
      }
    });
  };
}

/** Reason of an article that a person has typed into the pipeline file. */
const TYPED = 'article of the pipeline file';

/** Names the article that was probably meant, of those whose number begins alike: one search for each typed article. */
async function withNearest(
  { sources }: Run,
  { request, why }: SelectedArticle,
  error: ConverterError,
): Promise<ConverterError> {
  if (error.code !== 'ARTICLE_NOT_FOUND' || !why.includes(TYPED)) return error;
  const { manufacturer, basearticlenumber: number } = request;
  const { search } = await sources.session.fetcher();
  const beginning = number.slice(0, Math.ceil(number.length / 2));
  const found = await search(manufacturer.toUpperCase(), beginning).catch(() => []);
  const hint = didYouMean(articleLabel(request), found.map(articleLabel));
  return hint === ''
    ? error
    : new ConverterError(error.code, `${error.message}${hint}`, { cause: error });
}

async function failedResult(
  { resolve }: Processor,
  request: ArticleRequest,
  { code, message }: ConverterError,
): Promise<FailedResult> {
  // After a timeout no further response is waited for.
  const key = code === 'ARTICLE_TIMEOUT' ? undefined : await resolve?.(request);
  return { status: 'failed', request, key, error: { code, message } };
}

/** Counts a failure, and logs it unless there were many. */
export function logFailure(
  { environment }: Pick<Run, 'environment'>,
  progress: Progress,
  request: ArticleRequest,
  error: { code: string; message: string; cause?: unknown },
): void {
  if (progress.failed++ >= LOGGED_FAILURES) return;
  const { code, message, cause } = error;
  // The stack locates a mistake of this program; an expected error has no use for it.
  const stack = code === 'INTERNAL' && { stack: (cause as Error | undefined)?.stack };
  environment.log.warn('configuration failed', {
    article: articleLabel(request),
    code,
    message,
    ...stack,
  });
}
