/**
 * Select: which configurations a run works on.
 *
 * In: the `articles:` of a pipeline. Out: requests in a stable order, each with the reason why.
 * It must not fetch any geometry.
 */
import type { ArticleSource, SelectedArticle } from '../fetch/select-articles.ts';
import { asConverterError, ConverterError, endsRun } from '../support/errors.ts';
import { globMatcher } from '../support/glob.ts';
import { readArticleList } from './article-list.ts';
import type { PipelineSource } from './pipeline-file.ts';
import type { Job, RunContext } from './run-context.ts';
import { readSelection, writeSelection } from './selection-file.ts';

/**
 * Selects at the service, and keeps the whole selection for a later `build`.
 *
 * @throws {@link ConverterError} `LIST_INVALID`, `NOTHING_SELECTED`, or what the service answers.
 */
export async function selectConfigurations(run: RunContext): Promise<SelectedArticle[]> {
  return run.stopwatch.during('select', async () => {
    const { pipeline } = run.job;
    const sources = await Promise.all(pipeline.articles.map(openSource));
    const { selectArticles } = await import('../fetch/select-articles.ts');
    const selected = await selectArticles(sources, await run.fetcher()).catch(cannotSelect);
    await writeSelection(pipeline, selected);
    return narrow(selected, run.job);
  });
}

/**
 * Selects what the last fetch of this pipeline selected, without a network.
 *
 * @throws {@link ConverterError} `SNAPSHOT_MISSING` before the first fetch, `NOTHING_SELECTED`.
 */
export async function selectFetched(run: RunContext): Promise<SelectedArticle[]> {
  return run.stopwatch.during('select', async () =>
    narrow(await readSelection(run.job.pipeline), run.job),
  );
}

/** Whether a job works on a part of what its pipeline selects. */
export function isPartial({ only, limit }: Job): boolean {
  return only !== undefined || limit !== undefined;
}

/** Without a selection there is nothing to go on with, whatever the reason is. */
function cannotSelect(thrown: unknown): never {
  const error = asConverterError(thrown);
  if (endsRun(error.code) || error.code === 'INTERNAL') throw error;
  const code = error.code === 'NODE_NOT_FOUND' ? 'NOTHING_SELECTED' : 'SERVICE_UNREACHABLE';
  throw new ConverterError(code, `the articles cannot be selected: ${error.message}`, {
    cause: error,
  });
}

/** A list is read here: selecting knows rows, not files. */
async function openSource(source: PipelineSource): Promise<ArticleSource> {
  if (source.kind !== 'list') return source;
  return { ...source, rows: await readArticleList(source.file) };
}

/** `--only` and `--limit`. */
function narrow(selected: SelectedArticle[], { only, limit }: Job): SelectedArticle[] {
  const matches = only === undefined ? () => true : globMatcher(only);
  const chosen = selected.filter(({ request }) => {
    const { manufacturer, program, basearticlenumber, finalarticlenumber } = request;
    const numbers = [basearticlenumber, finalarticlenumber].filter((number) => number !== '');
    return numbers.some((number) => matches(`${manufacturer}/${program}/${number}`));
  });
  if (chosen.length > 0) return chosen.slice(0, limit);
  const what = only === undefined ? 'the pipeline selects no article' : `nothing matches ${only}`;
  const of = selected.length === 0 ? '' : ` among ${selected.length} configurations`;
  throw new ConverterError('NOTHING_SELECTED', what + of);
}
