/**
 * Permanent identifiers: the plannings that one emulator has stored.
 *
 * In: a top-level article. Out: an identifier, and the same article again. It lives as long as its
 * emulator, and no other emulator knows it.
 */
import type { Json } from '../sample/range.ts';

/** The stored plannings of one emulator. */
export interface PermanentIds {
  /** Stores a planning; the same one stored twice gets two identifiers. */
  store(article: Json): string;
  /** The planning whole, as it was stored; undefined for an identifier of another system. */
  restore(id: string): Json | undefined;
}

/**
 * Keeps the plannings of one emulator.
 *
 * @param random - That many unpredictable bytes.
 * @param onStore - Called once for each stored planning.
 *
 * @see Spec 2.5, 9 rule 7; D-792.
 */
export function createPermanentIds(
  random: (bytes: number) => Uint8Array,
  onStore?: (id: string, article: Json) => void,
): PermanentIds {
  const stored = new Map<string, Json>();
  return {
    store(article) {
      const id = Buffer.from(random(16)).toString('hex').toUpperCase();
      stored.set(id, article);
      onStore?.(id, article);
      return id;
    },
    restore: (id) => stored.get(id),
  };
}
