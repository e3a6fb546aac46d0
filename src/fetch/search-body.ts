/**
 * Search body: nodes of a search as a body, so that it can be kept like any other answer.
 */
import type { CatalogueNode } from '../model/catalogue.ts';

/** Writes nodes as getnodes would: `decodeNodes` reads them back as they were. */
export function encodeNodes(nodes: readonly CatalogueNode[]): Uint8Array {
  const wire = nodes.map(({ resources, ...node }) => ({ ...node, ressources: resources }));
  return new TextEncoder().encode(JSON.stringify(wire));
}
