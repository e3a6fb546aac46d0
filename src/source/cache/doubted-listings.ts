/** Listings of the catalogue that are too short to be believed: a service that lost nodes for a while lists fewer or none. */
import type { CatalogueNode } from '../../model/catalogue.ts';
import type { Digest } from '../../model/snapshot.ts';
import { OPERATIONS, type OperationName } from '../service/operations.ts';
import type { StoredResponse } from './cached-responses.ts';
import type { ContentStore } from './content-store.ts';

/** A listing that lacks this share, or is empty, is believed once it was the same on two days of one conversion. */
const DOUBTED_LOSS = 0.2;

/** Whether an operation lists nodes of the catalogue. */
export const isListing = (operation: OperationName): boolean =>
  operation === 'getNodes' || operation === 'search';

interface Listing {
  operation: OperationName;
  /** The answer; undefined if the cached answer has not changed. */
  received: { digest: Digest; decoded: unknown } | undefined;
  today: string;
  stateOf(manufacturer: string): Promise<string>;
}

/** Number of nodes that the cache has of a listing too short to be believed; undefined if it is believed. @see D-848 */
export async function nodesExpected(
  { operation, received, today, stateOf }: Listing,
  cached: StoredResponse | undefined,
  store: ContentStore,
): Promise<number | undefined> {
  const before = cached && 'digest' in cached.answer ? cached.answer.digest : undefined;
  if (before !== undefined && before === (received?.digest ?? before)) {
    const { expectedNodes, fetchedOn, datedBy, convertdate } = cached!;
    // Another conversion may have lost nodes that an earlier one never had.
    const isSameState = (await stateOf(datedBy)) === convertdate;
    if (isSameState) return fetchedOn < today ? undefined : expectedNodes;
  }
  // Without the body, the earlier number of nodes is not known.
  const body = before && (await store.get(before).catch(() => undefined));
  const had = body ? countOf(OPERATIONS[operation].decode(body)) : 0;
  const count = received === undefined ? had : countOf(received.decoded);
  const expected = cached?.expectedNodes ?? had;
  return count === 0 || count <= (1 - DOUBTED_LOSS) * expected ? expected : undefined;
}

const countOf = (nodes: unknown) => (nodes as CatalogueNode[]).length;
