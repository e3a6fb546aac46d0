/** Messages in lists and reports: without secrets, and with the action that helps. */
import { ERROR_CODES, type ErrorCode, isErrorCode } from '../../support/errors.ts';
import { redact } from '../../support/redact.ts';

/** Codes of data that a service does not have, or that is only missing in a recording. */
const UNRECORDED: ReadonlySet<string> = new Set<ErrorCode>([
  ...(['ARTICLE_NOT_FOUND', 'CONFIGURATION_REFUSED', 'NODE_NOT_FOUND'] as const),
  ...(['BLOCK_MISSING', 'IMAGE_MISSING', 'RESOURCE_MISSING'] as const),
]);
const RECORD_AGAIN =
  'the recording may lack this response: record the pipeline again with btg2gltf record';

/**
 * The action that helps after an error.
 *
 * @param code - Code of the error; an unknown code has the action of `INTERNAL`.
 * @param isRecording - Whether a recording was the service, which may lack data that a service has.
 */
export function helpFor(code: string, isRecording = false): string {
  if (isRecording && UNRECORDED.has(code)) return RECORD_AGAIN;
  return ERROR_CODES[isErrorCode(code) ? code : 'INTERNAL'].help;
}

/** Keys of sentences for a person; the value of any other key is data. */
const SENTENCES: ReadonlySet<string> = new Set(['message', 'help']);

/** A copy of plain data with every `message` and `help`, at any depth, redacted; the data is unchanged. @see D-610 */
export function redactMessages<T>(value: T): T {
  if (Array.isArray(value)) return value.map(redactMessages) as T;
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, inside]: [string, unknown]) => {
    const isSentence = SENTENCES.has(name) && typeof inside === 'string';
    return [name, isSentence ? redact(inside) : redactMessages(inside)];
  });
  return Object.fromEntries(fields) as T;
}
