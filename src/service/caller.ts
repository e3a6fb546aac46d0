/**
 * Caller: one operation from the first attempt to the last, with a token that is alive.
 *
 * In: the name of an operation and its values. Out: the checked body and what it says.
 * Here the parts meet: exchange, session, retries. It must not know one operation from another.
 */
import { setMaxListeners } from 'node:events';
import { ConverterError } from '../support/errors.ts';
import { looksLikeDeadToken, readAnswer } from './answer.ts';
import { logOut, obtainToken, registerCredentials } from './authenticate.ts';
import { type IfGiven, isNotModified, type Validators } from './conditional.ts';
import { createElsewhere, type Elsewhere, operationAt, type Place } from './elsewhere.ts';
import { createExchange, type Received } from './exchange.ts';
import { createGate } from './gate.ts';
import { createHttp } from './http.ts';
import { type AnswerOf, OPERATIONS, type OperationName } from './operations.ts';
import { type RetryPolicy, withRetries } from './retry.ts';
import { SERVICE_DEFAULTS, type ServiceConfig, type Settings } from './service-config.ts';
import { createSession, type Session, TOKEN_LIFETIMES_MS } from './session.ts';
import { type Addresses, readAddress, shownUrl, type Values } from './target.ts';
import type { Drift } from './wire-drift.ts';
import type { JsonRecord } from './wire-value.ts';

/** What is asked for, for error messages. */
export interface Subject {
  /** `MANUFACTURER/PROGRAM/base number` where it is an article. */
  article?: string;
  /** Name of whatever else it is. */
  name?: string;
}

/** An answer that was checked. */
export interface Answered<Answer> {
  bytes: Uint8Array;
  /** Empty where the server sends none, as is {@link lastModified}. */
  etag: string;
  lastModified: string;
  answer: Answer;
}

/** What only some operations are called with. */
export interface More<Given extends Validators | undefined = undefined> {
  /** Sent as JSON. */
  body?: JsonRecord;
  /** Which of two addresses is asked first, where that is known beforehand. */
  first?: Place;
  /** What an earlier answer came with: asks only whether it still holds. */
  validators?: Given | undefined;
}

/** Calls operations of one service. */
export interface Caller {
  /**
   * Calls an operation.
   *
   * @param more - The body of a POST, or what makes a request conditional.
   * @throws {@link ConverterError} with code, operation, article and redacted URL.
   */
  call<Name extends OperationName, Given extends Validators | undefined = undefined>(
    name: Name,
    values: Values,
    subject: Subject,
    more?: More<Given>,
  ): Promise<Answered<AnswerOf<Name>> | IfGiven<Given>>;
  /** Drops what is in flight, logs out, closes the connections; never rejects; may be called again. */
  close(): Promise<void>;
}

/**
 * Creates a caller; nothing is sent before the first call.
 *
 * @throws {@link ConverterError} `USAGE` if an address cannot be read.
 *
 * @see D-609 (one login again for a request), D-610 (secrets), D-712 (given tokens).
 */
export function createCaller(config: ServiceConfig): Caller {
  const settings: Settings = { ...SERVICE_DEFAULTS, ...withoutUndefined(config) };
  const stop = new AbortController();
  // Each request in flight listens to it.
  setMaxListeners(0, stop.signal);
  const parts = createParts(settings, stop.signal);
  const { profile, lang, langalt, currency } = settings;
  // Values of the client, not of one request: a row of the table takes those that it declares.
  const shared = { profile, lang, langalt, currency };
  const slots = createSlots(settings.concurrency);
  const close = once(async () => {
    config.signal?.removeEventListener('abort', onAbort);
    stop.abort();
    await parts.session.close();
    await parts.http.destroy().catch(() => {});
  });
  const onAbort = () => void close();
  if (config.signal?.aborted) onAbort();
  else config.signal?.addEventListener('abort', onAbort, { once: true });
  return {
    close,
    async call(name, own, subject, { body, first, validators } = {}) {
      const values = { ...shared, ...own };
      const content = body === undefined ? undefined : jsonText(body);
      return parts.elsewhere(OPERATIONS[name], first, async (place) => {
        try {
          const attempt = createAttempt(parts, name, { values, place, body: content, validators });
          return await withRetries((number) => slots(() => attempt(number)), parts.policy);
        } catch (error) {
          throw withContext(error, parts, name, { values, place }, subject);
        }
      });
    },
  };
}

/** One request, but for its token. */
interface Request<Given = Validators | undefined> {
  values: Values;
  place?: Place;
  body?: string | undefined;
  validators?: Given | undefined;
}

interface Parts {
  addresses: Addresses;
  http: ReturnType<typeof createHttp>;
  send: (name: OperationName, request: Request, token: string, number: number) => Promise<Received>;
  session: Session;
  policy: RetryPolicy;
  elsewhere: Elsewhere;
  onAnswer: ServiceConfig['onAnswer'];
  onDrift: ServiceConfig['onDrift'];
  /** Takes the user's name out of what a service may have said. */
  withoutUser: (text: string) => string;
}

function createParts(settings: Settings, signal: AbortSignal): Parts {
  const { now, random, timeoutMs, retries, backoffMs, maxResponseBytes, concurrency } = settings;
  const addresses = {
    authUrl: readAddress(settings.authUrl, 'authUrl'),
    baseUrl: readAddress(settings.baseUrl, 'baseUrl'),
  };
  const http = createHttp({ connections: concurrency, maxResponseBytes });
  const gate = createGate({ now, random, signal });
  const onRequest = settings.onRequest ?? (() => {});
  const exchange = createExchange({ addresses, http, gate, now, onRequest });
  const policy = { retries, backoffMs, random, signal };
  const send: Parts['send'] = (name, request, token, number) =>
    exchange({ name, ...request, token, number, timeoutMs, signal });
  const session = createSession({
    given: registerCredentials(settings),
    lifetimeMs: TOKEN_LIFETIMES_MS[settings.rememberMe ? 'remembered' : 'session'],
    now,
    login: () => obtainToken(settings, exchange, policy, addresses.authUrl.origin),
    logout: (token) => logOut(exchange, token, timeoutMs),
    isAlive: (token) => send('getNodes', { values: {} }, token, 1).then(isAccepted, () => true),
  });
  const user = 'token' in settings.credentials ? '' : settings.credentials.username;
  const withoutUser = (text: string) => (user === '' ? text : text.replaceAll(user, '***'));
  const { onAnswer, onDrift } = settings;
  const elsewhere = createElsewhere();
  return { addresses, http, send, session, policy, elsewhere, onAnswer, onDrift, withoutUser };
}

/** The root of the catalogue is there for every token that lives. */
function isAccepted({ response }: Received): boolean {
  return !looksLikeDeadToken(OPERATIONS.getNodes, response);
}

/** One attempt at an operation; over all its attempts a request is given at most one new token. */
function createAttempt<Name extends OperationName, Given extends Validators | undefined>(
  parts: Parts,
  name: Name,
  request: Request<Given>,
) {
  const operation = OPERATIONS[name];
  const { session, send, onAnswer, onDrift } = parts;
  const { values } = request;
  const report = onDrift && ((drift: Drift) => onDrift({ operation: name, ...drift }));
  let mayReplaceToken = true;
  return async (number: number): Promise<Answered<AnswerOf<Name>> | IfGiven<Given>> => {
    const token = await session.token();
    let received = await send(name, request, token, number);
    if (mayReplaceToken && looksLikeDeadToken(operation, received.response)) {
      mayReplaceToken = false;
      const fresh = await session.replace(token, received.response.status === 401);
      if (fresh !== token) received = await send(name, request, fresh, number);
    }
    const { response, target } = received;
    const { bytes, etag, lastModified, status } = response;
    const sent = request.body === undefined ? {} : { sent: request.body };
    await onAnswer?.({ operation: name, values, ...sent, status, bytes });
    if (isNotModified(status, request.validators)) return { notModified: true } as IfGiven<Given>;
    return {
      bytes,
      etag,
      lastModified,
      answer: readAnswer(operation, response, target.queryBytes, report),
    };
  };
}

type Slots = <T>(work: () => Promise<T>) => Promise<T>;

/** Requests in flight are limited over all kinds together; a pause between attempts holds no slot. */
function createSlots(concurrency: number): Slots {
  let limit: Promise<Slots> | undefined;
  return async (work) => {
    limit ??= import('p-limit').then(({ default: pLimit }) => pLimit(concurrency));
    return (await limit)(work);
  };
}

/** Says where an error happened. What the session says concerns the whole run, not this request. */
function withContext(
  error: unknown,
  parts: Parts,
  name: OperationName,
  { values, place }: Request,
  subject: Subject,
): unknown {
  if (!(error instanceof ConverterError) || error.operation !== undefined) return error;
  if (name === 'getNodes' && (values.parentnode ?? '') === '' && error.code === 'NODE_NOT_FOUND') {
    return noCatalogue(error, parts);
  }
  const { code, status, cause } = error;
  const what = subject.article ?? subject.name ?? '';
  const isOfTheRun = code === 'SERVICE_UNREACHABLE' || code === 'INTERRUPTED';
  const where = what === '' ? name : `${name} ${what}`;
  const url = shownUrl(operationAt(OPERATIONS[name], place), values, parts.addresses);
  const message = parts.withoutUser(error.message);
  return new ConverterError(code, isOfTheRun ? message : `${where}: ${message}`, {
    operation: name,
    cause,
    ...(url === undefined ? {} : { url }),
    ...(subject.article === undefined ? {} : { article: subject.article }),
    ...(status === undefined ? {} : { status }),
  });
}

/** The top of the catalogue is always there: where it is not, it is the address that is wrong. */
function noCatalogue({ status = 404, cause }: ConverterError, { addresses }: Parts) {
  const { origin, path } = addresses.baseUrl;
  const where = new URL(origin).host;
  const message = `${where} has no catalogue at this address (status ${status}): is BTG2GLTF_BASE_URL (service.baseUrl) right?`;
  const context = { operation: 'getNodes', url: `${origin}${path}`, cause, status };
  return new ConverterError('SERVICE_UNREACHABLE', message, context);
}

/** A body as text; what was received as JSON can be sent as JSON, but for a tree beyond all measure. */
function jsonText(body: JsonRecord): string {
  try {
    return JSON.stringify(body);
  } catch (cause) {
    const message = 'the article cannot be sent: it is no JSON, or nested too deep';
    throw new ConverterError('CART_INVALID', message, { cause });
  }
}

/** A setting that was handed on without a value takes its default too. */
function withoutUndefined<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}
