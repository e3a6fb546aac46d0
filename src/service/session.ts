/**
 * Session: the token of a client, from the login to the logout.
 *
 * A token of our own is renewed ahead of its end, replaced once for all requests that wait when it has died,
 * and logged out at the end. A given token is only used; when it has died the run is over.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ConverterError, type ErrorCode, isConverterError } from '../support/errors.ts';
import { registerSecret } from '../support/redact.ts';
import { errorText, readAnswer } from './answer.ts';
import { createEncryptor } from './crypto.ts';
import { type AnswerOf, OPERATIONS } from './operations.ts';
import { SERVICE_DEFAULTS, type ServiceConfig, type Settings } from './service-config.ts';
import { readAddress } from './target.ts';
import { Traffic } from './traffic.ts';
import { createTransport, interrupted } from './transport.ts';
import { withoutUndefined } from './wire-value.ts';

const HOUR_MS = 60 * 60 * 1000;
/** How long a token lives by the specification. */
const LIFETIMES_MS = { session: 12 * HOUR_MS, remembered: 90 * 24 * HOUR_MS };
/** Share of its life after which a token is renewed: no request may be in flight when it ends. */
const RENEW_AFTER_SHARE = 11 / 12;
/** Pause before a renewal that failed is tried again, while the token still lives. */
const RENEWAL_PAUSE_MS = 60_000;
/** How long the end waits for a login that is in flight. */
const GRACE_MS = 5_000;
/** Logging out must not delay the end of a run. */
const LOGOUT_TIMEOUT_MS = 5_000;
const NEVER = new AbortController().signal;
const WRONG_ADDRESS =
  'expected an authentication server at this address, received status 404; check BTG2GLTF_AUTH_URL (service.authUrl)';

/** What a session is made of. */
interface SessionOptions {
  /** A token that was given instead of a login. */
  given: string | undefined;
  rememberMe: boolean;
  now: () => number;
  login: () => Promise<string>;
  /** Ends a token at every group; never rejects. */
  logout: (token: string) => Promise<void>;
  /** Whether the service still accepts a token; true if that cannot be found out. */
  isAlive: (token: string) => Promise<boolean>;
}

/** The token of a client. */
interface Session {
  /** Returns a token that should be alive; logs in if there is none. Throws `TOKEN_DIED` for a given one. */
  token(): Promise<string>;
  /**
   * Returns a token in place of one that seems to have died; the same one if a given token turns out to be
   * alive. All requests with the same token share one login.
   * @param isCertain - Whether the service said that the token is dead: then it needs no logout.
   */
  replace(token: string, isCertain: boolean): Promise<string>;
  /** Logs out every token that was obtained here; never rejects. */
  close(): Promise<void>;
}

/** Creates a session; nothing is sent before a token is needed. See spec 3 (rule 1), 5, 8; D-609. */
export function createSession(options: SessionOptions): Session {
  const { given } = options;
  return given === undefined ? ownSession(options) : givenSession(options, given);
}

type OwnToken = { value: string; renewAtMs: number; endsAtMs: number };

function ownSession({ rememberMe, now, login, logout }: SessionOptions): Session {
  const lifetimeMs = LIFETIMES_MS[rememberMe ? 'remembered' : 'session'];
  const toLogOut = new Set<string>();
  let current: OwnToken | undefined;
  let pending: Promise<string> | undefined;
  let refusal: unknown;
  let isClosed = false;

  const obtain = (): Promise<string> => {
    pending ??= logIn().finally(() => {
      pending = undefined;
    });
    return pending;
  };

  const logIn = async (): Promise<string> => {
    // Counted from before the request: the server's clock started somewhere in between.
    const startedMs = now();
    try {
      const value = await login();
      const renewAtMs = startedMs + lifetimeMs * RENEW_AFTER_SHARE;
      current = { value, renewAtMs, endsAtMs: startedMs + lifetimeMs };
      toLogOut.add(value);
      return value;
    } catch (error) {
      // A second login with the same password could lock the account.
      if (isConverterError(error, 'LOGIN_REFUSED', 'AUTH_PROTOCOL')) refusal = error;
      throw error;
    }
  };

  const renew = async (old: OwnToken): Promise<string> => {
    try {
      return await obtain();
    } catch (error) {
      if (now() >= old.endsAtMs || isClosed) throw error;
      refusal = undefined;
      current = { ...old, renewAtMs: now() + RENEWAL_PAUSE_MS };
      return old.value;
    }
  };

  return {
    async token() {
      if (isClosed) throw interrupted();
      if (refusal !== undefined) throw refusal;
      if (current === undefined || now() >= current.endsAtMs) return obtain();
      return now() >= current.renewAtMs ? renew(current) : current.value;
    },
    async replace(token, isCertain) {
      if (isCertain) toLogOut.delete(token);
      if (isClosed) throw interrupted();
      if (refusal !== undefined) throw refusal;
      if (current !== undefined && current.value !== token) return current.value;
      current = undefined;
      return obtain();
    },
    async close() {
      isClosed = true;
      // The token of a login in flight must be logged out too, but the end does not wait for long.
      await Promise.race([pending?.catch(() => {}), sleep(GRACE_MS, undefined, { ref: false })]);
      const tokens = [...toLogOut];
      toLogOut.clear();
      await Promise.all(tokens.map(logout));
    },
  };
}

function givenSession({ isAlive }: SessionOptions, given: string): Session {
  let probe: Promise<boolean> | undefined;
  let isDead = false;
  const token = async (): Promise<string> => {
    if (!isDead) return given;
    const message =
      'BTG2GLTF_TOKEN: expected a token that the service accepts, received an expired or unknown one';
    throw new ConverterError('TOKEN_DIED', message, { operation: 'getNodes' });
  };
  return {
    token,
    async replace() {
      // One broken article must not end the run: the token is tried on a request that always works.
      probe ??= isAlive(given).finally(() => {
        probe = undefined;
      });
      if (!(await probe)) isDead = true;
      return token();
    },
    async close() {},
  };
}

/** How to log in, and as whom. */
interface Login extends Pick<Settings, 'rememberMe' | 'padding' | 'tokenElement'> {
  username: string;
  password: string;
  /** Left out of the request if it is undefined. */
  appKey?: string | undefined;
}

/** What logins and logouts are sent with; `signal` ends a login before its next step. */
interface LoginSender {
  traffic: Traffic;
  transport: ReturnType<typeof createTransport>;
  signal: AbortSignal;
  timeoutMs: number;
  /** Scheme, host and port of the authentication server, for errors. */
  origin: string;
}

/** Creates the session of a client, and registers its credentials and tokens as secrets. */
export function openSession(
  settings: Settings,
  sender: LoginSender,
  isAlive: SessionOptions['isAlive'],
): Session {
  const { credentials, rememberMe, now } = settings;
  const given = 'token' in credentials ? credentials.token : undefined;
  const login: Login = { ...settings, username: '', password: '', ...credentials };
  for (const secret of [given, login.password, login.appKey]) if (secret) registerSecret(secret);
  return createSession({
    given,
    rememberMe,
    now,
    login: () => logIn(login, sender),
    logout: (token) => logOut(token, sender),
    isAlive,
  });
}

/** Logs in, again and again while that may help, and registers the token as a secret (spec 4.1, 5; D-601, D-602). */
async function logIn(login: Login, sender: LoginSender): Promise<string> {
  try {
    return await sender.traffic.login((number) => obtainToken(login, sender, number));
  } catch (error) {
    throw loginError(error, sender.origin);
  }
}

async function obtainToken(login: Login, sender: LoginSender, number: number): Promise<string> {
  const key = await sendStep('getPublicKey', undefined, login, sender, number);
  const encrypt = await createEncryptor(key, login.padding);
  const body = JSON.stringify({
    User: encrypt(login.username, 'user name'),
    Password: encrypt(login.password, 'password'),
    // Exactly as received: the server recognises its key by this text.
    PublicKey: key,
    RememberMe: login.rememberMe,
    AppKey: login.appKey,
  });
  const results = await sendStep('getSessionToken', body, login, sender, number);
  const token = results.at(login.tokenElement === 'first' ? 0 : -1);
  if (token === undefined) {
    throw new ConverterError('LOGIN_REFUSED', 'login: expected a token, received none');
  }
  registerSecret(token);
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
  // Not the signal of the client: a token in flight must arrive, so that it can be logged out.
  const exchange = { name, values: {}, body, number, timeoutMs, signal: NEVER };
  const { response, target } = await traffic.send(() => transport.send(exchange));
  const { status, bytes } = response;
  // No user was named yet: the address is wrong.
  if (name === 'getPublicKey' && status === 404) {
    throw new ConverterError('HTTP_STATUS', WRONG_ADDRESS, { status });
  }
  const said = errorText(bytes);
  if (said !== undefined || status === 401 || status === 403) {
    const why = said === undefined ? '' : `: ${withoutCredentials(said, login)}`;
    const { host } = new URL(origin);
    const message = `login: the authentication server ${host} refused it${why}`;
    throw new ConverterError('LOGIN_REFUSED', message, { status });
  }
  return readAnswer(OPERATIONS[name], response, target.queryBytes);
}

/** A server may repeat what it was sent. A user name is too common a word to mask everywhere. */
function withoutCredentials(text: string, { username, password, appKey = '' }: Login): string {
  return [username, password, appKey]
    .filter((secret) => secret !== '')
    .reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}

/** What a failed login means for the run, if the failure itself does not say so. */
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
  const prefix = meaning === code ? '' : `cannot log in at ${new URL(origin).host}: `;
  const context = { operation: 'getSessionToken', url: origin, cause, status };
  return new ConverterError(meaning, `${prefix}${thrown.message}`, withoutUndefined(context));
}

/** Logs a token out of both groups that can end it, at once; one that cannot be logged out ends by itself. */
async function logOut(token: string, { transport, timeoutMs }: LoginSender): Promise<void> {
  const shorterMs = Math.min(timeoutMs, LOGOUT_TIMEOUT_MS);
  const exchange = { values: {}, token, number: 1, timeoutMs: shorterMs, signal: NEVER };
  await Promise.allSettled([
    transport.send({ name: 'logoutCatalogue', ...exchange }),
    transport.send({ name: 'logoutGraphics', ...exchange }),
  ]);
}

/** Which server logs in, and how. `timeoutMs` counts for a whole login. @defaultValue 20000 */
export type TokenIssuerConfig = Pick<
  ServiceConfig,
  'authUrl' | 'padding' | 'tokenElement' | 'timeoutMs' | 'now' | 'random'
> & { appKey?: string };

/** One login; `rememberMe`: a token for 90 days instead of 12 hours. */
export type TokenRequest = Pick<Login, 'username' | 'password' | 'rememberMe'>;

/** A person waits for the answer: one more attempt, and at once. */
const ISSUE_LIMITS = {
  ...{ timeoutMs: 20_000, connections: 4, maxResponseBytes: 1024 * 1024 },
  ...{ retries: 1, backoffMs: 200, concurrency: 1, giveUpAfterMs: 0 },
} as const;

/**
 * Creates an issuer, which logs users in for a caller without a client and keeps neither logins nor tokens.
 *
 * @throws {@link ConverterError} `USAGE` if the address cannot be read.
 * @see Spec 4.7, 5; D-601, D-602.
 */
export function createTokenIssuer(config: TokenIssuerConfig) {
  const { appKey, timeoutMs = ISSUE_LIMITS.timeoutMs, now, random } = config;
  const { padding, tokenElement } = { ...SERVICE_DEFAULTS, ...config };
  const authUrl = readAddress(config.authUrl, 'authUrl');
  if (appKey !== undefined) registerSecret(appKey);
  // The API itself is not called: its address is never used.
  const addresses = { authUrl, baseUrl: authUrl };
  const transport = createTransport({ ...ISSUE_LIMITS, now }, addresses, ISSUE_LIMITS.connections);
  const closed = new AbortController();
  return {
    /**
     * Obtains a token, registered as a secret, for the caller to use and to log out. Throws `LOGIN_REFUSED`,
     * `AUTH_PROTOCOL`, `SERVICE_UNREACHABLE`; `HTTP_TIMEOUT`, and `INTERRUPTED` after `close`.
     */
    async issue(request: TokenRequest): Promise<string> {
      const time = AbortSignal.timeout(timeoutMs);
      const signal = AbortSignal.any([closed.signal, time]);
      const probe = () => Promise.resolve();
      const traffic = new Traffic({ ...ISSUE_LIMITS, probe, now, random, signal });
      const sender = { traffic, transport, signal, timeoutMs, origin: authUrl.origin };
      try {
        return await logIn({ ...request, appKey, padding, tokenElement }, sender);
      } catch (error) {
        if (!time.aborted || closed.signal.aborted) throw error;
        const message = `login: timed out after ${timeoutMs / 1000} s`;
        throw new ConverterError('HTTP_TIMEOUT', message, { cause: error });
      }
    },
    /** Drops what is in flight. */
    async close(): Promise<void> {
      closed.abort();
      await transport.destroy();
    },
  };
}
