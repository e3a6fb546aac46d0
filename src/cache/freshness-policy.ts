/**
 * Freshness policies: when what an earlier run stored is taken, and how it is asked for otherwise.
 *
 * In: a policy and who vouches for an answer. Out: yes or no. It must not ask the service itself.
 */

import type { Voucher } from './cached-snapshots.ts';
import { CONTINUED_WITHIN_MS } from './durable-runs.ts';
import type { Freshness } from './freshness.ts';

interface PolicyRow {
  /** What makes an answer of an earlier run hold. */
  trusts: 'dates' | 'nothing' | 'everything';
  /** Whether the service may answer that what is stored is still right. */
  conditional: boolean;
  why: string;
}

/** Every policy. */
export const FRESHNESS_POLICIES = {
  convertdate: {
    trusts: 'dates',
    conditional: true,
    why: 'what was not converted since is not asked for',
  },
  revalidate: {
    trusts: 'nothing',
    conditional: true,
    why: 'everything is asked for, and sent only where it changed',
  },
  always: {
    trusts: 'nothing',
    conditional: false,
    why: 'everything is asked for and sent',
  },
  never: {
    trusts: 'everything',
    conditional: true,
    why: 'what is stored is taken, however old; only the rest is asked for',
  },
} as const satisfies Record<string, PolicyRow>;

/** When an answer of an earlier run is taken. */
export type FreshnessPolicy = keyof typeof FRESHNESS_POLICIES;

/** The policy where none is chosen. */
export const FRESHNESS_DEFAULT: FreshnessPolicy = 'convertdate';

/** The run that judges. */
export interface JudgingRun {
  policy: FreshnessPolicy;
  /** When it began, milliseconds since the epoch. */
  now: number;
  /** When the first of the interrupted runs began that it continues; else `now`. */
  heldSince: number;
  /** When the last of these began; what was asked for later was so before the clock was set back. */
  heldUntil: number;
}

/**
 * Whether an answer that is stored holds.
 *
 * What this run was answered holds, and so does what the interrupted runs were that it continues, for
 * {@link CONTINUED_WITHIN_MS} and unless the data is known to have been converted since. All else is the policy's.
 *
 * @param dates - Reads today's catalogue; called only where its dates matter.
 *
 * @see D-730, D-845.
 */
export async function holds(
  voucher: Voucher,
  { policy, now, heldSince, heldUntil }: JudgingRun,
  dates: () => Promise<Freshness>,
): Promise<boolean> {
  const { trusts } = FRESHNESS_POLICIES[policy];
  const { askedAt, owner } = voucher;
  if (trusts === 'everything' || askedAt === now) return true;
  const ofThisNight =
    askedAt >= heldSince && askedAt <= heldUntil && askedAt < heldSince + CONTINUED_WITHIN_MS;
  if (!ofThisNight && trusts === 'nothing') return false;
  const known = await dates();
  if (ofThisNight && !known.hasMoved(voucher)) return true;
  return trusts === 'dates' && known.isFresh(voucher, owner);
}
