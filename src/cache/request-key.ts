/**
 * Request keys: all that an answer depends on besides the service, as one text.
 *
 * In: the parts of a request. Out: the key by which state keeps its answer and a run shares it.
 */
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
