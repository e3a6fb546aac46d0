/**
 * Caller: one operation from the first attempt to the last, with a token that is alive.
 *
 * In: the name of an operation and its values. Out: the checked body and what it says.
 * Here the parts meet: exchange, session, slots, breaker, retries. It must not know one operation from another.
 */
import { setMaxListeners } from 'node:events';
import { ConverterError } from '../support/errors.ts';
import { looksLikeDeadToken, readAnswer } from './answer.ts';
import { type Answered, createAttempt, type Send } from './attempt.ts';
import { logOut, obtainToken, registerCredentials } from './authenticate.ts';
import { createBreaker } from './breaker.ts';
import type { IfGiven, Validators } from './conditional.ts';
import { createElsewhere, type Place } from './elsewhere.ts';
import { subjectOf, withContext } from './error-context.ts';
import { createExchange, type Received } from './exchange.ts';
import { isOverload, mayBeOutage } from './failure.ts';
import { createGate } from './gate.ts';
import { createHttp } from './http.ts';
import { type AnswerOf, OPERATIONS, type OperationName } from './operations.ts';
import { withRetries } from './retry.ts';
import { SERVICE_DEFAULTS, type ServiceConfig, type Settings } from './service-config.ts';
import { createSession, TOKEN_LIFETIMES_MS } from './session.ts';
import { createSlots } from './slots.ts';
import { readAddress, type Values } from './target.ts';
import type { JsonRecord } from './wire-value.ts';

/** What only some operations are called with. */
export interface CallOptions<Given extends Validators | undefined = undefined> {
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
    more?: CallOptions<Given>,
  ): Promise<Answered<AnswerOf<Name>> | IfGiven<Given>>;
  /** Whether the service has everybody wait. */
  isHeld(): boolean;
  /** Drops what is in flight, logs out, closes the connections; never rejects; may be called again. */
  close(): Promise<void>;
}

/**
 * Creates a caller; nothing is sent before the first call.
 *
 * @throws {@link ConverterError} `USAGE` if an address cannot be read.
 *
 * @see D-609 (one new login per request, given tokens), D-610 (secrets).
 */
export function createCaller(config: ServiceConfig): Caller {
  const settings: Settings = { ...SERVICE_DEFAULTS, ...withoutUndefined(config) };
  const stop = new AbortController();
  // Each request in flight listens to it.
  setMaxListeners(0, stop.signal);
  const parts = createParts(settings, stop.signal);
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
    isHeld: parts.gate.isClosed,
    async call(name, own, { body, first, validators } = {}) {
      const subject = subjectOf(name, own);
      const values = { ...parts.shared, ...own };
      const content = body === undefined ? undefined : jsonText(body);
      return parts.elsewhere(OPERATIONS[name], first, async (place) => {
        try {
          const attempt = createAttempt(parts, name, { values, place, body: content, validators });
          return await parts.persist(attempt);
        } catch (error) {
          throw withContext(error, { name, values, place, subject, ...parts });
        }
      });
    },
  };
}

function createParts(settings: Settings, signal: AbortSignal) {
  const { now, random, timeoutMs, retries, backoffMs, maxResponseBytes, giveUpAfterMs } = settings;
  const { perSecond, concurrency: allowed } = settings.rateLimit ?? {};
  const connections = Math.min(settings.concurrency, allowed ?? Number.POSITIVE_INFINITY);
  const addresses = {
    authUrl: readAddress(settings.authUrl, 'authUrl'),
    baseUrl: readAddress(settings.baseUrl, 'baseUrl'),
  };
  const http = createHttp({ connections, maxResponseBytes });
  const gate = createGate({ now, random, perSecond, signal });
  const onRequest = settings.onRequest ?? (() => {});
  const exchange = createExchange({ addresses, http, gate, now, onRequest });
  const policy = { retries, backoffMs, random, signal };
  const send: Send = (name, request, token, number) =>
    exchange({ name, ...request, token, number, timeoutMs, signal });
  const { profile, lang, langalt, currency } = settings;
  // Values of the client, not of one request: a row of the table takes those that it declares.
  const shared = { profile, lang, langalt, currency };
  const askRoot = (token: string) => send('getNodes', { values: shared }, token, 1);
  const session = createSession({
    given: registerCredentials(settings),
    lifetimeMs: TOKEN_LIFETIMES_MS[settings.rememberMe ? 'remembered' : 'session'],
    now,
    login: () => obtainToken(settings, exchange, policy, addresses.authUrl.origin),
    logout: (token) => logOut(exchange, token, timeoutMs),
    isAlive: (token) => askRoot(token).then(isAccepted, () => true),
  });
  const isThere = () => session.token().then(askRoot).then(isAnswered, isFinal);
  const isRefusing = () =>
    session
      .token()
      .then(askRoot)
      .then(isRefused, () => false);
  const slots = createSlots(connections, allowed === undefined ? isOverload : () => false);
  const breaker = createBreaker({ isThere, isRefusing, giveUpAfterMs, now, policy });
  /** Attempts again and again while that may help. A pause between attempts holds no slot. */
  const persist = <T>(attempt: (number: number) => Promise<T>): Promise<T> =>
    withRetries((number) => breaker(() => slots(() => attempt(number))), policy);
  const { credentials, onAnswer, onDrift } = settings;
  const username = 'token' in credentials ? '' : credentials.username;
  const elsewhere = createElsewhere();
  return {
    addresses,
    shared,
    gate,
    http,
    send,
    session,
    persist,
    elsewhere,
    onAnswer,
    onDrift,
    username,
  };
}

/** The root of the catalogue is there for every token that lives. */
function isAccepted({ response }: Received): boolean {
  return !looksLikeDeadToken(OPERATIONS.getNodes, response);
}

function isAnswered({ response, target }: Received): boolean {
  try {
    readAnswer(OPERATIONS.getNodes, response, target.queryBytes);
    return true;
  } catch (error) {
    return isFinal(error);
  }
}

function isRefused({ response }: Received): boolean {
  return response.status === 429;
}

/** Whoever refuses is there. */
function isFinal(error: unknown): boolean {
  return !mayBeOutage(error);
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
