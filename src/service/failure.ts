/**
 * Failures: what went wrong on the wire, as errors with a code, and which of them pass.
 *
 * In: what undici, DNS, TLS and sockets throw. Out: a {@link ConverterError} without addresses of
 * machines in its text (but for SERVICE_UNREACHABLE, which names the host) and without secrets.
 */
import { ConverterError, type ErrorCode } from '../support/errors.ts';
import { redact } from '../support/redact.ts';

/** What a server that speaks plain http is to whoever asks over https. */
const NO_TLS = 'it does not speak TLS: is https right?';

/** Codes of Node and undici for a connection that never came about, with what to tell. */
const NO_CONNECTION: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the name is not known',
  EAI_AGAIN: 'the name server does not answer',
  EAI_FAIL: 'the name server does not answer',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  EHOSTDOWN: 'there is no way to it',
  ETIMEDOUT: 'it does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  EPROTO: 'it speaks no TLS that we understand: is https right?',
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not trusted',
};

/** What went wrong before or during an answer, named by its code; the rest is a lost connection. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  UND_ERR_HEADERS_TIMEOUT: 'HTTP_TIMEOUT',
  UND_ERR_BODY_TIMEOUT: 'HTTP_TIMEOUT',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'RESPONSE_TOO_LARGE',
};

const SENTENCES: Partial<Record<ErrorCode, string>> = {
  HTTP_TIMEOUT: 'no complete answer came in time',
  RESPONSE_TOO_LARGE: 'the answer is larger than is allowed',
  HTTP_CONNECTION: 'the connection was lost',
};

/**
 * Names what was thrown while a request was sent or its answer was read.
 *
 * @param origin - Scheme, host and port asked: only told where it cannot be reached.
 */
export function connectionError(thrown: unknown, origin: string): ConverterError {
  if (thrown instanceof ConverterError) return thrown;
  const nodeCode = codeOf(thrown);
  const cause = safeCause(thrown);
  const reason =
    NO_CONNECTION[nodeCode] ??
    (nodeCode.startsWith('ERR_TLS_') || nodeCode.startsWith('ERR_SSL_')
      ? 'its certificate is not trusted'
      : undefined);
  if (reason !== undefined) {
    const message = `cannot reach ${new URL(origin).host}: ${reason} (${nodeCode})`;
    return new ConverterError('SERVICE_UNREACHABLE', message, { cause });
  }
  const code = CODES[nodeCode] ?? 'HTTP_CONNECTION';
  return new ConverterError(code, SENTENCES[code] ?? code, { cause });
}

/** The code of an error, or of the first of several that were tried together. */
function codeOf(thrown: unknown): string {
  const error = thrown as { code?: unknown; errors?: unknown[]; cause?: unknown } | undefined;
  if (typeof error?.code === 'string') return error.code;
  const inner = error?.errors?.[0] ?? error?.cause;
  return inner === undefined ? '' : codeOf(inner);
}

/** A cause that can be logged: name, text and stack without secrets, nothing else of the original. */
function safeCause(thrown: unknown): Error {
  const original = thrown instanceof Error ? thrown : new Error(String(thrown));
  const cause = new Error(redact(`${original.name}: ${original.message}`));
  cause.stack = redact(original.stack ?? '');
  return cause;
}

const PASSING_CODES: ReadonlySet<ErrorCode> = new Set([
  'HTTP_TIMEOUT',
  'HTTP_CONNECTION',
  'RESPONSE_INVALID',
  'SERVICE_UNREACHABLE',
]);

/** Statuses below 500 that may be gone by the next attempt. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([
  401, // the token died, and again just after a login
  403, // the same
  408, // the server waited too long for us
  421, // the connection led to the wrong machine
  425, // asked too early
  429, // asked too often
]);

const LASTING = new WeakSet<Error>();

/** Marks a failure that will be the same the next time, whatever its code says. */
export function lasting<E extends Error>(error: E): E {
  LASTING.add(error);
  return error;
}

/** Whether a failure is one that was sent again already, where it happened: it names its operation. */
export function wasSentAgain(error: unknown): boolean {
  return error instanceof ConverterError && error.operation !== undefined;
}

/**
 * Whether a request that failed like this may succeed when it is sent again.
 *
 * @see D-609, D-711.
 */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof ConverterError) || wasSentAgain(error)) return false;
  if (LASTING.has(error)) return false;
  if (error.code !== 'HTTP_STATUS') return PASSING_CODES.has(error.code);
  const status = error.status ?? 0;
  return status >= 500 || PASSING_STATUSES.has(status);
}

const OVERLOAD_CODES: ReadonlySet<ErrorCode> = new Set([
  'HTTP_TIMEOUT',
  'HTTP_CONNECTION',
  'SERVICE_UNREACHABLE',
]);
const OVERLOAD_STATUSES: ReadonlySet<number> = new Set([429, 503]);

/**
 * Whether a request may have failed because too many were in flight at once.
 *
 * @see D-842.
 */
export function isOverload(error: unknown): boolean {
  if (!(error instanceof ConverterError)) return false;
  return OVERLOAD_CODES.has(error.code) || OVERLOAD_STATUSES.has(error.status ?? 0);
}

/**
 * Whether a request may have failed because the whole service is gone. A status below 500, other
 * than that of a broken body, was said by somebody who is there.
 *
 * @see D-843.
 */
export function mayBeOutage(error: unknown): boolean {
  if (!(error instanceof ConverterError)) return false;
  if (error.code === 'SERVICE_UNREACHABLE') return true;
  const { status = 500 } = error;
  return mayPass(error) && (status < 400 || status >= 500);
}
