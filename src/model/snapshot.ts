/** A snapshot: all responses of the service for one configuration, from fetch to transform. */
import type { Article, ArticleKey, ArticleRequest, PlanningChild } from './article.ts';
import type { Warning } from './warning.ts';

/** Lower-case hex SHA-256 of a body. */
export type Digest = string;

/** A requested body: its digest, or why it is missing. */
export type Fetched =
  | { digest: Digest; bytes: number }
  | { missing: { code: string; message: string } };

/** A child of a planning that has no place in the planning's parts list: an asset of its own. */
export interface UnplacedChild {
  request: ArticleRequest;
  children: PlanningChild[];
}

/** All data of one configuration; bodies by digest, because articles share the bytes of a block. */
export interface ArticleSnapshot {
  key: ArticleKey;
  article: Article;
  articleDigest: Digest;
  /** Digest of the parts list's body. */
  partsList: Digest;
  /** Blocks by canonical name (`canonicalName`): each block that a node refers to. */
  blocks: Map<string, Fetched>;
  /** Images by reference, exactly as a material spells it (`pic`, `bump`, …). */
  images: Map<string, Fetched>;
  /** Corrections made while fetching, one sentence each, with its code. */
  warnings: Warning[];
  /** The article in further languages, for its texts; missing if there are none. */
  translations?: Translation[];
  /** Children of a planning that are not in its parts list; missing if there are none. */
  unplaced?: UnplacedChild[];
  /** The parts that were requested in this run rather than cached by an earlier one; not stored. */
  requested?: {
    article: boolean;
    partsList: boolean;
    bodies: number;
  };
}

/** An article in another language than the first of its pipeline. */
interface Translation {
  lang: string;
  article: Article;
  digest: Digest;
}
