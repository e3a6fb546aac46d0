/**
 * The emulator: the whole service on loopback over real HTTP, without credentials.
 *
 * It never imports the client (`service/`): the two are independent readings of the specification.
 */
import { createHash, randomBytes } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { isConverterError } from '../support/errors.ts';
import { LISTEN_CHECKS, listen, misdirectionOf, type ServerAddress } from '../support/listening.ts';
import { CHECKS, checkParameters } from '../support/parameters.ts';
import { jsonText } from './json-text.ts';
import {
  type Answer,
  checkQuery,
  type PlanningSite,
  queryText,
  Refusal,
  type Route,
  type RouteContext,
} from './route.ts';
import { API_ROUTES } from './routes-api.ts';
import { authRoutes, type KeyForm, type Login } from './routes-auth.ts';
import { FRONTEND_ROUTES, STORED_PLANNING } from './routes-frontend.ts';
import { type EmulatedRange, type Json, RangeRefusal } from './sample/range.ts';
import { type ApiGroup, type TOKEN_LIFETIMES_MS, TokenRegistry } from './tokens.ts';

/** The settings of an emulator. */
export interface EmulatorOptions extends ServerAddress {
  range: EmulatedRange;
  /** Returns the time in milliseconds since the epoch. @defaultValue `Date.now` */
  now?: () => number;
  /** Returns this many unpredictable bytes. @defaultValue the system's source */
  random?: (bytes: number) => Uint8Array;
  /** @defaultValue {@link TOKEN_LIFETIMES_MS} */
  lifetimesMs?: typeof TOKEN_LIFETIMES_MS;
  /** Format of the published key. @defaultValue `pem` */
  keyForm?: KeyForm;
  /** @defaultValue a fixed user with a random password and application key */
  login?: Login;
  /** Called once for each planning that POST reinit stores. */
  onPermanentId?: (id: string, topLevelArticle: Json) => void;
  /** Finds a planning that an earlier emulator of the same data has stored. */
  findPlanning?: (id: string) => Json | undefined;
  /** Parts of paths that this server lacks, as a live one may: `ocd.dll/ocd/preview`, for instance. */
  without?: readonly string[];
  /** Longest query in bytes. @defaultValue 2048 */
  maxQueryBytes?: number;
  /** Validators of GET answers. @defaultValue `none`: the specification shows none */
  validators?: 'etag' | 'last-modified' | 'none';
  /**
   * Answers GET `/planning` and the paths below it in place of the emulator, which then checks no parameter of the
   * page, so that the page reports what is wrong with them.
   */
  planningSite?: PlanningSite;
  /** Called once for each answered request; `route` is the operation's name, or empty. */
  onRequest?: (event: { method: string; route: string; status: number }) => void;
}

/** A running emulator. */
export interface Emulator extends Readonly<Login> {
  /** `{auth_url}` of the specification. */
  readonly authUrl: string;
  /** `{base_url}` of the specification. */
  readonly baseUrl: string;
  /** `{frontend_url}` of the specification: `/planning` is below it. */
  readonly frontendUrl: string;
  /**
   * Requests by operation, refused ones too: getpublickey getsessiontoken · getnodes
   * getnodesbreadcrumbs ressource ressources search logoutxcf · getarticles postarticles preview
   * reinit ocdreinit · btg block materials articlesimage logoutodb · planning planningv1 storedplanning.
   */
  readonly counts: ReadonlyMap<string, number>;
  /** Number of sessions that have not expired and are not logged out of both groups. */
  openSessions(): number;
  /** Issues a token for 90 days, as a login with RememberMe does. */
  issueToken(): string;
  /** Expires all tokens. */
  expireTokens(): void;
  /** Stops at once: open connections are cut. */
  close(): Promise<void>;
}

const BODY_LIMIT_BYTES = 65_536;
/** Longest query string that a server of this kind accepts (D-606). */
const MAX_QUERY_BYTES = 2048;
/** Largest header, enough for a query that is too long, so that the route refuses it and not the HTTP parser. */
const MAX_HEADER_BYTES = 262_144;
const JSON_TYPE = 'application/json; charset=utf-8';

/** Base paths of the specification, below addresses that have a path of their own. */
const AUTH_BASE = '/auth/rest';
const SERVICE_BASE = '/service';
const FRONTEND_BASE = '/frontend';
const ROUTES: readonly Route[] = [
  ...Object.entries(API_ROUTES).flatMap(([name, rows]) => {
    const group = name === 'ocd' ? 'ofml' : (name as ApiGroup);
    return below(`${SERVICE_BASE}/api/${name}.dll/${name}`, group, rows);
  }),
  ...below(FRONTEND_BASE, 'ofml', FRONTEND_ROUTES),
];

/** Rows if a planning page is served: the page is no row, and can read stored plannings. */
const SITE_ROUTES: readonly Route[] = [
  ...ROUTES.filter(({ operation }) => operation !== 'planning'),
  ...below(SERVICE_BASE, 'ofml', [STORED_PLANNING]),
];

/** The rows of a group, with their whole path and the group that the token must open. */
function below(base: string, token: ApiGroup, rows: readonly Route[]): Route[] {
  return rows.map((row) => ({ token, ...row, path: base + row.path }));
}

const EMULATOR_SCHEMA = CHECKS.object.extend({
  range: CHECKS.object.extend({ name: CHECKS.text, nodes: CHECKS.function }),
  ...LISTEN_CHECKS,
});

/**
 * Starts the service on loopback.
 *
 * Errors are JSON, `{"error": "…"}`: 400 parameters, 401 token, 404 not found, 413 long body, 414 long
 * query, 422 a breach of a rule of the range; the authentication server refuses with 500.
 *
 * @throws {@link ConverterError} `USAGE` if the address cannot be used.
 *
 * @example
 * ```ts
 * const emulator = await startEmulator({ range: await openRecording('recording') });
 * await fetch(`${emulator.authUrl}/GetPublicKey/`); // → {"result":["LS0tLS1CRUdJTi…"]}
 * await emulator.close();
 * ```
 *
 * @see Spec 4, 5; D-601, D-606, D-720 to D-725, D-841, D-790 to D-795.
 */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  checkParameters('startEmulator', options, EMULATOR_SCHEMA, true);
  const { range, now = Date.now, lifetimesMs, keyForm = 'pem', without = [] } = options;
  const { maxQueryBytes = MAX_QUERY_BYTES, random = randomBytes, planningSite } = options;
  const { login = makeLogin(random) } = options;
  const tokens = new TokenRegistry(now, random, lifetimesMs);
  const auth = authRoutes(AUTH_BASE, login, tokens, keyForm);
  const server = await createServer(options, now);
  const counts = new Map<string, number>();
  // Plannings live as long as their emulator by default: Spec 2.5, 9 rule 7; D-792.
  const plannings = new Map<string, Json>();
  const storePlanning = (article: Json): string => {
    const id = Buffer.from(random(16)).toString('hex').toUpperCase();
    plannings.set(id, article);
    options.onPermanentId?.(id, article);
    return id;
  };
  const findPlanning = (id: string) =>
    plannings.get(id) ?? options.findPlanning?.(id) ?? range.planning?.(id);
  const stored = { storePlanning, findPlanning };
  const context = { range, tokens, maxQueryBytes, searchResults: new Map(), ...stored };
  const routes = planningSite === undefined ? ROUTES : SITE_ROUTES;
  for (const route of [...auth, ...routes]) {
    const isThere = !without.some((part) => route.path.includes(part));
    if (isThere) addRoute(server, route, context, counts);
  }
  if (planningSite !== undefined) addSite(server, planningSite, maxQueryBytes, counts);
  const origin = await listen(server, options);
  return {
    ...login,
    authUrl: `${origin}${AUTH_BASE}`,
    baseUrl: `${origin}${SERVICE_BASE}`,
    frontendUrl: `${origin}${FRONTEND_BASE}`,
    counts,
    openSessions: () => tokens.openSessions(),
    issueToken: () => tokens.issue(true),
    expireTokens: () => tokens.expireAll(),
    close: () => server.close(),
  };
}

/** Makes a login with umlauts and signs outside Latin-1, so that a wrong text encoding fails at the login. */
function makeLogin(random: (bytes: number) => Uint8Array): Login {
  const part = (): string => Buffer.from(random(9)).toString('base64url');
  return { username: 'möbelhaus', password: `pässwort€${part()}`, appKey: `app-${part()}` };
}

/** Creates a server that is not yet listening. Bodies are not parsed: each row gets the bytes. */
async function createServer(options: EmulatorOptions, now: () => number): Promise<FastifyInstance> {
  const { validators = 'none', onRequest } = options;
  const { fastify } = await import('fastify');
  const app = fastify({
    logger: false,
    forceCloseConnections: true,
    bodyLimit: BODY_LIMIT_BYTES,
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    http: { maxHeaderSize: MAX_HEADER_BYTES },
    exposeHeadRoutes: false,
    frameworkErrors: (error, _request, reply) => sendError(reply, error),
  }) as unknown as FastifyInstance;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.setErrorHandler((error, _request, reply) => sendError(reply, error));
  const missing = new Refusal(404, 'no such operation');
  app.setNotFoundHandler((_request, reply) => sendError(reply, missing));
  app.addHook('onRequest', async ({ headers }) => {
    const misdirection = misdirectionOf(headers.host, options);
    if (misdirection) throw new Refusal(misdirection.status, misdirection.message);
  });
  if (validators !== 'none') addValidators(app, validators === 'etag' ? byTag : byDate(now));
  addCompression(app);
  if (onRequest !== undefined) {
    app.addHook('onSend', async (request, reply) => {
      const { operation } = request.routeOptions.config as { operation?: string };
      onRequest({ method: request.method, route: operation ?? '', status: reply.statusCode });
    });
  }
  return app;
}

function addRoute(
  app: FastifyInstance,
  route: Route,
  context: RouteContext,
  counts: Map<string, number>,
): void {
  const { operation, method = 'GET', path, bodyLimitBytes = BODY_LIMIT_BYTES } = route;
  app.route({
    method,
    url: path,
    bodyLimit: bodyLimitBytes,
    config: { operation },
    async handler({ raw, params, headers, body }, reply) {
      counts.set(operation, (counts.get(operation) ?? 0) + 1);
      const call = {
        query: checkQuery(route, raw.url ?? '/', context),
        segments: params as Record<string, string>,
        headers,
        body: body instanceof Uint8Array ? body : new Uint8Array(),
      };
      return send(reply, await route.answer(call, context));
    },
  });
}

/** Adds the planning page and its files. Its address, and that of the API, is the one by which the browser called. */
function addSite(
  app: FastifyInstance,
  site: PlanningSite,
  maxQueryBytes: number,
  counts: Map<string, number>,
): void {
  const path = `${FRONTEND_BASE}/planning`;
  for (const url of [path, '/', `${path}/:name`]) {
    const operation = url === path ? 'planning' : undefined;
    app.get(url, { config: { operation } }, async ({ raw, params, headers, host }, reply) => {
      if (operation !== undefined) counts.set(operation, (counts.get(operation) ?? 0) + 1);
      const { name = url === path ? '' : url } = params as { name?: string };
      const query = queryText(raw.url ?? '/', maxQueryBytes);
      // The server may be behind a proxy with TLS.
      const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
      const baseUrl = `${scheme}://${host}${SERVICE_BASE}`;
      const answered = await site({ name, query, baseUrl, headers });
      return reply.code(answered.status).headers(answered.headers).send(answered.body);
    });
  }
}

function send(reply: FastifyReply, answer: Answer): FastifyReply {
  if (answer.kind === 'empty') return reply.code(200).send();
  if (answer.kind === 'redirect') {
    return reply.headers(answer.headers ?? {}).redirect(answer.location, 301);
  }
  if (answer.kind === 'json') return reply.type(JSON_TYPE).send(jsonText(answer.json));
  const { buffer, byteOffset, byteLength } = answer.bytes;
  reply.headers(answer.headers ?? {}).type(answer.contentType);
  return reply.send(Buffer.from(buffer, byteOffset, byteLength));
}

function sendError(reply: FastifyReply, error: unknown): FastifyReply {
  const status = statusOf(error);
  const isPublic = status < 500 || error instanceof Refusal || isConverterError(error);
  const text = jsonText({ error: isPublic ? (error as Error).message : 'internal' });
  return reply.code(status).type(JSON_TYPE).send(text);
}

function statusOf(error: unknown): number {
  if (error instanceof Refusal) return error.status;
  if (error instanceof RangeRefusal) return 422;
  return (error as { statusCode?: number }).statusCode ?? 500;
}

/** The validator of an answer, and whether the client already has this answer. */
type Validate = (
  request: FastifyRequest,
  digest: string,
) => { headers: Record<string, string>; isCurrent: boolean };

const TOKEN = /([?&])token=[^&]*/;

/** Adds validators to each GET that requires a token, and answers 304 if they match (D-841). */
function addValidators(app: FastifyInstance, validate: Validate): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const isBody = typeof payload === 'string' || payload instanceof Uint8Array;
    const isGet = request.method === 'GET' && TOKEN.test(request.url);
    if (!isBody || !isGet || reply.statusCode !== 200) return payload;
    const digest = createHash('sha256').update(payload).digest('hex').slice(0, 32);
    const { headers, isCurrent } = validate(request, digest);
    reply.headers(headers);
    if (!isCurrent) return payload;
    reply.code(304).removeHeader('content-type');
    return null;
  });
}

const byTag: Validate = ({ headers }, digest) => {
  const etag = `"${digest}"`;
  return { headers: { etag }, isCurrent: headers['if-none-match'] === etag };
};

/** Validates by date: the start of the emulator, or the time when a request was first answered with other content. */
function byDate(now: () => number): Validate {
  const startedMs = now();
  const known = new Map<string, { digest: string; modifiedMs: number }>();
  return ({ url, headers }, digest) => {
    const request = url.replace(TOKEN, '$1');
    const before = known.get(request);
    const modifiedMs = before === undefined ? startedMs : now();
    const state = before?.digest === digest ? before : { digest, modifiedMs };
    known.set(request, state);
    const modified = new Date(state.modifiedMs).toUTCString();
    return {
      // `date` comes from the emulator's clock too, since clients compare the two.
      headers: { 'last-modified': modified, date: new Date(now()).toUTCString() },
      isCurrent: Date.parse(headers['if-modified-since'] ?? '') >= Date.parse(modified),
    };
  };
}

/** Least size of a compressed body: a smaller body fits into one packet anyway. */
const MIN_COMPRESSED_BYTES = 1024;
/** Largest total size, before compression, of the bodies that are kept packed. */
const MAX_PACKED_BYTES = 64 * 1024 * 1024;

/**
 * The encodings, the preferred one first, at the speed that suits a server on the same machine. Packing a block takes
 * 0.2 ms of processor time; on another thread it would take twice as much.
 */
const PACKERS: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  br: (body) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } }),
  gzip: (body) => gzipSync(body, { level: constants.Z_BEST_SPEED }),
};

/** Compresses JSON for clients that accept it; packed bodies are kept by content. @see RFC 9110 8.4, 12.5.3. */
function addCompression(app: FastifyInstance): void {
  const packed = new LRUCache<string, Buffer>({ maxSize: MAX_PACKED_BYTES });
  app.addHook('onSend', async ({ headers }, reply, payload) => {
    const isBody = typeof payload === 'string' || payload instanceof Uint8Array;
    if (!isBody || !/json/.test(String(reply.getHeader('content-type')))) return payload;
    reply.header('vary', 'accept-encoding');
    const body = Buffer.from(payload as string);
    const accepted = String(headers['accept-encoding'] ?? '').split(/[\s,]+/);
    const encoding = Object.keys(PACKERS).find((name) => accepted.includes(name));
    if (encoding === undefined || body.length < MIN_COMPRESSED_BYTES) return payload;
    reply.header('content-encoding', encoding);
    const key = encoding + createHash('sha256').update(body).digest('base64');
    const made = packed.get(key) ?? PACKERS[encoding]!(body);
    packed.set(key, made, { size: body.length });
    return made;
  });
}
