/**
 * Share: a part of a whole, as people write it: `5%` or `0.05`.
 */
import { z } from 'zod';

const PERCENT = /^(\d+(?:\.\d+)?) ?%$/;

/**
 * Reads a percentage.
 *
 * @returns 0 to 1; undefined for what is none, or more than the whole.
 *
 * @example
 * ```ts
 * percentOf('2.5%');   // → 0.025
 * percentOf('2.5');    // → undefined
 * ```
 */
export function percentOf(text: string): number | undefined {
  const percent = Number(PERCENT.exec(text.trim())?.[1]);
  return percent <= 100 ? percent / 100 : undefined;
}

const SPELLINGS = 'expected a share: 5% or 0.05';

/** A share in a pipeline file; 0 to 1 once it is read. */
export const shareSchema = z
  .union(
    [
      z
        .number()
        .refine((share) => share >= 0 && share <= 1, SPELLINGS)
        .meta({ minimum: 0, maximum: 1 }),
      z.string().refine((text) => percentOf(text) !== undefined, SPELLINGS),
    ],
    SPELLINGS,
  )
  .transform((value) => (typeof value === 'number' ? value : percentOf(value)!));

/** A share as a person reads it, never rounded to nothing or to all. */
export function sharePercent(share: number): string {
  const percent = share * 100;
  const rounded = Number(percent.toFixed(percent < 10 ? 1 : 0));
  if (rounded === 0 && share > 0) return 'less than 0.1 %';
  if (rounded === 100 && share < 1) return 'more than 99 %';
  return `${rounded} %`;
}

/** A share is compared with what a person wrote: 29 of 100 is not less than `29%`. */
const ROUNDING = 1e-12;

/** Whether a share reaches a threshold. */
export function isAtLeast(share: number, threshold: number): boolean {
  return share >= threshold - ROUNDING;
}

/** Whether a share is beyond a threshold; one that is equal is not. */
export function isMoreThan(share: number, threshold: number): boolean {
  return share > threshold + ROUNDING;
}
