/**
 * Collect changes: what is new, changed and gone since the last manifest.
 */
import type { ArticleKey } from '../model/article.ts';
import { REPORT_LIMITS } from './report-limits.ts';
import type { ReportedLine } from './reported-line.ts';
import { changeRow, removedRow } from './rows.ts';
import type { ChangeRow, RunReport } from './run-report.ts';

/** Gathers changes; a failed configuration is none: what it had stays. */
export function collectChanges() {
  const changes: RunReport['changes'] = {
    new: { count: 0, rows: [] },
    changed: { count: 0, rows: [] },
    removed: { count: 0, rows: [] },
  };
  const put = (kind: keyof typeof changes, row: () => ChangeRow) => {
    const list = changes[kind];
    if (list.count++ < REPORT_LIMITS.changes) list.rows.push(row());
  };
  return {
    add(line: ReportedLine): void {
      const { status, change } = line;
      if (status === 'failed' || change === undefined || change === 'same') return;
      put(change, () => changeRow(line));
    },
    addRemoved(key: ArticleKey): void {
      put('removed', () => removedRow(key));
    },
    value: () => changes,
  };
}
