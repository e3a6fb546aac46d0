/**
 * Each configuration: works on many, some at the same time, and keeps going when one fails.
 *
 * In: selected articles and what to do with one. Out: an outcome for each, handed on as it comes.
 * It must not know what the work is, and holds no outcome: memory does not grow with their number.
 */

import type { SelectedArticle } from '../../fetch/selection.ts';
import type { ArticleRequest } from '../../model/article.ts';
import { articleLabel } from '../../model/configuration-id.ts';
import { asConverterError, ConverterError, endsRun } from '../../support/errors.ts';
import { inParallel } from '../../support/in-parallel.ts';
import type { Progress, RunContext } from '../context/run-context.ts';

/** Articles in the works for each request in flight: enough that requests never wait for work. */
const ARTICLES_PER_REQUEST = 2;
/** Failures logged one by one; the rest stand in the report. */
const LOGGED_FAILURES = 20;

/** What is done with one article. */
export interface Work<T> {
  /** May throw: an error of the article becomes its outcome, one that ends the run ends it. */
  work(selected: SelectedArticle): Promise<T>;
  /** Makes the outcome of an error of the article. */
  onFailure(request: ArticleRequest, error: ConverterError): Promise<T>;
}

/** Where an outcome came from. */
export interface Origin {
  /** Place of the article among all that the run works on, from 0: outcomes come in any order. */
  place: number;
  /** Time spent on it, waiting included, milliseconds. */
  ms: number;
}

/** Takes outcomes as they come. */
export type Collect<T> = (outcome: T, origin: Origin) => void;

/**
 * Works on each article; other spellings of it are not looked at.
 *
 * Once the run is out of time no article is begun, and what was under way and is cut off has no outcome.
 *
 * @param progress - What was done before in this run, and counts on.
 * @throws {@link ConverterError} the first error that ends the run; `INTERRUPTED` once the signal is aborted.
 *
 * @see D-834 (time limits).
 */
export async function eachConfiguration<T>(
  run: RunContext,
  articles: readonly SelectedArticle[],
  { work, onFailure }: Work<T>,
  collect: Collect<T>,
  progress: Progress = { total: 0, done: 0, failed: 0 },
): Promise<void> {
  const { tools, job } = run;
  const { articleTimeoutMs } = job.pipeline.limits;
  const first = progress.total;
  progress.total += articles.length;

  const attempt = async (selected: SelectedArticle): Promise<T> => {
    try {
      tools.signal.throwIfAborted();
      return await within(articleTimeoutMs, run.isServiceHeld, work(selected));
    } catch (thrown) {
      const error = asConverterError(thrown);
      if (endsRun(error.code)) throw error;
      if (progress.failed++ < LOGGED_FAILURES) logFailure(run, selected.request, error);
      return onFailure(selected.request, error);
    }
  };

  tools.progress?.({ ...progress });
  const atOnce = job.pipeline.service.concurrency * ARTICLES_PER_REQUEST;
  await inParallel(articles, atOnce, async (selected, index) => {
    if (run.isOutOfTime()) return;
    const startedAt = tools.now();
    try {
      const outcome = await attempt(selected);
      collect(outcome, { place: first + index, ms: tools.now() - startedAt });
      progress.done++;
      tools.progress?.({ ...progress });
    } catch (thrown) {
      const error = asConverterError(thrown);
      if (error.code === 'INTERRUPTED' && run.isOutOfTime() && !tools.signal.aborted) return;
      // Whoever still waits for an answer is to hear at once that the run is over.
      await run.closeService();
      throw error;
    }
  });
}

/**
 * Gives up waiting for some work; what it began ends by itself, since each request has its own limit.
 *
 * @param isHeld - Whether it is the service that has everybody wait: then the time begins anew.
 */
function within<T>(limitMs: number, isHeld: () => boolean, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const message = `not done after ${limitMs / 1000} s (limits.articleTimeoutMs)`;
    const late = () => {
      if (isHeld()) timer = setTimeout(late, limitMs);
      else reject(new ConverterError('ARTICLE_TIMEOUT', message));
    };
    let timer = setTimeout(late, limitMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function logFailure(run: RunContext, request: ArticleRequest, error: ConverterError): void {
  run.tools.log.warn('configuration failed', {
    article: articleLabel(request),
    code: error.code,
    message: error.message,
    // A stack tells us where our own mistake is; an expected error has none to tell.
    ...(error.code === 'INTERNAL' ? { stack: (error.cause as Error | undefined)?.stack } : {}),
  });
}
