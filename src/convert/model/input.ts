/** What a conversion takes: the article's bodies, and how they are read. */
import type { ArticleSnapshot, Digest } from '../../model/snapshot.ts';
import type { Block, PartsList } from './graphics.ts';

/** The part of a snapshot from which its GLB is made. */
export type ConversionInput = Pick<ArticleSnapshot, 'key' | 'partsList' | 'blocks' | 'images'>;

/** Reads a body by digest; a parameter of the pure stages. */
export type ContentReader = (digest: Digest) => Promise<Uint8Array>;

/** Looks up bodies that were decoded earlier in the run; undefined if the body is not in memory. */
export interface DecodedReader {
  /** Returns a parts list, decoded without a limit of nesting. */
  partsList(digest: Digest): PartsList | undefined;
  block(digest: Digest): Block | undefined;
}
