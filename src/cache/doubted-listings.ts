/** Listings of the catalogue that are too short to be believed: a service that has lost nodes for a while lists fewer, or none. */
import type { CatalogueNode } from '../model/catalogue.ts';
import type { Digest } from '../model/snapshot.ts';
import { OPERATIONS, type OperationName } from '../service/operations.ts';
import type { StoredResponse } from './cached-responses.ts';
import type { ContentStore } from './content-store.ts';

const LISTINGS: ReadonlySet<OperationName> = new Set<OperationName>(['getNodes', 'search']);
/** A listing that lacks this share of what it had, or is empty, is believed once it was the same on two days. */
const DOUBTED_LOSS = 0.2;

/** Whether an operation lists nodes of the catalogue. */
export const isListing = (operation: OperationName): boolean => LISTINGS.has(operation);

/** A listing that has just arrived. */
interface Listing {
  operation: OperationName;
  digest: Digest;
  /** The decoded answer. */
  nodes: unknown;
  /** Day of the run, `YYYY-MM-DD`. */
  today: string;
}

/** How many nodes a listing had, by the cache, that is too short to be believed; undefined if it is believed. @see D-848 */
export async function nodesExpected(
  { operation, digest, nodes, today }: Listing,
  cached: StoredResponse | undefined,
  store: ContentStore,
): Promise<number | undefined> {
  const before = cached && 'digest' in cached.answer ? cached.answer.digest : undefined;
  if (before === digest) return nodesStillExpected(cached!, today);
  // Without its body it is not known how many there were.
  const body = before && (await store.get(before).catch(() => undefined));
  const known = body ? countOf(OPERATIONS[operation].decode(body)) : 0;
  const expected = cached?.expectedNodes ?? known;
  const count = countOf(nodes);
  return count === 0 || count <= (1 - DOUBTED_LOSS) * expected ? expected : undefined;
}

const countOf = (nodes: unknown) => (nodes as CatalogueNode[]).length;

/** The same of a listing that was answered as before. */
export function nodesStillExpected(
  { expectedNodes, fetchedOn }: StoredResponse,
  today: string,
): number | undefined {
  return fetchedOn < today ? undefined : expectedNodes;
}
