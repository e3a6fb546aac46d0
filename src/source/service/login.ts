/** Login and logout: the requests to the authentication server, how its answers are read, and when tokens are renewed. */

import { withoutUndefined } from '../../convert/wire/value.ts';
import { ConverterError, type ErrorCode, isConverterError } from '../../support/errors.ts';
import { redact, registerSecret } from '../../support/redact.ts';
import { errorText, readAnswer } from './answer.ts';
import { createEncryptor } from './crypto.ts';
import { type AnswerOf, OPERATIONS } from './operations.ts';
import { interrupted } from './request-failure.ts';
import type { IssuedToken, Settings, TokenSource } from './service-config.ts';
import type { Traffic } from './traffic.ts';
import type { Transport } from './transport.ts';

/** Time limit of a logout, which must not delay the end of a run. */
const LOGOUT_TIMEOUT_MS = 5_000;
const WRONG_ADDRESS =
  'expected an authentication server at this address, received status 404; check BTG2GLTF_AUTH_URL (service.authUrl)';
/** Statuses of a gateway, or during maintenance: such an answer proves nothing about the password. */
const NO_BACKEND: ReadonlySet<number> = new Set([502, 503, 504]);

const HOUR_MS = 60 * 60 * 1000;
const LIFETIMES_MS = { session: 12 * HOUR_MS, remembered: 90 * 24 * HOUR_MS };
/** Share of the lifetime after which a token is renewed: no request may be in flight when the token expires. */
const RENEW_AFTER_SHARE = 11 / 12;
/** Pause before a renewal that failed is tried again, while the token still lives. */
const RENEWAL_PAUSE_MS = 60_000;
/** Time for which a refused login is not repeated: another login with the same password could lock the account. */
const REFUSAL_MS = 60_000;
/** Time that closing waits for a login in flight. */
const GRACE_MS = 5_000;

/** How to log in, and as which user. */
export interface Login extends Pick<Settings, 'rememberMe' | 'padding' | 'tokenElement'> {
  username: string;
  password: string;
  appKey?: string | undefined;
}

/** Sends logins and logouts; `origin` is the authentication server, for errors. */
interface LoginSender {
  traffic: Traffic;
  transport: Transport;
  /** Ends a login before its next step. */
  signal: AbortSignal;
  timeoutMs: number;
  origin: string;
}

/** Opens a token source, and registers credentials and tokens as secrets. */
export function openTokens(settings: Settings, sender: LoginSender): TokenSource {
  const { rememberMe, now, startTimer, credentials } = settings;
  const login: Login = { ...settings, username: '', password: '', ...credentials };
  for (const secret of [login.password, login.appKey]) if (secret) registerSecret(secret);
  return createTokenSource({
    rememberMe,
    now,
    startTimer,
    async login() {
      const token = await logIn(login, sender);
      registerSecret(token);
      return token;
    },
    logout: (token) => logOut(token, sender),
  });
}

/** Logs in, repeatedly while that may help. The token is not registered as a secret yet (spec 4.1, 5; D-601, D-602). */
export async function logIn(login: Login, sender: LoginSender): Promise<string> {
  try {
    return await sender.traffic.login((number) => obtainToken(login, sender, number));
  } catch (error) {
    throw loginError(error, sender.origin);
  }
}

async function obtainToken(login: Login, sender: LoginSender, number: number): Promise<string> {
  const key = await sendStep('getPublicKey', undefined, login, sender, number);
  const encrypt = createEncryptor(key, login.padding);
  const body = JSON.stringify({
    User: encrypt(login.username, 'user name'),
    Password: encrypt(login.password, 'password'),
    // The key is sent exactly as received: the server recognises its key by this text.
    PublicKey: key,
    RememberMe: login.rememberMe,
    AppKey: login.appKey,
  });
  const results = await sendStep('getSessionToken', body, login, sender, number);
  const token = results.at(login.tokenElement === 'first' ? 0 : -1);
  if (token === undefined) {
    throw new ConverterError('LOGIN_REFUSED', 'login: expected a token, received none');
  }
  return token;
}

async function sendStep<Name extends 'getPublicKey' | 'getSessionToken'>(
  name: Name,
  body: string | undefined,
  login: Login,
  { traffic, transport, signal, timeoutMs, origin }: LoginSender,
  number: number,
): Promise<AnswerOf<Name>> {
  signal.throwIfAborted();
  // The signal of the client is not used: a token in flight must arrive, so that it can be logged out.
  const exchange = { name, values: {}, body, number, timeoutMs };
  const { response, target } = await traffic.send(() => transport.send(exchange));
  const { status, bytes } = response;
  // No user was named yet, so the address is wrong.
  if (name === 'getPublicKey' && status === 404) {
    throw new ConverterError('HTTP_STATUS', WRONG_ADDRESS, { status });
  }
  const said = errorText(bytes);
  if (!NO_BACKEND.has(status) && (said !== undefined || status === 401 || status === 403)) {
    // A server may repeat the sent values, also a password that is too short to be masked everywhere.
    const short = [login.password, login.appKey ?? ''].filter((one) => one && redact(one) === one);
    const masked = short.reduce((text, secret) => text?.replaceAll(secret, '***'), said);
    const why = masked === undefined ? '' : `: ${masked}`;
    const { host } = new URL(origin);
    const message = `the authentication server ${host} refused the login${why}`;
    throw new ConverterError('LOGIN_REFUSED', message, { status });
  }
  return readAnswer(OPERATIONS[name], response, target.queryBytes);
}

/** The error code of a failed login for the run, if the failure itself does not have it. */
const MEANINGS: Partial<Record<ErrorCode, ErrorCode>> = {
  HTTP_STATUS: 'SERVICE_UNREACHABLE',
  HTTP_TIMEOUT: 'SERVICE_UNREACHABLE',
  HTTP_CONNECTION: 'SERVICE_UNREACHABLE',
  RESPONSE_INVALID: 'AUTH_PROTOCOL',
  RESPONSE_TOO_LARGE: 'AUTH_PROTOCOL',
  REDIRECT_REFUSED: 'AUTH_PROTOCOL',
  QUERY_TOO_LONG: 'AUTH_PROTOCOL',
};

/** Names a failed login so that the error ends the run, with the host and without a query. */
function loginError(thrown: unknown, origin: string): unknown {
  if (!(thrown instanceof ConverterError) || thrown.operation !== undefined) return thrown;
  const { code, status, cause } = thrown;
  const isRefusedStatus = code === 'HTTP_STATUS' && (status ?? 500) < 500 && status !== 429;
  const meaning = isRefusedStatus ? 'AUTH_PROTOCOL' : (MEANINGS[code] ?? code);
  const prefix = meaning === code ? '' : `cannot log in at ${new URL(origin).host}: `;
  const context = { operation: 'getSessionToken', url: origin, cause, status };
  return new ConverterError(meaning, `${prefix}${thrown.message}`, withoutUndefined(context));
}

/** Logs a token out of both groups that can end it, at once. A token that cannot be logged out expires by itself. */
async function logOut(token: string, { transport, timeoutMs }: LoginSender): Promise<void> {
  const shorterMs = Math.min(timeoutMs, LOGOUT_TIMEOUT_MS);
  const exchange = { values: {}, token, number: 1, timeoutMs: shorterMs };
  await Promise.allSettled([
    transport.send({ name: 'logoutCatalogue', ...exchange }),
    transport.send({ name: 'logoutGraphics', ...exchange }),
  ]);
}

interface TokenSourceOptions extends Pick<Settings, 'rememberMe' | 'now' | 'startTimer'> {
  login: () => Promise<string>;
  /** Logs a token out of every group; never rejects. */
  logout: (token: string) => Promise<void>;
}

/** Creates a token source; nothing is sent before a token is needed. See spec 5, 8; D-609. */
export function createTokenSource(options: TokenSourceOptions): TokenSource {
  const { rememberMe, now, startTimer, login, logout } = options;
  const lifetimeMs = LIFETIMES_MS[rememberMe ? 'remembered' : 'session'];
  const toLogOut = new Set<string>();
  let current: (IssuedToken & { endsAtMs: number }) | undefined;
  let pending: Promise<IssuedToken> | undefined;
  let refusal: { error: unknown; endsAtMs: number } | undefined;
  let isClosed = false;

  const logIn = async (): Promise<IssuedToken> => {
    // The lifetime counts from before the request: the server's clock started somewhere in between.
    const startedMs = now();
    try {
      const value = await login();
      toLogOut.add(value);
      const renewAtMs = startedMs + lifetimeMs * RENEW_AFTER_SHARE;
      current = { value, renewAtMs, endsAtMs: startedMs + lifetimeMs };
      return current;
    } catch (error) {
      const isUsable = current !== undefined && now() < current.endsAtMs && !isClosed;
      if (isUsable) {
        current = { ...current!, renewAtMs: now() + RENEWAL_PAUSE_MS };
        return current;
      }
      if (isConverterError(error, 'LOGIN_REFUSED', 'AUTH_PROTOCOL'))
        refusal = { error, endsAtMs: now() + REFUSAL_MS };
      throw error;
    }
  };

  return {
    async obtain(replaced) {
      if (isClosed) throw interrupted();
      if (current !== undefined && current.value === replaced) current = undefined;
      if (current !== undefined && now() < current.renewAtMs) return current;
      if (refusal !== undefined && now() < refusal.endsAtMs) throw refusal.error;
      pending ??= logIn().finally(() => {
        pending = undefined;
      });
      return pending;
    },
    forget: (token) => void toLogOut.delete(token),
    async close() {
      isClosed = true;
      // The token of a login in flight must be logged out too, but closing does not wait for long.
      let stopTimer = () => {};
      const late = new Promise<void>((done) => {
        stopTimer = startTimer(done, GRACE_MS);
      });
      await Promise.race([pending?.catch(() => {}), late]);
      stopTimer();
      const tokens = [...toLogOut];
      toLogOut.clear();
      await Promise.all(tokens.map(logout));
    },
  };
}
