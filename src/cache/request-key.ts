/**
 * Request keys: all that an answer depends on besides the service, as one text.
 *
 * In: the parts of a request. Out: the key by which state keeps its answer and a run shares it.
 */
import type { ArticleRequest } from '../model/article.ts';

/**
 * Joins the parts of a key; different parts give different keys.
 *
 * @example
 * ```ts
 * joinKey('ACME', "a'b");   // → '["ACME","a\'b"]'
 * ```
 */
export function joinKey(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

/** The key of what a user asks for; manufacturer and program count without regard to case. */
export function requestKey(request: ArticleRequest): string {
  return joinKey(
    request.manufacturer.toUpperCase(),
    request.program.toUpperCase(),
    request.basearticlenumber,
    request.finalarticlenumber,
    request.reinitstring,
    request.metareinitstring,
  );
}
