/** Login and logout: the requests to the authentication server, and how its answers are read. */

import { withoutUndefined } from '../../convert/wire/value.ts';
import { ConverterError, type ErrorCode } from '../../support/errors.ts';
import { registerSecret } from '../../support/redact.ts';
import { errorText, readAnswer } from './answer.ts';
import { createEncryptor } from './crypto.ts';
import { type AnswerOf, OPERATIONS } from './operations.ts';
import type { Settings, TokenSource } from './service-config.ts';
import { createTokenSource } from './token-source.ts';
import type { Traffic } from './traffic.ts';
import type { Transport } from './transport.ts';

/** Time limit of a logout, which must not delay the end of a run. */
const LOGOUT_TIMEOUT_MS = 5_000;
const WRONG_ADDRESS =
  'expected an authentication server at this address, received status 404; check BTG2GLTF_AUTH_URL (service.authUrl)';
/** Statuses of a gateway, or during maintenance: such an answer proves nothing about the password. */
const NO_BACKEND: ReadonlySet<number> = new Set([502, 503, 504]);

/** How to log in, and as which user. */
export interface Login extends Pick<Settings, 'rememberMe' | 'padding' | 'tokenElement'> {
  username: string;
  password: string;
  appKey?: string | undefined;
}

/** Sends logins and logouts; `origin` is the authentication server, for errors. */
export interface LoginSender {
  traffic: Traffic;
  transport: Transport;
  /** Ends a login before its next step. */
  signal: AbortSignal;
  timeoutMs: number;
  origin: string;
}

/** Opens a token source with the login of some settings. */
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
    const secrets = [login.password, login.appKey ?? ''].filter((secret) => secret !== '');
    const masked = secrets.reduce((text, secret) => text?.replaceAll(secret, '***'), said);
    const why = masked === undefined ? '' : `: ${masked}`;
    const { host } = new URL(origin);
    const message = `login: the authentication server ${host} refused it${why}`;
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
