/** Failures of deliveries that a pipeline file accepts: they are reported, and are no failure of the run. */
import { acceptedByKind } from './kinds.ts';
import type { DeliverSection } from './section.ts';

/** How the webhook is called among deliveries. */
export const WEBHOOK = 'webhook';

/**
 * Returns the codes that a pipeline file accepts of a delivery.
 *
 * @param delivery - Its name in `deliveries.jsonl`, {@link feedName} or {@link WEBHOOK}.
 */
export function acceptedOf(deliver: DeliverSection, delivery: string): ReadonlySet<string> {
  const { feeds, afterPublish } = deliver;
  const given = acceptedByKind(deliver);
  given[WEBHOOK] = afterPublish?.accept;
  for (const kind of feeds?.kinds ?? []) given[feedName(kind)] = feeds?.accept;
  return new Set(given[delivery]);
}

/** How a feed is called among deliveries. */
export const feedName = (kind: string): string => `feed ${kind}`;
