/**
 * Freshness: whether an answer of an earlier run still holds.
 *
 * In: the top of the catalogue, read today, and an answer as it was stored. Out: yes or no.
 * The service tells when it last converted a manufacturer's data, to the day; nothing finer.
 * It must not ask the service nor open anything.
 */
import type { CatalogueNode } from '../model/catalogue.ts';
import { sha256Hex } from '../support/files.ts';
import type { StoredResponse } from './cached-responses.ts';

/** Judges stored answers against today's catalogue. */
export interface Freshness {
  /**
   * State of a manufacturer's data: its latest conversion date, and a digest over the dates of all its
   * series where it has several. Empty where the catalogue does not tell.
   */
  stateOf(manufacturer: string): string;
  /**
   * Whether a stored answer is known to hold.
   *
   * @param manufacturer - Whose data was asked for by name; may differ from who vouches for it.
   */
  isFresh(response: Vouched, manufacturer: string): boolean;
  /** Whether data is known to have been converted since it vouched for an answer. */
  hasMoved(response: Pick<Vouched, 'manufacturer' | 'convertdate'>): boolean;
}

/** What of a stored answer tells whether it holds. */
type Vouched = Pick<StoredResponse, 'manufacturer' | 'convertdate' | 'fetchedOn'>;

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The day of an instant, `YYYY-MM-DD` in UTC.
 *
 * A service at or east of Greenwich has ended a day no later than UTC does, so that what is fetched
 * on a later UTC day than a conversion came after it.
 *
 * @param now - Milliseconds since the epoch.
 */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/**
 * Reads the dates of the top of the catalogue.
 *
 * An answer holds where the data it came from is in the same state as then, and the fetch began on a
 * later day than the last conversion: on the same day it may have come before it.
 *
 * @param topNodes - Answer of getnodes for the topmost folder; a manufacturer may have several nodes.
 *
 * @example
 * ```ts
 * const freshness = readFreshness([{ manufacturer: 'ACME', convertdate: '2024-05-14', … }]);
 * freshness.isFresh({ convertdate: '2024-05-14', fetchedOn: '2024-05-15', … }, 'ACME');   // → true
 * freshness.isFresh({ convertdate: '2024-05-14', fetchedOn: '2024-05-14', … }, 'ACME');   // → false
 * ```
 *
 * @see Spec 2.1 (`convertdate`); D-611, D-730.
 */
export function readFreshness(topNodes: readonly CatalogueNode[]): Freshness {
  const states = readStates(topNodes);
  const stateOf = (manufacturer: string): string => states.get(manufacturer.toUpperCase()) ?? '';
  return {
    stateOf,
    hasMoved: ({ manufacturer, convertdate }) => {
      const now = stateOf(manufacturer);
      return now !== '' && convertdate !== '' && now !== convertdate;
    },
    isFresh: (response, manufacturer) => {
      const { convertdate, fetchedOn } = response;
      if (convertdate === '' || stateOf(response.manufacturer) !== convertdate) return false;
      // Another vouched because the catalogue did not know the owner; once it does, the owner decides.
      const ownerVouches = response.manufacturer.toUpperCase() === manufacturer.toUpperCase();
      if (!ownerVouches && stateOf(manufacturer) !== '') return false;
      return fetchedOn > convertdate.slice(0, 10);
    },
  };
}

function readStates(topNodes: readonly CatalogueNode[]): Map<string, string> {
  const lines = new Map<string, string[]>();
  const undated = new Set<string>();
  for (const { nodetype, manufacturer, program, nodeid, convertdate } of topNodes) {
    if (nodetype === 'I' || manufacturer === '') continue;
    const owner = manufacturer.toUpperCase();
    if (!DAY.test(convertdate)) undated.add(owner);
    else lines.set(owner, [...(lines.get(owner) ?? []), `${convertdate} ${program} ${nodeid}`]);
  }
  const states = new Map<string, string>();
  for (const [owner, dates] of lines) {
    if (!undated.has(owner)) states.set(owner, summarise(dates.sort()));
  }
  return states;
}

/** The latest date; with several nodes a change of any of them must show. */
function summarise(lines: readonly string[]): string {
  const latest = lines.at(-1)!.slice(0, 10);
  if (lines.length === 1) return latest;
  return `${latest} ${sha256Hex(lines.join('\n')).slice(0, 16)}`;
}
