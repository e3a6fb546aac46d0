/** Configuration of a client and its defaults; imports nothing at run time. */

import type { Drift } from '../../convert/wire/fields.ts';
import type { ConverterError } from '../../support/errors.ts';
import type { OperationName, Values } from './operations.ts';

/** Calls back once after some milliseconds, unless the returned function is called before. */
export type StartTimer = (callback: () => void, ms: number) => () => void;

/** Starts a timer of the engine. */
export const startTimer: StartTimer = (callback, ms) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};

/** A login, or a token that was given. */
export type Credentials =
  | { username: string; password: string; appKey?: string }
  | { token: string };

export interface IssuedToken {
  value: string;
  /** When to obtain another token, milliseconds since 1970. */
  renewAtMs: number;
}

/** Provides the tokens of sessions: by a login of this process, or of another process for several. */
export interface TokenSource {
  /**
   * Returns the current token unless it is the replaced one or expires soon, else a new one: one login for all waiting.
   *
   * @param replaced - The token that the service no longer accepts.
   * @throws {@link ConverterError} what a failed login throws; a refusal again to all who ask within a minute.
   */
  obtain(replaced?: string): Promise<IssuedToken>;
  /** Records that the service called a token dead: it needs no logout. */
  forget(token: string): void;
  /** Logs out every token that was obtained, if it was obtained here; never rejects. */
  close(): Promise<void>;
}

/** A client's settings; a setting that is left out takes its value from {@link SERVICE_DEFAULTS}. */
export interface ServiceConfig {
  /** Address of the authentication server. */
  authUrl: string;
  /** Address of the API, without `/api/…`. */
  baseUrl: string;
  /** Whether the addresses may begin with `http://` beyond this machine, with unencrypted passwords. @defaultValue false */
  allowHttp?: boolean;
  credentials: Credentials;
  /** Source of the tokens if another process logs in for this one; a given token needs none. */
  tokens?: TokenSource;
  /** Names the service instead of `baseUrl` if the address changes from run to run. */
  id?: string;
  /** Names the account, without revealing it. @defaultValue made from the credentials, unless `id` is given */
  account?: string;
  /** Server profile. */
  profile?: string;
  /** Display language. */
  lang?: string;
  /** Language of texts that do not exist in `lang`. */
  langalt?: string;
  currency?: string;
  /** A token for 90 days instead of 12 hours. @defaultValue false */
  rememberMe?: boolean;
  /** Padding of the encrypted name and password. @defaultValue 'pkcs1' */
  padding?: 'pkcs1' | 'oaep';
  /** Which element of the login's result is the token. @defaultValue 'first' */
  tokenElement?: 'first' | 'last';
  /** Most requests in flight; fewer while the service is overloaded. Minimum 1. @defaultValue 8 */
  concurrency?: number;
  /** Known limits: requests a second, sent at equal distances, and requests in flight, not adapted then. */
  rateLimit?: { perSecond?: number | undefined; concurrency?: number | undefined } | undefined;
  /** Milliseconds from sending a request to the last byte of its answer. @defaultValue 60000 */
  timeoutMs?: number;
  /** Attempts after the first. @defaultValue 4 */
  retries?: number;
  /** Milliseconds before the first retry; doubles each time. @defaultValue 500 */
  backoffMs?: number;
  /** Milliseconds without a good answer after which a service counts as down. @defaultValue 300000 */
  giveUpAfterMs?: number;
  /**
   * Whether `giveUpAfterMs` also holds before the first answer; an unknown host or bad certificate still fails at once.
   * @defaultValue false, as for a person who waits for the answer
   */
  waitsForFirstAnswer?: boolean;
  /** Longest pause that one answer can impose (429, or 503 with `Retry-After`), milliseconds. @defaultValue 3600000 */
  maxPauseMs?: number;
  /** Longest sum of all pauses, milliseconds. @defaultValue 14400000 (4 hours) */
  maxTotalPauseMs?: number;
  /** Most bytes of one answer; decoding this many takes about a second and blocks everything else. @defaultValue 33554432 (32 MiB) */
  maxResponseBytes?: number;
  /** Most objects, lists and keys of one answer in JSON, which take far more memory than text. @defaultValue 500000 */
  maxJsonValues?: number;
  /** Bytes of all answers being received and decoded, beyond which all but the oldest wait. @defaultValue 33554432 (32 MiB) */
  maxBytesInFlight?: number;
  /** Returns the time in milliseconds since 1970. */
  now: () => number;
  /** Returns a random number from 0 to 1. */
  random: () => number;
  /** Starts the timer that ends pauses and slow requests. @defaultValue a timer of the engine */
  startTimer?: StartTimer;
  /** Once aborted, requests in flight are dropped and the client closes. */
  signal?: AbortSignal;
  /** Receives every attempt. */
  onRequest?: (event: RequestEvent) => void;
  /** Receives every complete answer before it is decoded, with any status; awaited. */
  onAnswer?: (answer: RawAnswer) => void | Promise<void>;
  /** Receives mismatches between answers and the specification. */
  onDrift?: (drift: ServiceDrift) => void;
  /** Called when a 429, or a 503 with `Retry-After`, begins a pause, with its milliseconds. */
  onPause?: (ms: number) => void;
  /** Called with the last failure when all requests begin to wait for a service that does not answer; without it, once it does. */
  onOutage?: (failure: ConverterError | undefined) => void;
  /** Receives each planning that was stored, with its permanent identifier. */
  onPermanentId?: (permanentId: string, topLevelArticle: unknown) => void;
}

/** Position of this process among the processes that keep the limits of one service together. */
export interface LimitShare {
  /** Number of this process, from 0. */
  index: number;
  /** Number of all processes, from 1. */
  count: number;
}

/**
 * Most requests in flight that a configuration allows. Its shares are whole numbers that add up to it: a process with 0
 * waits.
 *
 * @param share - That of one process. @defaultValue the whole
 * @example
 * ```ts
 * [0, 1, 2].map((index) => concurrencyOf({ concurrency: 8 }, { index, count: 3 })); // → [3, 3, 2]
 * concurrencyOf({ concurrency: 2 }, { index: 2, count: 3 }); // → 0
 * ```
 */
export function concurrencyOf(
  config: Pick<ServiceConfig, 'concurrency' | 'rateLimit'>,
  share?: LimitShare,
): number {
  const { concurrency = SERVICE_DEFAULTS.concurrency, rateLimit } = config;
  const most = Math.min(concurrency, rateLimit?.concurrency ?? Number.POSITIVE_INFINITY);
  return share === undefined ? most : Math.floor((most - 1 - share.index) / share.count) + 1;
}

/** One attempt to send an operation; it contains no secret. */
export interface RequestEvent {
  operation: string;
  /** Status of the answer; undefined if no answer was received. */
  status: number | undefined;
  bytes: number;
  /** Number of the attempt, from 1. */
  attempt: number;
  ms?: number;
}

/** One mismatch between an answer of an operation and the specification. */
export interface ServiceDrift extends Drift {
  operation: OperationName;
}

/** A complete answer, as received. */
export interface RawAnswer {
  operation: OperationName;
  /** Values of the request; the row of the operation says which of them are sent. */
  values: Values;
  /** JSON text of the request body, if any. */
  sent?: string;
  status: number;
  bytes: Uint8Array;
}

/** The defaults of a client's settings. */
export const SERVICE_DEFAULTS = {
  allowHttp: false,
  rememberMe: false,
  padding: 'pkcs1',
  tokenElement: 'first',
  concurrency: 8,
  timeoutMs: 60_000,
  retries: 4,
  backoffMs: 500,
  giveUpAfterMs: 5 * 60_000,
  maxPauseMs: 60 * 60_000,
  maxTotalPauseMs: 4 * 60 * 60_000,
  maxResponseBytes: 32 * 1024 * 1024,
  maxJsonValues: 500_000,
  maxBytesInFlight: 32 * 1024 * 1024,
  startTimer,
} as const satisfies Partial<ServiceConfig>;

/** A client's settings with every default filled in. */
export type Settings = ServiceConfig & Required<Pick<ServiceConfig, keyof typeof SERVICE_DEFAULTS>>;

/**
 * Names a service by all that its answers depend on: address, profile, languages, currency, account, no secret (D-716).
 *
 * @example `serviceId({ baseUrl: 'https://h/base/', lang: 'en', … }); // → 'https://h/base?lang=en'`
 */
export function serviceId(config: ServiceConfig): string {
  const { profile, lang, langalt, currency, account } = config;
  // The account comes last, because fetched data is found by the part before it.
  const parts = Object.entries({ profile, lang, langalt, currency, account })
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`);
  const address = config.id ?? config.baseUrl.replace(/\/+$/, '');
  return parts.length === 0 ? address : `${address}?${parts.join('&')}`;
}
