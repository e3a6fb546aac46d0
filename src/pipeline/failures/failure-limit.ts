/**
 * Failure limit: how many failed configurations a night may have (`--max-failures`).
 *
 * @see D-853.
 */
import { ConverterError } from '../../support/errors.ts';
import { isMoreThan, percentOf, sharePercent } from '../gates/share.ts';

/** How many may fail: a number of configurations, or a share (0 to 1) of them. */
export type FailureLimit = { count: number } | { share: number };

/** What failed of what there is. */
export interface FailureCount {
  failed: number;
  of: number;
}

/**
 * Reads the value of `--max-failures`.
 *
 * @throws {@link ConverterError} `USAGE`
 *
 * @example
 * ```ts
 * parseMaxFailures('2%');   // → { share: 0.02 }
 * parseMaxFailures('5');    // → { count: 5 }
 * ```
 */
export function parseMaxFailures(text: string): FailureLimit {
  if (/^\d+$/.test(text.trim())) return { count: Number(text) };
  const share = percentOf(text);
  if (share !== undefined) return { share };
  const expected = 'expected a number of configurations or a percentage, such as 5 or 2%';
  throw new ConverterError('USAGE', `--max-failures: ${expected}, received "${text}"`);
}

/**
 * Judges the failures of a night.
 *
 * @returns What to say where they are more than the limit allows; exactly the limit is allowed.
 *
 * @example
 * ```ts
 * exceededFailures({ share: 0.02 }, { failed: 3, of: 100 });
 * // → '3 of 100 configurations failed (3 %); --max-failures allows 2 %'
 * ```
 */
export function exceededFailures(limit: FailureLimit, count: FailureCount): string | undefined {
  const { failed, of } = count;
  const share = of === 0 ? 0 : failed / of;
  const exceeded = 'count' in limit ? failed > limit.count : isMoreThan(share, limit.share);
  if (!exceeded) return undefined;
  const allowed =
    'count' in limit ? limit.count.toLocaleString('en-US') : sharePercent(limit.share);
  const [some, all] = [failed, of].map((number) => number.toLocaleString('en-US'));
  return `${some} of ${all} configurations failed (${sharePercent(share)}); --max-failures allows ${allowed}`;
}
