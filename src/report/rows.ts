/**
 * Rows: one configuration as it stands in the lists of a report.
 */

import type { ArticleKey } from '../model/article.ts';
import { configurationId } from '../model/configuration-id.ts';
import { ERROR_CODES, type ErrorCode } from '../support/errors.ts';
import type { ReportedLine } from './reported-line.ts';
import type { AssetRow, ChangeRow, FailureRow } from './run-report.ts';

/** Where a configuration is, how large, how long it took. */
export function assetRow(line: ReportedLine): AssetRow {
  const { bytes, triangles, ms } = line;
  const glb = line.glb ?? line.lastGood?.glb;
  return {
    ...configurationId(line),
    ...(glb === undefined ? {} : { glb }),
    ...(bytes === undefined ? {} : { bytes }),
    ...(triangles === undefined ? {} : { triangles }),
    ...(ms === undefined ? {} : { ms }),
  };
}

/** The same, beside what it was before. */
export function changeRow(line: ReportedLine): ChangeRow {
  const { bytes, triangles } = line.before ?? {};
  return {
    ...assetRow(line),
    ...(bytes === undefined ? {} : { bytesBefore: bytes }),
    ...(triangles === undefined ? {} : { trianglesBefore: triangles }),
  };
}

/** A configuration that is no more. */
export function removedRow(key: ArticleKey): ChangeRow {
  return configurationId(key);
}

/** A failed configuration, with the sentence that helps. */
export function failureRow(
  line: ReportedLine,
  error: NonNullable<ReportedLine['error']>,
): FailureRow {
  return {
    ...configurationId(line),
    ...error,
    help: helpFor(error.code),
    ...line.history,
    ...(line.lastGood === undefined ? {} : { lastGood: line.lastGood.glb }),
  };
}

/** The sentence that helps with an error code. */
export function helpFor(code: string): string {
  return ERROR_CODES[code as ErrorCode]?.help ?? ERROR_CODES.INTERNAL.help;
}
