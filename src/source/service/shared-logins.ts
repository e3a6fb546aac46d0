/** Logins for clients in other processes, and for pages in a browser. */

import { withoutUndefined } from '../../convert/wire/value.ts';
import { ConverterError } from '../../support/errors.ts';
import { registerSecret } from '../../support/redact.ts';
import { type Login, logIn, openTokens } from './login.ts';
import {
  SERVICE_DEFAULTS,
  type ServiceConfig,
  type Settings,
  type TokenSource,
} from './service-config.ts';
import { readServiceAddress } from './target.ts';
import { Traffic } from './traffic.ts';
import { createTransport } from './transport.ts';

/** One connection for the login, and one for each of the two groups of a logout. */
const LOGIN_CONNECTIONS = 3;

/**
 * Opens a token source for clients in other processes, whose settings contain it. Nothing is sent before a client
 * needs a token.
 *
 * @throws {@link ConverterError} `USAGE` if an address cannot be read.
 */
export function openTokenSource(config: ServiceConfig): TokenSource {
  const settings = { ...SERVICE_DEFAULTS, ...withoutUndefined(config) } as Settings;
  const stop = new AbortController();
  const addresses = {
    authUrl: readServiceAddress(settings.authUrl, 'authUrl', settings.allowHttp),
    baseUrl: readServiceAddress(settings.baseUrl, 'baseUrl', settings.allowHttp),
  };
  const transport = createTransport(settings, addresses, LOGIN_CONNECTIONS);
  const { signal } = stop;
  const traffic = new Traffic({ ...settings, probe: async () => {}, signal });
  const { timeoutMs } = settings;
  const sender = { traffic, transport, signal, timeoutMs, origin: addresses.authUrl.origin };
  const tokens = openTokens(settings, sender);
  return {
    ...tokens,
    async close() {
      stop.abort();
      await tokens.close();
      await transport.destroy();
    },
  };
}

/** The server that logs in, and its settings. `timeoutMs` limits a whole login. @defaultValue 20000 */
type TokenIssuerConfig = Pick<ServiceConfig, 'authUrl' | 'allowHttp' | 'padding' | 'tokenElement'> &
  Pick<ServiceConfig, 'timeoutMs' | 'now' | 'random' | 'startTimer'> & { appKey?: string };

/** Limits of a login for a person, who waits for the answer: one more attempt, and at once. */
const ISSUE_LIMITS = {
  timeoutMs: 20_000,
  connections: 4,
  maxResponseBytes: 1024 * 1024,
  maxJsonValues: 10_000,
  maxBytesInFlight: 4 * 1024 * 1024,
  retries: 1,
  backoffMs: 200,
  concurrency: 1,
  giveUpAfterMs: 0,
  maxPauseMs: 20_000,
  maxTotalPauseMs: 20_000,
} as const;

/**
 * Creates an issuer, which logs users in and keeps neither logins nor tokens (spec 4.7, 5; D-601, D-602).
 *
 * @throws {@link ConverterError} `USAGE` if the address cannot be read.
 */
export function createTokenIssuer(config: TokenIssuerConfig) {
  const { appKey, timeoutMs = ISSUE_LIMITS.timeoutMs, now, random } = config;
  const { padding, tokenElement, startTimer } = {
    ...SERVICE_DEFAULTS,
    ...withoutUndefined(config),
  };
  const authUrl = readServiceAddress(config.authUrl, 'authUrl', config.allowHttp);
  if (appKey !== undefined) registerSecret(appKey);
  // The API itself is not called, so its address is never used.
  const addresses = { authUrl, baseUrl: authUrl };
  const limits = { ...ISSUE_LIMITS, now, random, startTimer };
  const transport = createTransport(limits, addresses, limits.connections);
  const closed = new AbortController();
  return {
    /**
     * Obtains a token for the caller to use and to log out. The token is not registered as a secret: the list of
     * secrets of a server must not grow with each login. Throws `LOGIN_REFUSED`, `AUTH_PROTOCOL`,
     * `SERVICE_UNREACHABLE`; `HTTP_TIMEOUT`, and `INTERRUPTED` after `close`.
     */
    async issue(request: Pick<Login, 'username' | 'password' | 'rememberMe'>): Promise<string> {
      const time = new AbortController();
      const stopTimer = startTimer(() => time.abort(), timeoutMs);
      const signal = AbortSignal.any([closed.signal, time.signal]);
      const probe = () => Promise.resolve();
      const traffic = new Traffic({ ...limits, probe, signal });
      const sender = { traffic, transport, signal, timeoutMs, origin: authUrl.origin };
      try {
        return await logIn({ ...request, appKey, padding, tokenElement }, sender);
      } catch (error) {
        if (!time.signal.aborted || closed.signal.aborted) throw error;
        const message = `login: timed out after ${timeoutMs / 1000} s`;
        throw new ConverterError('HTTP_TIMEOUT', message, { cause: error });
      } finally {
        stopTimer();
      }
    },
    async close(): Promise<void> {
      closed.abort();
      await transport.destroy();
    },
  };
}
