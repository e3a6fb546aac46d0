/** Processes all that was selected, several articles at the same time, and continues if one fails. */
import type { SelectedArticle } from '../fetch/selection.ts';
import type { ArticleKey, ArticleRequest } from '../model/article.ts';
import { articleLabel, configurationKey } from '../model/configuration-id.ts';
import type { FailedResult, Result } from '../model/result.ts';
import type { UnplacedChild } from '../model/snapshot.ts';
import { asConverterError, ConverterError, endsRun } from '../support/errors.ts';
import { inParallel } from '../support/in-parallel.ts';
import type { Run } from './open-run.ts';
import type { Progress } from './run-options.ts';

/** Articles in progress per request in flight: enough that requests never wait for articles. */
const ARTICLES_PER_REQUEST = 2;
/** Failures logged one by one; the report lists all. */
const LOGGED_FAILURES = 20;

/** Processes one article. */
export interface Processor {
  /** May throw: an error of the article becomes its result, one that ends the run ends it. */
  process(selected: SelectedArticle): Promise<Result>;
  /** Returns the configuration of a request that failed, without a request to the service. */
  resolve?(request: ArticleRequest): Promise<ArticleKey | undefined>;
}

/** Where a result came from. */
export interface Origin {
  /** Index of the article among all that the run processes: results arrive in any order. */
  place: number;
  /** Time spent on it including waiting, milliseconds. */
  ms: number;
}

/** Receives results as they arrive. */
export type Collect = (result: Result, origin: Origin) => void;

/** Selects those of some articles that are processed. */
export type Filter = (articles: readonly SelectedArticle[]) => readonly SelectedArticle[];

type ProcessingRun = Pick<Run, 'options' | 'environment' | 'session' | 'isOutOfTime'>;

/**
 * Processes each request of each selected article, then the children without a place in their planning,
 * which only its parts list shows.
 *
 * After the deadline no article is started, and one that is cut off has no result.
 *
 * @param collect - Receives each result; the places of children follow those of the selection.
 * @param filter - Selects the children that are processed.
 * @returns How many were processed of how many: fewer after the deadline.
 * @throws {@link ConverterError} the first error that ends a run; `INTERRUPTED` by the signal.
 *
 * @see D-800, D-804, D-834.
 */
export async function processAll(
  run: ProcessingRun,
  articles: readonly SelectedArticle[],
  processor: Processor,
  collect: Collect,
  filter: Filter = (children) => children,
): Promise<{ done: number; total: number }> {
  const progress = { total: 0, done: 0, failed: 0 };
  const seen = new Set<string>();
  const isNew = ({ request }: SelectedArticle) => {
    const { size } = seen;
    return seen.add(configurationKey(request)).size > size;
  };
  let round: readonly SelectedArticle[] = articles.flatMap(everyRequest).filter(isNew);
  while (round.length > 0) {
    const children: { place: number; child: UnplacedChild }[] = [];
    await processRound(run, round, processor, progress, (result, origin) => {
      for (const child of result.unplaced ?? []) children.push({ place: origin.place, child });
      collect(result, origin);
    });
    children.sort((a, b) => a.place - b.place);
    round = filter(children.map(({ child }) => asSelected(child)).filter(isNew));
  }
  return { done: progress.done, total: progress.total };
}

/** Requests that resolve to one configuration share its line, but each has a result of its own. */
function everyRequest({ alike = [], ...selected }: SelectedArticle): SelectedArticle[] {
  return [selected, ...alike.map((request) => ({ ...selected, request }))];
}

function asSelected({ request, children }: UnplacedChild): SelectedArticle {
  return { request, why: ['child without a place in its planning'], children };
}

/** @param progress - Continues the counts of earlier rounds. */
async function processRound(
  run: ProcessingRun,
  articles: readonly SelectedArticle[],
  processor: Processor,
  progress: Progress,
  collect: Collect,
): Promise<void> {
  const { environment, options, session, isOutOfTime } = run;
  const { signal, now } = environment;
  const { limits, service } = options.pipeline;
  const first = progress.total;
  progress.total += articles.length;

  const attempt = async (selected: SelectedArticle): Promise<Result> => {
    try {
      signal.throwIfAborted();
      const work = processor.process(selected);
      return await within(limits.articleTimeoutMs, session.isPaused, work);
    } catch (thrown) {
      const error = asConverterError(thrown);
      if (endsRun(error.code)) throw error;
      if (progress.failed++ < LOGGED_FAILURES) logFailure(environment, selected.request, error);
      return failedResult(processor, selected.request, error);
    }
  };

  environment.progress?.({ ...progress });
  await inParallel(
    articles,
    service.concurrency * ARTICLES_PER_REQUEST,
    async (selected, index) => {
      if (isOutOfTime()) return;
      const startedAt = now();
      try {
        collect(await attempt(selected), { place: first + index, ms: now() - startedAt });
        progress.done++;
        environment.progress?.({ ...progress });
      } catch (thrown) {
        const error = asConverterError(thrown);
        if (error.code === 'INTERRUPTED' && isOutOfTime() && !signal.aborted) return;
        // Ends the requests of the other articles at once.
        await session.close();
        throw error;
      }
    },
  );
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

/**
 * Rejects after a time limit; the work itself ends by the limits of its requests.
 *
 * @param isPaused - Whether the service holds back every request: then the limit starts anew.
 */
function within<T>(limitMs: number, isPaused: () => boolean, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const message = `timed out after ${limitMs / 1000} s (limits.articleTimeoutMs)`;
    const late = () => {
      if (isPaused()) timer = setTimeout(late, limitMs);
      else reject(new ConverterError('ARTICLE_TIMEOUT', message));
    };
    let timer = setTimeout(late, limitMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function logFailure(
  { log }: ProcessingRun['environment'],
  request: ArticleRequest,
  error: ConverterError,
): void {
  log.warn('configuration failed', {
    article: articleLabel(request),
    code: error.code,
    message: error.message,
    // The stack locates a mistake of this program; an expected error has no use for it.
    ...(error.code === 'INTERNAL' ? { stack: (error.cause as Error | undefined)?.stack } : {}),
  });
}
