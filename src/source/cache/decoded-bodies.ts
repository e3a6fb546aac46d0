/** Parts lists and blocks that a run has decoded, while there is memory for them. */
import { LRUCache } from 'lru-cache';
import type { Block, PartsList } from '../../model/graphics.ts';
import type { DecodedReader, Digest } from '../../model/snapshot.ts';
import type { AnswerOf, OperationName } from '../service/operations.ts';

/** Memory for all of them. */
const MAX_DECODED_BYTES = 32 * 1024 * 1024;

/** Memory that a decoded body takes, as a multiple of its size: objects (3.6 measured), and typed arrays. */
const DECODED_SIZE: Partial<Record<OperationName, number>> = { getPartsList: 4, getBlock: 2 };
/** Memory of a node and of a material of a parts list, which may be as short as `{}`; the latter has warnings. */
const NODE_BYTES = 200;
const MATERIAL_BYTES = 700;

/** The answers of the operations that {@link DECODED_SIZE} lists, by the digest of their bodies. */
export class DecodedBodies implements DecodedReader {
  readonly #answers = new LRUCache<string, NonNullable<unknown>>({ maxSize: MAX_DECODED_BYTES });

  get<Name extends OperationName>(operation: Name, digest: Digest): AnswerOf<Name> | undefined {
    return this.#answers.get(`${operation} ${digest}`) as AnswerOf<Name> | undefined;
  }

  partsList(digest: Digest): PartsList | undefined {
    return this.get('getPartsList', digest);
  }

  block(digest: Digest): Block | undefined {
    return this.get('getBlock', digest);
  }

  /** @param bytes - Size of the body. */
  keep(operation: OperationName, digest: Digest, answer: unknown, bytes: number): void {
    const factor = DECODED_SIZE[operation];
    if (factor === undefined || !answer) return;
    const { nodeCount = 0, materials = [] } = answer as Partial<PartsList>;
    const listBytes = nodeCount * NODE_BYTES + materials.length * MATERIAL_BYTES;
    const size = Math.max(1, bytes * factor, listBytes);
    this.#answers.set(`${operation} ${digest}`, answer, { size });
  }
}
