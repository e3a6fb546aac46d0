/** An HTTP server with one address that other systems post to: body limits, origins, errors, shutdown. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
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
  /** Origins of the web pages that may post. @defaultValue depends on the server */
  origins?: 'any' | readonly string[];
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
 * whose origin is not listed, 413 beyond the body limit, 500 without details for an internal error.
 * It logs neither query nor header nor body.
 *
 * @throws {@link ConverterError} `USAGE` if the address cannot be used.
 *
 * @see D-810 to D-812.
 */
export async function openServer(
  options: ServerOptions,
  handler: PostHandler,
): Promise<GatewayServer> {
  const { graceMs = 10_000, origins = [], log } = options;
  const { fastify } = await import('fastify');
  const { default: cors } = await import('@fastify/cors');
  const app = fastify({
    logger: false,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    frameworkErrors: (error, _request, reply) => void sendError(reply, error, log),
  }) as unknown as FastifyInstance;
  app.server.maxConnections = MAX_CONNECTIONS;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', ({ headers }: FastifyRequest, body: AsyncIterable<Uint8Array>) =>
    readBody(body, headers, handler.bodyLimitBytes),
  );
  app.setErrorHandler((error, _request, reply) => sendError(reply, error, log));
  const missing = new Refusal(404, `nothing here; post to ${handler.path}`);
  const noPost = new Refusal(405, 'expected a POST', { headers: { allow: 'POST, OPTIONS' } });
  app.setNotFoundHandler(({ url }, reply) => {
    const isAddress = url.split('?', 1)[0] === handler.path;
    return sendError(reply, isAddress ? noPost : missing, log);
  });
  let closed: Promise<void> | undefined;
  addHooks(app, options, () => closed !== undefined);
  await app.register(cors, corsOptions(origins));
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
  app.addHook('onRequest', async (request) => void arrivals.set(request, now()));
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

/** The library only omits its headers for an unlisted origin; the request has to be refused as well. */
function corsOptions(origins: 'any' | readonly string[]): FastifyCorsOptions {
  const common = { methods: ['POST'], maxAge: 600, strictPreflight: false };
  if (origins === 'any') return { ...common, origin: '*' };
  return {
    ...common,
    origin(origin, done) {
      if (origin === undefined || origins.includes(origin)) return done(null, true);
      const message = 'pages of this origin may not post here; see --allow-origin';
      done(new Refusal(403, message), false);
    },
  };
}

/**
 * How much of a body that is too large is read and discarded: a client that is still sending does
 * not read an answer, and would see a broken connection instead of the reason.
 */
const DRAINED_BYTES = 64 * 1024 * 1024;
const MEBIBYTE = 1024 * 1024;

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
