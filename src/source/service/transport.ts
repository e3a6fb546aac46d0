/** One exchange with the service: sends, follows redirects, reads the body within limits, reports the exchange. */

import { promisify } from 'node:util';
import type { ZlibOptions } from 'node:zlib';
import type { Agent, Dispatcher } from 'undici';
import { exceededLimit } from '../../convert/wire/value.ts';
import { turnFor } from '../../support/budget.ts';
import { ConverterError } from '../../support/errors.ts';
import { programVersion } from '../../support/version.ts';
import { createGrowingBudget, type Share } from './budgets.ts';
import { OPERATIONS, type OperationName, type Values } from './operations.ts';
import { connectionCode, connectionError, interrupted } from './request-failure.ts';
import type { Settings } from './service-config.ts';
import { type Addresses, buildTarget, type Target } from './target.ts';

const MAX_CONNECT_MS = 10_000;
/** Largest headers: the default of Node. Other servers and proxies send and accept no more either. */
const MAX_HEADER_BYTES = 16_384;
const KEEP_ALIVE_MS = 30_000;
const MAX_REDIRECTS = 3;
const USER_AGENT = `btg2gltf/${programVersion()}`;
const JSON_HEADERS = { accept: 'application/json', 'content-type': 'application/json' } as const;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Allowed characters of a header. Some servers send other bytes, which are not sent back. */
const HEADER_VALUE = /^[\x20-\x7e]+$/;

/** JSON of this kind shrinks to a fifth. */
const ENCODINGS = 'gzip, br, deflate';
/** Unpackers of `node:zlib` by `content-encoding`. */
const UNPACKERS = {
  gzip: 'gunzip',
  'x-gzip': 'gunzip',
  deflate: 'inflate',
  br: 'brotliDecompress',
} as const;

/** Largest ratio of unpacked to packed size of a body: JSON of vertices has about 10, hardly any body 100. */
const MAX_UNPACK_RATIO = 200;
/** Size of a body that does no harm, however small it was packed. */
const HARMLESS_BYTES = 16 * 1024 * 1024;
/** Largest ratio for most bodies. A body that unpacks to more is unpacked a second time. */
const USUAL_UNPACK_RATIO = 16;
const USUAL_BYTES = 256 * 1024;

/** Validators that a server sent with an answer so that a later request can be conditional; empty if it sent none. */
export interface Validators {
  etag: string;
  lastModified: string;
}

export interface Exchange {
  name: OperationName;
  values: Values;
  /** Index of the address in its row. @defaultValue 0, its own */
  address?: number | undefined;
  token?: string;
  body?: string | undefined;
  validators?: Validators | undefined;
  /** Number of the attempt, from 1. */
  number: number;
  /** Milliseconds from sending to the last byte of the answer. */
  timeoutMs: number;
  signals?: readonly AbortSignal[] | undefined;
}

export interface HttpResponse extends Validators {
  status: number;
  bytes: Uint8Array;
  retryAfter: string | undefined;
  location: string | undefined;
}

interface HttpRequest extends Pick<Exchange, 'body' | 'timeoutMs' | 'signals'>, Target {
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
}

type TransportSettings = Pick<
  Settings,
  'maxResponseBytes' | 'maxJsonValues' | 'maxBytesInFlight' | 'now' | 'startTimer' | 'onRequest'
>;

/** Exchanges requests with the two addresses of a service. */
export interface Transport {
  /**
   * Makes one exchange; follows a redirect of a GET within its own host.
   * @throws {@link ConverterError} `SERVICE_UNREACHABLE HTTP_CONNECTION HTTP_TIMEOUT
   * RESPONSE_TOO_LARGE RESPONSE_INVALID REDIRECT_REFUSED`, `INTERRUPTED` once a signal is aborted.
   */
  send(exchange: Exchange): Promise<{ response: HttpResponse; target: Target }>;
  /** Drops every connection, also those in use; never rejects. */
  destroy(): Promise<void>;
}

/** Creates a transport with at most this many connections to one origin, each opened when it is needed. */
export function createTransport(
  settings: TransportSettings,
  addresses: Addresses,
  connections: number,
): Transport {
  const { now, onRequest, maxJsonValues } = settings;
  const openShare = createGrowingBudget(settings.maxBytesInFlight);
  let opening: ReturnType<typeof openAgent> | undefined;
  const follow = async (request: HttpRequest): Promise<HttpResponse> => {
    opening ??= openAgent(connections);
    const agent = await opening;
    let { origin, path } = request;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const attempt = { ...request, origin, path };
      const response = await sendInTime(agent, attempt, settings, openShare());
      if (!REDIRECTS.has(response.status)) return response;
      ({ origin, path } = redirectTarget(request.method, origin, path, response.location ?? ''));
    }
    const message = `expected at most ${MAX_REDIRECTS} redirects, received more`;
    throw new ConverterError('REDIRECT_REFUSED', message);
  };
  return {
    async send({ name, values, address, token, number, validators, ...sent }) {
      const { method, answer } = OPERATIONS[name];
      const target = buildTarget(OPERATIONS[name], values, addresses, token, address);
      const startedMs = now();
      const report = (status: number | undefined, bytes: number) =>
        onRequest?.({ operation: name, status, bytes, attempt: number, ms: now() - startedMs });
      let response: HttpResponse;
      try {
        const headers = conditionsOf(validators);
        response = await follow({ ...sent, ...target, method, headers });
        // The body may have waited for its turn, and decoding it may take long.
        if (isAborted(sent)) throw interrupted();
        if (answer === 'json') expectFewValues(response.bytes, maxJsonValues);
      } catch (error) {
        report(error instanceof ConverterError ? error.status : undefined, 0);
        throw error;
      }
      report(response.status, response.bytes.length);
      return { response, target };
    },
    async destroy() {
      await (await opening)?.destroy().catch(() => {});
    },
  };
}

async function openAgent(connections: number): Promise<Agent> {
  const { Agent } = await import('undici');
  return new Agent({
    connections,
    pipelining: 1,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Our own timer covers the whole exchange, also a body that arrives byte by byte.
    headersTimeout: 0,
    bodyTimeout: 0,
    // This is set explicitly, so that no environment variable can switch it off.
    connect: { timeout: MAX_CONNECT_MS, rejectUnauthorized: true },
  });
}

async function sendInTime(
  agent: Agent,
  request: HttpRequest,
  { maxResponseBytes: maxBytes, startTimer }: Pick<Settings, 'maxResponseBytes' | 'startTimer'>,
  share: Share,
): Promise<HttpResponse> {
  const { timeoutMs, signals = [] } = request;
  const received = new BodyReceiver(maxBytes, (amount) => need(amount));
  const interrupt = () => received.stop(interrupted());
  const timeout = `timed out after ${timeoutMs / 1000} s`;
  const late = () => received.stop(new ConverterError('HTTP_TIMEOUT', timeout));
  let stopTimer = startTimer(late, timeoutMs);
  let isOver = false;
  // The time in which the answer waits for others does not count, so that a slow answer fails only itself.
  const need = (amount: number): Promise<void> | undefined => {
    const wait = share.need(amount);
    if (wait === undefined) return undefined;
    stopTimer();
    return wait.then(() => {
      if (!isOver) stopTimer = startTimer(late, timeoutMs);
    });
  };
  for (const signal of signals) signal.addEventListener('abort', interrupt, { once: true });
  try {
    if (isAborted(request)) throw interrupted();
    agent.dispatch(dispatchOptions(request), received);
    const { status, headers, body } = await received.end;
    const header = (name: string): string | undefined => {
      const value = headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    };
    return {
      status,
      bytes: await unpackBody(body, header('content-encoding'), { maxBytes, need }),
      etag: header('etag') ?? '',
      lastModified: settledDate(header('last-modified'), header('date')),
      retryAfter: header('retry-after'),
      location: header('location'),
    };
  } catch (thrown) {
    share.close();
    if (isAborted(request)) throw interrupted();
    throw failureOf(thrown, request.origin);
  } finally {
    // Work that the exchange still waits for must not restart its timer.
    isOver = true;
    stopTimer();
    // The share is closed once the answer is decoded, in this turn.
    setImmediate(share.close);
    for (const signal of signals) signal.removeEventListener('abort', interrupt);
  }
}

const isAborted = ({ signals = [] }: Pick<Exchange, 'signals'>) => signals.some((s) => s.aborted);

function dispatchOptions({ method, origin, path, body, headers }: HttpRequest) {
  const accept = body === undefined ? { accept: '*/*' } : JSON_HEADERS;
  const all = { ...headers, 'user-agent': USER_AGENT, 'accept-encoding': ENCODINGS, ...accept };
  return { method, origin, path, body: body ?? null, headers: all };
}

interface BodyLimits {
  /** Largest size as sent, and again as unpacked. */
  maxBytes: number;
  /** Reserves this many of the bytes that all bodies share; returns what to wait for, unless they are free at once. */
  need(bytes: number): Promise<void> | undefined;
}

type Headers = Record<string, string | string[] | undefined>;

/** Gathers an answer from the callbacks of the pool, since a stream of each body takes twice the time of a small answer. */
class BodyReceiver implements Dispatcher.DispatchHandler {
  /** The answer as sent; rejects after a failure and after {@link stop}. `RESPONSE_TOO_LARGE` before more than `maxBytes` are in memory. */
  readonly end: Promise<{ status: number; headers: Headers; body: Uint8Array }>;
  readonly #maxBytes: number;
  readonly #need: BodyLimits['need'];
  readonly #chunks: Uint8Array[] = [];
  #length = 0;
  #status = 0;
  #headers: Headers = {};
  #controller: Dispatcher.DispatchController | undefined;
  #reason: Error | undefined;
  #resolve = () => {};
  #reject = (_: Error) => {};

  constructor(maxBytes: number, need: BodyLimits['need']) {
    this.#maxBytes = maxBytes;
    this.#need = need;
    this.end = new Promise<void>((...settle) => {
      [this.#resolve, this.#reject] = settle;
    }).then(() => {
      const body = joinChunks(this.#chunks, this.#length);
      return { status: this.#status, headers: this.#headers, body };
    });
  }

  /** Ends the exchange at once, also before it has a connection. */
  stop(error: Error): void {
    this.#reason ??= error;
    this.#reject(this.#reason);
    this.#controller?.abort(this.#reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#reason !== undefined) controller.abort(this.#reason);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    this.#status = status;
    this.#headers = headers;
    this.#expectAtMost(Number(headers['content-length'] ?? 0));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#length += chunk.length;
    this.#expectAtMost(this.#length);
    if (this.#reason !== undefined) return;
    this.#chunks.push(chunk);
    const wait = this.#need(this.#length);
    if (wait === undefined) return;
    controller.pause();
    wait.then(() => controller.resume());
  }

  onResponseEnd(): void {
    this.#resolve();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error);
  }

  #expectAtMost(bytes: number): void {
    if (bytes > this.#maxBytes) this.stop(tooLarge(`${this.#maxBytes} bytes`));
  }
}

/** Unpacks a body (D-844). Throws `RESPONSE_INVALID` if it cannot be unpacked, `RESPONSE_TOO_LARGE` before it is in memory. */
export async function unpackBody(
  packed: Uint8Array,
  contentEncoding = '',
  { maxBytes, need }: BodyLimits,
): Promise<Uint8Array> {
  const ratioBytes = Math.max(packed.length * MAX_UNPACK_RATIO, HARMLESS_BYTES);
  const limit = ratioBytes < maxBytes ? `${MAX_UNPACK_RATIO} times its size` : `${maxBytes} bytes`;
  const mostBytes = Math.min(ratioBytes, maxBytes);
  let body = packed;
  // The last encoding in the list was applied last.
  for (const name of contentEncoding.toLowerCase().split(',').reverse()) {
    const encoding = name.trim();
    if (encoding === '' || encoding === 'identity' || body.length === 0) continue;
    const usualBytes = Math.min(Math.max(body.length * USUAL_UNPACK_RATIO, USUAL_BYTES), mostBytes);
    await need(packed.length + usualBytes);
    let unpacked = await unpack(body, encoding, usualBytes);
    if (unpacked === undefined && usualBytes < mostBytes) {
      await need(packed.length + mostBytes);
      unpacked = await unpack(body, encoding, mostBytes);
    }
    if (unpacked === undefined) throw tooLarge(limit);
    body = unpacked;
  }
  await need(body.length);
  await turnFor(body.length);
  return body;
}

/** Joins chunks. A single chunk is copied too: it may be a small part of a large buffer that would stay in memory. */
function joinChunks(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Unpacks a body; returns undefined if there are more bytes than allowed. */
async function unpack(packed: Uint8Array, encoding: string, maxOutputLength: number) {
  if (!Object.hasOwn(UNPACKERS, encoding)) {
    const message = `expected a body packed with gzip, deflate or br, received ${encoding}`;
    throw new ConverterError('RESPONSE_INVALID', message);
  }
  const zlib = await import('node:zlib');
  const name = UNPACKERS[encoding as keyof typeof UNPACKERS];
  // Some servers send deflate without the header that HTTP requires, whose low four bits are 8.
  const isBare = name === 'inflate' && (packed[0]! & 0x0f) !== 8;
  const unpacker = promisify<Uint8Array, ZlibOptions, Buffer>(zlib[isBare ? 'inflateRaw' : name]);
  // Each piece passes through the thread pool: the default size makes 20 pieces of a 300 kB block and takes 1 ms more.
  const chunkSize = Math.min(Math.max(8 * packed.length, 2 ** 14), 2 ** 20, maxOutputLength);
  try {
    return new Uint8Array(await unpacker(packed, { maxOutputLength, chunkSize }));
  } catch (cause) {
    if ((cause as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    const message = `expected a body packed with ${encoding}, received something else or only a part of it`;
    throw new ConverterError('RESPONSE_INVALID', message, { cause });
  }
}

function expectFewValues(bytes: Uint8Array, maxValues: number): void {
  const limit = exceededLimit(bytes, maxValues, Number.POSITIVE_INFINITY);
  if (limit === undefined) return;
  const message = `expected at most ${limit}, received more`;
  const help = 'raise service.maxJsonValues if the response is correct';
  throw new ConverterError('RESPONSE_TOO_LARGE', message, { help });
}

function tooLarge(limit: string, help?: string): ConverterError {
  const message = `expected an answer of at most ${limit}, received more`;
  return new ConverterError('RESPONSE_TOO_LARGE', message, { ...(help && { help }) });
}

/** Checks a redirect. The token is in the query: a redirect may lead to no other host, and never from https to http. */
function redirectTarget(method: string, origin: string, path: string, location: string) {
  const from = new URL(origin);
  const base = `${origin}${path}`;
  const to = URL.canParse(location, base) ? new URL(location, base) : undefined;
  const isUpgrade = from.protocol === 'http:' && to?.protocol === 'https:';
  const isSameHost = to?.origin === from.origin || (isUpgrade && to?.hostname === from.hostname);
  if (method !== 'GET' || location === '' || to === undefined || !isSameHost) {
    const where = isSameHost ? `a ${method}` : 'to another host';
    const how = location === '' || to === undefined ? 'without an address' : where;
    const message = `the service redirects ${how}, which is not followed`;
    throw new ConverterError('REDIRECT_REFUSED', message);
  }
  return { origin: to.origin, path: `${to.pathname}${to.search}` };
}

/** Returns the headers that make a request conditional; empty if no validator can be sent (D-840). */
export function conditionsOf(validators: Validators | undefined): Record<string, string> {
  if (validators === undefined) return {};
  const { etag = '', lastModified = '' } = validators;
  const headers = { 'if-none-match': etag, 'if-modified-since': lastModified };
  return Object.fromEntries(
    Object.entries(headers).filter(([, value]) => HEADER_VALUE.test(value)),
  );
}

/** Returns `Last-Modified` if it is settled: it counts whole seconds, and data may change later in the same second. */
function settledDate(lastModified = '', date = ''): string {
  if (lastModified === '') return '';
  return Date.parse(lastModified) >= Date.parse(date) ? '' : lastModified;
}

function failureOf(thrown: unknown, origin: string): ConverterError {
  if (thrown instanceof ConverterError) return thrown;
  if (connectionCode(thrown) !== 'UND_ERR_HEADERS_OVERFLOW') return connectionError(thrown, origin);
  const help = 'report it to the operator of the service';
  return tooLarge(`${MAX_HEADER_BYTES} bytes of headers`, help);
}
