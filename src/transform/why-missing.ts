/**
 * Why missing: what fetch met in place of a body, as the error that it was.
 */
import type { Fetched } from '../model/snapshot.ts';
import { ConverterError, type ErrorCode, isErrorCode } from '../support/errors.ts';

/**
 * Says why a body is not there.
 *
 * @param fetched - What the snapshot holds in its place; undefined where nobody asked for it.
 * @param code - Where nothing more is known.
 * @param subject - What it is: `block ACME::DESK::LEG`; the message begins with it.
 *
 * @example
 * ```ts
 * const missing = { code: 'HTTP_TIMEOUT', message: 'no complete answer came in time' };
 * whyMissing({ missing }, 'BLOCK_MISSING', 'block A').message;
 * // → 'block A: no complete answer came in time', with the code HTTP_TIMEOUT
 * ```
 */
export function whyMissing(
  fetched: Extract<Fetched, { missing: unknown }> | undefined,
  code: ErrorCode,
  subject: string,
): ConverterError {
  if (fetched === undefined) return new ConverterError(code, `${subject}: not fetched`);
  const { missing } = fetched;
  const isNamed = missing.message.toUpperCase().startsWith(subject.toUpperCase());
  const message = isNamed ? missing.message : `${subject}: ${missing.message}`;
  return new ConverterError(isErrorCode(missing.code) ? missing.code : code, message);
}
