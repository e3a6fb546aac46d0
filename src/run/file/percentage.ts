/** A share of a whole, as people write it: `5%` or `0.05`. */
import { z } from 'zod';

const PERCENT = /^(\d+(?:\.\d+)?) ?%$/;

/** Parses a percentage: `2.5%` is 0.025; undefined for any other text and for more than 100 %. */
export function percentOf(text: string): number | undefined {
  const percent = Number(PERCENT.exec(text.trim())?.[1]);
  return percent <= 100 ? percent / 100 : undefined;
}

const SPELLINGS = 'expected a share: 5% or 0.05';

/** A share in a pipeline file; parsed to a number from 0 to 1. */
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

/** Formats a share, never rounded to nothing or to all. */
export function sharePercent(share: number): string {
  const percent = share * 100;
  const rounded = Number(percent.toFixed(percent < 10 ? 1 : 0));
  if (rounded === 0 && share > 0) return 'less than 0.1 %';
  if (rounded === 100 && share < 1) return 'more than 99 %';
  return `${rounded} %`;
}

/** Tolerance of comparisons with a decimal fraction: 29 of 100 is not less than `29%`. */
const ROUNDING = 1e-12;

/** Compares two shares: negative, 0 or positive as the first is smaller, equal or larger. */
export function compareShares(share: number, other: number): number {
  return Math.abs(share - other) <= ROUNDING ? 0 : share - other;
}
