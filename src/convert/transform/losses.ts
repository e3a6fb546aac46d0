/** Losses: the data that the conversion of one article lost, warned about and counted. */

import type { Loss } from '../../model/asset.ts';
import { NO_GEOMETRY_COUNTS } from '../../model/asset.ts';
import type { Fetched } from '../../model/snapshot.ts';
import type { Warning, WarningCode } from '../../model/warning.ts';
import { ConverterError, type ErrorCode, isErrorCode } from '../../support/errors.ts';
import { globMatcher } from '../../support/glob.ts';
import { cutText, MAX_WARNINGS, moreWarnings, TEXT_LIMITS } from '../../support/text-limits.ts';
import type { Scene } from '../model/scene.ts';
import { describe } from '../wire/value.ts';
import { CONVERT_DEFAULTS } from './convert-options.ts';

/** Longest value or list of the service; longer ones are shortened. */
const LONGEST_VALUE = 200;
/** Longest list whose JSON is shown, as for 200 numbers; a longer list is only described. */
const LONGEST_LIST = 4000;

/**
 * The losses, warnings and counts of one article (D-540).
 *
 * @example
 * ```ts
 * losses.warn('NODE_TYPE_UNKNOWN', 'type "spline" is kept as a group', '0/1');
 * losses.warn('NODE_TYPE_UNKNOWN', 'type "spline" is kept as a group', '0/2');
 * losses.listed().warnings; // → [{ …, message: 'type "spline" is kept as a group (at 0/1 and 1 more)' }]
 * ```
 */
export class Losses {
  readonly counts = { ...NO_GEOMETRY_COUNTS };
  /** Patterns of option `overrides` that changed a material. */
  readonly usedOverrides = new Set<string>();
  readonly #expected: readonly ((field: string) => boolean)[];
  readonly #maxLosses: number;
  readonly #losses = new Map<string, Loss & { times: number }>();
  readonly #warnings = new Map<string, Warning & { where: string | undefined; times: number }>();
  readonly #listed = { expected: 0, unexpected: 0 };
  readonly #more = { losses: 0, warnings: 0 };

  /**
   * @param expected - Globs of the fields whose losses are marked as expected.
   * @param maxLosses - Number of losses that are listed, and of expected ones; a warning counts the others.
   */
  constructor(expected: readonly string[] = [], maxLosses = CONVERT_DEFAULTS.maxListedLosses) {
    this.#expected = expected.map(globMatcher);
    this.#maxLosses = maxLosses;
  }

  /**
   * Adds a source attribute that is not carried over exactly; equal losses are listed once.
   *
   * @param same - Losses with an equal value here are listed once too, with the first place and their number.
   */
  add(loss: Omit<Loss, 'expected'>, same?: string): void {
    const [where, field, done] = [cutName(loss.where), cutName(loss.field), cutName(loss.done)];
    const value = shortened(loss.value);
    const key = cutName(same) ?? `${where}\0${field}\0${String(value)}\0${done}`;
    const known = this.#losses.get(key);
    if (known) {
      known.times += same === undefined ? 0 : 1;
      return;
    }
    const isExpected = this.#expected.some((matches) => matches(field));
    const kind = isExpected ? 'expected' : 'unexpected';
    // An expected loss takes no place from one that `strict` refuses.
    if (this.#listed[kind] >= this.#maxLosses) {
      this.#more.losses++;
      return;
    }
    this.#listed[kind]++;
    const mark = isExpected && { expected: true as const };
    this.#losses.set(key, { where, field, value, done, ...mark, times: 1 });
  }

  /** Adds a warning; equal messages are listed once, with the first place and their number. */
  warn(of: WarningCode | ErrorCode, text: string, where?: string): void {
    // With `allowMissingParts`, the code of any error is allowed.
    const code = of as WarningCode;
    const message = cutText(text, TEXT_LIMITS.message);
    const key = `${code}\0${message}`;
    const known = this.#warnings.get(key);
    if (known) known.times++;
    else if (this.#warnings.size >= MAX_WARNINGS) this.#more.warnings++;
    else this.#warnings.set(key, { code, message, where, times: 1 });
  }

  /** The lists of the scene, in the order in which their entries were added. */
  listed(): Pick<Scene, 'losses' | 'warnings' | 'counts'> {
    return {
      losses: Array.from(this.#losses.values(), ({ where, times, ...loss }) => ({
        where: placesOf(where, times),
        ...loss,
      })),
      warnings: [
        ...Array.from(this.#warnings.values(), ({ code, message, where, times }) => {
          if (where === undefined) return { code, message };
          return { code, message: `${message} (at ${placesOf(where, times)})` };
        }),
        ...moreWarnings(this.#more.warnings),
        ...moreLosses(this.#more.losses),
      ],
      counts: this.counts,
    };
  }
}

function cutName<T extends string | undefined>(text: T): T {
  return (text && cutText(text, TEXT_LIMITS.name)) as T;
}

function moreLosses(count: number): Warning[] {
  return count === 0
    ? []
    : [{ code: 'MORE_LOSSES', message: `${count} more losses are not listed` }];
}

function placesOf(first: string, times: number): string {
  return times > 1 ? `${first} and ${times - 1} more` : first;
}

/** Returns a value as received, but of bounded length and depth. */
export function shortened(value: unknown): unknown {
  if (typeof value === 'string') return cutText(value, LONGEST_VALUE);
  if (typeof value !== 'object' || value === null) return value;
  const isList = Array.isArray(value) && value.length <= LONGEST_VALUE;
  if (!isList || value.some((entry) => typeof entry === 'object')) return describe(value);
  return JSON.stringify(value).length > LONGEST_LIST ? describe(value) : value;
}

/**
 * Makes the error for a body that the snapshot lacks, from the error of fetching it.
 *
 * @param code - Used if no code is recorded.
 * @param subject - Text such as `block ACME::DESK::LEG`; the message begins with it.
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
