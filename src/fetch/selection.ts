/**
 * Selection: what choosing articles takes and gives. Types only.
 */
import type { Article, ArticleKey, ArticleRequest, PlanningChild } from '../model/article.ts';
import type { CatalogueNode } from '../model/catalogue.ts';
import type { Digest, Warning } from '../model/snapshot.ts';
import type { ConverterError } from '../support/errors.ts';

/** Where articles come from; globs take `*` and `?` and disregard case. */
export type ArticleSource =
  | { kind: 'list'; file: string; rows: readonly ArticleRequest[] }
  | CatalogueSource
  | { kind: 'search'; manufacturer: string; query: string }
  | PlanningSource
  | ConfigurationSource
  | ({ kind: 'article' } & ArticleRequest);

/** Every article below a folder. */
export interface CatalogueSource {
  kind: 'catalogue';
  /** Folder to start at; empty is the top. */
  parentnode: string;
  manufacturers?: readonly string[] | undefined;
  programs?: readonly string[] | undefined;
}

/** Stored top-level articles: carts, and what permanent identifiers stand for. */
export interface PlanningSource {
  kind: 'planning';
  /** One asset of each planning, or its children as assets of their own too. */
  as: 'planning' | 'articles';
  plannings: readonly StoredPlanning[];
}

/** One stored top-level article. */
export interface StoredPlanning {
  /** What it is, in words: `cart order-17.json`. */
  name: string;
  /** As it was received; or why it cannot be had. */
  article: { json: unknown } | { error: ConverterError };
}

/** Configurations of one base article. */
export interface ConfigurationSource {
  kind: 'configurations';
  manufacturer: string;
  program: string;
  basearticlenumber: string;
  /** Values by `CLASS.PROPERTY`, set in their order; without any it is the default configuration. */
  values: Readonly<Record<string, string>>;
  /** Properties by `CLASS.PROPERTY` of which each value is taken, one property at a time. */
  each: readonly string[];
  /** Most configurations; `each` needs it. */
  max: number;
}

/** One article to fetch. */
export interface SelectedArticle {
  request: ArticleRequest;
  /** Which sources want it, in words, the first of them first. */
  why: string[];
  /** Other spellings of the same configuration that were asked for. */
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
  /** The article concerned, where it is known. */
  article?: Pick<ArticleRequest, 'manufacturer' | 'program' | 'basearticlenumber'>;
}

/** A part of the range by its ids; what is empty is any. */
export interface RangePart {
  manufacturer: string;
  program: string;
}

/** What the sources of a pipeline select. */
export interface Selection {
  /** Each request once, in the order of the sources. */
  articles: SelectedArticle[];
  failures: SelectionFailure[];
  /** What is worth a look though nothing failed. */
  warnings: Warning[];
  /** Parts of the range that could not be read: which articles they have is not known. */
  unread?: RangePart[];
}

/** What one source selects. */
export interface SourceSelection {
  articles: SelectedArticle[];
  failures?: SelectionFailure[];
  warnings?: Warning[];
  unread?: RangePart[];
}

/** How the catalogue is read. */
export interface CatalogueReader {
  /** Children of a folder. @param manufacturer - Whose folder it is, or empty. */
  nodes(parentnode: string, manufacturer: string): Promise<CatalogueNode[]>;
  search(manufacturer: string, query: string): Promise<CatalogueNode[]>;
}

/** One property and its new value. */
export interface PropertyChange {
  /** `ocd` is a commercial property, `meta` one of the planning. */
  proptype: 'ocd' | 'meta';
  propclass: string;
  prop: string;
  newvalue: string;
}

/** An article as it is configured now. */
export interface Configured {
  key: ArticleKey;
  article: Article;
  /** Body of the answer: the service wants it back whole. */
  articleDigest: Digest;
}

/** How articles are configured. */
export interface Configurator {
  /** Loads an article. */
  resolve(request: ArticleRequest): Promise<Configured>;
  /** The same article with one property changed. */
  change(from: Configured, change: PropertyChange): Promise<Configured>;
}
