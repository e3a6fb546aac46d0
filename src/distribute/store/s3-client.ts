/** Requests to S3: signs them, repeats them while that may help, and explains in a sentence why the store refuses. */
import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { asConverterError, ConverterError } from '../../support/errors.ts';
import { readPieces } from '../../support/files.ts';
import { programVersion } from '../../support/version.ts';
import type { ObjectContent } from './object-store.ts';
import { failureOf, type S3Failure } from './s3-failures.ts';

/** Where a bucket is, which account uses it, and the timeouts. */
export interface S3Settings {
  /** Origin of the service, such as `https://s3.eu-central-1.amazonaws.com`. */
  endpoint: string;
  bucket: string;
  /** Prefix of every key of the store in the bucket: empty, or with `/` at its end. */
  prefix: string;
  region: string;
  /** Whether the bucket is the first segment of the path; otherwise it is the first label of the host. */
  pathStyle: boolean;
  credentials: {
    accessKeyId: string;
    secretAccessKey: string;
    sessionToken?: string | undefined;
  };
  /** The clock, milliseconds since 1970. */
  now: () => number;
  /** A random number from 0 to 1 (excluded). */
  random: () => number;
  /** Ends every request, with `INTERRUPTED`. */
  signal?: AbortSignal | undefined;
  /** Longest time in which no data arrives. */
  timeoutMs: number;
  /** How long a request is repeated, if the store has answered before. */
  giveUpAfterMs: number;
  /** Pause before the first repetition of a request; each later pause is twice as long. */
  backoffMs: number;
  /** Contents with more bytes and a digest in their key are sent in parts. */
  multipartBytes: number;
  /** Bytes of each part but the last: S3 requires at least 5 MiB. */
  partBytes: number;
}

/** One request. */
export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Key of an object, with the prefix; undefined for the bucket. */
  key?: string | undefined;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  body?: S3Body | undefined;
  /** Statuses that count as an answer, besides those below 300. */
  also?: readonly number[];
  /** Checks an answer; returns a sentence if it is not an answer of S3, and the request is repeated. */
  check?: (answer: S3Answer) => string | undefined;
}

/** The body of a request, with its size and its digest. */
export interface S3Body {
  content: ObjectContent;
  bytes: number;
  sha256: string;
}

/** An answer of the store. */
export interface S3Answer {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  body: Uint8Array;
  /** Whether an earlier attempt, whose answer was lost, may have executed the request. */
  isRepeated: boolean;
}

/** The client of one bucket. */
export interface S3Client {
  /**
   * Sends a request until it is answered.
   *
   * @throws {@link ConverterError} `STORE_UNREACHABLE`, `STORE_REFUSED`, `STORE_UNSUPPORTED`, `STORE_DAMAGED` (too
   *   large), `INTERRUPTED`.
   */
  send(request: S3Request): Promise<S3Answer>;
}

const MAX_CONNECT_MS = 10_000;
const CONNECTIONS = 32;
/** Limit of an answer, which is completely in memory. */
export const MOST_BYTES = 2 * 1024 ** 3;
/** Limit of a whole exchange: one whose bytes arrive one by one would never exceed the other timeouts. */
const SLOWEST_BYTES_PER_MS = 100;
const MAX_BACKOFF_MS = 5_000;
/** The address of a store that never answered is probably wrong. */
const FIRST_GIVE_UP_MS = 10_000;
const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

const TOO_SLOW = Object.assign(new Error('too slow'), { code: 'ETIMEDOUT' });

type Right = (typeof RIGHTS)[S3Request['method']] | 's3:ListBucket';
const RIGHTS = {
  GET: 's3:GetObject',
  HEAD: 's3:GetObject',
  PUT: 's3:PutObject',
  POST: 's3:PutObject',
  DELETE: 's3:DeleteObject',
} as const satisfies Record<S3Request['method'], string>;

const rightOf = ({ key, method }: S3Request): Right =>
  key === undefined ? 's3:ListBucket' : RIGHTS[method];

/** The address of an object or of the bucket; keys have only characters that need no escape. */
export function s3Url(
  { endpoint, bucket, pathStyle }: Pick<S3Settings, 'endpoint' | 'bucket' | 'pathStyle'>,
  { key = '', query = {} }: Pick<S3Request, 'key' | 'query'>,
): URL {
  const url = new URL(endpoint);
  const base = url.pathname.replace(/\/$/, '');
  if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`;
  url.pathname = pathStyle ? `${base}/${bucket}/${key}` : `${base}/${key}`;
  if (pathStyle && key === '') url.pathname = `${base}/${bucket}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/** Creates the client of a bucket. No connection is opened before the first request; idle ones keep no process alive. */
export function createS3Client(name: string, settings: S3Settings): S3Client {
  const { now, random, signal, giveUpAfterMs, backoffMs } = settings;
  /** Rights that the account had: a refusal of such a right may be temporary. */
  const accepted = new Set<Right>();
  /**
   * Time of the first failure since the last answer, by right and of all: when the store is gone, later writes of a run
   * must not take as long again.
   */
  const failingSince = new Map<Right | 'any', number>();
  let opening: ReturnType<typeof openConnections> | undefined;

  const attempt = async (request: S3Request): Promise<S3Answer | S3Failure> => {
    opening ??= openConnections(settings);
    const exchange = await opening;
    try {
      const answer = { ...(await exchange(request)), isRepeated: false };
      const { status } = answer;
      const failure = status < 300 ? undefined : failureOf(answer, now());
      const isAnswer = request.also?.includes(status) && !failure?.isOfBucket;
      if (failure !== undefined && !isAnswer) return failure;
      const problem = request.check?.(answer);
      return problem === undefined ? answer : { mayPass: true, says: problem };
    } catch (cause) {
      if (signal?.aborted) throw interrupted(name, cause);
      if (cause instanceof ConverterError) throw cause;
      const { code } = cause as Error & { code?: string };
      // An error of the network has a code.
      if (code === undefined || code === 'UND_ERR_INVALID_ARG') throw asConverterError(cause);
      return { mayPass: true, says: `expected an answer, received ${code}`, cause };
    }
  };

  return {
    async send(request) {
      const right = rightOf(request);
      let failingSinceMs: number | undefined;
      for (let attempts = 0; ; attempts++) {
        if (signal?.aborted) throw interrupted(name, signal.reason);
        const answer = await attempt(request);
        if ('status' in answer) {
          accepted.add(right);
          failingSince.delete(right);
          failingSince.delete('any');
          return { ...answer, isRepeated: attempts > 0 };
        }
        const { mayPass, code = 'STORE_UNREACHABLE', says, cause, help } = answer;
        const passes = mayPass === 'if accepted' ? accepted.has(right) : mayPass;
        const limitMs =
          accepted.size > 0 ? giveUpAfterMs : Math.min(giveUpAfterMs, FIRST_GIVE_UP_MS);
        const known = [failingSinceMs, failingSince.get(right), failingSince.get('any')];
        failingSinceMs = Math.min(now(), ...known.filter((since) => since !== undefined));
        if (passes) failingSince.set(right, failingSinceMs);
        // Requests that need another right may have been answered since the first of these failed.
        if (passes && !failingSince.has('any')) failingSince.set('any', now());
        if (!passes || now() - failingSinceMs >= limitMs) {
          const what = `${request.method} ${request.key ?? settings.bucket}`;
          const tries = attempts > 0 ? `, ${attempts + 1} times` : '';
          const message = `${name} (${settings.endpoint}): ${what}: ${says}${tries}`;
          throw new ConverterError(code, message, { cause, ...(help && { help }) });
        }
        const pauseMs = Math.min(backoffMs * 2 ** attempts, MAX_BACKOFF_MS) * (0.5 + random() / 2);
        await sleep(pauseMs, undefined, { signal }).catch(() => {});
      }
    },
  };
}

const interrupted = (name: string, cause: unknown) =>
  new ConverterError('INTERRUPTED', `${name}: interrupted before the store answered`, { cause });

async function openConnections(settings: S3Settings) {
  const [{ Agent, request }, { AwsV4Signer }, { default: pLimit }] = await Promise.all([
    import('undici'),
    import('aws4fetch'),
    import('p-limit'),
  ]);
  // The time in which a request waits for a connection is not limited.
  const turn = pLimit(CONNECTIONS);
  const { credentials, region, timeoutMs, signal, now } = settings;
  const agent = new Agent({
    connections: CONNECTIONS,
    pipelining: 1,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: { timeout: Math.min(MAX_CONNECT_MS, timeoutMs), rejectUnauthorized: true },
  });
  const userAgent = `btg2gltf/${programVersion()}`;
  // The keys of signatures, one per day.
  const cache = new Map<string, ArrayBuffer>();

  // Each request in flight has a listener.
  if (signal !== undefined) setMaxListeners(0, signal);
  const exchange = async ({ method, key, query = {}, headers = {}, body }: S3Request) => {
    const signer = new AwsV4Signer({
      ...credentials,
      ...{ service: 's3', region, cache, method },
      url: s3Url(settings, { key, query }).href,
      headers: { ...headers, 'x-amz-content-sha256': body?.sha256 ?? EMPTY_SHA256 },
      datetime: new Date(now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    } as ConstructorParameters<typeof AwsV4Signer>[0]);
    const signed = await signer.sign();
    const sent = Object.fromEntries(signed.headers);
    sent['user-agent'] = userAgent;
    if (body !== undefined) sent['content-length'] = String(body.bytes);
    const late = new AbortController();
    const stop = () => late.abort(signal?.reason);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
    let timer: NodeJS.Timeout | undefined;
    const limit = (bytes: number) => {
      clearTimeout(timer);
      // Connecting and the headers have their own timeouts.
      const mostMs = 3 * timeoutMs + bytes / SLOWEST_BYTES_PER_MS;
      timer = setTimeout(() => late.abort(TOO_SLOW), mostMs);
    };
    try {
      limit(body?.bytes ?? 0);
      const received = await request(signed.url, {
        method,
        headers: sent,
        body: body === undefined ? null : bodyOf(body.content),
        dispatcher: agent,
        signal: late.signal,
      });
      const all = headersOf(received.headers);
      // The length in an answer to HEAD is that of a body that is not sent.
      const bytes = method === 'HEAD' ? 0 : Number(all['content-length'] ?? 0);
      limit(bytes);
      return { status: received.statusCode, headers: all, body: await readBody(received, bytes) };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    }
  };
  return (given: S3Request) => turn(() => exchange(given));
}

/** The body of a request; a file is read again for each attempt. */
function bodyOf(content: ObjectContent): Uint8Array | Readable {
  if (content instanceof Uint8Array) return content;
  const pieces = 'path' in content ? readPieces(content.path) : content;
  return Readable.from(pieces, { objectMode: false });
}

function headersOf(headers: Dispatcher.ResponseData['headers']): S3Answer['headers'] {
  const single = ([name, value]: [string, string | string[] | undefined]) =>
    [name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value] as const;
  return Object.fromEntries(Object.entries(headers).map(single));
}

async function readBody(
  { body }: Dispatcher.ResponseData,
  expectedBytes: number,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const expectFew = (received: number) => {
    if (received <= MOST_BYTES) return;
    body.destroy();
    const message = `object store: expected an object of at most ${MOST_BYTES} bytes, received more`;
    throw new ConverterError('STORE_DAMAGED', message);
  };
  expectFew(expectedBytes);
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    pieces.push(piece);
    bytes += piece.length;
    expectFew(bytes);
  }
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
