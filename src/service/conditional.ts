/**
 * Conditional requests: asking whether an answer is still what it was.
 *
 * In: what a server once said of an answer. Out: the headers that ask, and the answer "not modified".
 * It must not know where earlier answers are kept.
 */
import { ConverterError } from '../support/errors.ts';

/** What a server said of an answer when it sent it. */
export interface Validators {
  /** As the server spells it; empty where it sent none. */
  etag: string;
  /** As the server spells it; empty where it sent none. */
  lastModified: string;
}

/** The answer that the one to which the validators belong still holds. */
export interface NotModified {
  notModified: true;
}

/** {@link NotModified} where validators may be given, nothing where none are. */
export type IfGiven<Given extends Validators | undefined> = Given extends Validators
  ? NotModified
  : never;

const NOT_MODIFIED = 304;
/** What may stand in a header; some servers send other bytes, which are not sent back. */
const HEADER_VALUE = /^[\x20-\x7e]+$/;

/**
 * The headers that make a request conditional.
 *
 * @returns Empty where there is nothing to ask with.
 *
 * @example
 * ```ts
 * conditionsOf({ etag: '"7"', lastModified: '' }); // → { 'if-none-match': '"7"' }
 * ```
 *
 * @see D-840.
 */
export function conditionsOf(validators: Validators | undefined): Record<string, string> {
  const { etag = '', lastModified = '' } = validators ?? {};
  return {
    ...(HEADER_VALUE.test(etag) ? { 'if-none-match': etag } : {}),
    ...(HEADER_VALUE.test(lastModified) ? { 'if-modified-since': lastModified } : {}),
  };
}

/**
 * A `Last-Modified` that can be asked with: it counts whole seconds, so within the second in which
 * an answer was made the thing may change once more and keep it.
 *
 * @param date - `Date` of the same answer.
 * @returns Empty where it cannot be relied on.
 *
 * @example
 * ```ts
 * settledDate('Tue, 21 Nov 2023 02:00:00 GMT', 'Tue, 21 Nov 2023 02:00:00 GMT'); // → ''
 * ```
 */
export function settledDate(lastModified = '', date = ''): string {
  return Date.parse(lastModified) >= Date.parse(date) ? '' : lastModified;
}

/**
 * Whether an answer says "not modified".
 *
 * @param validators - What was asked with.
 * @throws {@link ConverterError} `RESPONSE_INVALID` if it says so to who did not ask.
 */
export function isNotModified(status: number, validators: Validators | undefined): boolean {
  if (status !== NOT_MODIFIED) return false;
  if (Object.keys(conditionsOf(validators)).length > 0) return true;
  const message = 'expected an answer, received "not modified", which was not asked';
  throw new ConverterError('RESPONSE_INVALID', message, { status });
}

/** Reads an answer, unless it is the one that was there before. */
export function unlessNotModified<Answer, Read, Given extends Validators | undefined>(
  answer: Answer | IfGiven<Given>,
  read: (answer: Answer) => Read,
): Read | IfGiven<Given> {
  return isNote(answer) ? answer : read(answer as Answer);
}

function isNote<Note extends NotModified>(answer: unknown | Note): answer is Note {
  return typeof answer === 'object' && answer !== null && 'notModified' in answer;
}
