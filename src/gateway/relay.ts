/**
 * Relay: turns a posted login into a session token, as the service's sample script does.
 *
 * In: a form with username, password and rememberme. Out: the token, to whoever posted.
 * It must not log, keep or repeat a name, a password or a token.
 */
import {
  createTokenIssuer,
  type TokenIssuerConfig,
  type TokenRequest,
} from '../service/issue-token.ts';
import { asConverterError, type ErrorCode } from '../support/errors.ts';
import type { Logger } from '../support/log.ts';
import { forgetSecret } from '../support/redact.ts';
import {
  type Door,
  type DoorAnswer,
  type DoorOptions,
  jsonAnswer,
  openDoor,
  type Post,
} from './door.ts';
import { createRateLimit } from './rate-limit.ts';
import { readLoginForm } from './read-form.ts';
import { Refusal } from './refusal.ts';

/** How a relay is set up. */
export interface RelayOptions extends DoorOptions, Omit<TokenIssuerConfig, 'now'> {
  /** Logins of one sender within a minute. @defaultValue {@link RELAY_DEFAULTS} */
  perSender?: number;
  /** Logins of all senders within a minute. @defaultValue {@link RELAY_DEFAULTS} */
  overall?: number;
}

/** The defaults of a relay: a person who mistypes is let in, a program that guesses is not. */
export const RELAY_DEFAULTS = { perSender: 10, overall: 30 } as const;

/** Path of the relay, that of the service's sample. */
export const TOKEN_PATH = '/gettoken.php';

const WINDOW_MS = 60_000;
const BODY_LIMIT_BYTES = 16_384;

/** What a failed login is to whoever posted it; no row holds anything that he sent. */
const FAILURES: Partial<Record<ErrorCode, { status: number; message: string }>> = {
  LOGIN_REFUSED: { status: 401, message: 'the login was refused' },
  SERVICE_UNREACHABLE: { status: 502, message: 'the authentication server cannot be reached' },
  AUTH_PROTOCOL: { status: 502, message: 'the authentication server was not understood' },
  HTTP_TIMEOUT: { status: 504, message: 'the authentication server took too long' },
  INTERRUPTED: { status: 503, message: 'the relay is being stopped' },
};

/**
 * Opens a relay.
 *
 * The answer is the token as plain text, or `{"token": …}` where JSON is asked for. Pages may post
 * only where `origins` lists theirs.
 *
 * @throws {@link ConverterError} `USAGE` if the address of the authentication server cannot be read.
 *
 * @example
 * ```ts
 * const relay = await openRelay({ authUrl, now: Date.now, random: Math.random, log });
 * const body = new URLSearchParams({ username, password, rememberme: 'false' });
 * await (await fetch(relay.url, { method: 'POST', body })).text(); // → '3F2A…'
 * ```
 *
 * @see Spec 4.7; D-810, D-817.
 */
export async function openRelay(options: RelayOptions): Promise<Door> {
  const { now, log } = options;
  const { perSender, overall } = { ...RELAY_DEFAULTS, ...options };
  const issuer = createTokenIssuer(options);
  const mayTry = createRateLimit({ perSender, overall, windowMs: WINDOW_MS, now });
  const door = await openDoor(options, {
    path: TOKEN_PATH,
    bodyLimitBytes: BODY_LIMIT_BYTES,
    async answer(post) {
      const request = await readLoginForm(post);
      refuseHaste(mayTry(post.sender));
      try {
        return answerOf(await issuer.issue(request), post);
      } catch (thrown) {
        throw failureOf(thrown, request, log);
      }
    },
  });
  return {
    url: door.url,
    close: async () => {
      await door.close();
      await issuer.close();
    },
  };
}

function refuseHaste(waitMs: number): void {
  if (waitMs === 0) return;
  const seconds = Math.ceil(waitMs / 1000);
  const headers = { 'retry-after': String(seconds) };
  throw new Refusal(429, `too many logins; try again in ${seconds} s`, { headers });
}

function answerOf(token: string, { accept }: Post): DoorAnswer {
  // It goes into this one answer and nowhere else, and a relay runs for months.
  forgetSecret(token);
  if (/\bapplication\/json\b/i.test(accept)) return jsonAnswer({ token });
  return { contentType: 'text/plain; charset=utf-8', text: token };
}

function failureOf(thrown: unknown, request: TokenRequest, log: Logger): Refusal {
  const { code, message } = asConverterError(thrown);
  const { status, message: said } = FAILURES[code] ?? { status: 500, message: 'no token' };
  // A server may repeat what it was sent; where it says no to a login, no more is worth knowing.
  const why = code === 'LOGIN_REFUSED' ? {} : { message: without(message, request) };
  log.warn('no token', { code, ...why });
  return new Refusal(status, said, { code });
}

function without(text: string, { username, password }: TokenRequest): string {
  return text.replaceAll(password, '***').replaceAll(username, '***');
}
