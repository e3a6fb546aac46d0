/**
 * Collect programs: the same figures by manufacturer and program.
 */
import { REPORT_LIMITS } from './report-limits.ts';
import type { ReportedLine } from './reported-line.ts';
import type { RunReport } from './run-report.ts';

type ProgramRow = RunReport['programs']['rows'][number];

/** Sums up programs. */
export function collectPrograms() {
  const rows = new Map<string, ProgramRow>();
  return {
    add(line: ReportedLine): void {
      const { manufacturer, program } = line;
      const key = JSON.stringify([manufacturer, program]);
      const row = rows.get(key) ?? emptyRow(manufacturer, program);
      rows.set(key, row);
      row.configurations++;
      row.bytes += line.bytes ?? 0;
      row.triangles += line.triangles ?? 0;
      if (line.status === 'failed') row.failed++;
      else if (line.change === 'new') row.new++;
      else if (line.change === 'changed') row.changed++;
    },
    value(): RunReport['programs'] {
      const sorted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
      return { count: rows.size, rows: sorted.slice(0, REPORT_LIMITS.programs) };
    },
  };
}

function emptyRow(manufacturer: string, program: string): ProgramRow {
  const none = { configurations: 0, new: 0, changed: 0, failed: 0, bytes: 0, triangles: 0 };
  return { manufacturer, program, ...none };
}
