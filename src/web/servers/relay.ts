/** The token relay: turns a posted login into a session token, as the service's sample script does. */
import { createTokenIssuer } from '../../source/service/shared-logins.ts';
import { asConverterError, type ErrorCode } from '../../support/errors.ts';
import type { Logger } from '../../support/log.ts';
import { CHECKS, checkParameters } from '../../support/parameters.ts';
import { type GatewayServer, Refusal } from './http.ts';
import { jsonAnswer, openServer, type Post, SERVER_CHECKS, type ServerOptions } from './server.ts';

/** The settings of a relay. */
export interface RelayOptions
  extends ServerOptions,
    Omit<Parameters<typeof createTokenIssuer>[0], 'now'> {
  /** Logins of one sender within a minute. @defaultValue {@link RELAY_DEFAULTS} */
  perSender?: number;
  /** Logins of all senders within a minute. @defaultValue {@link RELAY_DEFAULTS} */
  overall?: number;
}

/** The defaults of a relay: enough for a person who mistypes, too few for guessing passwords. */
export const RELAY_DEFAULTS = { perSender: 10, overall: 30 } as const;

/** The path in the service's sample. */
const TOKEN_PATH = '/gettoken.php';
const WINDOW_MS = 60_000;
const BODY_LIMIT_BYTES = 16_384;

/** The answers to a failed login; none contains anything that was sent. */
const FAILURES: Partial<Record<ErrorCode, { status: number; answer: string }>> = {
  LOGIN_REFUSED: { status: 401, answer: 'the login was refused' },
  SERVICE_UNREACHABLE: { status: 502, answer: 'the authentication server cannot be reached' },
  AUTH_PROTOCOL: { status: 502, answer: 'the authentication server was not understood' },
  HTTP_TIMEOUT: { status: 504, answer: 'the authentication server took too long' },
  INTERRUPTED: { status: 503, answer: 'the relay is being stopped' },
};

/**
 * Opens a relay.
 *
 * The answer is the token as plain text, or `{"token": …}` if the client accepts JSON. Pages may post
 * only if `origins` lists their origin. No name, password or token is logged or kept.
 *
 * @throws {@link ConverterError} `USAGE` if its address or that of the authentication server is invalid.
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
export async function openRelay(options: RelayOptions): Promise<GatewayServer> {
  const checks = { authUrl: CHECKS.text, random: CHECKS.function, ...SERVER_CHECKS };
  checkParameters('openRelay', options, CHECKS.object.extend(checks), true);
  const { now, log } = options;
  const waitOf = createRateLimit({ ...RELAY_DEFAULTS, ...options }, WINDOW_MS, now);
  const issuer = createTokenIssuer(options);
  const server = await openServer(options, {
    path: TOKEN_PATH,
    bodyLimitBytes: BODY_LIMIT_BYTES,
    async answer(post) {
      const request = await readLoginForm(post);
      const seconds = Math.ceil(waitOf(post.sender) / 1000);
      if (seconds > 0) {
        const headers = { 'retry-after': String(seconds) };
        throw new Refusal(429, `too many logins; try again in ${seconds} s`, { headers });
      }
      try {
        const token = await issuer.issue(request);
        if (/\bapplication\/json\b/i.test(post.accept)) return jsonAnswer({ token });
        return { contentType: 'text/plain; charset=utf-8', text: token };
      } catch (thrown) {
        throw failureOf(thrown, request, log);
      }
    },
  });
  return {
    url: server.url,
    close: async () => {
      await server.close();
      await issuer.close();
    },
  };
}

function failureOf(thrown: unknown, { password }: { password: string }, log: Logger): Refusal {
  const { code, message } = asConverterError(thrown);
  const { status, answer } = FAILURES[code] ?? { status: 500, answer: 'no token' };
  const masked = message.replaceAll(password, '***');
  // A server may repeat what it received, so the message of a refused login is not logged at all.
  log.warn('no token', { code, ...(code === 'LOGIN_REFUSED' ? {} : { message: masked }) });
  return new Refusal(status, answer, { code });
}

/**
 * Reads a login from a form, URL-encoded or multipart; `rememberme` is false if it is missing or empty.
 *
 * A body that is not a form is a 415; a field that is missing, empty, repeated or no text is a 400.
 */
async function readLoginForm(post: Post) {
  const fields = new Map<string, string>();
  for (const [name, value] of await fieldsOf(post)) {
    if (typeof value !== 'string') throw new Refusal(400, 'form: expected texts, received a file');
    if (fields.has(name)) throw new Refusal(400, 'form: a field is given twice');
    fields.set(name, value);
  }
  const { username, password, rememberme = '' } = Object.fromEntries(fields);
  if (!['true', 'false', ''].includes(rememberme)) {
    throw new Refusal(400, 'rememberme: expected true or false');
  }
  if (!username) throw new Refusal(400, 'username: expected a text, received nothing');
  if (!password) throw new Refusal(400, 'password: expected a text, received nothing');
  return { username, password, rememberMe: rememberme === 'true' };
}

async function fieldsOf(post: Post): Promise<Iterable<readonly [string, unknown]>> {
  const { bytes, contentType } = post;
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) {
    return new URLSearchParams(new TextDecoder().decode(bytes));
  }
  if (!/^multipart\/form-data\b/i.test(contentType)) {
    const types = 'application/x-www-form-urlencoded or multipart/form-data';
    throw new Refusal(415, `expected a form with username, password and rememberme (${types})`);
  }
  try {
    const headers = { 'content-type': contentType };
    return await new Response(Buffer.from(bytes), { headers }).formData();
  } catch {
    throw new Refusal(400, 'form: expected multipart/form-data, received something else');
  }
}

/**
 * Creates a rate limit with a sliding window, per sender and over all senders: a fixed window would let twice
 * the limit pass around its border. Refused attempts are not counted.
 *
 * @returns Milliseconds that a sender has to wait; 0 if the attempt passes.
 */
export function createRateLimit(
  { perSender, overall }: { perSender: number; overall: number },
  windowMs: number,
  now: () => number,
): (sender: string) => number {
  let passed: { sender: string; atMs: number }[] = [];
  return (sender) => {
    const nowMs = now();
    const untilFree = (attempts: typeof passed, limit: number): number =>
      attempts.length < limit ? 0 : attempts.at(-limit)!.atMs + windowMs - nowMs;
    // Attempts with a future time are dropped too: a clock that was set back must not block logins.
    passed = passed.filter(({ atMs }) => atMs > nowMs - windowMs && atMs <= nowMs);
    const own = passed.filter((attempt) => attempt.sender === sender);
    const waitMs = Math.max(untilFree(own, perSender), untilFree(passed, overall));
    if (waitMs === 0) passed.push({ sender, atMs: nowMs });
    return waitMs;
  };
}
