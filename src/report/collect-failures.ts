/**
 * Collect failures: what failed, by cause and one by one.
 *
 * The rows are kept packed, since on a bad night nearly all configurations are among them.
 */
import {
  configurationKey,
  configurationLabel,
  sortConfigurationKeys,
} from '../model/configuration-id.ts';
import { createPackedMap } from '../support/packed-map.ts';
import { REPORT_LIMITS } from './report-limits.ts';
import type { ReportedLine } from './reported-line.ts';
import { failureRow } from './rows.ts';
import type { FailureRow, RunReport } from './run-report.ts';

/** Gathers failures. */
export function collectFailures() {
  const notSelected: FailureRow[] = [];
  const rows = createPackedMap<FailureRow>();
  const causes = new Map<string, RunReport['causes'][number]>();
  let quarantined = 0;

  const addCause = (row: FailureRow) => {
    const { code, help, message } = row;
    const known = causes.get(code);
    if (known !== undefined) known.count++;
    else
      causes.set(code, {
        code,
        count: 1,
        help,
        message,
        example: row.what ?? configurationLabel(row),
      });
  };

  function* all(): Generator<FailureRow> {
    yield* notSelected;
    for (const key of sortConfigurationKeys(rows.keys())) yield rows.get(key)!;
  }

  return {
    add(line: ReportedLine): void {
      if (line.error === undefined) return;
      const row = failureRow(line, line.error);
      rows.set(configurationKey(line), row);
      addCause(row);
      if (row.quarantined) quarantined++;
    },
    addNotSelected(row: FailureRow): void {
      notSelected.push(row);
      addCause(row);
    },
    /** Parts of the selection that failed. */
    notSelected: () => notSelected.length,
    quarantined: () => quarantined,
    /** Those of the selection, then the others in order of their keys. */
    all,
    value(): Pick<RunReport, 'causes' | 'failures'> {
      return {
        causes: [...causes.values()].sort(
          (a, b) => b.count - a.count || (a.code < b.code ? -1 : 1),
        ),
        failures: first(REPORT_LIMITS.failures, all()),
      };
    },
  };
}

function first<T>(limit: number, items: Iterable<T>): T[] {
  const taken: T[] = [];
  for (const item of items) {
    if (taken.length === limit) break;
    taken.push(item);
  }
  return taken;
}
