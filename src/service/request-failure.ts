/** Classifies failures of requests: which may pass, which are an overload, which may be an outage. */
import { asConverterError, type ErrorCode } from '../support/errors.ts';

const OVERLOAD_CODES: ReadonlySet<ErrorCode> = new Set([
  'HTTP_TIMEOUT',
  'HTTP_CONNECTION',
  'SERVICE_UNREACHABLE',
]);
const OVERLOAD_STATUSES: ReadonlySet<number> = new Set([429, 503]);

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

/** Marks a failure that will be the same the next time, although its code says otherwise. */
export function markLasting<E extends Error>(error: E): E {
  LASTING.add(error);
  return error;
}

/** What a failure shows. */
export type Failure = ReturnType<typeof classify>;

/** Classifies a failure. See D-609, D-711 (what passes), D-842 (overload), D-843 (outage). */
export function classify(error: unknown) {
  const { code, status = 0, operation } = asConverterError(error);
  // A failed login names its operation, and was sent again where it happened.
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
    /** Too many requests in flight may be the cause. */
    isOverload: OVERLOAD_CODES.has(code) || OVERLOAD_STATUSES.has(status),
    /** The whole service may be away: a status of 4xx proves that it is there; below, a body was broken. */
    mayBeOutage: code === 'SERVICE_UNREACHABLE' || (mayPass && (status < 400 || status >= 500)),
  };
}
