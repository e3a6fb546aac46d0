/**
 * Stopwatch: how long each stage was at work.
 *
 * Stages overlap, since articles are worked on at the same time: a stage's clock runs while at
 * least one article is in it, so that no stage can take longer than the run.
 */

/** The stages of a run, in order. */
export const STAGES = ['select', 'fetch', 'transform', 'write', 'publish'] as const;

/** A stage of a run. */
export type Stage = (typeof STAGES)[number];

/** Measures stages. */
export interface Stopwatch {
  /** Counts the time of some work towards a stage. */
  during<T>(stage: Stage, work: () => Promise<T>): Promise<T>;
  /** Milliseconds by stage, those at zero left out. */
  stageMs(): Partial<Record<Stage, number>>;
  /** Milliseconds since the stopwatch was made. */
  totalMs(): number;
}

/**
 * Creates a stopwatch, running.
 *
 * @param now - Milliseconds.
 */
export function createStopwatch(now: () => number): Stopwatch {
  const start = now();
  const active = new Map<Stage, { inside: number; since: number }>();
  const spent = new Map<Stage, number>();
  const leave = (stage: Stage) => {
    const entry = active.get(stage)!;
    if (--entry.inside > 0) return;
    spent.set(stage, (spent.get(stage) ?? 0) + now() - entry.since);
    active.delete(stage);
  };
  return {
    async during(stage, work) {
      const entry = active.get(stage) ?? { inside: 0, since: now() };
      entry.inside++;
      active.set(stage, entry);
      try {
        return await work();
      } finally {
        leave(stage);
      }
    },
    stageMs: () =>
      Object.fromEntries(
        STAGES.filter((s) => spent.has(s)).map((s) => [s, Math.round(spent.get(s)!)]),
      ),
    totalMs: () => Math.round(now() - start),
  };
}
