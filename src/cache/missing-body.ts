/**
 * Failures: why one body of an article is missing, in words that are the same every night.
 *
 * In: what was thrown, and what was asked for. Out: a code and a sentence without host, time or count.
 */
import {
  asConverterError,
  type ConverterError,
  type ErrorCode,
  endsRun,
} from '../support/errors.ts';

/** Why a body is not there. */
export interface Missing {
  code: ErrorCode;
  message: string;
}

const SENTENCES: Partial<Record<ErrorCode, string>> = {
  BLOCK_MISSING: 'the service has no such block',
  IMAGE_MISSING: 'the service has no such image',
  HTTP_TIMEOUT: 'no complete answer came in time',
  HTTP_CONNECTION: 'the connection was lost',
  RESPONSE_TOO_LARGE: 'the answer is larger than is allowed',
  RESPONSE_INVALID: 'the answer is no such thing as was asked for',
  QUERY_TOO_LONG: 'the service refuses a query of this length',
  REDIRECT_REFUSED: 'the service sends us elsewhere',
  IMAGE_UNREADABLE: 'the answer is no whole image',
};

/** Codes whose own message comes from reading a body or a reference, and nothing else. */
const SPEAK_FOR_THEMSELVES: ReadonlySet<ErrorCode> = new Set([
  'BLOCK_INVALID',
  'BLOCK_EMPTY',
  'IMAGE_REFUSED',
]);

/**
 * Says why a body is missing, where that concerns one article only.
 *
 * @param subject - What was asked for, such as `block ACME::DESK::LEG`.
 * @throws The error itself where it ends the run.
 *
 * @example
 * ```ts
 * missingBecause(new ConverterError('HTTP_STATUS', '…', { status: 500 }), 'block ACME::DESK::LEG');
 * // → { code: 'HTTP_STATUS', message: 'block ACME::DESK::LEG: the service answered with status 500' }
 * ```
 */
export function missingBecause(thrown: unknown, subject: string): Missing {
  const error = asConverterError(thrown);
  if (endsRun(error.code)) throw error;
  if (SPEAK_FOR_THEMSELVES.has(error.code)) return { code: error.code, message: error.message };
  return { code: error.code, message: `${subject}: ${sentence(error)}` };
}

function sentence(error: ConverterError): string {
  const known = SENTENCES[error.code];
  if (known !== undefined) return known;
  const status = error.status === undefined ? 'an error' : `status ${error.status}`;
  return error.code === 'HTTP_STATUS'
    ? `the service answered with ${status}`
    : `it could not be had (${error.code})`;
}
