/** Failures of deliveries that a pipeline file accepts: they are reported, and are no failure of the run. */
import { VARIANTS } from './making/names.ts';
import type { DeliverSection } from './section.ts';

/** How the webhook is called among deliveries. */
export const WEBHOOK = 'webhook';

/**
 * Returns the codes that a pipeline file accepts of a delivery.
 *
 * @param delivery - Its name in `deliveries.jsonl`, {@link feedName} or {@link WEBHOOK}.
 */
export function acceptedOf(deliver: DeliverSection, delivery: string): ReadonlySet<string> {
  const { pictures, variants, feeds, afterPublish, profiles = [] } = deliver;
  const given: Record<string, readonly string[] | undefined> = {
    pictures: pictures?.accept,
    [VARIANTS]: typeof variants === 'object' ? variants.accept : undefined,
    [WEBHOOK]: afterPublish?.accept,
  };
  for (const kind of feeds?.kinds ?? []) given[feedName(kind)] = feeds?.accept;
  for (const each of profiles) if (typeof each === 'object') given[each.profile] = each.accept;
  return new Set(given[delivery]);
}

/** How a feed is called among deliveries. */
export const feedName = (kind: string): string => `feed ${kind}`;
