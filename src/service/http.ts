/**
 * HTTP: sends one request and reads the whole answer.
 *
 * In: an origin and a path. Out: status, headers that matter and bytes, or a coded error.
 * It must not know of operations, tokens, retries or what a body means.
 */
import type { Pool } from 'undici';
import { ConverterError } from '../support/errors.ts';
import { settledDate } from './conditional.ts';
import { connectionError } from './failure.ts';
import { readBody } from './read-body.ts';

const LONGEST_CONNECT_MS = 10_000;
const KEEP_ALIVE_MS = 30_000;
const MOST_REDIRECTS = 3;
const JSON_HEADERS = { accept: 'application/json', 'content-type': 'application/json' } as const;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Limits of every request. */
export interface HttpLimits {
  /** Connections to one origin. */
  connections: number;
  /** Most bytes of a body, packed and unpacked. */
  maxResponseBytes: number;
}

/** One request, ready to send. */
export interface HttpRequest {
  method: 'GET' | 'POST';
  /** Scheme, host and port. */
  origin: string;
  /** Path and query, sent as they are. */
  path: string;
  /** JSON text. */
  body?: string;
  /** Further headers, lower case. */
  headers?: Readonly<Record<string, string>>;
  /** From sending to the last byte of the answer. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** One complete answer. */
export interface HttpResponse {
  status: number;
  bytes: Uint8Array;
  etag: string;
  lastModified: string;
  retryAfter: string | undefined;
  location: string | undefined;
}

/** Connections to the origins of one service. */
export interface Http {
  /**
   * Sends a request; follows a redirect of a GET within its own host.
   *
   * @throws {@link ConverterError} `SERVICE_UNREACHABLE HTTP_CONNECTION HTTP_TIMEOUT
   * RESPONSE_TOO_LARGE RESPONSE_INVALID REDIRECT_REFUSED`, `INTERRUPTED` once its signal is aborted.
   */
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Drops every connection, also those in use. */
  destroy(): Promise<void>;
}

/**
 * Creates the connections; none is opened before it is needed.
 *
 * @example
 * ```ts
 * const http = createHttp({ connections: 8, maxResponseBytes: 1e8 });
 * const { status, bytes } = await http.send({ method: 'GET', origin: 'https://h', path: '/a', … });
 * ```
 */
export function createHttp(limits: HttpLimits): Http {
  const pools = new Map<string, Promise<Pool>>();
  const poolOf = (origin: string): Promise<Pool> => {
    const known = pools.get(origin);
    if (known !== undefined) return known;
    const created = openPool(origin, limits);
    pools.set(origin, created);
    return created;
  };
  return {
    async send(request) {
      let { origin, path } = request;
      for (let redirects = 0; ; redirects++) {
        const response = await exchange(await poolOf(origin), { ...request, origin, path }, limits);
        if (!REDIRECTS.has(response.status)) return response;
        if (redirects === MOST_REDIRECTS) {
          throw new ConverterError('REDIRECT_REFUSED', 'the service sends us round in circles');
        }
        ({ origin, path } = redirectTarget(request.method, origin, path, response.location ?? ''));
      }
    },
    async destroy() {
      await Promise.all([...pools.values()].map(async (pool) => (await pool).destroy()));
    },
  };
}

async function openPool(origin: string, limits: HttpLimits): Promise<Pool> {
  const { Pool } = await import('undici');
  return new Pool(origin, {
    connections: limits.connections,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // One timer of our own covers the whole exchange, a body that drips included.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Said aloud, so that no environment variable can switch it off unseen.
    connect: { timeout: LONGEST_CONNECT_MS, rejectUnauthorized: true },
  });
}

async function exchange(
  pool: Pool,
  request: HttpRequest,
  limits: HttpLimits,
): Promise<HttpResponse> {
  const stop = new AbortController();
  const onAbort = () => stop.abort();
  const timer = setTimeout(onAbort, request.timeoutMs);
  request.signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (request.signal.aborted) stop.abort();
    return await converse(pool, request, stop.signal, limits);
  } catch (thrown) {
    if (request.signal.aborted) throw interrupted();
    if (stop.signal.aborted) {
      throw new ConverterError('HTTP_TIMEOUT', 'no complete answer came in time');
    }
    throw connectionError(thrown, request.origin);
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener('abort', onAbort);
  }
}

async function converse(
  pool: Pool,
  request: HttpRequest,
  signal: AbortSignal,
  limits: HttpLimits,
): Promise<HttpResponse> {
  const { method, path, body } = request;
  const own = body === undefined ? { accept: '*/*' } : JSON_HEADERS;
  const headers = { ...request.headers, ...own };
  const answer = await pool.request({ method, path, headers, signal, body: body ?? null });
  const header = (name: string): string | undefined => {
    const value = answer.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  try {
    const bodyHeaders = {
      contentLength: header('content-length'),
      contentEncoding: header('content-encoding'),
    };
    return {
      status: answer.statusCode,
      bytes: await readBody(answer.body, bodyHeaders, limits.maxResponseBytes),
      etag: header('etag') ?? '',
      lastModified: settledDate(header('last-modified'), header('date')),
      retryAfter: header('retry-after'),
      location: header('location'),
    };
  } catch (thrown) {
    // Whatever is left of it would be read by nobody. Destroying it may report that it was cut.
    answer.body.on('error', () => {}).destroy();
    throw thrown;
  }
}

/** The error of a request whose run was stopped. */
export function interrupted(): ConverterError {
  return new ConverterError('INTERRUPTED', 'stopped before it was done');
}

/** The token stands in the query: it may go nowhere else, and never from https down to http. */
function redirectTarget(method: string, origin: string, path: string, location: string) {
  const from = new URL(origin);
  const to = URL.canParse(location, `${origin}${path}`)
    ? new URL(location, `${origin}${path}`)
    : undefined;
  const isUpgrade = from.protocol === 'http:' && to?.protocol === 'https:';
  const isSameHost = to?.origin === from.origin || (isUpgrade && to?.hostname === from.hostname);
  if (method !== 'GET' || location === '' || to === undefined || !isSameHost) {
    const message = 'the service redirects us to another place, and a token goes nowhere else';
    throw new ConverterError('REDIRECT_REFUSED', message);
  }
  return { origin: to.origin, path: `${to.pathname}${to.search}` };
}
