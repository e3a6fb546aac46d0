/**
 * Findings: what a comparison met: differences, and the worst errors that were still allowed.
 */

export interface Findings {
  differences: string[];
  /** The largest value of each measure, with its limit. */
  worst: Map<string, { value: number; limit: number }>;
  counts: Map<string, number>;
}

const MAX_DIFFERENCES = 6;
const MAX_LENGTH = 400;

export const createFindings = (): Findings => ({
  differences: [],
  worst: new Map(),
  counts: new Map(),
});

/** Records a difference; only the first few are kept. */
export function differ(findings: Findings, sentence: string): void {
  if (findings.differences.length < MAX_DIFFERENCES)
    findings.differences.push(sentence.slice(0, MAX_LENGTH));
  else if (findings.differences.length === MAX_DIFFERENCES) findings.differences.push('and more');
}

/** Notes a measured error; one above the limit is a difference. */
export function measure(
  findings: Findings,
  {
    name,
    value,
    limit,
    where,
  }: { name: string; value: number; limit: number; where: () => string },
): void {
  const known = findings.worst.get(name);
  if (!known || value / limit > known.value / known.limit)
    findings.worst.set(name, { value, limit });
  if (!(value <= limit)) differ(findings, `${name}: ${value} is above ${limit}: ${where()}`);
}

export function count(findings: Findings, name: string, by = 1): void {
  findings.counts.set(name, (findings.counts.get(name) ?? 0) + by);
}

/** Adds what one comparison found to a running sum. */
export function gather(sum: Findings, one: Findings): void {
  for (const [name, entry] of one.worst) {
    const known = sum.worst.get(name);
    if (!known || entry.value / entry.limit > known.value / known.limit) sum.worst.set(name, entry);
  }
  for (const [name, value] of one.counts) count(sum, name, value);
}

/** The worst errors as a table, one measure a line. */
export function worstTable(title: string, { worst, counts }: Findings): string {
  const rows = [...worst].map(
    ([name, { value, limit }]) =>
      `  ${name.padEnd(34)} ${value.toExponential(2).padStart(10)} of ${limit.toExponential(2)}`,
  );
  const sums = [...counts].map(([name, value]) => `  ${name.padEnd(34)} ${value}`);
  return [title, ...rows.sort(), ...sums.sort()].join('\n');
}
