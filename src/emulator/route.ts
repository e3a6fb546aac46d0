/** The rows of the operation table: the checks of a request, and the possible answers. */
import type { EmulatedRange, Json, Query } from './sample/range.ts';
import type { ApiGroup, TokenRegistry } from './tokens.ts';

/** Parameters that identify an article. */
export const ARTICLE = ['manufacturer', 'program', 'basearticlenumber'] as const;

const COMMON_PARAMETERS = ['lang', 'langalt'];
const UPPER_CASE = ['manufacturer', 'program'];

/** A request after its check: decoded, and without its token. */
export interface Call {
  query: Query;
  /** Named segments of the path, decoded. */
  segments: Query;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Uint8Array;
}

/** The input of the rows. */
export interface RouteContext {
  range: EmulatedRange;
  tokens: TokenRegistry;
  /** Stores a planning and returns its identifier; the same planning stored twice gets two (D-792). */
  storePlanning(article: Json): string;
  findPlanning(id: string): Json | undefined;
  /** Node ids by the id under which the latest search of a manufacturer returned them. */
  searchResults: Map<string, string>;
  maxQueryBytes: number;
}

/** An answer with status 200. */
export type Answer =
  | { kind: 'json'; json: unknown }
  | {
      kind: 'bytes';
      bytes: Uint8Array;
      contentType: string;
      headers?: Readonly<Record<string, string>>;
    }
  | { kind: 'redirect'; location: string; headers?: Readonly<Record<string, string>> }
  | { kind: 'empty' };

/** A GET of the planning page, or of one of its files, which the emulator passes on as it is. */
interface SiteRequest {
  /** Path after `/planning/`; empty for the page itself, `/` for the page at the root of the server. */
  name: string;
  /** Query as received, without `?`; it contains the token. */
  query: string;
  /** `{base_url}` at the address by which the browser called the page. */
  baseUrl: string;
  headers: Call['headers'];
}

/** The complete answer to a {@link SiteRequest}. */
interface SiteAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array | string;
}

/** The program that answers the planning page in place of the emulator. */
export type PlanningSite = (request: SiteRequest) => Promise<SiteAnswer>;

/** One operation of the service: a row of the table. */
export interface Route {
  /** Lower-case name under which requests are counted. */
  operation: string;
  /** @defaultValue `GET` */
  method?: 'POST';
  /** Path below the base path of its group; `:name` is one segment, `*` at the end is the rest. */
  path: string;
  /**
   * The group that the token in the query must open. A token that is `passed` remains in the query, unchecked.
   *
   * @defaultValue `none`: no token may be in the query
   */
  token?: ApiGroup | 'none' | 'passed';
  /** Query parameters that must be sent, beside the token; an empty value counts. */
  required?: readonly string[];
  /** Query parameters that may be sent; any other is refused by name. */
  optional?: readonly string[];
  /** @defaultValue 65536, in bytes */
  bodyLimitBytes?: number;
  answer(call: Call, context: RouteContext): Answer | Promise<Answer>;
}

/** A request that is answered with an error status and `{"error": message}`. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Checks a request in the order in which a server meets it: length, encoding, token, parameters.
 *
 * @param target - Request target as received: path and query, still encoded.
 * @throws {@link Refusal} 414 for a query beyond the limit, 401 for a missing or expired token, 400
 * for a parameter that is missing, unknown, repeated, badly encoded or not upper case.
 * @see Spec 4 (lower-case names, token), 4.3 (upper case); D-606, D-723.
 */
export function checkQuery(
  route: Route,
  target: string,
  { tokens, maxQueryBytes }: Pick<RouteContext, 'tokens' | 'maxQueryBytes'>,
): Query {
  const all = parseQuery(queryText(target, maxQueryBytes));
  const { token, ...query } = all;
  if (route.token !== 'passed') checkToken(route.token, token, tokens);
  checkParameters(route, query);
  return route.token === 'passed' ? all : query;
}

/** The query of a request target, as received but without `?`. @throws {@link Refusal} 414 beyond the limit. */
export function queryText(target: string, maxQueryBytes: number): string {
  const at = target.indexOf('?');
  const text = at < 0 ? '' : target.slice(at + 1);
  if (Buffer.byteLength(text) <= maxQueryBytes) return text;
  throw new Refusal(414, `query string: expected at most ${maxQueryBytes} bytes`);
}

/** Parses a query string: UTF-8, percent-encoded, `+` for a blank. A repeated name is a 400. */
function parseQuery(text: string): Record<string, string> {
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

function checkToken(
  group: ApiGroup | 'none' = 'none',
  token: string | undefined,
  tokens: TokenRegistry,
): void {
  if (group === 'none') {
    if (token !== undefined) throw new Refusal(400, 'parameter token: not expected in this query');
    return;
  }
  if (!token) throw new Refusal(401, 'token is missing');
  if (!tokens.opens(token, group)) throw new Refusal(401, 'token is not valid');
}

function checkParameters({ operation, required = [], optional = [] }: Route, query: Query): void {
  for (const name of required) {
    if (query[name] === undefined) throw new Refusal(400, `parameter ${name}: required`);
  }
  for (const [name, value] of Object.entries(query)) {
    const isKnown = [required, optional, COMMON_PARAMETERS].some((list) => list.includes(name));
    if (!isKnown) throw new Refusal(400, `parameter ${name}: unknown to ${operation}`);
    if (UPPER_CASE.includes(name) && value !== value.toUpperCase()) {
      throw new Refusal(400, `parameter ${name}: expected upper case`);
    }
  }
}

/** Requires that something exists; otherwise the answer is a 404. */
export function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Refusal(404, `${what} not found`);
  return value;
}

/** Answers a value as JSON; undefined is a 404. */
export function jsonOr404(value: unknown, what: string): Answer {
  return { kind: 'json', json: found(value, what) };
}

/** Answers a raw body. Without a given type, its first bytes decide the type; undefined is a 404. */
export function bytesOr404(body: Uint8Array | undefined, what: string, type?: string): Answer {
  const bytes = found(body, what);
  return { kind: 'bytes', bytes, contentType: type ?? contentTypeOf(bytes) };
}

/** File types that a service of this kind delivers, by their first bytes. */
const SIGNATURES = {
  ffd8ff: 'image/jpeg',
  '89504e47': 'image/png',
  '47494638': 'image/gif',
  '25504446': 'application/pdf',
};

function contentTypeOf(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  const type = Object.entries(SIGNATURES).find(([signature]) => start.startsWith(signature))?.[1];
  return type ?? 'application/octet-stream';
}
