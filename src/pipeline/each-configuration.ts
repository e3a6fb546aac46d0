/**
 * Each configuration: works on many, some at the same time, and keeps going when one fails.
 *
 * In: selected articles and what to do with one. Out: an outcome for each, in their order.
 * It must not know what the work is.
 */
import type { SelectedArticle } from '../fetch/select-articles.ts';
import type { ArticleRequest } from '../model/article.ts';
import { asConverterError, type ConverterError, endsRun } from '../support/errors.ts';
import type { Progress, RunContext } from './run-context.ts';

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

/**
 * Works on each article; other spellings of it are not looked at.
 *
 * @param progress - What was done before in this run, and counts on.
 * @throws {@link ConverterError} the first error that ends the run; `INTERRUPTED` once the signal is aborted.
 */
export async function eachConfiguration<T>(
  run: RunContext,
  articles: readonly SelectedArticle[],
  { work, onFailure }: Work<T>,
  progress: Progress = { total: 0, done: 0, failed: 0 },
): Promise<T[]> {
  const outcomes: T[] = [];
  progress.total += articles.length;
  let fatal: ConverterError | undefined;
  let next = 0;

  const attempt = async (selected: SelectedArticle): Promise<T> => {
    try {
      run.tools.signal.throwIfAborted();
      return await work(selected);
    } catch (thrown) {
      const error = asConverterError(thrown);
      if (endsRun(error.code)) throw error;
      if (progress.failed++ < LOGGED_FAILURES) logFailure(run, selected.request, error);
      return onFailure(selected.request, error);
    }
  };
  const worker = async (): Promise<void> => {
    while (next < articles.length && fatal === undefined) {
      const index = next++;
      try {
        outcomes[index] = await attempt(articles[index]!);
        progress.done++;
        run.tools.progress?.({ ...progress });
      } catch (thrown) {
        fatal ??= asConverterError(thrown);
        // Whoever still waits for an answer is to hear at once that the run is over.
        await run.closeService();
      }
    }
  };

  run.tools.progress?.({ ...progress });
  const workers = run.job.pipeline.service.concurrency * ARTICLES_PER_REQUEST;
  await Promise.all(Array.from({ length: workers }, worker));
  if (fatal !== undefined) throw fatal;
  return outcomes;
}

function logFailure(run: RunContext, request: ArticleRequest, error: ConverterError): void {
  const { manufacturer, program, basearticlenumber } = request;
  run.tools.log.warn('configuration failed', {
    article: `${manufacturer}/${program}/${basearticlenumber}`,
    code: error.code,
    message: error.message,
    // A stack tells us where our own mistake is; an expected error has none to tell.
    ...(error.code === 'INTERNAL' ? { stack: (error.cause as Error | undefined)?.stack } : {}),
  });
}
