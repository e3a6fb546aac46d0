/** Limits of what one sender may have made. */

import { isIPv6 } from 'node:net';
import { recent } from '../../support/recent.ts';
import { Refusal } from '../servers/http.ts';

/** What one server does at most. */
export interface AssetLimits {
  /** How long a request waits for what is made, milliseconds; that goes on. */
  maxWaitMs: number;
  /** New files of one sender in a minute. */
  newPerMinute: number;
  /** The same of all senders together. */
  newOverall: number;
  /** Pixels of a picture. */
  pixels: number;
}

/** Defaults of {@link AssetLimits}. A picture of 2,048 × 2,048 takes a core for some seconds. */
export const ASSET_LIMITS: AssetLimits = {
  maxWaitMs: 20_000,
  newPerMinute: 120,
  newOverall: 1200,
  pixels: 2048 ** 2,
};

const MINUTE_MS = 60_000;
/** Senders that are remembered; the one that has sent nothing for the longest time is forgotten first. */
const MOST_SENDERS = 100_000;

/**
 * Counts what is made for each sender, in a window that slides: the budget of a minute fills again evenly.
 *
 * @param perMinute - New files of one sender; of IPv6, of one network of 64 bits, which a household has.
 * @param now - Milliseconds since 1970.
 * @returns Counts one; throws a {@link Refusal} 429 with `Retry-After` beyond the limit.
 */
export function perSender(perMinute: number, now: () => number): (sender: string) => void {
  const budgets = recent<{ left: number; atMs: number }>(MOST_SENDERS);
  return (address) => {
    const sender = networkOf(address);
    const nowMs = now();
    const { left, atMs } = budgets.get(sender) ?? { left: perMinute, atMs: nowMs };
    const filled = Math.min(perMinute, left + ((nowMs - atMs) * perMinute) / MINUTE_MS);
    if (filled < 1) {
      const seconds = Math.ceil(((1 - filled) * MINUTE_MS) / perMinute / 1000);
      throw new Refusal(429, `expected at most ${perMinute} new files a minute, received more`, {
        headers: { 'retry-after': String(seconds) },
      });
    }
    budgets.set(sender, { left: filled - 1, atMs: nowMs });
  };
}

const GROUPS = 8;
const GROUPS_OF_NETWORK = 4;

/**
 * The network of an address of IPv6, or another address as it is.
 *
 * @example `networkOf('2001:db8::1'); // → '2001:db8:0:0'`
 */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const [before = '', after] = address.replace(/%.*$/, '').split('::');
  const groupsOf = (text: string) => (text === '' ? [] : text.split(':'));
  const [first, last] = [groupsOf(before), groupsOf(after ?? '')];
  const zeros = after === undefined ? 0 : GROUPS - first.length - last.length;
  const all = [...first, ...Array.from({ length: zeros }, () => '0'), ...last];
  const network = all.slice(0, GROUPS_OF_NETWORK).map((group) => Number.parseInt(group, 16));
  return network.map((group) => group.toString(16)).join(':');
}
