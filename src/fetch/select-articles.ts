/**
 * Select articles: what a pipeline's sources mean, as requests for single articles.
 *
 * In: sources, and ways to read the catalogue and to configure. Out: requests, each once, in an order
 * that depends on the sources and the service's answers alone. It must not know how bodies are kept.
 */

import type { ArticleRequest } from '../model/article.ts';
import { configurationKey } from '../model/configuration-id.ts';
import { type ConverterError, isConverterError } from '../support/errors.ts';
import { folderName, isArticle, requestOfNode, selectFromCatalogue } from './select-catalogue.ts';
import { selectConfigurations } from './select-configurations.ts';
import { selectPlannings } from './select-plannings.ts';
import type {
  ArticleSource,
  CatalogueReader,
  Configurator,
  SelectedArticle,
  Selection,
  SelectionFailure,
  SourceSelection,
} from './selection.ts';

export type {
  ArticleSource,
  CatalogueReader,
  SelectedArticle,
  Selection,
  SelectionFailure,
} from './selection.ts';

type Source<Kind extends ArticleSource['kind']> = Extract<ArticleSource, { kind: Kind }>;
type Reader = CatalogueReader & Configurator;

/** How each kind of source is read. */
const SELECTORS: {
  [Kind in ArticleSource['kind']]: (
    source: Source<Kind>,
    reader: Reader,
  ) => SourceSelection | Promise<SourceSelection>;
} = {
  list: ({ rows, file }) => all(rows, `list ${file}`),
  article: ({ kind, ...request }) => all([request], kind),
  search: selectFromSearch,
  catalogue: selectFromCatalogue,
  planning: selectPlannings,
  configurations: selectConfigurations,
};

/**
 * Gathers the articles of all sources.
 *
 * An article that several sources want is listed where the first of them has it, and knows them all. What
 * the service says is not there (a folder, a manufacturer) fails by itself and the others go on; a part of
 * the catalogue that cannot be read ends the selection: a smaller one would pass for the truth.
 *
 * @param sources - In the order of the pipeline file.
 * @throws {@link ConverterError} what reading the catalogue throws.
 *
 * @example
 * ```ts
 * const { articles } = await selectArticles([{ kind: 'catalogue', parentnode: '' }], fetcher);
 * articles[0]; // → { request: { manufacturer: 'ACME', program: 'DESK', … }, why: ['catalogue ACME;:DESK@1'] }
 * ```
 *
 * @see Spec 2.1, 4.2, 4.3; D-800, D-806.
 */
export async function selectArticles(
  sources: readonly ArticleSource[],
  reader: Reader,
): Promise<Selection> {
  const selections = await Promise.all(sources.map((source) => selectFrom(source, reader)));
  return {
    articles: mergeSelected(
      selections.flatMap(({ articles }) => articles),
      ({ request }) => configurationKey(request),
    ),
    failures: selections.flatMap(({ failures = [] }) => failures),
    warnings: selections.flatMap(({ warnings = [] }) => warnings),
    unread: selections.flatMap(({ unread = [] }) => unread),
  };
}

/**
 * Makes one of all that have a key in common, at the place of the first.
 *
 * The first spelling is the request; the others stay known, and so do all reasons.
 */
export function mergeSelected(
  articles: readonly SelectedArticle[],
  keyOf: (article: SelectedArticle) => string,
): SelectedArticle[] {
  const merged = new Map<string, SelectedArticle>();
  for (const article of articles) {
    const key = keyOf(article);
    const first = merged.get(key);
    merged.set(key, first === undefined ? article : together(first, article));
  }
  return [...merged.values()];
}

function together(first: SelectedArticle, next: SelectedArticle): SelectedArticle {
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

async function selectFrom(source: ArticleSource, reader: Reader): Promise<SourceSelection> {
  const select = SELECTORS[source.kind] as (s: ArticleSource, r: Reader) => SourceSelection;
  try {
    return await select(source, reader);
  } catch (error) {
    if (!isConverterError(error, 'NODE_NOT_FOUND')) throw error;
    const { manufacturer } = { manufacturer: '', ...source };
    const unread = [{ manufacturer, program: '' }];
    return { articles: [], failures: [notThere(source, error)], unread };
  }
}

function notThere(source: ArticleSource, { code, message }: ConverterError): SelectionFailure {
  const where = 'parentnode' in source ? source.parentnode : '';
  const what = 'query' in source ? searchName(source) : folderName(where);
  return { what, code, message };
}

function all(requests: readonly ArticleRequest[], why: string): SourceSelection {
  return { articles: requests.map((request) => ({ request, why: [why] })) };
}

async function selectFromSearch(
  source: Source<'search'>,
  reader: CatalogueReader,
): Promise<SourceSelection> {
  const why = searchName(source);
  const nodes = await reader.search(source.manufacturer, source.query);
  const selected = all(nodes.filter(isArticle).map(requestOfNode), why);
  if (selected.articles.length > 0) return selected;
  return { articles: [], warnings: [{ code: 'SEARCH_EMPTY', message: `${why} finds no article` }] };
}

function searchName({ manufacturer, query }: Source<'search'>): string {
  return `search ${manufacturer} ${JSON.stringify(query)}`;
}
