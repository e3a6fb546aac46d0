/**
 * Ledger: what one article lost, and what is worth a look, counted and without repetition.
 *
 * The converter writes here and goes on; `strict` later turns losses into a failure.
 */
import type { GeometryCounts, Loss } from '../model/scene.ts';
import type { Warning } from '../model/snapshot.ts';

/** Collects losses, warnings and counts of one article. */
export interface Ledger {
  readonly counts: GeometryCounts;
  /** One source attribute that is not carried over exactly; equal ones are noted once. */
  lose(loss: Loss): void;
  /** Something worth a look; equal messages are noted once, with the first place and a count. */
  warn(code: string, message: string, where?: string): void;
  losses(): Loss[];
  warnings(): Warning[];
}

/**
 * Makes an empty ledger.
 *
 * @example
 * ```ts
 * ledger.warn('UNKNOWN_NODE_TYPE', 'type "spline" is kept as a group', '0/1');
 * ledger.warn('UNKNOWN_NODE_TYPE', 'type "spline" is kept as a group', '0/2');
 * ledger.warnings(); // → [{ code: 'UNKNOWN_NODE_TYPE', message: 'type "spline" is kept as a group (at 0/1 and 1 more)' }]
 * ```
 *
 * @see D-540.
 */
export function createLedger(): Ledger {
  const losses = new Map<string, Loss>();
  const warnings = new Map<string, Warning & { where: string | undefined; times: number }>();
  return {
    counts: {
      droppedTriangles: 0,
      duplicateTriangles: 0,
      flippedSurfaces: 0,
      splitVertices: 0,
      droppedLayers: 0,
      skippedNodes: 0,
    },
    lose(loss) {
      const key = `${loss.where}\0${loss.field}\0${String(loss.value)}\0${loss.done}`;
      if (!losses.has(key)) losses.set(key, loss);
    },
    warn(code, message, where) {
      const known = warnings.get(`${code}\0${message}`);
      if (known) known.times++;
      else warnings.set(`${code}\0${message}`, { code, message, where, times: 1 });
    },
    losses: () => [...losses.values()],
    warnings: () =>
      [...warnings.values()].map(({ code, message, where, times }) => ({
        code,
        message: where === undefined ? message : `${message} (at ${where}${more(times)})`,
      })),
  };
}

function more(times: number): string {
  return times > 1 ? ` and ${times - 1} more` : '';
}
