/**
 * Permanent id list: which permanent identifiers are meant, and the planning behind each.
 *
 * In: identifiers, or a file of them, the ledger and maybe a recording. Out: stored plannings, or that there is none.
 */

import type { DurablePermanentIds } from '../../cache/durable-permanent-ids.ts';
import { readRecordedPlanning } from '../../fetch/recording-plannings.ts';
import type { StoredPlanning } from '../../fetch/select-plannings.ts';
import { ConverterError, isConverterError } from '../../support/errors.ts';
import { readText } from '../../support/files.ts';

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

/** Where plannings are looked for. */
export interface PlanningPlaces {
  /** Whose identifiers they are: those of another service are not known here. */
  service: string;
  ledger: Pick<DurablePermanentIds, 'get'>;
  /** Folder of the recording that the service replays. */
  recording?: string | undefined;
  /** Told of each planning that was found. */
  onPlanning?: ((id: string, topLevelArticle: unknown) => Promise<void>) | undefined;
}

/**
 * Looks identifiers up in the ledger, then in the recording.
 *
 * @throws {@link ConverterError} `RECORDING_INVALID`.
 *
 * @see D-802, D-821.
 */
export async function findPlannings(
  ids: readonly string[],
  { service, ledger, recording, onPlanning }: PlanningPlaces,
): Promise<StoredPlanning[]> {
  const found: StoredPlanning[] = [];
  for (const id of ids) {
    let json = ledger.get(service, id);
    if (json === undefined && recording !== undefined) {
      json = await readRecordedPlanning(recording, id);
    }
    if (json !== undefined) await onPlanning?.(id, json);
    const name = `permanentid ${id}`;
    found.push({ name, article: json === undefined ? { error: unknown() } : { json } });
  }
  return found;
}

function unknown(): ConverterError {
  const message = 'no operation of the service resolves it, and this cache has not seen it there';
  return new ConverterError('PERMANENT_ID_NOT_RESOLVABLE', message);
}
