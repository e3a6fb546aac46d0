/** An HTTP server with one address that other systems post to: body limits, origins, errors. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ConverterError, type ErrorCode } from '../../support/errors.ts';
import { LISTEN_CHECKS } from '../../support/listening.ts';
import type { Logger } from '../../support/log.ts';
import { CHECKS } from '../../support/parameters.ts';
import {
  createGateway,
  type GatewayOptions,
  type GatewayServer,
  isSameSecret,
  Refusal,
} from './http.ts';

/** The address of a server, its behaviour, and who may post to it. */
export interface ServerOptions extends GatewayOptions {
  /** Origins of the web pages that may post without the secret. @defaultValue none */
  origins?: readonly string[];
  /** Secret with which a page of any origin may post: `?secret=` in the address, or `Authorization: Bearer`. */
  secret?: string;
  /** Most bytes of all posts in memory, at least those of the largest. @defaultValue the bytes of the largest post */
  maxBytesInMemory?: number;
}

/** Options that are checked for programs without types. */
export const SERVER_CHECKS = {
  now: CHECKS.function,
  log: CHECKS.object,
  ...LISTEN_CHECKS,
} satisfies Partial<Record<keyof ServerOptions, z.ZodType>>;

export interface Post {
  bytes: Uint8Array;
  contentType: string;
  accept: string;
  sender: string;
}

interface PostAnswer {
  contentType: string;
  text: string;
}

interface PostHandler {
  /** The path of the posts; any other path is a 404. */
  path: string;
  bodyLimitBytes: number;
  /** Returns the answer, or a function that waits for it when the bytes of the post are no longer in memory. */
  answer(post: Post): Promise<PostAnswer | (() => Promise<PostAnswer>)>;
}

const REQUEST_TIMEOUT_MS = 60_000;
/** A connection that sends no complete request head in this time is closed. */
const HEADERS_TIMEOUT_MS = 10_000;
const CHECK_INTERVAL_MS = 1_000;
const JSON_TYPE = 'application/json; charset=utf-8';

/** Errors of this program that are not a 500, and whether the sender may read the message and correct the post. */
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
 * without details for an internal error. Queries, headers and bodies are not logged.
 *
 * @throws {@link ConverterError} `USAGE` if the address cannot be used.
 *
 * @see D-811, D-812.
 */
export async function openServer(
  options: ServerOptions,
  handler: PostHandler,
): Promise<GatewayServer> {
  const { log } = options;
  const { default: cors } = await import('@fastify/cors');
  const { app, isClosing, listen } = await createGateway(options, sendError, {
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: CHECK_INTERVAL_MS },
    frameworkErrors: (error, _request, reply) => void sendError(reply, error, log),
  });
  app.removeAllContentTypeParsers();
  const bodies = new Bodies(options, handler.bodyLimitBytes);
  const received = new WeakMap<object, Body>();
  app.addContentTypeParser('*', async (request: FastifyRequest, stream: Readable) => {
    const body = bodies.open(Number(request.headers['content-length'] ?? handler.bodyLimitBytes));
    received.set(request, body);
    try {
      return await readBody(stream, request.headers, body, bodies);
    } catch (error) {
      bodies.release(body);
      throw error;
    }
  });
  // A sender that has disconnected may end a post before its handler is called.
  app.addHook('onRequestAbort', async (request) => bodies.release(received.get(request)));
  const missing = new Refusal(404, `nothing here; post to ${handler.path}`);
  const noPost = new Refusal(405, 'expected a POST', { headers: { allow: 'POST, OPTIONS' } });
  app.setNotFoundHandler(({ url }, reply) => {
    const isAddress = url.split('?', 1)[0] === handler.path;
    return sendError(reply, isAddress ? noPost : missing, log);
  });
  addHeaders(app, isClosing);
  await app.register(cors, corsOptions(options));
  // A separate function: the objects that it refers to are released from memory when it has ended.
  const receive = async (request: FastifyRequest) => {
    const { body, headers, ip: sender } = request;
    request.body = undefined;
    try {
      return await handler.answer({
        bytes: body instanceof Uint8Array ? body : new Uint8Array(),
        contentType: headers['content-type'] ?? '',
        accept: headers.accept ?? '',
        sender,
      });
    } finally {
      bodies.release(received.get(request));
    }
  };
  app.post(handler.path, async (request, reply) => {
    const answer = await receive(request);
    const { contentType, text } = typeof answer === 'function' ? await answer() : answer;
    return reply.type(contentType).send(text);
  });
  return listen(handler.path);
}

function addHeaders(app: FastifyInstance, isClosing: () => boolean): void {
  app.addHook('onSend', async ({ headers }, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    // Required before a public page may reach a server in a private network; the CORS library has no option for it.
    if (reply.statusCode === 204 && headers['access-control-request-private-network'] === 'true') {
      reply.header('access-control-allow-private-network', 'true');
    }
    // An open connection would delay the shutdown.
    if (isClosing()) reply.header('connection', 'close');
  });
}

/** The library only omits its headers for an unlisted origin; the request has to be refused as well. */
function corsOptions(options: ServerOptions) {
  const common: FastifyCorsOptions = { methods: ['POST'], maxAge: 600, strictPreflight: false };
  type Done = (error: Error | null, result?: FastifyCorsOptions) => void;
  return () => (request: FastifyRequest, done: Done) => {
    if (isPreflight(request, options) || mayPost(request, options))
      return done(null, { ...common, origin: true });
    done(new Refusal(403, 'pages of this origin may not post here; see --allow-origin'));
  };
}

/** Whether a request is a preflight, which has no secret: the browser asks whether it may send the header with it. */
function isPreflight({ method, headers }: FastifyRequest, { secret }: ServerOptions) {
  const isAsked = headers['access-control-request-method'] !== undefined;
  return method === 'OPTIONS' && isAsked && secret !== undefined;
}

function mayPost({ headers, query }: FastifyRequest, { origins = [], secret }: ServerOptions) {
  const { origin, authorization = '' } = headers;
  // Only a page in a browser sends an origin.
  if (origin === undefined || origins.includes(origin)) return true;
  if (secret === undefined) return false;
  const given =
    (query as Record<string, unknown>).secret ?? authorization.replace(/^Bearer +/i, '');
  return typeof given === 'string' && isSameSecret(given, secret);
}

/**
 * How much of a body that is too large is read and discarded: a client that is still sending does
 * not read an answer, and would see a broken connection instead of the reason.
 */
const DRAINED_BYTES = 64 * 1024 * 1024;
const MEBIBYTE = 1024 * 1024;
/** Smallest average chunk of a body in many chunks: smaller ones cost much time. */
const SMALLEST_CHUNKS_BYTES = 64;
const MANY_CHUNKS = 1000;

/** Pause after each chunk of a dropped post: the other posts need the time. */
const DROPPED_PAUSE_MS = 50;

/** The body of a post; released early if the memory is needed for another post. */
interface Body {
  bytes: Buffer;
  length: number;
  /** The declared length, otherwise the largest possible length. */
  expectedLength: number;
  startMs: number;
  state: 'receiving' | 'complete' | 'released';
}

/**
 * The bodies in memory. Only received bytes count, so that a declared length takes nothing from others. Beyond the
 * limit, the body that has been the largest for the longest time is dropped: a slow sender or a large post makes room
 * for a small one. If the dropped body is the one that needs room, it first waits for a post that is being stored.
 */
class Bodies {
  readonly limitBytes: number;
  readonly #mostBytes: number;
  readonly #now: () => number;
  readonly #held = new Set<Body>();
  #heldBytes = 0;
  /** Resume the bodies that wait for room. */
  readonly #waiting: (() => void)[] = [];

  constructor({ maxBytesInMemory = 0, now }: ServerOptions, limitBytes: number) {
    this.limitBytes = limitBytes;
    this.#mostBytes = Math.max(maxBytesInMemory, limitBytes);
    this.#now = now;
  }

  open(expectedLength: number): Body {
    const startMs = this.#now();
    const bytes = Buffer.alloc(0);
    const body: Body = { bytes, length: 0, expectedLength, startMs, state: 'receiving' };
    this.#held.add(body);
    return body;
  }

  /** Adds a chunk, and returns a promise to wait for before the next chunk, if necessary. */
  add(body: Body, chunk: Buffer): Promise<void> | undefined {
    if (body.state !== 'receiving') return sleep(DROPPED_PAUSE_MS);
    if (!this.#hasRoomFor(chunk)) return this.#appendLater(body, chunk);
    this.#append(body, chunk);
    return undefined;
  }

  release(body: Body | undefined): void {
    if (body === undefined || !this.#held.delete(body)) return;
    this.#heldBytes -= body.length;
    Object.assign(body, { bytes: Buffer.alloc(0), length: 0, state: 'released' });
    for (const go of this.#waiting.splice(0)) go();
  }

  #hasRoomFor(chunk: Buffer): boolean {
    return this.#heldBytes + chunk.length <= this.#mostBytes;
  }

  async #appendLater(body: Body, chunk: Buffer): Promise<void> {
    while (body.state === 'receiving' && !this.#hasRoomFor(chunk)) await this.#makeRoomFor(body);
    if (body.state === 'receiving') this.#append(body, chunk);
  }

  async #makeRoomFor(body: Body): Promise<void> {
    const all = [...this.#held];
    const [costliest = body] = all
      .filter(({ state, length }) => state === 'receiving' && length > 0)
      .sort((a, b) => this.#costOf(b) - this.#costOf(a));
    const isStoring = all.some(({ state }) => state === 'complete');
    if (costliest !== body || !isStoring) this.release(costliest);
    else await new Promise<void>((done) => this.#waiting.push(done));
  }

  #costOf({ startMs, expectedLength }: Body): number {
    return (this.#now() - startMs + 1) * expectedLength;
  }

  #append(body: Body, chunk: Buffer): void {
    this.#heldBytes += chunk.length;
    const length = body.length + chunk.length;
    if (length > body.bytes.length) {
      const size = length < MEBIBYTE ? 2 * length : body.expectedLength;
      const larger = Buffer.allocUnsafeSlow(Math.max(length, size));
      body.bytes.copy(larger, 0, 0, body.length);
      body.bytes = larger;
    }
    // The chunk is copied, because a chunk of a single byte takes hundreds.
    chunk.copy(body.bytes, body.length);
    body.length = length;
  }
}

/** Reads a body: 413 beyond the limit, 415 for a compressed body, 503 if it was dropped. @see D-811 */
async function readBody(
  stream: Readable,
  headers: IncomingHttpHeaders,
  body: Body,
  bodies: Bodies,
): Promise<Uint8Array> {
  const { limitBytes } = bodies;
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding !== 'identity') {
    throw new Refusal(415, `content-encoding: expected none, received ${JSON.stringify(coding)}`);
  }
  const maxReadBytes = limitBytes + DRAINED_BYTES;
  if (Number(headers['content-length'] ?? 0) > maxReadBytes) throw tooLarge(limitBytes);
  let readBytes = 0;
  let chunks = 0;
  stream.on('data', (chunk: Buffer) => {
    readBytes += chunk.length;
    chunks += 1;
    const areSmall = chunks > MANY_CHUNKS && readBytes < chunks * SMALLEST_CHUNKS_BYTES;
    if (areSmall || readBytes > maxReadBytes) stream.destroy();
    if (readBytes > limitBytes) return bodies.release(body);
    const room = bodies.add(body, chunk);
    if (room === undefined) return;
    stream.pause();
    void room.then(() => stream.resume());
  });
  await finished(stream);
  if (readBytes > limitBytes) throw tooLarge(limitBytes);
  if (body.state !== 'receiving') {
    const message = 'memory: expected room for this post, received too many others; post it again';
    throw new Refusal(503, message, { headers: { 'retry-after': '1' } });
  }
  body.state = 'complete';
  return body.bytes.subarray(0, body.length);
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

/** The part of an error that the sender may read; the rest is logged. */
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

/** An answer in JSON. */
export function jsonAnswer(value: unknown): PostAnswer {
  return { contentType: JSON_TYPE, text: `${JSON.stringify(value)}\n` };
}

/** An origin in the spelling of browsers; undefined for a text that is not just scheme and host. */
export function readOrigin(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, protocol, pathname, search, hash } = new URL(text);
  const isBare = pathname === '/' && search === '' && hash === '';
  return /^https?:$/.test(protocol) && isBare ? origin : undefined;
}
