/** Types of the selection: what every kind of source returns, and what it reads the service with. */
import type {
  Article,
  ArticleKey,
  ArticleRequest,
  PlanningChild,
  PropertyChange,
} from '../model/article.ts';
import type { CatalogueNode } from '../model/catalogue.ts';
import type { Digest, Warning } from '../model/snapshot.ts';

/** One article to fetch. */
export interface SelectedArticle {
  request: ArticleRequest;
  /** Which sources select it, in words, the first of them first. */
  why: string[];
  /** Other spellings of the same configuration that were selected. */
  alike?: ArticleRequest[];
  /** Of a stored planning: its children as they were stored. */
  children?: PlanningChild[];
}

/** Something that was to be selected and could not be. */
export interface SelectionFailure {
  /** What was to be selected, in words. */
  what: string;
  code: string;
  message: string;
  /** The article concerned, if it is known. */
  article?: Pick<ArticleRequest, 'manufacturer' | 'program' | 'basearticlenumber'>;
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

/** Reads the catalogue. */
export interface CatalogueReader {
  /** Children of a folder. @param manufacturer - Whose folder it is, or empty. */
  nodes(parentnode: string, manufacturer: string): Promise<CatalogueNode[]>;
  search(manufacturer: string, query: string): Promise<CatalogueNode[]>;
}

/** One property and its new value. */
export type PropertySetting = Pick<PropertyChange, 'proptype' | 'propclass' | 'prop' | 'newvalue'>;

/** An article as it is configured now. */
export interface Configured {
  key: ArticleKey;
  article: Article;
  /** Body of the answer: a change sends it back to the service. */
  articleDigest: Digest;
}

/** Configures articles. */
export interface Configurator {
  /** Loads an article. */
  resolve(request: ArticleRequest): Promise<Configured>;
  /** The same article with one property changed. */
  change(from: Configured, setting: PropertySetting): Promise<Configured>;
}
