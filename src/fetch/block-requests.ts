/**
 * Block requests: which blocks a parts list needs, and how each is asked for.
 *
 * In: a parts list. Out: by canonical name, the spelling that GET block takes and whose block it is.
 */
import type { PartsList, PartsListNode } from '../model/graphics.ts';
import type { Warning } from '../model/snapshot.ts';
import { canonicalName } from '../service/wire-value.ts';

/** How one block is asked for. */
export interface BlockRequest {
  /** As `blocks[]` spells it. */
  request: string;
  /** First part of its name, upper case. */
  manufacturer: string;
}

/**
 * Gathers the blocks that some node uses.
 *
 * One that `blocks[]` does not list is asked for without a leading `::`, with manufacturer and program
 * in upper case, and reported.
 *
 * @param manufacturer - The article's: owns a block whose name does not say whose it is.
 *
 * @example
 * ```ts
 * blockRequests(partsList, 'ACME').requests;
 * // → Map { 'ACME::DESK::LEG' → { request: 'ACME::DESK::LEG', manufacturer: 'ACME' } }
 * ```
 *
 * @see Spec 2.3; D-111.
 */
export function blockRequests(
  partsList: PartsList,
  manufacturer: string,
): { requests: Map<string, BlockRequest>; warnings: Warning[] } {
  const listed = new Map<string, string>();
  for (const name of partsList.blockNames) {
    const canonical = canonicalName(name);
    if (!listed.has(canonical)) listed.set(canonical, name);
  }
  const requests = new Map<string, BlockRequest>();
  const warnings: Warning[] = [];
  for (const [canonical, spelled] of usedNames(partsList.nodes)) {
    const request = listed.get(canonical) ?? unlistedRequest(spelled);
    requests.set(canonical, { request, manufacturer: ownerOf(canonical) ?? manufacturer });
    if (listed.has(canonical)) continue;
    const message = `block ${spelled} is not in blocks[]: asked for as ${request}`;
    warnings.push({ code: 'BLOCK_UNLISTED', message });
  }
  return { requests, warnings };
}

/** Names that nodes use, by canonical name in order of first use. */
function usedNames(roots: readonly PartsListNode[]): Map<string, string> {
  const names = new Map<string, string>();
  const stack = roots.toReversed();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const canonical = canonicalName(node.blockName);
    if (canonical !== '' && !names.has(canonical)) names.set(canonical, node.blockName);
    for (let i = node.children.length - 1; i >= 0; i--) stack.push(node.children[i]!);
  }
  return names;
}

function ownerOf(canonical: string): string | undefined {
  const end = canonical.indexOf('::');
  return end > 0 ? canonical.slice(0, end) : undefined;
}

function unlistedRequest(spelled: string): string {
  const segments = spelled.replace(/^::/, '').split('::');
  const ids = Math.min(2, segments.length - 1);
  return segments.map((part, index) => (index < ids ? part.toUpperCase() : part)).join('::');
}
