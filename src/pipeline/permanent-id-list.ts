/**
 * Permanent id list: which permanent identifiers are meant, and the planning behind each.
 *
 * In: identifiers, or a file of them, and the ledger. Out: stored plannings, or that there is none.
 */
import type { StoredPlanning } from '../fetch/selection.ts';
import type { PermanentIds } from '../state/permanent-ids.ts';
import { ConverterError, isConverterError } from '../support/errors.ts';
import { readText } from '../support/files.ts';

/**
 * Reads a file of identifiers: one a line; blank lines and lines that begin with `#` are left out.
 *
 * @throws {@link ConverterError} `LIST_INVALID` where there is no such file.
 */
export async function readPermanentIds(path: string): Promise<string[]> {
  try {
    return parsePermanentIds(await readText(path));
  } catch (cause) {
    const problem = isConverterError(cause, 'FILE_MISSING') ? 'no such file' : 'cannot be read';
    throw new ConverterError('LIST_INVALID', `${path}: ${problem}`, { cause });
  }
}

/** The identifiers of a text, each once, in their order. */
export function parsePermanentIds(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/).map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== '' && !line.startsWith('#')))];
}

/**
 * Looks identifiers up in the ledger.
 *
 * @param service - Whose identifiers they are: those of another service are not known here.
 *
 * @see D-802.
 */
export function findPlannings(
  ids: readonly string[],
  service: string,
  ledger: PermanentIds,
): StoredPlanning[] {
  return ids.map((id) => {
    const json = ledger.get(service, id);
    const name = `permanentid ${id}`;
    return { name, article: json === undefined ? { error: unknown() } : { json } };
  });
}

function unknown(): ConverterError {
  const message = 'no operation of the service resolves it, and this cache has not seen it there';
  return new ConverterError('PERMANENT_ID_NOT_RESOLVABLE', message);
}
