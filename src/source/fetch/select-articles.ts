/** Selects articles: turns the sources of a pipeline into requests for single configurations. */
import type { ArticleKey, ArticleRequest } from '../../model/article.ts';
import { articleKey, configurationKey } from '../../model/configuration-id.ts';
import { asConverterError, endsRun } from '../../support/errors.ts';
import { groupBy } from '../../support/group-by.ts';
import { inParallel } from '../../support/in-parallel.ts';
import { NameCollector, readMissingNames } from './names.ts';
import type { CatalogueReader, Configurator } from './resolve-article.ts';
import { selectFromCatalogue, selectFromSearch } from './select-catalogue.ts';
import { selectConfigurations } from './select-configurations.ts';
import { selectPlannings } from './select-plannings.ts';
import {
  type ArticleSource,
  joinSelections,
  type SelectedArticle,
  type Selection,
  type SourceOf,
  type SourceSelection,
} from './selection.ts';

type Reader = CatalogueReader & Configurator;
type Selector<Kind extends ArticleSource['kind']> = (
  source: SourceOf<Kind>,
  reader: Reader,
) => SourceSelection | Promise<SourceSelection>;

const SELECTORS: { [Kind in ArticleSource['kind']]: Selector<Kind> } = {
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

/** Number of articles that are identified at the same time; the client limits the requests in flight. */
const IDENTIFIED_AT_ONCE = 256;

/**
 * Gathers the articles of all sources.
 *
 * An article that several sources select is listed once, at its first place, with all reasons. Each folder or
 * search that cannot be read is a failure of its own.
 *
 * @param areNamesNeeded - Whether to read names of series, too, that no source has in its listings.
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
  areNamesNeeded = false,
): Promise<Selection> {
  const select = async (source: ArticleSource, index: number): Promise<SourceSelection> => {
    const read = SELECTORS[source.kind] as Selector<ArticleSource['kind']>;
    const { failures = [], ...selected } = await read(source, reader);
    // A failure that names no line of a file is one of the entry.
    const selectedBy = [`articles, entry ${index + 1} of the pipeline file`];
    return { ...selected, failures: failures.map((failure) => ({ selectedBy, ...failure })) };
  };
  const selections = await Promise.all(sources.map(select));
  const { articles, names, ...rest } = joinSelections(selections);
  const merged = mergeSelected(articles, ({ request }) => configurationKey(request));
  const known = new NameCollector();
  known.join(names ?? []);
  const found = known.namesOf(merged.map(({ request }) => request));
  const all = areNamesNeeded ? await readMissingNames(found, reader) : found;
  return { articles: merged, names: all, ...rest };
}

/**
 * Merges the articles that resolve to one key, in their order. A catalogue names a configuration by its final
 * number, a cart also by its reinit string. Only such pairs are resolved; an article that cannot be is not merged.
 *
 * @param isUntried - Whether an article is not tried in this run: nothing is requested for it.
 * @see D-800.
 */
export async function distinctArticles(
  articles: readonly SelectedArticle[],
  identify: (request: ArticleRequest) => Promise<{ key: ArticleKey }>,
  isUntried: (article: SelectedArticle) => boolean = () => false,
): Promise<SelectedArticle[]> {
  const keys = new Map<SelectedArticle, string>();
  const groups = [...groupBy(articles, ({ request }) => articleKey(request)).values()];
  const ambiguous = groups.flatMap((group) => (group.length > 1 ? ambiguousOf(group) : []));
  const resolved = ambiguous.filter((article) => !isUntried(article));
  await inParallel(resolved, IDENTIFIED_AT_ONCE, async (article) => {
    try {
      keys.set(article, configurationKey((await identify(article.request)).key));
    } catch (thrown) {
      const error = asConverterError(thrown);
      if (endsRun(error.code)) throw error;
    }
  });
  if (keys.size === 0) return [...articles];
  const keyOf = (article: SelectedArticle) =>
    keys.get(article) ?? configurationKey(article.request);
  return mergeSelected(articles, keyOf);
}

/** Merges articles with the same key, at the place of the first, whose spelling is the request. */
function mergeSelected(
  articles: readonly SelectedArticle[],
  keyOf: (article: SelectedArticle) => string,
): SelectedArticle[] {
  return Array.from(groupBy(articles, keyOf).values(), merge);
}

function merge(group: readonly SelectedArticle[]): SelectedArticle {
  const [first] = group as [SelectedArticle];
  if (group.length === 1) return first;
  const spellings = group.flatMap(({ request, alike = [] }) => [request, ...alike]);
  const byKey = new Map(spellings.map((request) => [configurationKey(request), request]));
  byKey.delete(configurationKey(first.request));
  const children = group.find((one) => one.children !== undefined)?.children;
  return {
    request: first.request,
    why: [...new Set(group.flatMap(({ why }) => why))],
    ...(byKey.size > 0 && { alike: [...byKey.values()] }),
    ...(children && { children }),
    ...(group.every(({ onlyCarts }) => onlyCarts) && { onlyCarts: true }),
  };
}

const CONFIGURATION_FIELDS = ['finalarticlenumber', 'reinitstring', 'metareinitstring'] as const;

/**
 * Two articles may be the same if all fields that both have are equal. The comparison groups articles by which fields
 * they have, eight sets at most, so that the time is linear.
 */
function ambiguousOf(group: readonly SelectedArticle[]): SelectedArticle[] {
  const fieldsOf = ({ request }: SelectedArticle) =>
    CONFIGURATION_FIELDS.filter((field) => request[field] !== '');
  const sets = [...groupBy(group, (one) => fieldsOf(one).join(' ')).values()];
  const found = new Set<SelectedArticle>();
  for (const some of sets) {
    for (const others of sets) {
      const common = fieldsOf(some[0]!).filter((field) => others[0]!.request[field] !== '');
      const valuesOf = ({ request }: SelectedArticle) =>
        JSON.stringify(common.map((field) => request[field]));
      const byValues = groupBy(others, valuesOf);
      // Each article is in the group of its own values.
      const own = some === others ? 1 : 0;
      for (const one of some) {
        if ((byValues.get(valuesOf(one))?.length ?? 0) > own) found.add(one);
      }
    }
  }
  return group.filter((one) => found.has(one));
}
