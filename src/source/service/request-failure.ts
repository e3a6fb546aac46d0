/** Failures of requests: names failures of connections, and classifies all: may they pass, are they an overload or outage. */
import { asConverterError, ConverterError, type ErrorCode } from '../../support/errors.ts';
import { redact } from '../../support/redact.ts';

/** Reasons why a connection was never made, with the codes of Node and undici for each. */
const NO_CONNECTION: Readonly<Record<string, readonly string[]>> = {
  'nothing listens there': ['ECONNREFUSED'],
  'the name server does not answer': ['EAI_AGAIN', 'EAI_FAIL'],
  'there is no route to it': ['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN'],
  'it does not answer': ['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'],
};

/** Reasons of the same kind, where the address or the certificate has to be corrected first. */
const WRONG_ADDRESS: Readonly<Record<string, readonly string[]>> = {
  'the name is not known': ['ENOTFOUND'],
  'it speaks no TLS that this client understands: is https right?': ['EPROTO'],
  'it does not speak TLS: is https right?': [
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  ],
  'its certificate has expired': ['CERT_HAS_EXPIRED'],
  'its certificate is not valid yet': ['CERT_NOT_YET_VALID'],
  'its certificate is not trusted': [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  ],
};

function reasonIn(table: typeof NO_CONNECTION, code: string): string | undefined {
  return Object.entries(table).find(([, codes]) => codes.includes(code))?.[0];
}

function wrongAddress(code: string): string | undefined {
  const isTls = /^ERR_(?:TLS|SSL)_/.test(code);
  return reasonIn(WRONG_ADDRESS, code) ?? (isTls ? 'its certificate is not trusted' : undefined);
}

/** Names why a connection failed; shows no address but the host. The cause has the code of Node. */
export function connectionError(thrown: unknown, origin: string): ConverterError {
  const code = connectionCode(thrown);
  const cause = safeCause(thrown, code);
  const reason = reasonIn(NO_CONNECTION, code) ?? wrongAddress(code);
  if (reason === undefined) {
    return new ConverterError('HTTP_CONNECTION', 'the connection was lost', { cause });
  }
  const message = `cannot reach ${new URL(origin).host}: ${reason} (${code})`;
  return new ConverterError('SERVICE_UNREACHABLE', message, { cause });
}

/** The code of Node or undici of an error, of its cause, or of the first of several errors of joint attempts. */
export function connectionCode(thrown: unknown): string {
  const error = thrown as { code?: unknown; errors?: unknown[]; cause?: unknown } | undefined;
  if (typeof error?.code === 'string') return error.code;
  const inner = error?.errors?.[0] ?? error?.cause;
  return inner === undefined ? '' : connectionCode(inner);
}

/** A cause that can be logged: name, text, stack and code without secrets, and nothing else of the original. */
function safeCause(thrown: unknown, code: string): Error {
  const original = thrown instanceof Error ? thrown : new Error(String(thrown));
  const cause = new Error(redact(`${original.name}: ${original.message}`));
  cause.stack = redact(original.stack ?? '');
  return Object.assign(cause, code !== '' && { code });
}

const OVERLOAD_CODES: ReadonlySet<ErrorCode> = new Set([
  'HTTP_TIMEOUT',
  'HTTP_CONNECTION',
  'SERVICE_UNREACHABLE',
]);

/** Codes of failures that may be gone by the next attempt. */
const PASSING_CODES: ReadonlySet<ErrorCode> = new Set([...OVERLOAD_CODES, 'RESPONSE_INVALID']);
/** Statuses below 500 that may be gone by the next attempt. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([
  401, // the token died; refused with a live one, the client ends it
  403, // the same
  408, // the server waited too long for the request
  421, // the connection led to the wrong machine
  425, // sent too early
  429, // sent too often
]);

const LASTING = new WeakSet<Error>();

/** Marks a failure that will recur the next time, although its code suggests otherwise. */
export function markLasting<E extends Error>(error: E): E {
  LASTING.add(error);
  return error;
}

export interface Failure {
  mayPass: boolean;
  wasSentAgain: boolean;
  isRefusal: boolean;
  isUnreachable: boolean;
  /** Whether waiting does not help, because the address or the certificate has to be corrected. */
  isAddressWrong: boolean;
  isOverload: boolean;
  /** Whether the service may be down: a status of 4xx proves that it is up; below, a body was broken. */
  mayBeOutage: boolean;
}

/** Classifies a failure. See D-609, D-711 (what passes), D-842 (overload), D-843 (outage). */
export function classify(error: unknown): Failure {
  const { code, status = 0, operation, cause } = asConverterError(error);
  // A failed login names its operation, and was already sent again where it failed.
  const wasSentAgain = operation !== undefined;
  const isPassing =
    code === 'HTTP_STATUS'
      ? status >= 500 || PASSING_STATUSES.has(status)
      : PASSING_CODES.has(code);
  const mayPass = isPassing && !wasSentAgain && !LASTING.has(error as Error);
  return {
    mayPass,
    wasSentAgain,
    isRefusal: status === 429,
    isUnreachable: code === 'SERVICE_UNREACHABLE',
    isAddressWrong:
      code === 'SERVICE_UNREACHABLE' && wrongAddress(connectionCode(cause)) !== undefined,
    isOverload: OVERLOAD_CODES.has(code) || status === 429 || status === 503,
    mayBeOutage: code === 'SERVICE_UNREACHABLE' || (mayPass && (status < 400 || status >= 500)),
  };
}

/** Makes the error of a request whose run was stopped. */
export function interrupted(): ConverterError {
  return new ConverterError('INTERRUPTED', 'interrupted before the response was complete');
}
