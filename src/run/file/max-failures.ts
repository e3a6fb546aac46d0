/** The limit of the failures of a run, `--max-failures`. */
import { ConverterError } from '../../support/errors.ts';
import { compareShares, percentOf, sharePercent } from './percentage.ts';

/** How many failures a run may have: a number, or a share from 0 to 1. */
type MaxFailures = { count: number } | { share: number };

/** Parses the value of `--max-failures`, such as `5` or `2%`. @throws {@link ConverterError} `USAGE` */
export function parseMaxFailures(text: string): MaxFailures {
  if (/^\d+$/.test(text.trim())) return { count: Number(text) };
  const share = percentOf(text);
  if (share !== undefined) return { share };
  const expected = 'expected a number of configurations or a percentage, such as 5 or 2%';
  throw new ConverterError('USAGE', `--max-failures: ${expected}, received "${text}"`);
}

/** Whether a value of a program without types is a limit. */
export function isMaxFailures(value: unknown): boolean {
  const { count, share } = (value ?? {}) as Record<string, unknown>;
  if (count !== undefined)
    return share === undefined && Number.isInteger(count) && Number(count) >= 0;
  return typeof share === 'number' && share >= 0 && share <= 1;
}

/** Returns a sentence if the failures of a run exceed the limit; exactly the limit is allowed. @see D-853. */
export function exceededFailures(
  limit: MaxFailures,
  { failed, of }: { failed: number; of: number },
): string | undefined {
  const share = of === 0 ? 0 : failed / of;
  const isExceeded =
    'count' in limit ? failed > limit.count : compareShares(share, limit.share) > 0;
  if (!isExceeded) return undefined;
  const allowed =
    'count' in limit ? limit.count.toLocaleString('en-US') : sharePercent(limit.share);
  const [some, all] = [failed, of].map((number) => number.toLocaleString('en-US'));
  return `--max-failures: expected at most ${allowed} failures, received ${some} of ${all} configurations (${sharePercent(share)})`;
}
