/**
 * Session: the token of a client, from the login to the logout.
 *
 * A refused request proves nothing: such a service refuses an unknown article as it refuses an expired token
 * (D-609). All requests of a client share the state of one token:
 *
 * | state    | begins after                                                 | a refused request           |
 * | -------- | ------------------------------------------------------------ | --------------------------- |
 * | alive    | a normal answer to a request sent after the refused one      | is an ordinary failure      |
 * | in doubt | a refusal, if there is no such answer                        | waits for the probes        |
 * | dead     | refused probes; the end of the token's lifetime              | waits for one login, once   |
 * | ended    | a refused login; the death of a given token; `MAX_UNPROVEN`  | fails: the run ends         |
 *
 * The probes are the root of the catalogue and, if the root is refused, the latest request that was answered. A root
 * that refuses at random would look like tokens that die; the second probe shows the difference. Where anything may be
 * refused at random, it takes more than one round of probes: see `PROBE_ROUNDS`.
 *
 * A token of our own is renewed ahead of its end, and logged out at the end; a given token is only used.
 */

import { withoutUndefined } from '../../convert/wire/value.ts';
import { ConverterError, type ErrorCode, isConverterError } from '../../support/errors.ts';
import { registerSecret } from '../../support/redact.ts';
import { errorText, readAnswer } from './answer.ts';
import { createEncryptor } from './crypto.ts';
import { type AnswerOf, OPERATIONS } from './operations.ts';
import { interrupted } from './request-failure.ts';
import { SERVICE_DEFAULTS, type ServiceConfig, type Settings } from './service-config.ts';
import { readServiceAddress } from './target.ts';
import { createTokenSource, type IssuedToken, type TokenSource } from './token-source.ts';
import { Traffic } from './traffic.ts';
import { type Exchange, Transport } from './transport.ts';

/** Logging out must not delay the end of a run. */
const LOGOUT_TIMEOUT_MS = 5_000;
/** One for the login, and one for each of the two groups of a logout. */
const LOGIN_CONNECTIONS = 3;
/**
 * How many logins in a row may replace a token without any request but the root being answered in between. After
 * them the next dead token ends the session. Until the first such answer the root is the only probe, and it may
 * refuse at random: then a token that was accepted once counts as alive.
 */
const MAX_UNPROVEN = 2;
/**
 * How many rounds of probes show that a token is dead, and how many without an answer, in a row, show nothing: for the
 * first tokens of a session, and for later ones. A service that refuses two of three requests at random refuses twenty
 * rounds once in 10 million times, and a token that is dead is still replaced.
 */
const PROBE_ROUNDS = {
  first: { refused: 1, unanswered: 1 },
  later: { refused: 20, unanswered: 4 },
} as const;
/** How many tokens are replaced after one round. */
const FIRST_TOKENS = 2;
const GIVEN_DIED =
  'BTG2GLTF_TOKEN: expected a token that the service accepts, received an expired or unknown one';
const ALL_DIED = `login: expected a token that the service accepts, received ${MAX_UNPROVEN + 1} in a row that it refuses`;
const WRONG_ADDRESS =
  'expected an authentication server at this address, received status 404; check BTG2GLTF_AUTH_URL (service.authUrl)';

/** Statuses of a gateway, or during maintenance: such an answer says nothing about the password. */
const NO_BACKEND: ReadonlySet<number> = new Set([502, 503, 504]);

/** A request that was sent with a token. */
interface Sent {
  token: string;
  /** Number of the request among all of its client, in the order of sending, from 1. */
  order: number;
}

/** A request that shows whether a token is alive. */
export type Probe = Pick<Exchange, 'name' | 'values' | 'address'>;

/** The root nodes, which every live token gets. */
const ROOT: Probe = { name: 'getNodes', values: {} };

/** What a session is made of. */
interface SessionOptions {
  /** A token that was given instead of a login. */
  given: string | undefined;
  /** Where other tokens come from; closed with the session. */
  tokens: TokenSource;
  now: () => number;
  /** Sends a probe; rejects if the answer says nothing about the token. */
  probe: (token: string, probe: Probe) => Promise<Pick<Sent, 'order'> & { isRefused: boolean }>;
}

/** Whether a token was alive when a refused request was sent; `unclear` if a probe got no answer. */
type TokenState = 'alive' | 'dead' | 'unclear';

/** A token in use; `acceptedOrder` is the latest request that was answered normally, 0 if there is none. */
type Token = IssuedToken & { acceptedOrder: number };

/** The token of a client; nothing is sent before one is needed. See spec 3 (rule 1), 5, 8; D-609. */
export class Session {
  readonly #options: SessionOptions;
  #current: Token | undefined;
  #probing: Promise<TokenState> | undefined;
  /** The second probe: the latest request that was answered normally, if it can be sent again and is not the root. */
  #answered: Probe | undefined;
  #unproven = 0;
  /** Tokens of this session that were replaced because of refused probes. */
  #replaced = 0;
  #refusal: unknown;
  #isClosed = false;

  constructor(options: SessionOptions) {
    const { given } = options;
    this.#options = options;
    if (given !== undefined)
      this.#current = { value: given, acceptedOrder: 0, renewAtMs: Infinity };
  }

  /** Returns a token that should be alive; logs in if there is none. Throws what ended the session. */
  async token(): Promise<string> {
    this.#throwIfEnded();
    const { now } = this.#options;
    const isUsable = this.#current !== undefined && now() < this.#current.renewAtMs;
    return isUsable ? this.#current!.value : this.#obtain();
  }

  /** Records that a request was answered normally; `request` is given if it can be a probe. */
  accept({ token, order }: Sent, request?: Probe): void {
    if (this.#current?.value !== token) return;
    this.#current.acceptedOrder = Math.max(this.#current.acceptedOrder, order);
    if (request === undefined) return;
    this.#answered = request;
    this.#unproven = 0;
  }

  /** Decides whether the token of a refused request is alive. All that wait share the probes. */
  async examine({ token, order }: Sent): Promise<TokenState> {
    while (this.#current?.value === token) {
      if (this.#current.acceptedOrder > order || this.#isTrusted(this.#current)) return 'alive';
      // An answer to what was sent before the refused request proves nothing for it: then the loop repeats.
      this.#probing ??= this.#sendProbes(token).finally(() => {
        this.#probing = undefined;
      });
      const state = await this.#probing;
      if (state !== 'alive') return state;
    }
    return 'dead';
  }

  /**
   * Logs in to replace a dead token, once for all that wait. Throws `TOKEN_DIED` for a given token,
   * `LOGIN_REFUSED` where the service accepts no token.
   * @param isCertain - Whether the service said that the token is dead: then it needs no logout.
   */
  async replace(token: string, isCertain: boolean): Promise<string> {
    if (isCertain) this.#options.tokens.forget(token);
    if (this.#current?.value === token && !this.#isTrusted(this.#current)) this.#retire();
    this.#throwIfEnded();
    return this.#current?.value ?? this.#obtain(token);
  }

  /** Closes the source of the tokens, too; never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#options.tokens.close();
  }

  /** @param replaced - The token that the service accepts no more. */
  async #obtain(replaced?: string): Promise<string> {
    try {
      const issued = await this.#options.tokens.obtain(replaced);
      const isSame = this.#current?.value === issued.value;
      this.#current = { ...issued, acceptedOrder: isSame ? this.#current!.acceptedOrder : 0 };
      return issued.value;
    } catch (error) {
      // A second login with the same password could lock the account.
      if (isConverterError(error, 'LOGIN_REFUSED', 'AUTH_PROTOCOL')) this.#refusal = error;
      throw error;
    }
  }

  #throwIfEnded(): void {
    if (this.#isClosed) throw interrupted();
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  #isTrusted({ acceptedOrder }: Token): boolean {
    return this.#answered === undefined && this.#unproven === MAX_UNPROVEN && acceptedOrder > 0;
  }

  async #sendProbes(token: string): Promise<TokenState> {
    const most = PROBE_ROUNDS[this.#replaced < FIRST_TOKENS ? 'first' : 'later'];
    let [refused, unanswered] = [0, 0];
    while (unanswered < most.unanswered) {
      try {
        if (await this.#passesAny(token)) return 'alive';
        unanswered = 0;
        refused += 1;
        if (refused === most.refused) return 'dead';
      } catch {
        unanswered += 1;
      }
    }
    return 'unclear';
  }

  async #passesAny(token: string): Promise<boolean> {
    if (await this.#passes(token, ROOT)) return true;
    return this.#answered !== undefined && (await this.#passes(token, this.#answered));
  }

  /** Whether a probe is answered normally. */
  async #passes(token: string, request: Probe): Promise<boolean> {
    const { order, isRefused } = await this.#options.probe(token, request);
    if (!isRefused) this.accept({ token, order });
    return !isRefused;
  }

  /** Drops the token in use; ends the session where another one would not help. */
  #retire(): void {
    this.#current = undefined;
    if (this.#options.given !== undefined) {
      this.#refusal = new ConverterError('TOKEN_DIED', GIVEN_DIED, { operation: 'getNodes' });
    } else if (this.#unproven < MAX_UNPROVEN) {
      this.#unproven += 1;
      this.#replaced += 1;
    } else {
      const operation = 'getSessionToken';
      this.#refusal = new ConverterError('LOGIN_REFUSED', ALL_DIED, { operation });
    }
  }
}

/** How to log in, and as whom. */
interface Login extends Pick<Settings, 'rememberMe' | 'padding' | 'tokenElement'> {
  username: string;
  password: string;
  /** Left out of the request if it is undefined. */
  appKey?: string | undefined;
}

/** What logins and logouts are sent with; `origin` is the authentication server, for errors. */
interface LoginSender {
  traffic: Traffic;
  transport: Transport;
  /** Ends a login before its next step. */
  signal: AbortSignal;
  timeoutMs: number;
  origin: string;
}

/** Creates the session of a client, and registers its credentials and tokens as secrets. */
export function openSession(
  settings: Settings,
  sender: LoginSender,
  probe: SessionOptions['probe'],
): Session {
  const { credentials } = settings;
  const given = 'token' in credentials ? credentials.token : undefined;
  if (given) registerSecret(given);
  const tokens = settings.tokens ?? openTokens(settings, sender);
  return new Session({ given, tokens, now: settings.now, probe });
}

/** Opens a token source with the login of some settings. */
function openTokens(settings: Settings, sender: LoginSender): TokenSource {
  const { rememberMe, now, startTimer, credentials } = settings;
  const login: Login = { ...settings, username: '', password: '', ...credentials };
  for (const secret of [login.password, login.appKey]) if (secret) registerSecret(secret);
  return createTokenSource({
    rememberMe,
    now,
    startTimer,
    login: () => logIn(login, sender),
    logout: (token) => logOut(token, sender),
  });
}

/**
 * Opens a token source for clients in other processes, which have it in their settings; nothing is sent before one
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
  const transport = new Transport(settings, addresses, LOGIN_CONNECTIONS);
  const { signal } = stop;
  const traffic = new Traffic({ ...settings, probe: async () => {}, perSecond: undefined, signal });
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
  const encrypt = createEncryptor(key, login.padding);
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
  const exchange = { name, values: {}, body, number, timeoutMs };
  const { response, target } = await traffic.send(() => transport.send(exchange));
  const { status, bytes } = response;
  // No user was named yet: the address is wrong.
  if (name === 'getPublicKey' && status === 404) {
    throw new ConverterError('HTTP_STATUS', WRONG_ADDRESS, { status });
  }
  const said = errorText(bytes);
  if (!NO_BACKEND.has(status) && (said !== undefined || status === 401 || status === 403)) {
    // A server may repeat what it was sent, also a password that is too short to be masked everywhere.
    const secrets = [login.password, login.appKey ?? ''].filter((secret) => secret !== '');
    const masked = secrets.reduce((text, secret) => text?.replaceAll(secret, '***'), said);
    const why = masked === undefined ? '' : `: ${masked}`;
    const { host } = new URL(origin);
    const message = `login: the authentication server ${host} refused it${why}`;
    throw new ConverterError('LOGIN_REFUSED', message, { status });
  }
  return readAnswer(OPERATIONS[name], response, target.queryBytes);
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
  const exchange = { values: {}, token, number: 1, timeoutMs: shorterMs };
  await Promise.allSettled([
    transport.send({ name: 'logoutCatalogue', ...exchange }),
    transport.send({ name: 'logoutGraphics', ...exchange }),
  ]);
}

/** Which server logs in, and how. `timeoutMs` counts for a whole login. @defaultValue 20000 */
type TokenIssuerConfig = Pick<ServiceConfig, 'authUrl' | 'allowHttp' | 'padding' | 'tokenElement'> &
  Pick<ServiceConfig, 'timeoutMs' | 'now' | 'random' | 'startTimer'> & { appKey?: string };

/** A person waits for the answer: one more attempt, and at once. */
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
  // The API itself is not called: its address is never used.
  const addresses = { authUrl, baseUrl: authUrl };
  const limits = { ...ISSUE_LIMITS, now, random, startTimer };
  const transport = new Transport(limits, addresses, limits.connections);
  const closed = new AbortController();
  return {
    /**
     * Obtains a token, registered as a secret, for the caller to use and to log out. Throws `LOGIN_REFUSED`,
     * `AUTH_PROTOCOL`, `SERVICE_UNREACHABLE`; `HTTP_TIMEOUT`, and `INTERRUPTED` after `close`.
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
    /** Drops what is in flight. */
    async close(): Promise<void> {
      closed.abort();
      await transport.destroy();
    },
  };
}
