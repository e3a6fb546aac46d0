/** Says why a body of an article is missing, in a sentence that is the same in every run. */
import {
  asConverterError,
  type ConverterError,
  type ErrorCode,
  endsRun,
} from '../../support/errors.ts';

const SENTENCES: Partial<Record<ErrorCode, string>> = {
  BLOCK_MISSING: 'the service has no such block',
  IMAGE_MISSING: 'the service has no such image',
  HTTP_TIMEOUT: 'the request timed out',
  HTTP_CONNECTION: 'the connection was lost',
  RESPONSE_TOO_LARGE: 'the response exceeds the size limit',
  RESPONSE_INVALID: 'the response is invalid',
  QUERY_TOO_LONG: 'the service refuses a query of this length',
  REDIRECT_REFUSED: 'the service redirects to another address',
  IMAGE_UNREADABLE: 'the response is not a complete image',
};

/** Codes whose own message depends on nothing but the body or the reference. */
const OWN_MESSAGE = new Set<ErrorCode>(['BLOCK_INVALID', 'BLOCK_EMPTY', 'IMAGE_REFUSED']);

/**
 * Says why a body such as `block ACME::DESK::LEG` is missing, if that concerns one article only; an error that
 * ends the run is thrown. The sentence has no host, time or count.
 */
export function missingBecause(
  thrown: unknown,
  subject: string,
): { code: ErrorCode; message: string } {
  const error = asConverterError(thrown);
  const { code } = error;
  if (endsRun(code)) throw error;
  const message = OWN_MESSAGE.has(code) ? error.message : `${subject}: ${sentence(error)}`;
  return { code, message };
}

function sentence({ code, status }: ConverterError): string {
  const known = SENTENCES[code];
  if (known !== undefined) return known;
  if (code !== 'HTTP_STATUS') return `it could not be fetched (${code})`;
  return `the service answered with ${status === undefined ? 'an error' : `status ${status}`}`;
}
