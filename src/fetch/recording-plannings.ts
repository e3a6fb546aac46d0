/**
 * Recording plannings: the top-level articles behind permanent identifiers, as a recording holds them.
 *
 * In: an identifier, with its planning where that is known. Out: the text of its file, or what stands
 * there. No operation of the service tells them, so they are no answers.
 */
import { join } from 'node:path';
import { asConverterError, ConverterError } from '../support/errors.ts';
import { encodeFileName, readTextIfExists } from '../support/files.ts';
import { redact } from '../support/redact.ts';

/** Where in a recording the planning of an identifier stands. */
export function planningFile(id: string): string {
  return `ofml/plannings/${encodeFileName(redact(id))}.json`;
}

/**
 * The planning that a recording holds of an identifier; undefined where it has none.
 *
 * @throws {@link ConverterError} `RECORDING_INVALID`, naming the file.
 *
 * @see D-821.
 */
export async function readRecordedPlanning(recording: string, id: string): Promise<unknown> {
  const path = join(recording, planningFile(id));
  const text = await readTextIfExists(path);
  if (text === undefined) return undefined;
  try {
    const { request, response } = JSON.parse(text) as {
      request: { permanentid: unknown };
      response: unknown;
    };
    // Where case does not tell files apart, it still tells identifiers apart.
    return request.permanentid === redact(id) ? response : undefined;
  } catch (cause) {
    const { message } = asConverterError(cause);
    throw new ConverterError(
      'RECORDING_INVALID',
      `${path}: expected request.permanentid and response: ${message}`,
      { cause },
    );
  }
}
