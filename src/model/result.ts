/** What became of a request for a configuration. */
import type { ArticleKey, ArticleRequest } from './article.ts';
import type { Built, CatalogueEntry, ManifestLine } from './asset.ts';
import type { Digest, UnplacedChild } from './snapshot.ts';
import type { Warning } from './warning.ts';

/** What became of one request; of several that resolve to one configuration, each has its own. */
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
  /** As in the line of its manifest. */
  answers: Digest;
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
interface FetchedResult {
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
  /** It stays in quarantine, with its last error: that it was looked at is no attempt. */
  isWaiting?: true;
  unplaced?: never;
}

/** Why a configuration was or was not built. */
export interface Decision {
  /**
   * What decided, the cheapest first: nothing was requested (`kept`); the parts list was, or blocks and
   * images too, and they are the same. The values are stored in the database.
   */
  tier: 'kept' | 'parts-list' | 'digest' | 'built' | 'skipped' | 'failed';
  /** Reasons in words if it was built; else empty. */
  why: string[];
}
