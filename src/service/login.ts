/**
 * Login: the two steps by which the authentication server hands out a token.
 *
 * In: credentials and a way to send. Out: a token, registered as a secret. It keeps nothing.
 */
import { ConverterError } from '../support/errors.ts';
import { registerSecret } from '../support/redact.ts';
import { errorText, readAnswer } from './answer.ts';
import { createEncryptor, type Padding } from './crypto.ts';
import type { Received } from './exchange.ts';
import { type AnswerOf, OPERATIONS } from './operations.ts';

/** Who logs in, and how. */
export interface LoginOptions {
  username: string;
  password: string;
  /** Left out of the request where it is undefined. */
  appKey: string | undefined;
  rememberMe: boolean;
  padding: Padding;
  /** Which element of `result` is the token. */
  tokenElement: 'first' | 'last';
}

const NOT_FOUND = 404;
const WRONG_ADDRESS =
  'no authentication server answers at this address (status 404): is BTG2GLTF_AUTH_URL (service.authUrl) right?';

type AuthOperation = 'getPublicKey' | 'getSessionToken';

/** Sends one operation of the authentication server, once. */
export type AuthSender = (name: AuthOperation, body?: string) => Promise<Received>;

/**
 * Obtains a session token.
 *
 * @throws {@link ConverterError} `LOGIN_REFUSED` where the server says no, or a name is too long;
 * `AUTH_PROTOCOL` where it speaks something else; else what the sender throws.
 *
 * @example
 * ```ts
 * await logIn({ username, password, appKey, rememberMe: false, padding: 'pkcs1', tokenElement: 'first' }, send);
 * // → '3F2A…'
 * ```
 *
 * @see Spec 4.1, 5; D-601, D-602.
 */
export async function logIn(options: LoginOptions, send: AuthSender): Promise<string> {
  const key = await ask('getPublicKey', undefined, options, send);
  const { encrypt } = await createEncryptor(key, options.padding);
  const body = JSON.stringify({
    User: encrypt(options.username, 'user name'),
    Password: encrypt(options.password, 'password'),
    // Exactly as received: the server recognises its key by this text.
    PublicKey: key,
    RememberMe: options.rememberMe,
    ...(options.appKey === undefined ? {} : { AppKey: options.appKey }),
  });
  const results = await ask('getSessionToken', body, options, send);
  const token = results.at(options.tokenElement === 'first' ? 0 : -1);
  if (token === undefined) {
    throw new ConverterError('LOGIN_REFUSED', 'the authentication server gave no token');
  }
  registerSecret(token);
  return token;
}

async function ask<Name extends AuthOperation>(
  name: Name,
  body: string | undefined,
  options: LoginOptions,
  send: AuthSender,
): Promise<AnswerOf<Name>> {
  const { response, target } = await send(name, body);
  const { status, bytes } = response;
  // Nobody was named yet: it is the address that is wrong.
  if (name === 'getPublicKey' && status === NOT_FOUND) {
    throw new ConverterError('HTTP_STATUS', WRONG_ADDRESS, { status });
  }
  const said = errorText(bytes);
  if (said !== undefined || status === 401 || status === 403) {
    const why = said === undefined ? '' : `: ${withoutCredentials(said, options)}`;
    const message = `the authentication server refuses the login${why}`;
    throw new ConverterError('LOGIN_REFUSED', message, { status });
  }
  return readAnswer(OPERATIONS[name], response, target.queryBytes);
}

/** A server may repeat what it was sent. A user name is too common a word to mask everywhere. */
function withoutCredentials(text: string, options: LoginOptions): string {
  let shown = text;
  for (const secret of [options.username, options.password, options.appKey ?? '']) {
    if (secret !== '') shown = shown.replaceAll(secret, '***');
  }
  return shown;
}
