/**
 * Authenticate: how a client comes by its token, and how it gives it back.
 *
 * In: settings, and the exchange that every request goes through. Out: a token; ended tokens.
 * It must not know when that is due: the session does.
 */
import { ConverterError, type ErrorCode } from '../support/errors.ts';
import { registerSecret } from '../support/redact.ts';
import type { Exchange } from './exchange.ts';
import { type LoginOptions, logIn } from './login.ts';
import { type RetryPolicy, withRetries } from './retry.ts';
import type { Settings } from './service-config.ts';

/** Logging out may not hold up the end of a run. */
const LOGOUT_TIMEOUT_MS = 5_000;

/** Registers what must never be printed; returns the token that was given, if one was. */
export function registerCredentials({ credentials }: Settings): string | undefined {
  if ('token' in credentials) {
    registerSecret(credentials.token);
    return credentials.token;
  }
  registerSecret(credentials.password);
  if (credentials.appKey !== undefined) registerSecret(credentials.appKey);
  return undefined;
}

/**
 * Logs in, again and again while that may help.
 *
 * A login is not counted against the concurrency: whoever waits for it holds a slot and sends
 * nothing meanwhile, so no more requests than that are ever in flight.
 *
 * @param origin - Scheme, host and port of the authentication server.
 * @throws {@link ConverterError} `LOGIN_REFUSED`, `AUTH_PROTOCOL` or `SERVICE_UNREACHABLE`.
 *
 * @see Spec 5; D-601, D-602.
 */
export async function obtainToken(
  settings: Settings,
  exchange: Exchange,
  policy: RetryPolicy,
  origin: string,
): Promise<string> {
  const { timeoutMs } = settings;
  // Not the client's own signal: a token that is on its way must arrive, to be logged out.
  const { signal } = new AbortController();
  let token: string | undefined;
  const attempt = async (number: number): Promise<string> => {
    token = await logIn(loginOptions(settings), (name, body) => {
      policy.signal.throwIfAborted();
      const rest = body === undefined ? {} : { body };
      return exchange({ name, values: {}, number, timeoutMs, signal, ...rest });
    });
    return token;
  };
  try {
    return await withRetries(attempt, policy);
  } catch (error) {
    if (token !== undefined) return token;
    throw loginError(error, origin);
  }
}

/**
 * Logs a token out of both groups that can end it. Best effort: the work is done by then, and a
 * token that cannot be logged out ends by itself.
 *
 * @see Spec 4.2, 4.4 (logout).
 */
export async function logOut(exchange: Exchange, token: string, timeoutMs: number): Promise<void> {
  const { signal } = new AbortController();
  const rest = { values: {}, token, number: 1, signal, ungated: true };
  const send = (name: 'logoutCatalogue' | 'logoutGraphics') =>
    exchange({ name, ...rest, timeoutMs: Math.min(timeoutMs, LOGOUT_TIMEOUT_MS) });
  await Promise.allSettled([send('logoutCatalogue'), send('logoutGraphics')]);
}

function loginOptions({ credentials, ...settings }: Settings): LoginOptions {
  if ('token' in credentials) throw new ConverterError('INTERNAL', 'a given token needs no login');
  const { username, password, appKey } = credentials;
  const { rememberMe, padding, tokenElement } = settings;
  return { username, password, appKey, rememberMe, padding, tokenElement };
}

/** What a failed login means for the run, where the failure itself does not say so. */
const MEANINGS: Partial<Record<ErrorCode, ErrorCode>> = {
  HTTP_STATUS: 'SERVICE_UNREACHABLE',
  HTTP_TIMEOUT: 'SERVICE_UNREACHABLE',
  HTTP_CONNECTION: 'SERVICE_UNREACHABLE',
  RESPONSE_INVALID: 'AUTH_PROTOCOL',
  RESPONSE_TOO_LARGE: 'AUTH_PROTOCOL',
  REDIRECT_REFUSED: 'AUTH_PROTOCOL',
  QUERY_TOO_LONG: 'AUTH_PROTOCOL',
};

/** Names a failed login so that it ends the run, with the host and without a query. */
function loginError(thrown: unknown, origin: string): unknown {
  if (!(thrown instanceof ConverterError) || thrown.operation !== undefined) return thrown;
  const { code, status, cause } = thrown;
  const isRefusedStatus = code === 'HTTP_STATUS' && (status ?? 500) < 500 && status !== 429;
  const meaning = isRefusedStatus ? 'AUTH_PROTOCOL' : (MEANINGS[code] ?? code);
  const { host } = new URL(origin);
  const prefix = meaning === code ? '' : `cannot log in at ${host}: `;
  return new ConverterError(meaning, `${prefix}${thrown.message}`, {
    operation: 'getSessionToken',
    url: origin,
    cause,
    ...(status === undefined ? {} : { status }),
  });
}
