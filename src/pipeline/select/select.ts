/**
 * Select: which configurations a run works on.
 *
 * In: the `articles:` of a pipeline. Out: requests in a stable order, each with the reasons why, and what
 * could not be selected.
 * It must not fetch any geometry.
 */

import type { Fetcher } from '../../fetch/fetch-article.ts';
import type { ArticleSource } from '../../fetch/select-articles.ts';
import type { SelectedArticle, Selection, SelectionFailure } from '../../fetch/selection.ts';
import type { CatalogueNode } from '../../model/catalogue.ts';
import { configurationLabels } from '../../model/configuration-id.ts';
import type { Warning } from '../../model/snapshot.ts';
import { asConverterError, ConverterError, endsRun } from '../../support/errors.ts';
import { globMatcher } from '../../support/glob.ts';
import type { Job, RunContext, RunTools } from '../context/run-context.ts';
import { describeService } from '../context/service-setup.ts';
import type { PipelineSource } from '../file/pipeline-file.ts';
import { readArticleList } from './article-list.ts';
import { readCartFiles } from './cart-files.ts';
import { findPlannings, readPermanentIds } from './permanent-id-list.ts';
import { readSelection, writeSelection } from './selection-file.ts';

/** Reasons told where nothing is selected. */
const SHOWN_REASONS = 10;

/**
 * Selects at the service, and keeps the whole selection for a later `build`.
 *
 * @throws {@link ConverterError} `LIST_INVALID`, `NOTHING_SELECTED`, or what the service answers.
 *
 * @see D-800, D-806.
 */
export async function selectLive(run: RunContext): Promise<Selection> {
  return run.stopwatch.during('select', async () => {
    const { pipeline } = run.job;
    const [{ selectArticles }, { distinctArticles }] = await Promise.all([
      import('../../fetch/select-articles.ts'),
      import('../../fetch/select-articles.ts'),
    ]);
    const opened = await Promise.all(pipeline.articles.map((source) => openSource(source, run)));
    const fetcher = await run.fetcher();
    const sources = opened.map(({ source }) => source);
    const reader = counting(fetcher, run.tools.selecting);
    const selected = await selectArticles(sources, reader).catch(cannotSelect);
    const articles = await distinctArticles(selected.articles, fetcher.identify);
    await writeSelection(pipeline, articles);
    const warnings = [...opened.flatMap((source) => source.warnings), ...selected.warnings];
    return narrow({ ...selected, articles, warnings }, run.job);
  });
}

/** The articles that {@link selectLive} selects. */
export async function selectConfigurations(run: RunContext): Promise<SelectedArticle[]> {
  return (await selectLive(run)).articles;
}

/**
 * Selects what the last fetch of this pipeline selected, without a network.
 *
 * @throws {@link ConverterError} `SNAPSHOT_MISSING` before the first fetch, `NOTHING_SELECTED`.
 */
export async function selectFetched(run: RunContext): Promise<Selection> {
  return run.stopwatch.during('select', async () => {
    const articles = await readSelection(run.job.pipeline);
    return narrow({ articles, failures: [], warnings: [] }, run.job);
  });
}

/** Whether a job works on a part of what its pipeline selects. */
export function isPartial({ only, limit, failedOnly }: Job): boolean {
  return only !== undefined || limit !== undefined || failedOnly === true;
}

/** Without a selection there is nothing to go on with, whatever the reason is. */
function cannotSelect(thrown: unknown): never {
  const error = asConverterError(thrown);
  if (endsRun(error.code) || error.code === 'INTERNAL') throw error;
  throw new ConverterError(
    'SERVICE_UNREACHABLE',
    `the articles cannot be selected: ${error.message}`,
    { cause: error },
  );
}

/** Tells how many articles the listings have shown so far; one that stands twice counts twice. */
function counting(fetcher: Fetcher, tell: RunTools['selecting'] = () => {}): Fetcher {
  let found = 0;
  const count = (nodes: CatalogueNode[]) => {
    found += nodes.filter(({ nodetype }) => nodetype === 'A').length;
    tell(found);
    return nodes;
  };
  tell(0);
  return {
    ...fetcher,
    nodes: async (...folder) => count(await fetcher.nodes(...folder)),
    search: async (...query) => count(await fetcher.search(...query)),
  };
}

interface OpenedSource {
  source: ArticleSource;
  warnings: Warning[];
}

/** Files and the ledger are read here: selecting knows rows and articles, not where they stand. */
async function openSource(source: PipelineSource, run: RunContext): Promise<OpenedSource> {
  const opened = (as: ArticleSource, warnings: Warning[] = []) => ({ source: as, warnings });
  switch (source.kind) {
    case 'list':
      return opened({ ...source, rows: await readArticleList(source.file) });
    case 'carts': {
      const plannings = await readCartFiles(source.glob);
      const message = `no cart matches ${source.glob}`;
      const none = plannings.length === 0 ? [{ code: 'CARTS_EMPTY', message }] : [];
      return opened({ kind: 'planning', as: source.as, plannings }, none);
    }
    case 'permanentids': {
      const { from, as } = source;
      const ids = 'ids' in from ? from.ids : await readPermanentIds(from.file);
      const { service } = run.job.pipeline;
      const plannings = await findPlannings(ids, {
        service: describeService(service),
        ledger: run.state.permanentIds,
        recording: service.recording,
        onPlanning: run.tools.onPlanning,
      });
      return opened({ kind: 'planning', as, plannings });
    }
    default:
      return opened(source);
  }
}

/** `--only` and `--limit`. */
function narrow(selection: Selection, { only, limit, failedOnly }: Job): Selection {
  const { articles: selected } = selection;
  const matches = only === undefined ? () => true : globMatcher(only);
  const chosen = selected.filter(({ request, alike = [] }) =>
    [request, ...alike].some((spelling) => configurationLabels(spelling).some(matches)),
  );
  const failures = selection.failures.filter((failure) => isMeant(failure, only, matches));
  const articles = failedOnly ? chosen : chosen.slice(0, limit);
  if (articles.length > 0) return { ...selection, articles, failures };
  const what = only === undefined ? 'the pipeline selects no article' : `nothing matches ${only}`;
  const of = selected.length === 0 ? '' : ` among ${selected.length} configurations`;
  throw new ConverterError('NOTHING_SELECTED', [what + of, ...reasons(selection)].join('\n'));
}

/** Who asks for one article is not told about those that nobody can name. */
function isMeant(
  { article }: SelectionFailure,
  only: string | undefined,
  matches: (name: string) => boolean,
): boolean {
  return (
    only === undefined || (article !== undefined && configurationLabels(article).some(matches))
  );
}

/** Why a selection is empty, as far as that is known. */
function reasons({ failures, warnings }: Selection): string[] {
  const all = [
    ...failures.map(({ what, code, message }) => `${code} ${what}: ${message}`),
    ...warnings.map(({ code, message }) => `${code} ${message}`),
  ];
  const more = all.length - SHOWN_REASONS;
  return [...all.slice(0, SHOWN_REASONS), ...(more > 0 ? [`… and ${more} more`] : [])];
}
