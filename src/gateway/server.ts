/** An HTTP server with one address that other systems post to: body limits, origins, errors, shutdown. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, Server } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createBudget } from '../support/budget.ts';
import { ConverterError, type ErrorCode } from '../support/errors.ts';
import { LISTEN_CHECKS, listen } from '../support/listening.ts';
import type { Logger } from '../support/log.ts';
import { CHECKS, type ParameterCheck, required } from '../support/parameters.ts';

/** Where and how a server listens. */
export interface ServerOptions {
  /** @defaultValue 0, any free port */
  port?: number;
  /** Any other address than the default lets other machines in. @defaultValue `127.0.0.1` */
  host?: string;
  /** Origins of the web pages that may post without the secret. @defaultValue none */
  origins?: readonly string[];
  /** Names of this server, beside its addresses and `localhost`; a page could make any other point to it. */
  names?: readonly string[];
  /** A page of any origin may post with it: `?secret=` in the address, or `Authorization: Bearer`. */
  secret?: string;
  /** How long the shutdown waits for requests in flight, milliseconds. @defaultValue 10000 */
  graceMs?: number;
  /** Milliseconds since 1970. */
  now: () => number;
  log: Logger;
}

/** What a program without types must give a server. */
export const SERVER_CHECKS = {
  now: required(CHECKS.function),
  log: required(CHECKS.object),
  ...LISTEN_CHECKS,
} as const satisfies Partial<Record<keyof ServerOptions, ParameterCheck>>;

/** One post with its complete body. */
export interface Post {
  bytes: Uint8Array;
  contentType: string;
  accept: string;
  /** Address of the sender. */
  sender: string;
}

/** An answer with status 200. */
interface PostAnswer {
  contentType: string;
  text: string;
}

/** What a server does with a post. */
interface PostHandler {
  /** The path of the posts; any other is a 404. */
  path: string;
  bodyLimitBytes: number;
  answer(post: Post): Promise<PostAnswer>;
}

/** A listening HTTP server. */
export interface GatewayServer {
  /** The address to post to. */
  readonly url: string;
  /** Accepts no more posts, waits for those in flight, then closes; may be called again. */
  close(): Promise<void>;
}

/** A request that is answered with an error status and `{"error": …, "code": …}`. */
export class Refusal extends Error {
  readonly status: number;
  readonly details: { code?: ErrorCode; headers?: Readonly<Record<string, string>> };

  constructor(status: number, message: string, details: Refusal['details'] = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

const REQUEST_TIMEOUT_MS = 60_000;
/** A connection that sends no complete request head in this time is closed. */
const HEADERS_TIMEOUT_MS = 10_000;
const CHECK_INTERVAL_MS = 1_000;
/** Of more connections, those that have been idle for the longest time are closed. */
const MAX_CONNECTIONS = 256;
const JSON_TYPE = 'application/json; charset=utf-8';

/** Our own errors that are no 500, and whether the sender may read the message and correct it. */
const STATUSES: Partial<Record<ErrorCode, { status: number; isPublic: boolean }>> = {
  CART_INVALID: { status: 422, isPublic: true },
  CHILD_WITHOUT_ROOT: { status: 422, isPublic: true },
  DISK_FULL: { status: 507, isPublic: false },
};

/**
 * Starts a server.
 *
 * Errors are JSON, `{"error": "…"}`: 404 for another path, 405 for anything but a post, 403 for a page
 * whose origin is not listed and that has no secret, 421 for an unknown name, 413 beyond the body limit, 500
 * without details for an internal error. It logs neither query nor header nor body.
 *
 * @throws {@link ConverterError} `USAGE` if the address cannot be used.
 *
 * @see D-810 to D-812.
 */
export async function openServer(
  options: ServerOptions,
  handler: PostHandler,
): Promise<GatewayServer> {
  const { graceMs = 10_000, log } = options;
  const { fastify } = await import('fastify');
  const { default: cors } = await import('@fastify/cors');
  const app = fastify({
    logger: false,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: CHECK_INTERVAL_MS },
    frameworkErrors: (error, _request, reply) => void sendError(reply, error, log),
  }) as unknown as FastifyInstance;
  limitConnections(app.server);
  const budget = createBudget(LARGE_BODIES_BYTES);
  app.removeAllContentTypeParsers();
  const releases = new WeakMap<object, () => void>();
  const release = async (request: FastifyRequest) => releases.get(request)?.();
  app.addContentTypeParser(
    '*',
    async (request: FastifyRequest, body: AsyncIterable<Uint8Array>) => {
      const bytes = Number(request.headers['content-length'] ?? handler.bodyLimitBytes);
      if (bytes > SMALL_BODY_BYTES && bytes <= handler.bodyLimitBytes) {
        releases.set(request, await budget.take(bytes));
        if (request.raw.destroyed) await release(request);
      }
      return readBody(body, request.headers, handler.bodyLimitBytes);
    },
  );
  app.addHook('onResponse', release);
  app.addHook('onRequestAbort', release);
  app.setErrorHandler((error, _request, reply) => sendError(reply, error, log));
  const missing = new Refusal(404, `nothing here; post to ${handler.path}`);
  const noPost = new Refusal(405, 'expected a POST', { headers: { allow: 'POST, OPTIONS' } });
  app.setNotFoundHandler(({ url }, reply) => {
    const isAddress = url.split('?', 1)[0] === handler.path;
    return sendError(reply, isAddress ? noPost : missing, log);
  });
  let closed: Promise<void> | undefined;
  addHooks(app, options, () => closed !== undefined);
  await app.register(cors, corsOptions(options));
  app.post(handler.path, async ({ body, headers, ip: sender }, reply) => {
    const { contentType, text } = await handler.answer({
      bytes: body instanceof Uint8Array ? body : new Uint8Array(),
      contentType: headers['content-type'] ?? '',
      accept: headers.accept ?? '',
      sender,
    });
    return reply.type(contentType).send(text);
  });
  const origin = await listen(app, options);
  return {
    url: `${origin}${handler.path}`,
    close() {
      closed ??= closeWithin(app, graceMs);
      return closed;
    },
  };
}

function addHooks(app: FastifyInstance, options: ServerOptions, isClosing: () => boolean): void {
  const { now, log } = options;
  const arrivals = new WeakMap<object, number>();
  app.addHook('onRequest', async (request) => {
    arrivals.set(request, now());
    checkName(request, options);
  });
  app.addHook('onSend', async ({ headers }, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    // Before a public page may reach a server in a private network; the CORS library has no option.
    if (reply.statusCode === 204 && headers['access-control-request-private-network'] === 'true') {
      reply.header('access-control-allow-private-network', 'true');
    }
    // An open connection would delay the shutdown.
    if (isClosing()) reply.header('connection', 'close');
  });
  app.addHook('onResponse', async (request, reply) => {
    const ms = now() - (arrivals.get(request) ?? now());
    const { method, ip: sender } = request;
    log.info('answered', { method, status: reply.statusCode, ms, sender });
  });
}

/** A page may let any name of its own point to this server, and would then post to its own origin. */
function checkName({ headers }: FastifyRequest, { names = [] }: ServerOptions): void {
  const { host = '' } = headers;
  const name = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(host)?.[1]?.replace(/^\[|\]$/g, '') ?? '';
  const lower = name.toLowerCase();
  if (lower === '' || lower === 'localhost' || isIP(name) !== 0 || names.includes(lower)) return;
  throw new Refusal(421, 'this server is not known by that name; see --allow-host');
}

/** The library only omits its headers for an unlisted origin; the request has to be refused as well. */
function corsOptions(options: ServerOptions) {
  const common: FastifyCorsOptions = { methods: ['POST'], maxAge: 600, strictPreflight: false };
  type Done = (error: Error | null, result?: FastifyCorsOptions) => void;
  return () => (request: FastifyRequest, done: Done) => {
    if (mayPost(request, options)) return done(null, { ...common, origin: true });
    done(new Refusal(403, 'pages of this origin may not post here; see --allow-origin'));
  };
}

function mayPost({ headers, query }: FastifyRequest, { origins = [], secret }: ServerOptions) {
  const { origin, authorization = '' } = headers;
  // Anything but a page of a browser sends none.
  if (origin === undefined || origins.includes(origin)) return true;
  if (secret === undefined) return false;
  const given =
    (query as Record<string, unknown>).secret ?? authorization.replace(/^Bearer +/i, '');
  return typeof given === 'string' && isSameSecret(given, secret);
}

/** Takes the same time wherever the two differ. */
function isSameSecret(given: string, secret: string): boolean {
  const [a, b] = [given, secret].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a!, b!);
}

/** Beyond the limit the oldest connection without a request is closed; only if there is none, one with a request. */
function limitConnections(server: Server): void {
  const idle = new Set<Socket>();
  const busy = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    const [oldest] = idle.size > 0 ? idle : busy;
    if (idle.size + busy.size >= MAX_CONNECTIONS) oldest!.destroy();
    idle.add(socket);
    socket.on('close', () => {
      idle.delete(socket);
      busy.delete(socket);
    });
  });
  server.on('request', ({ socket }, response) => {
    idle.delete(socket);
    busy.add(socket);
    response.on('close', () => {
      if (busy.delete(socket) && !socket.destroyed) idle.add(socket);
    });
  });
}

/**
 * How much of a body that is too large is read and discarded: a client that is still sending does
 * not read an answer, and would see a broken connection instead of the reason.
 */
const DRAINED_BYTES = 64 * 1024 * 1024;
const MEBIBYTE = 1024 * 1024;
/** As many as there are connections fit into memory. */
const SMALL_BODY_BYTES = MEBIBYTE / 4;
/** Larger bodies that are in memory at the same time; the others wait unread. */
const LARGE_BODIES_BYTES = 16 * MEBIBYTE;

/** Reads a body: 413 beyond the limit, 415 for a compressed body. @see D-811 */
async function readBody(
  stream: AsyncIterable<Uint8Array>,
  headers: IncomingHttpHeaders,
  limitBytes: number,
): Promise<Uint8Array> {
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding !== 'identity') {
    throw new Refusal(415, `content-encoding: expected none, received ${JSON.stringify(coding)}`);
  }
  const maxReadBytes = limitBytes + DRAINED_BYTES;
  if (Number(headers['content-length'] ?? 0) > maxReadBytes) throw tooLarge(limitBytes);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes <= limitBytes) chunks.push(chunk);
    else chunks.length = 0;
    if (bytes > maxReadBytes) break;
  }
  if (bytes > limitBytes) throw tooLarge(limitBytes);
  return Buffer.concat(chunks, bytes);
}

function tooLarge(limitBytes: number): Refusal {
  const limit = limitBytes >= MEBIBYTE ? `${limitBytes / MEBIBYTE} MiB` : `${limitBytes} bytes`;
  return new Refusal(413, `body: expected at most ${limit}`, { headers: { connection: 'close' } });
}

function sendError(reply: FastifyReply, error: unknown, log: Logger): FastifyReply {
  const { status, message, details } = refusalOf(error, log);
  const text = JSON.stringify({ error: message, code: details.code });
  reply.headers(details.headers ?? {}).type(JSON_TYPE);
  return reply.code(status).send(text);
}

/** What the sender may know about an error; the rest is logged. */
function refusalOf(error: unknown, log: Logger): Refusal {
  if (error instanceof Refusal) return error;
  const code = error instanceof ConverterError ? { code: error.code } : {};
  const { statusCode = 500 } = error as { statusCode?: number };
  const { status, isPublic } = (code.code === undefined
    ? { status: statusCode, isPublic: statusCode < 500 }
    : STATUSES[code.code]) ?? { status: 500, isPublic: false };
  const message = error instanceof Error ? error.message : String(error);
  if (isPublic) return new Refusal(status, message, code);
  log.error('a post failed', { ...code, message });
  return new Refusal(status, 'this could not be done; the log says why', code);
}

function closeWithin(app: FastifyInstance, graceMs: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), graceMs);
  return app.close().finally(() => clearTimeout(timer));
}

/** An answer in JSON. */
export function jsonAnswer(value: unknown): PostAnswer {
  return { contentType: JSON_TYPE, text: `${JSON.stringify(value)}\n` };
}

/** An origin in the spelling of browsers; undefined for anything but scheme and host. */
export function readOrigin(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, protocol, pathname, search, hash } = new URL(text);
  const isBare = pathname === '/' && search === '' && hash === '';
  return /^https?:$/.test(protocol) && isBare ? origin : undefined;
}
