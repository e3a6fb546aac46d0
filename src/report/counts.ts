/**
 * Counts: how often each name occurs.
 */

/** Counts names. */
export interface Counts {
  add(name: string): void;
  of(name: string): number;
  /** By name, in the order of the names: what came first must not show. */
  sorted(): Record<string, number>;
}

/** Creates counts at zero. */
export function createCounts(): Counts {
  const counts = new Map<string, number>();
  return {
    add: (name) => void counts.set(name, (counts.get(name) ?? 0) + 1),
    of: (name) => counts.get(name) ?? 0,
    sorted: () => Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
