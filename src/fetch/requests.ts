/** The requests that a fetch and its estimate have in common. */
import type { CacheableRequest } from '../cache/response-cache.ts';
import type { ArticleKey, ArticleRequest } from '../model/article.ts';
import type { ImageLocation } from './image-location.ts';

/** GET articles. @param varcode - Variant code, or empty. @param lang - Language, if it is not the client's. */
export function articleRequest(
  { manufacturer, program, basearticlenumber, reinitstring }: ArticleRequest,
  varcode = '',
  lang?: string,
): CacheableRequest<'getArticle'> {
  const values = { manufacturer, program, basearticlenumber, reinitstring, varcode };
  return { operation: 'getArticle', values, owner: manufacturer, ...(lang && { lang }) };
}

/** GET btg. */
export function partsListRequest(key: ArticleKey): CacheableRequest<'getPartsList'> {
  // The final number is required, also if the article has none: then the base number is sent.
  const finalarticlenumber = key.finalarticlenumber || key.basearticlenumber;
  const values = { ...key, finalarticlenumber };
  return { operation: 'getPartsList', values, owner: key.manufacturer };
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

/** The manufacturer of a block, by its canonical name; the article's if the name has none. */
export function blockOwner(canonical: string, manufacturer: string): string {
  const end = canonical.indexOf('::');
  return end > 0 ? canonical.slice(0, end) : manufacturer;
}
