/** Losses: what the conversion of one article lost, warned about and counted. */
import type { Loss, Scene } from '../model/scene.ts';
import type { Fetched, Warning } from '../model/snapshot.ts';
import { ConverterError, type ErrorCode, isErrorCode } from '../support/errors.ts';

/** Collects losses, warnings and counts of one article. */
export interface Losses {
  readonly counts: Scene['counts'];
  /** Adds a source attribute that is not carried over exactly; equal ones are listed once. */
  add(loss: Loss): void;
  /** Adds a warning; equal messages are listed once, with the first place and their number. */
  warn(code: string, message: string, where?: string): void;
  listed(): Pick<Scene, 'losses' | 'warnings' | 'counts'>;
}

/**
 * Makes an empty collection.
 *
 * @example
 * ```ts
 * losses.warn('NODE_TYPE_UNKNOWN', 'type "spline" is kept as a group', '0/1');
 * losses.warn('NODE_TYPE_UNKNOWN', 'type "spline" is kept as a group', '0/2');
 * losses.listed().warnings; // → [{ …, message: 'type "spline" is kept as a group (at 0/1 and 1 more)' }]
 * ```
 *
 * @see D-540.
 */
export function createLosses(): Losses {
  const losses = new Map<string, Loss>();
  const warnings = new Map<string, Warning & { where: string | undefined; times: number }>();
  const counts = {
    droppedTriangles: 0,
    duplicateTriangles: 0,
    flippedSurfaces: 0,
    splitVertices: 0,
    droppedLayers: 0,
    skippedNodes: 0,
  };
  return {
    counts,
    add(loss) {
      const key = `${loss.where}\0${loss.field}\0${String(loss.value)}\0${loss.done}`;
      if (!losses.has(key)) losses.set(key, loss);
    },
    warn(code, message, where) {
      const key = `${code}\0${message}`;
      const known = warnings.get(key);
      if (known) known.times++;
      else warnings.set(key, { code, message, where, times: 1 });
    },
    listed: () => ({
      losses: [...losses.values()],
      warnings: Array.from(warnings.values(), ({ code, message, where, times }) => {
        const more = times > 1 ? ` and ${times - 1} more` : '';
        return { code, message: where === undefined ? message : `${message} (at ${where}${more})` };
      }),
      counts,
    }),
  };
}

/**
 * The error for a body that the snapshot lacks: what fetching it ended with.
 *
 * @param fetched - Undefined where the body was not fetched.
 * @param code - Used where no code is recorded.
 * @param subject - What is missing, such as `block ACME::DESK::LEG`; the message begins with it.
 */
export function missingError(
  fetched: Extract<Fetched, { missing: unknown }> | undefined,
  code: ErrorCode,
  subject: string,
): ConverterError {
  if (fetched === undefined) return new ConverterError(code, `${subject}: not fetched`);
  const { missing } = fetched;
  const isNamed = missing.message.toUpperCase().startsWith(subject.toUpperCase());
  const message = isNamed ? missing.message : `${subject}: ${missing.message}`;
  return new ConverterError(isErrorCode(missing.code) ? missing.code : code, message);
}
