/** Decides whether a response of an earlier run is fresh, by the days on which the service converted its data. */
import type { CatalogueNode } from '../../model/catalogue.ts';
import { sha256Hex } from '../../support/files.ts';
import { groupBy } from '../../support/group-by.ts';
import { CONTINUED_WITHIN_MS } from './durable-tables.ts';

/** The properties of a response that decide whether it is fresh. */
export interface FreshnessStamp {
  /** Manufacturer whose data was requested by name. */
  owner: string;
  /** Manufacturer whose conversion dates apply: the owner, or the article's if the catalogue lacks the owner. */
  datedBy: string;
  /** State of the data of `datedBy` when the response was requested; empty if the state was not known. */
  convertdate: string;
  /** Day on which the first fetch began, `YYYY-MM-DD`, UTC. */
  fetchedOn: string;
  /** Start of the run that sent the request, milliseconds since the epoch. */
  requestedAt: number;
}

/** When a response of an earlier run is used: what makes the response fresh, and whether requests are conditional. */
export const FRESHNESS_POLICIES = {
  /** Data that was not converted since then is not requested. */
  convertdate: { trusts: 'dates', conditional: true },
  /** Everything is requested, but only changed data is sent. */
  revalidate: { trusts: 'nothing', conditional: true },
  /** Everything is requested and sent. */
  always: { trusts: 'nothing', conditional: false },
  /** Cached responses are used, however old; only missing responses are requested. */
  never: { trusts: 'everything', conditional: true },
} as const satisfies Record<
  string,
  { trusts: 'dates' | 'nothing' | 'everything'; conditional: boolean }
>;

/** See D-845. */
export type FreshnessPolicy = keyof typeof FRESHNESS_POLICIES;

/** The policy of a pipeline file that sets none. */
export const FRESHNESS_DEFAULT: FreshnessPolicy = 'convertdate';

/** The run for which freshness is decided. */
export interface FreshnessContext {
  policy: FreshnessPolicy;
  now: number;
  /** Start of the first of the interrupted runs that this run continues, else `now`. */
  interruptedSince: number;
  /** Start of the last of the interrupted runs; a later request was sent before the clock was set back. */
  interruptedUntil: number;
}

/**
 * Whether a cached response is fresh. Responses of this run are fresh. Responses of the interrupted runs that it
 * continues are fresh for {@link CONTINUED_WITHIN_MS}, unless the data was converted since; the policy decides
 * about all others. `dates` is called only if the dates of the catalogue matter. @see D-730, D-845.
 */
export async function isFresh(
  stamp: FreshnessStamp,
  { policy, now, interruptedSince, interruptedUntil }: FreshnessContext,
  dates: () => Promise<ConversionDates>,
): Promise<boolean> {
  const { trusts } = FRESHNESS_POLICIES[policy];
  const { requestedAt } = stamp;
  if (trusts === 'everything' || requestedAt === now) return true;
  const ofInterruptedRun =
    requestedAt >= interruptedSince &&
    requestedAt <= interruptedUntil &&
    requestedAt < interruptedSince + CONTINUED_WITHIN_MS;
  if (!ofInterruptedRun && trusts === 'nothing') return false;
  const known = await dates();
  if (ofInterruptedRun && !known.isConvertedSince(stamp)) return true;
  return trusts === 'dates' && known.isUnchangedSince(stamp);
}

/**
 * The day of an instant, `YYYY-MM-DD` in UTC. A service at or east of Greenwich ends a day no later than
 * UTC, so that what is fetched on a later UTC day than a conversion was fetched after it.
 */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Conversion dates of the manufacturers, from the top of the catalogue. @see Spec 2.1; D-611, D-730. */
export class ConversionDates {
  readonly #states = new Map<string, string>();

  /** @param topNodes - The topmost folder of the catalogue; a manufacturer may have several nodes. */
  constructor(topNodes: readonly CatalogueNode[]) {
    const owned = topNodes.filter(({ nodetype, manufacturer }) => {
      return nodetype !== 'I' && manufacturer !== '';
    });
    for (const [owner, nodes] of groupBy(owned, (node) => node.manufacturer.toUpperCase())) {
      const isDated = nodes.every(({ convertdate }) => DAY.test(convertdate));
      if (isDated) this.#states.set(owner, stateOf(nodes));
    }
  }

  /** The latest conversion date of a manufacturer, with a digest if it has several; empty if unknown. */
  stateOf(manufacturer: string): string {
    return this.#states.get(manufacturer.toUpperCase()) ?? '';
  }

  /** Whether data is known to have been converted since a response was stamped. */
  isConvertedSince({ datedBy, convertdate }: FreshnessStamp): boolean {
    const now = this.stateOf(datedBy);
    return now !== '' && convertdate !== '' && now !== convertdate;
  }

  /** Whether data is in the same state, and was fetched on a later day than it was converted. */
  isUnchangedSince({ owner, datedBy, convertdate, fetchedOn }: FreshnessStamp): boolean {
    if (convertdate === '' || this.stateOf(datedBy) !== convertdate) return false;
    // Once the catalogue has the owner, the dates of another manufacturer no longer apply.
    const isOwn = datedBy.toUpperCase() === owner.toUpperCase();
    if (!isOwn && this.stateOf(owner) !== '') return false;
    return fetchedOn > convertdate.slice(0, 10);
  }
}

/** Returns the latest date; with several nodes, a digest shows a change of any of them. */
function stateOf(nodes: readonly CatalogueNode[]): string {
  const lines = nodes
    .map(({ convertdate, program, nodeid }) => `${convertdate} ${program} ${nodeid}`)
    .sort();
  const latest = lines.at(-1)!.slice(0, 10);
  if (lines.length === 1) return latest;
  return `${latest} ${sha256Hex(lines.join('\n')).slice(0, 16)}`;
}
