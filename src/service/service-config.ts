/**
 * Service configuration: which service is asked, as whom, and how hard.
 *
 * Light on purpose: whoever only needs the defaults loads nothing else.
 */
import type { Padding } from './crypto.ts';
import type { RequestEvent } from './exchange.ts';
import type { OperationName } from './operations.ts';
import type { Values } from './target.ts';
import type { Drift } from './wire-drift.ts';

/** How a client may ask: a login of its own, or a token that it was given. */
export type Credentials =
  | { username: string; password: string; appKey?: string }
  | { token: string };

/** Limits of a service that are known; what is left out is found out. */
export interface RateLimit {
  /** Requests a second, sent at equal distances. */
  perSecond?: number | undefined;
  /** Requests in flight; their number is not adapted then. */
  concurrency?: number | undefined;
}

/** A client's settings; what is left out takes its value from {@link SERVICE_DEFAULTS}. */
export interface ServiceConfig {
  /** Address of the authentication server. */
  authUrl: string;
  /** Address of the API, without `/api/…`. */
  baseUrl: string;
  credentials: Credentials;
  /** Names the service instead of `baseUrl` where the address changes from run to run. */
  id?: string;
  /** Server profile. */
  profile?: string;
  /** Display language. */
  lang?: string;
  /** Language where there is no text in `lang`. */
  langalt?: string;
  currency?: string;
  /** A token for 90 days instead of 12 hours. @defaultValue false */
  rememberMe?: boolean;
  /** Padding of the encrypted name and password. @defaultValue 'pkcs1' */
  padding?: Padding;
  /** Which element of the login's result is the token. @defaultValue 'first' */
  tokenElement?: 'first' | 'last';
  /**
   * Most requests in flight, all kinds together; fewer while the service cannot cope. Minimum 1.
   *
   * @defaultValue 8
   */
  concurrency?: number;
  /** What the service is known to allow. */
  rateLimit?: RateLimit | undefined;
  /** Milliseconds from sending a request to the last byte of its answer. @defaultValue 60000 */
  timeoutMs?: number;
  /** Attempts after the first. @defaultValue 4 */
  retries?: number;
  /** Milliseconds before the first of them; doubles each time. @defaultValue 500 */
  backoffMs?: number;
  /**
   * How long a service may give no good answer to anything before it counts as gone, milliseconds.
   *
   * @defaultValue 300000
   */
  giveUpAfterMs?: number;
  /** Most bytes of one answer. @defaultValue 268435456 (256 MiB) */
  maxResponseBytes?: number;
  /** Milliseconds since 1970. */
  now: () => number;
  /** 0 to 1. */
  random: () => number;
  /** Once aborted, what is in flight is dropped and the client closes. */
  signal?: AbortSignal;
  /** Told of every attempt. */
  onRequest?: (event: RequestEvent) => void;
  /** Handed every complete answer before it is read, whatever it says; waited for. */
  onAnswer?: (answer: RawAnswer) => void | Promise<void>;
  /** Told where an answer that could be read is not what the specification says. */
  onDrift?: (drift: ServiceDrift) => void;
  /** Told of each planning that was stored; the ledger of permanent identifiers listens here. */
  onPermanentId?: (permanentId: string, topLevelArticle: unknown) => void;
}

/** One tolerated mismatch between an answer and the specification. */
export interface ServiceDrift extends Drift {
  operation: OperationName;
}

/** A complete answer, as it came. */
export interface RawAnswer {
  operation: OperationName;
  /** What was asked, by our names; a row of the table says which of them are sent. */
  values: Values;
  /** JSON text that was sent, where there was one. */
  sent?: string;
  status: number;
  bytes: Uint8Array;
}

/** The defaults of a client's settings. */
export const SERVICE_DEFAULTS = {
  rememberMe: false,
  padding: 'pkcs1',
  tokenElement: 'first',
  concurrency: 8,
  timeoutMs: 60_000,
  retries: 4,
  backoffMs: 500,
  giveUpAfterMs: 5 * 60_000,
  maxResponseBytes: 256 * 1024 * 1024,
} as const satisfies Partial<ServiceConfig>;

/** A client's settings with every default filled in. */
export type Settings = ServiceConfig & Required<Pick<ServiceConfig, keyof typeof SERVICE_DEFAULTS>>;

/**
 * Names a service as its answers depend on it: address, profile, languages and currency.
 *
 * @returns Holds no secret; equal for two clients that get the same answers.
 *
 * @example
 * ```ts
 * serviceId({ baseUrl: 'https://h/base/', profile: 'public', lang: 'en', … });
 * // → 'https://h/base?profile=public&lang=en'
 * ```
 *
 * @see D-609 (a token, a snapshot and a state belong to one service and profile).
 */
export function serviceId(config: ServiceConfig): string {
  const { profile, lang, langalt, currency } = config;
  const parts = Object.entries({ profile, lang, langalt, currency })
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`);
  const address = config.id ?? config.baseUrl.replace(/\/+$/, '');
  return parts.length === 0 ? address : `${address}?${parts.join('&')}`;
}
