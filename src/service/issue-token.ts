/**
 * Issue token: logins for others, one at a time, without a client of their own.
 *
 * In: the address of an authentication server and a login. Out: a token, which is the caller's to use
 * and to end. It must not keep a login or a token.
 */
import { ConverterError } from '../support/errors.ts';
import { registerSecret } from '../support/redact.ts';
import { obtainToken } from './authenticate.ts';
import { createExchange } from './exchange.ts';
import { createGate } from './gate.ts';
import { createHttp } from './http.ts';
import { SERVICE_DEFAULTS, type ServiceConfig, type Settings } from './service-config.ts';
import { readAddress } from './target.ts';

/** Which server logs in, and how; see {@link ServiceConfig}. */
export type TokenIssuerConfig = Pick<
  ServiceConfig,
  'authUrl' | 'padding' | 'tokenElement' | 'now' | 'random'
> & {
  /** Application key, where one was issued. */
  appKey?: string;
  /** For a whole login, milliseconds. @defaultValue 20000 */
  timeoutMs?: number;
};

/** One login. */
export interface TokenRequest {
  username: string;
  password: string;
  /** A token for 90 days instead of 12 hours. */
  rememberMe: boolean;
}

/** Logs others in. */
export interface TokenIssuer {
  /**
   * Obtains a token, registered as a secret.
   *
   * @throws {@link ConverterError} `LOGIN_REFUSED`, `AUTH_PROTOCOL`, `SERVICE_UNREACHABLE`;
   *   `HTTP_TIMEOUT` where it takes too long, `INTERRUPTED` after {@link close}.
   */
  issue(request: TokenRequest): Promise<string>;
  /** Drops what is under way. */
  close(): Promise<void>;
}

const TIMEOUT_MS = 20_000;
/** Whoever waits for the answer sits before a page: one more attempt, and at once. */
const RETRIES = { retries: 1, backoffMs: 200 } as const;
const CONNECTIONS = 4;
const MAX_RESPONSE_BYTES = 1024 * 1024;

/**
 * Creates an issuer of tokens; nothing is sent before the first login.
 *
 * @throws {@link ConverterError} `USAGE` if the address cannot be read.
 *
 * @example
 * ```ts
 * const issuer = createTokenIssuer({ authUrl, now: Date.now, random: Math.random });
 * await issuer.issue({ username, password, rememberMe: false }); // → '3F2A…'
 * ```
 *
 * @see Spec 4.7, 5; D-601, D-602.
 */
export function createTokenIssuer(config: TokenIssuerConfig): TokenIssuer {
  const { appKey, timeoutMs = TIMEOUT_MS, now, random, ...rest } = config;
  const authUrl = readAddress(config.authUrl, 'authUrl');
  if (appKey !== undefined) registerSecret(appKey);
  const http = createHttp({ connections: CONNECTIONS, maxResponseBytes: MAX_RESPONSE_BYTES });
  const closed = new AbortController();
  return {
    async issue({ rememberMe, ...login }) {
      const time = AbortSignal.timeout(timeoutMs);
      const signal = AbortSignal.any([closed.signal, time]);
      const gate = createGate({ now, random, signal });
      // The API itself is not called: its address is never used.
      const addresses = { authUrl, baseUrl: authUrl };
      const exchange = createExchange({ addresses, http, gate, now, onRequest: () => {} });
      const credentials = { ...login, ...(appKey === undefined ? {} : { appKey }) };
      const own = { baseUrl: config.authUrl, credentials, rememberMe, timeoutMs, now, random };
      const settings: Settings = { ...SERVICE_DEFAULTS, ...rest, ...own };
      const policy = { ...RETRIES, random, signal };
      try {
        return await obtainToken(settings, exchange, policy, authUrl.origin);
      } catch (error) {
        if (!time.aborted || closed.signal.aborted) throw error;
        throw new ConverterError('HTTP_TIMEOUT', 'the login took too long', { cause: error });
      }
    },
    async close() {
      closed.abort();
      await http.destroy().catch(() => {});
    },
  };
}
