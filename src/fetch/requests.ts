/** The requests that it takes to fetch an article, and which blocks a parts list needs. */
import type { CacheableRequest } from '../cache/response-cache.ts';
import type { ArticleKey, ArticleRequest } from '../model/article.ts';
import type { PartsList, PartsListNode } from '../model/graphics.ts';
import type { Warning } from '../model/snapshot.ts';
import { canonicalName } from '../service/wire-value.ts';
import type { ImageLocation } from './image-location.ts';

/** GET articles. @param varcode - Variant code, or empty. */
export function articleRequest(
  { manufacturer, program, basearticlenumber, reinitstring }: ArticleRequest,
  varcode = '',
): CacheableRequest<'getArticle'> {
  const values = { manufacturer, program, basearticlenumber, reinitstring, varcode };
  return { operation: 'getArticle', values, owner: manufacturer };
}

/** GET btg. */
export function partsListRequest(key: ArticleKey): CacheableRequest<'getPartsList'> {
  // The final number is required, also if the article has none: then the base number is sent.
  const finalarticlenumber = key.finalarticlenumber || key.basearticlenumber;
  const values = { ...key, finalarticlenumber };
  return { operation: 'getPartsList', values, owner: key.manufacturer };
}

/** GET block. @param name - As `blocks[]` spells it. @param datedBy - Manufacturer of the article that needs it. */
export function blockRequest(name: string, owner: string, datedBy: string): BlockRequest {
  return { operation: 'getBlock', values: { name }, owner, datedBy, subject: `block ${name}` };
}

/** GET materials. @param datedBy - Manufacturer of the article that needs it. */
export function imageRequest(
  { manufacturer, name }: ImageLocation,
  datedBy: string,
): CacheableRequest<'getMaterial'> {
  const subject = `image ${manufacturer}/${name}`;
  const values = { manufacturer, name };
  return { operation: 'getMaterial', values, owner: manufacturer, datedBy, subject };
}

type BlockRequest = CacheableRequest<'getBlock'> & { subject: string };

/**
 * Gathers the blocks that the nodes of a parts list use.
 *
 * One that `blocks[]` does not list is requested without a leading `::`, with manufacturer and program
 * in upper case, and reported.
 *
 * @param manufacturer - The article's: owns a block whose name has no manufacturer.
 * @returns Requests by canonical name.
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
    const name = listed.get(canonical) ?? unlistedName(spelled);
    const owner = blockOwner(canonical, manufacturer);
    requests.set(canonical, blockRequest(name, owner, manufacturer));
    if (listed.has(canonical)) continue;
    const message = `block ${spelled} is not in blocks[]: asked for as ${name}`;
    warnings.push({ code: 'BLOCK_UNLISTED', message });
  }
  return { requests, warnings };
}

/** The manufacturer of a block, by its canonical name; the article's if the name has none. */
export function blockOwner(canonical: string, manufacturer: string): string {
  const end = canonical.indexOf('::');
  return end > 0 ? canonical.slice(0, end) : manufacturer;
}

/** The names of nodes by canonical name, in order of first use. */
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

function unlistedName(spelled: string): string {
  const segments = spelled.replace(/^::/, '').split('::');
  const ids = Math.min(2, segments.length - 1);
  return segments.map((part, index) => (index < ids ? part.toUpperCase() : part)).join('::');
}
