/** The one `Result` type: what became of a request for a configuration. */
import type { ArticleKey, ArticleRequest } from './article.ts';
import type { Built, CatalogueEntry, ManifestLine } from './asset.ts';
import type { Digest, UnplacedChild, Warning } from './snapshot.ts';

/**
 * What became of one request. Manifest line, catalogue line and report row are flattened from it where they are written.
 *
 * Several requests may resolve to one configuration; each has its own result.
 */
export type Result = BuiltResult | SkippedResult | FreshResult | FetchedResult | FailedResult;

/** Its snapshot was read: `converted` has a new GLB, `unchanged` the one that is published. */
export interface BuiltResult {
  status: 'converted' | 'unchanged';
  request: ArticleRequest;
  key: ArticleKey;
  /** Of the article: `YYYY-MM-DD`, or empty. */
  convertdate: string;
  /** Digest of all inputs, all options and the converter's version. */
  source: Digest;
  built: Built;
  /** In each language of the pipeline. */
  catalogue: CatalogueEntry[];
  decision: Decision;
  /** Children of a planning that become assets of their own. */
  unplaced?: UnplacedChild[];
}

/** Its snapshot was read, and says that it is nothing to be drawn. */
export interface SkippedResult
  extends Omit<BuiltResult, 'status' | 'built'>,
    Required<Pick<ManifestLine, 'warnings' | 'reason'>> {
  status: 'skipped';
}

/** Its snapshot is fresh and its GLB published: nothing was read, its lines stay as they are. */
export interface FreshResult {
  status: 'fresh';
  request: ArticleRequest;
  key: ArticleKey;
  unplaced?: never;
}

/** Its snapshot was fetched; nothing was to be built. */
export interface FetchedResult {
  status: 'fetched';
  request: ArticleRequest;
  key: ArticleKey;
  warnings: Warning[];
  unplaced?: UnplacedChild[];
}

/** It failed. */
export interface FailedResult {
  status: 'failed';
  request: ArticleRequest;
  /** Undefined if the request could not be resolved. */
  key: ArticleKey | undefined;
  error: { code: string; message: string };
  unplaced?: never;
}

/** Why a configuration was or was not built. */
export interface Decision {
  tier: Tier;
  /** Reasons in words if it was built; else empty. */
  why: string[];
}

/** What decided, the cheapest first. The values are stored in the database. */
export type Tier =
  /** Its snapshot is fresh: nothing was requested. */
  | 'kept'
  /** The parts list was requested and is the same; blocks and images are fresh. */
  | 'parts-list'
  /** Blocks or images were requested and have the same content. */
  | 'digest'
  | 'built'
  | 'failed';
