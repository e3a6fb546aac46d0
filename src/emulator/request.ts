/**
 * Request: takes a raw request apart and checks it against its row, before any answer is made.
 *
 * In: the raw target, decoded path segments, headers, body. Out: a {@link Call}, or a refusal.
 */
import type { Query } from '../sample/range.ts';
import { type Call, Refusal, type Route, type RouteContext } from './route.ts';
import type { TokenRegistry } from './tokens.ts';

/** Longest query string, in bytes, that a server of this kind takes (D-606). */
export const MAX_QUERY_BYTES = 2048;

/** Languages may be passed to every operation. */
const EVERYWHERE = ['lang', 'langalt'];
const UPPER_CASE = ['manufacturer', 'program'];

export interface RawRequest {
  /** Request target as it came: path and query, still encoded. */
  target: string;
  segments: Query;
  headers: Call['headers'];
  body: Uint8Array;
}

/**
 * Checks a request in the order in which a server meets it: length, encoding, token, parameters.
 *
 * @throws {@link Refusal} 414 for a query beyond the limit, 401 for a missing or dead
 * token, 400 for a parameter that is missing, unknown, repeated, badly encoded or not upper case.
 *
 * @see Spec 4 (lower-case names, token), 4.3 (upper case); D-606, D-723.
 */
export function checkRequest(
  route: Route,
  raw: RawRequest,
  { tokens, maxQueryBytes }: Pick<RouteContext, 'tokens' | 'maxQueryBytes'>,
): Call {
  const at = raw.target.indexOf('?');
  const text = at < 0 ? '' : raw.target.slice(at + 1);
  if (Buffer.byteLength(text) > maxQueryBytes) {
    throw new Refusal(414, `query string: expected at most ${maxQueryBytes} bytes`);
  }
  const { token, ...query } = parseQuery(text);
  checkToken(route, token, tokens);
  checkParameters(route, query);
  return { query, segments: raw.segments, headers: raw.headers, body: raw.body };
}

/**
 * Parses a query string: UTF-8, percent-encoded, `+` for a blank.
 *
 * @throws {@link Refusal} 400 where a name comes twice or an encoding is broken.
 *
 * @example
 * ```ts
 * parseQuery('q=T%C3%9CR%2B2+x');
 * // → { q: 'TÜR+2 x' }
 * ```
 */
export function parseQuery(text: string): Record<string, string> {
  const query: Record<string, string> = Object.create(null);
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decode(at < 0 ? pair : pair.slice(0, at));
    if (name in query) throw new Refusal(400, `parameter ${name}: given twice`);
    query[name] = at < 0 ? '' : decode(pair.slice(at + 1));
  }
  return query;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new Refusal(400, 'query string: expected percent-encoded UTF-8');
  }
}

function checkToken(route: Route, token: string | undefined, tokens: TokenRegistry): void {
  if (route.token.in !== 'query') {
    if (token !== undefined) throw new Refusal(400, 'parameter token: not expected in this query');
    return;
  }
  if (token === undefined || token === '') throw new Refusal(401, 'token is missing');
  if (!tokens.opens(token, route.token.group)) throw new Refusal(401, 'token is not valid');
}

function checkParameters(route: Route, query: Query): void {
  for (const name of route.required) {
    if (query[name] === undefined) throw new Refusal(400, `parameter ${name}: required`);
  }
  for (const [name, value] of Object.entries(query)) {
    const known = [route.required, route.optional, EVERYWHERE].some((list) => list.includes(name));
    if (!known) throw new Refusal(400, `parameter ${name}: unknown to ${route.operation}`);
    if (UPPER_CASE.includes(name) && value !== value.toUpperCase()) {
      throw new Refusal(400, `parameter ${name}: expected upper case`);
    }
  }
}
