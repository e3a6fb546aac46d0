/** Selects articles: what the sources of a pipeline mean, as requests for single configurations. */
import type { ArticleKey, ArticleRequest } from '../model/article.ts';
import { articleKey, configurationKey } from '../model/configuration-id.ts';
import { asConverterError, endsRun } from '../support/errors.ts';
import { groupBy } from '../support/group-by.ts';
import { inParallel } from '../support/in-parallel.ts';
import {
  type CatalogueSource,
  folderName,
  type SearchSource,
  searchName,
  selectFromCatalogue,
  selectFromSearch,
} from './select-catalogue.ts';
import { type ConfigurationSource, selectConfigurations } from './select-configurations.ts';
import { type PlanningSource, selectPlannings } from './select-plannings.ts';
import type {
  CatalogueReader,
  Configurator,
  SelectedArticle,
  Selection,
  SourceSelection,
} from './selection.ts';

/** A row of an article list. */
export interface ListRow {
  request: ArticleRequest;
  /** Counted from 1, with the header. */
  line: number;
}

/** Where articles come from; globs take `*` and `?` and ignore case. */
export type ArticleSource =
  | { kind: 'list'; name: string; rows: readonly ListRow[] }
  | ({ kind: 'article' } & ArticleRequest)
  | CatalogueSource
  | SearchSource
  | PlanningSource
  | ConfigurationSource;

type Reader = CatalogueReader & Configurator;
type Selector<Source> = (
  source: Source,
  reader: Reader,
) => SourceSelection | Promise<SourceSelection>;

/** How each kind of source is read. */
const SELECTORS: {
  [Kind in ArticleSource['kind']]: Selector<Extract<ArticleSource, { kind: Kind }>>;
} = {
  list: ({ rows, name }) => ({
    articles: rows.map(({ request, line }) => ({ request, why: [`${name}:${line}`] })),
  }),
  article: ({ kind, ...request }) => ({
    articles: [{ request, why: [`${kind} of the pipeline file`] }],
  }),
  search: selectFromSearch,
  catalogue: selectFromCatalogue,
  planning: selectPlannings,
  configurations: selectConfigurations,
};

/** Articles that are identified at the same time; the client limits the requests in flight. */
const IDENTIFIED_AT_ONCE = 256;

/**
 * Gathers the articles of all sources.
 *
 * An article that several sources select is listed once, at its first place, with all reasons. A folder or
 * search that cannot be read is a failure of its own.
 *
 * @throws {@link ConverterError} an error that ends the run, or of the top of the catalogue.
 *
 * @example
 * ```ts
 * const { articles } = await selectArticles([{ kind: 'catalogue', parentnode: '' }], fetcher);
 * articles[0]; // → { request: { manufacturer: 'ACME', program: 'DESK', … }, why: ['catalogue Acme / Desks'] }
 * ```
 *
 * @see Spec 2.1, 4.2, 4.3; D-800, D-806.
 */
export async function selectArticles(
  sources: readonly ArticleSource[],
  reader: Reader,
): Promise<Selection> {
  const selections = await Promise.all(sources.map((source) => selectFrom(source, reader)));
  const articles = selections.flatMap((selection) => selection.articles);
  return {
    articles: mergeSelected(articles, ({ request }) => configurationKey(request)),
    failures: selections.flatMap(({ failures = [] }) => failures),
    warnings: selections.flatMap(({ warnings = [] }) => warnings),
    unread: selections.flatMap(({ unread = [] }) => unread),
  };
}

/**
 * Merges the articles that resolve to one key, in their order. A catalogue names a configuration by its final
 * number, a cart by its reinit string too: only such pairs are resolved; one that cannot be is not merged.
 *
 * @see D-800.
 */
export async function distinctArticles(
  articles: readonly SelectedArticle[],
  identify: (request: ArticleRequest) => Promise<{ key: ArticleKey }>,
): Promise<SelectedArticle[]> {
  const keys = new Map<SelectedArticle, string>();
  await inParallel(ambiguous(articles), IDENTIFIED_AT_ONCE, async (article) => {
    try {
      keys.set(article, configurationKey((await identify(article.request)).key));
    } catch (thrown) {
      const error = asConverterError(thrown);
      if (endsRun(error.code)) throw error;
    }
  });
  const keyOf = (article: SelectedArticle) =>
    keys.get(article) ?? configurationKey(article.request);
  return mergeSelected(articles, keyOf);
}

async function selectFrom(source: ArticleSource, reader: Reader): Promise<SourceSelection> {
  const select = SELECTORS[source.kind] as Selector<ArticleSource>;
  try {
    return await select(source, reader);
  } catch (error) {
    const { code, message } = asConverterError(error);
    const { manufacturer, parentnode } = { manufacturer: '', parentnode: '', ...source };
    const isTop = source.kind === 'catalogue' && parentnode === '';
    if (isTop || endsRun(code) || code === 'INTERNAL') throw error;
    const what = 'query' in source ? searchName(source) : folderName(parentnode);
    const unread = [{ manufacturer, program: '' }];
    return { articles: [], failures: [{ what, code, message }], unread };
  }
}

/** Merges articles with the same key, at the place of the first, whose spelling is the request. */
function mergeSelected(
  articles: readonly SelectedArticle[],
  keyOf: (article: SelectedArticle) => string,
): SelectedArticle[] {
  return Array.from(groupBy(articles, keyOf).values(), (group) => group.reduce(merge));
}

function merge(first: SelectedArticle, next: SelectedArticle): SelectedArticle {
  const spellings = [...(first.alike ?? []), next.request, ...(next.alike ?? [])];
  const own = configurationKey(first.request);
  const alike = [...new Map(spellings.map((request) => [configurationKey(request), request]))]
    .filter(([key]) => key !== own)
    .map(([, request]) => request);
  const children = first.children ?? next.children;
  return {
    request: first.request,
    why: [...new Set([...first.why, ...next.why])],
    ...(alike.length > 0 && { alike }),
    ...(children && { children }),
  };
}

/** Articles that may be the same configuration as another of the same base article. */
function ambiguous(articles: readonly SelectedArticle[]): SelectedArticle[] {
  const groups = groupBy(articles, ({ request }) => articleKey(request));
  return [...groups.values()].flatMap((group) =>
    group.filter((one) => group.some((other) => other !== one && maybeSame(one, other))),
  );
}

/** A field that one of them leaves out may have the value of the other. */
function maybeSame({ request: a }: SelectedArticle, { request: b }: SelectedArticle): boolean {
  const fields = ['finalarticlenumber', 'reinitstring', 'metareinitstring'] as const;
  return fields.every((field) => a[field] === '' || b[field] === '' || a[field] === b[field]);
}
