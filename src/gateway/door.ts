/**
 * Door: one address that others post to, over HTTP.
 *
 * In: where to listen and what to do with a body. Out: a running server that ends in good order.
 * It must not know what is posted. It prints nothing; what it logs holds no query, header or body.
 */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ConverterError, type ErrorCode } from '../support/errors.ts';
import type { Logger } from '../support/log.ts';
import { type Origins, originHeaders, preflightHeaders } from './origins.ts';
import { type PostStream, readPost } from './read-post.ts';
import { Refusal } from './refusal.ts';

/** Where and how a door listens. */
export interface DoorOptions {
  /** @defaultValue 0, any free one */
  port?: number;
  /** Anything else than this machine's own address lets others in. @defaultValue `127.0.0.1` */
  host?: string;
  /** Web pages that may post. */
  origins?: Origins;
  /** How long the end waits for requests under way, milliseconds. @defaultValue 10000 */
  graceMs?: number;
  /** Milliseconds since 1970. */
  now: () => number;
  log: Logger;
}

/** One post, whole. */
export interface Post {
  bytes: Uint8Array;
  contentType: string;
  accept: string;
  /** Address of the sender, or of the proxy before it. */
  sender: string;
}

/** What goes back with status 200. */
export interface DoorAnswer {
  contentType: string;
  text: string;
  headers?: Readonly<Record<string, string>>;
}

/** What a door does. */
export interface DoorWork {
  /** Path that is posted to; any other is a 404. */
  path: string;
  bodyLimitBytes: number;
  answer(post: Post): Promise<DoorAnswer>;
}

/** A door that is open. */
export interface Door {
  /** Where to post. */
  readonly url: string;
  /** Takes no more posts, lets those under way finish, then closes; may be called again. */
  close(): Promise<void>;
}

const GRACE_MS = 10_000;
/** A sender that is slower than this is none that we wait for. */
const REQUEST_TIMEOUT_MS = 60_000;
const MOST_CONNECTIONS = 256;
const JSON_TYPE = 'application/json; charset=utf-8';

/** Failures of our own that have a status which says more than 500. */
const STATUSES: Partial<Record<ErrorCode, number>> = {
  CART_INVALID: 422,
  CHILD_WITHOUT_ROOT: 422,
  DISK_FULL: 507,
};
/** Failures that the sender can do something about, and may read. */
const SPOKEN: ReadonlySet<ErrorCode> = new Set(['CART_INVALID', 'CHILD_WITHOUT_ROOT']);

/**
 * Opens a door.
 *
 * Errors are JSON, `{"error": "…"}`; 404 elsewhere, 405 for anything but a post, 403 for a page that
 * may not, 413 beyond the limit, 500 without any detail for what is our own fault.
 *
 * @throws the system's error where it cannot listen there.
 *
 * @see D-810, D-811.
 */
export async function openDoor(options: DoorOptions, work: DoorWork): Promise<Door> {
  const { fastify } = await import('fastify');
  const app = fastify({
    logger: false,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    frameworkErrors: (error, _request, reply) => void sendError(reply, error, options.log),
  }) as unknown as FastifyInstance;
  app.server.maxConnections = MOST_CONNECTIONS;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', ({ headers }: FastifyRequest, payload: PostStream) =>
    readPost(payload, headers, work.bodyLimitBytes),
  );
  app.setErrorHandler((error, _request, reply) => sendError(reply, error, options.log));
  app.setNotFoundHandler((_request, reply) =>
    sendError(reply, new Refusal(404, `nothing here; post to ${work.path}`), options.log),
  );
  let isClosing = false;
  addHooks(app, options, () => isClosing);
  addRoutes(app, work);
  await app.listen({ port: options.port ?? 0, host: options.host ?? '127.0.0.1' });
  let closed: Promise<void> | undefined;
  return {
    url: `${originOf(app.server.address() as AddressInfo)}${work.path}`,
    close: () => {
      isClosing = true;
      closed ??= closeWithin(app, options.graceMs ?? GRACE_MS);
      return closed;
    },
  };
}

function addHooks(app: FastifyInstance, options: DoorOptions, isClosing: () => boolean): void {
  const { origins = [], now, log } = options;
  const arrivals = new WeakMap<object, number>();
  app.addHook('onRequest', async (request, reply) => {
    arrivals.set(request, now());
    reply.headers(originHeaders(request.headers, origins));
  });
  app.addHook('onSend', async (_request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    // A connection that stays open would hold up the end.
    if (isClosing()) reply.header('connection', 'close');
  });
  app.addHook('onResponse', async (request, reply) => {
    const ms = now() - (arrivals.get(request) ?? now());
    const { method, ip: sender } = request;
    log.info('answered', { method, status: reply.statusCode, ms, sender });
  });
}

function addRoutes(app: FastifyInstance, { path, answer }: DoorWork): void {
  app.post(path, async (request, reply) => {
    const { body, headers, ip } = request;
    const {
      contentType,
      text,
      headers: more,
    } = await answer({
      bytes: body instanceof Uint8Array ? body : new Uint8Array(),
      contentType: headers['content-type'] ?? '',
      accept: headers.accept ?? '',
      sender: ip,
    });
    return reply
      .headers(more ?? {})
      .type(contentType)
      .send(text);
  });
  app.options(path, (request, reply) =>
    reply.code(204).headers(preflightHeaders(request.headers)).send(),
  );
  app.route({
    method: ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'],
    url: path,
    handler: async () => {
      throw new Refusal(405, 'expected a POST', { headers: { allow: 'POST, OPTIONS' } });
    },
  });
}

function sendError(reply: FastifyReply, error: unknown, log: Logger): FastifyReply {
  const { status, message, code, headers } = refusalOf(error, log);
  const said = code === undefined ? { error: message } : { error: message, code };
  return reply.code(status).headers(headers).type(JSON_TYPE).send(JSON.stringify(said));
}

/** What the sender is told; the rest is for the log alone. */
function refusalOf(error: unknown, log: Logger): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof ConverterError) {
    const { code, message } = error;
    const status = STATUSES[code] ?? 500;
    if (SPOKEN.has(code)) return new Refusal(status, message, { code });
    log.error('a post failed', { code, message });
    return new Refusal(status, 'this could not be done; the log says why', { code });
  }
  const status = (error as { statusCode?: number }).statusCode ?? 500;
  const message = error instanceof Error ? error.message : String(error);
  if (status < 500) return new Refusal(status, message);
  log.error('a post failed', { message });
  return new Refusal(500, 'this could not be done; the log says why');
}

async function closeWithin(app: FastifyInstance, graceMs: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), graceMs);
  try {
    await app.close();
  } finally {
    clearTimeout(timer);
  }
}

function originOf({ address, port, family }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return `http://127.0.0.1:${port}`;
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}

/** An answer in JSON. */
export function jsonAnswer(value: unknown): DoorAnswer {
  return { contentType: JSON_TYPE, text: `${JSON.stringify(value)}\n` };
}
