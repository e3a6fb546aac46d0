/** Bounds of a report's lists: it tells what is worth a look, the manifest tells all. @see D-855 */
export const REPORT_LIMITS = {
  changes: 1000,
  failures: 1000,
  gateFindings: 500,
  articleWarnings: 200,
  slowest: 50,
  largest: 50,
  programs: 500,
} as const;
