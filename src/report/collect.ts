/**
 * Collect: all that a report says of its configurations, which are shown to it one at a time.
 *
 * In: lines, each once. Out: sums and bounded lists. Memory grows by a few bytes a configuration only.
 */

import type { ArticleKey } from '../model/article.ts';
import { configurationLabel } from '../model/configuration-id.ts';
import type { Warning } from '../model/snapshot.ts';
import { collectChanges } from './collect-changes.ts';
import { collectFailures } from './collect-failures.ts';
import { collectPrograms } from './collect-programs.ts';
import { collectTotals } from './collect-totals.ts';
import { createCounts } from './counts.ts';
import { REPORT_LIMITS } from './report-limits.ts';
import type { ReportedLine } from './reported-line.ts';
import type { FailureRow, RunReport } from './run-report.ts';

/** What of a report comes from its configurations and their selection alone. */
export type Collected = Pick<
  RunReport,
  | 'configurations'
  | 'articles'
  | 'changes'
  | 'objects'
  | 'triangles'
  | 'geometry'
  | 'programs'
  | 'slowest'
  | 'largest'
  | 'causes'
  | 'failures'
  | 'warnings'
  | 'articleWarnings'
  | 'selectionWarnings'
  | 'losses'
>;

/** Takes in configurations. */
export interface Collector {
  add(line: ReportedLine): void;
  /** A configuration that is published no more. */
  addRemoved(key: ArticleKey): void;
  /** A part of the selection that failed. */
  addNotSelected(row: FailureRow): void;
  /** What concerns the selection and no configuration. */
  addSelectionWarning(warning: Warning): void;
  collected(): Collected;
  /** Every failure: those of the selection, then the others in order of their keys. */
  failures(): Iterable<FailureRow>;
}

/** Creates a collector that has seen nothing. */
export function createCollector(): Collector {
  const totals = collectTotals();
  const changes = collectChanges();
  const failures = collectFailures();
  const programs = collectPrograms();
  const warnings = collectWarnings();
  const losses = createCounts();
  return {
    add(line) {
      for (const part of [totals, changes, failures, programs, warnings]) part.add(line);
      for (const { field } of line.losses) losses.add(field);
    },
    addRemoved: changes.addRemoved,
    addNotSelected: failures.addNotSelected,
    addSelectionWarning: warnings.addSelectionWarning,
    collected() {
      const { configurations, ...sums } = totals.value(failures.notSelected());
      return {
        configurations: { ...configurations, quarantined: failures.quarantined() },
        ...sums,
        changes: changes.value(),
        programs: programs.value(),
        ...failures.value(),
        ...warnings.value(),
        losses: losses.sorted(),
      };
    },
    failures: failures.all,
  };
}

function collectWarnings() {
  const codes = createCounts();
  const articleWarnings: RunReport['articleWarnings'] = [];
  const selectionWarnings: Warning[] = [];
  return {
    add(line: ReportedLine): void {
      for (const { code, message } of line.warnings) {
        codes.add(code);
        if (articleWarnings.length === REPORT_LIMITS.articleWarnings) continue;
        articleWarnings.push({ code, message, article: configurationLabel(line) });
      }
    },
    addSelectionWarning(warning: Warning): void {
      codes.add(warning.code);
      selectionWarnings.push(warning);
    },
    value: () => ({ warnings: codes.sorted(), articleWarnings, selectionWarnings }),
  };
}
