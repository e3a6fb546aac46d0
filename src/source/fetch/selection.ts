/** What selects articles and what it selects: the types of every kind of source, and how their results are merged. */
import type { ArticleRequest, PlanningChild } from '../../model/article.ts';
import type { ArticleId } from '../../model/configuration-id.ts';
import type { Warning } from '../../model/warning.ts';
import type { ConverterError } from '../../support/errors.ts';

/** Where articles come from; globs take `*` and `?` and ignore case. */
export type ArticleSource =
  | {
      kind: 'list';
      name: string;
      rows: readonly ListRow[];
      /** As it is in the file, for warnings. */
      header?: string;
      /** In words, which lines differ only in columns that select nothing. */
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
      /** One asset of each planning, or its children as assets of their own too. */
      as: 'planning' | 'articles';
      plannings: StoredPlannings;
      /** Most articles in them: plannings and their children. @defaultValue no limit */
      maxArticles?: number;
      /** Whether a request of a cart failed so often that it is not tried; nothing is requested for it. */
      isUntried?: (request: ArticleRequest) => boolean;
    }
  | ({
      /** Configurations of one base article. */
      kind: 'configurations';
      /** Values by `CLASS.PROPERTY`, set in their order; without any it is the default configuration. */
      values: Readonly<Record<string, string>>;
      /** Properties by `CLASS.PROPERTY` of which each value is selected, one property at a time. */
      each: readonly string[];
      /** Most configurations; `each` needs it. */
      max: number;
    } & ArticleId);

/** The sources of one kind. */
export type SourceOf<Kind extends ArticleSource['kind']> = Extract<ArticleSource, { kind: Kind }>;

/** A row of an article list. */
export interface ListRow {
  request: ArticleRequest;
  /** Counted from 1, with the header. */
  line: number;
}

/** One stored top-level article. */
export interface StoredPlanning {
  /** What it is, in words: `cart order-17.json`. */
  name: string;
  /** The lines that name it, such as `ids.txt:2`; undefined if no file lists it. */
  selectedBy?: string[];
  /** A glob found it, so that anyone may have posted it: what fails of it is counted apart. */
  onlyCarts?: true;
  /** As it was received; or why it cannot be read. */
  article: { json: unknown } | { error: ConverterError };
}

/** A list, or what reads them one by one. */
type StoredPlannings = (Iterable<StoredPlanning> | AsyncIterable<StoredPlanning>) & {
  readonly length: number;
};

/** One article to fetch. */
export interface SelectedArticle {
  request: ArticleRequest;
  /** Which sources select it, in words, the first of them first. */
  why: string[];
  /** Other spellings of the same configuration that were selected. */
  alike?: ArticleRequest[];
  /** Of a stored planning: its children as they were stored. */
  children?: PlanningChild[];
  /** Only carts select it. */
  onlyCarts?: true;
  /** It is in quarantine, with this failure: it is processed if the service answers otherwise now. */
  quarantined?: { code: string; message: string; isOfFetch: boolean };
}

/** Requests that resolve to one configuration share its line, but each has a result of its own. */
export function everyRequest(article: SelectedArticle): SelectedArticle | SelectedArticle[] {
  const { alike, ...selected } = article;
  if (alike === undefined) return article;
  return [selected, ...alike.map((request) => ({ ...selected, request }))];
}

/** Something that was to be selected and could not be. */
export interface SelectionFailure {
  /** What was to be selected, in words. */
  what: string;
  /** What asked for it: lines of a file, such as `ids.txt:2`, or an entry of the pipeline file. */
  selectedBy?: string[];
  code: string;
  message: string;
  /** The article concerned, if it is known. */
  article?: ArticleId;
  /** Only carts select it. */
  onlyCarts?: true;
}

/** What one source selects. */
export interface SourceSelection {
  articles: SelectedArticle[];
  failures?: SelectionFailure[];
  warnings?: Warning[];
  /** Parts of the range that could not be read, so that their articles are not known; an empty id means any. */
  unread?: Pick<ArticleRequest, 'manufacturer' | 'program'>[];
}

/** What the sources of a pipeline select: each request once, in the order of the sources. */
export type Selection = Omit<Required<SourceSelection>, 'unread'> & Pick<SourceSelection, 'unread'>;

/** Puts selections together, in their order. */
export function joinSelections(selections: readonly SourceSelection[]): Required<SourceSelection> {
  return {
    articles: selections.flatMap(({ articles }) => articles),
    failures: selections.flatMap(({ failures = [] }) => failures),
    warnings: selections.flatMap(({ warnings = [] }) => warnings),
    unread: selections.flatMap(({ unread = [] }) => unread),
  };
}
