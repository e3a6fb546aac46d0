/** The types of every kind of source and of its results, and how the results are merged. */
import type { ArticleRequest, PlanningChild } from '../../model/article.ts';
import type { ArticleId } from '../../model/configuration-id.ts';
import type { Warning } from '../../model/warning.ts';
import type { ConverterError } from '../../support/errors.ts';

/** A source of articles; globs take `*` and `?` and ignore case. */
export type ArticleSource =
  | {
      kind: 'list';
      name: string;
      rows: readonly ListRow[];
      /** The header as it is in the file, for warnings. */
      header?: string;
      /** The lines that differ only in columns that select nothing, in words. */
      merged?: string | undefined;
    }
  | ({ kind: 'article' } & ArticleRequest)
  | {
      kind: 'catalogue';
      /** Folder below which every article is selected; empty is the top. */
      parentnode: string;
      manufacturers?: readonly string[] | undefined;
      programs?: readonly string[] | undefined;
    }
  | { kind: 'search'; manufacturer: string; query: string }
  | {
      /** Carts, and the articles of permanent identifiers. */
      kind: 'planning';
      /** Whether each planning is one asset, or its children are assets of their own too. */
      as: 'planning' | 'articles';
      plannings: StoredPlannings;
      /** Most articles in the plannings: plannings and their children. @defaultValue no limit */
      maxArticles?: number;
      /** Whether a request of a cart failed so often that it is not tried; nothing is requested for it. */
      isUntried?: (request: ArticleRequest) => boolean;
    }
  | ({
      /** Configurations of one base article. */
      kind: 'configurations';
      /** Values by `CLASS.PROPERTY`, set in their order; without any, the default configuration is selected. */
      values: Readonly<Record<string, string>>;
      /** Properties by `CLASS.PROPERTY` of which each value is selected, one property at a time. */
      each: readonly string[];
      /** Most configurations; required with `each`. */
      max: number;
    } & ArticleId);

export type SourceOf<Kind extends ArticleSource['kind']> = Extract<ArticleSource, { kind: Kind }>;

interface ListRow {
  request: ArticleRequest;
  /** Line number from 1, with the header. */
  line: number;
}

/** One stored top-level article. */
export interface StoredPlanning {
  /** Description in words: `cart order-17.json`. */
  name: string;
  /** The lines that name it, such as `ids.txt:2`; undefined if no file lists it. */
  selectedBy?: string[];
  /** A glob found the planning, so anyone may have posted it: its failures are counted apart. */
  onlyCarts?: true;
  /** The article as received, or the error if it cannot be read. */
  article: { json: unknown } | { error: ConverterError };
}

/** A list of plannings, or a source that reads them one by one. */
type StoredPlannings = (Iterable<StoredPlanning> | AsyncIterable<StoredPlanning>) & {
  readonly length: number;
};

/** One article to fetch. */
export interface SelectedArticle {
  request: ArticleRequest;
  /** Descriptions of the sources that select the article, in their order. */
  why: string[];
  /** Other spellings of the same configuration that were selected. */
  alike?: ArticleRequest[];
  /** Children of a stored planning, as stored. */
  children?: PlanningChild[];
  /** Whether only carts select the article. */
  onlyCarts?: true;
  /** Failure of an article in quarantine, which is processed if the service now answers otherwise. */
  quarantined?: { code: string; message: string; isOfFetch: boolean };
}

/** Lists the requests of an article: they share one configuration and line, but each has its own result. */
export function everyRequest(article: SelectedArticle): SelectedArticle | SelectedArticle[] {
  const { alike, ...selected } = article;
  if (alike === undefined) return article;
  return [selected, ...alike.map((request) => ({ ...selected, request }))];
}

/** A failure to select something. */
export interface SelectionFailure {
  /** The subject of the selection, in words. */
  what: string;
  /** The source of the request: lines of a file, such as `ids.txt:2`, or an entry of the pipeline file. */
  selectedBy?: string[];
  code: string;
  message: string;
  /** The article concerned, if known. */
  article?: ArticleId;
  /** Whether only carts select the article. */
  onlyCarts?: true;
}

/** What the catalogue calls a series, and its manufacturer. */
export interface SeriesName {
  /** Ids, in upper case. */
  manufacturer: string;
  program: string;
  /** Names in the first language of the pipeline; empty if the catalogue has none. */
  manufacturername: string;
  programname: string;
  /** The category of each article of the series that the catalogue lists; empty if it has none. */
  categories?: [basearticlenumber: string, category: string][];
}

/** The selection of one source. */
export interface SourceSelection {
  articles: SelectedArticle[];
  failures?: SelectionFailure[];
  warnings?: Warning[];
  /** Parts of the range that could not be read, so that their articles are not known; an empty id means any. */
  unread?: Pick<ArticleRequest, 'manufacturer' | 'program'>[];
  /** Names of the series selected, as far as the listings have them. */
  names?: SeriesName[] | undefined;
}

/** The selection of all sources of a pipeline: each request once, in the order of the sources. */
export type Selection = Omit<Required<SourceSelection>, 'unread' | 'names'> &
  Pick<SourceSelection, 'unread' | 'names'>;

/** Puts selections together, in their order. */
export function joinSelections(selections: readonly SourceSelection[]): Required<SourceSelection> {
  return {
    articles: selections.flatMap(({ articles }) => articles),
    failures: selections.flatMap(({ failures = [] }) => failures),
    warnings: selections.flatMap(({ warnings = [] }) => warnings),
    unread: selections.flatMap(({ unread = [] }) => unread),
    names: selections.flatMap(({ names = [] }) => names),
  };
}
