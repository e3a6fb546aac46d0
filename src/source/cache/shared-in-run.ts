/** What the requests of a run share: a request that is on its way, and bodies that were decoded while there is memory for them. */

import { LRUCache } from 'lru-cache';
import type { DecodedReader } from '../../convert/model/input.ts';
import type { Digest } from '../../model/snapshot.ts';
import type { AnswerOf, OperationName } from '../service/operations.ts';
import { interrupted } from '../service/request-failure.ts';
import type { Demand } from '../service/traffic.ts';

interface InFlight<T = unknown> {
  /** The callers that wait for the response: the signal of an article, or any object. */
  requesters: Set<object>;
  response: Promise<T>;
  stop: AbortController;
}

/** Requests in flight, by key. */
export class RequestsInFlight {
  readonly #requests = new Map<string, InFlight>();

  has(key: string): boolean {
    return this.#requests.has(key);
  }

  /** Waits for a request, which begins if it is not in flight, and ends once all callers that wait are stopped. @throws `INTERRUPTED` */
  async join<T>(
    key: string,
    signal: AbortSignal | undefined,
    send: (demand: Demand) => Promise<T>,
  ): Promise<T> {
    if (signal?.aborted) throw interrupted();
    const inFlight = (this.#requests.get(key) as InFlight<T>) ?? this.#begin(key, send);
    const { requesters, response, stop } = inFlight;
    requesters.add(signal ?? {});
    if (signal === undefined) return response;
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(interrupted());
        requesters.delete(signal);
        if (requesters.size > 0) return;
        stop.abort();
        if (this.#requests.get(key) === inFlight) this.#requests.delete(key);
      };
      signal.addEventListener('abort', leave, { once: true });
      response.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    });
  }

  #begin<T>(key: string, send: (demand: Demand) => Promise<T>): InFlight<T> {
    const stop = new AbortController();
    const requesters = new Set<object>();
    const response = send({ requesters, signal: stop.signal }).finally(() => {
      if (!stop.signal.aborted) this.#requests.delete(key);
    });
    const inFlight = { requesters, stop, response };
    this.#requests.set(key, inFlight);
    return inFlight;
  }
}

const MAX_DECODED_BYTES = 32 * 1024 * 1024;

/** Memory that a decoded body takes, as a multiple of its size: objects (3.6 measured), and typed arrays. */
const DECODED_SIZE: Partial<Record<OperationName, number>> = { getPartsList: 4, getBlock: 2 };
/** Memory of a node and of a material of a parts list. Each may be as short as `{}`; a material has warnings. */
const NODE_BYTES = 200;
const MATERIAL_BYTES = 700;

/** The answers of the operations that {@link DECODED_SIZE} lists, by the digest of their bodies. */
export class DecodedBodies implements DecodedReader {
  readonly #answers = new LRUCache<string, NonNullable<unknown>>({ maxSize: MAX_DECODED_BYTES });

  get<Name extends OperationName>(operation: Name, digest: Digest): AnswerOf<Name> | undefined {
    return this.#answers.get(`${operation} ${digest}`) as AnswerOf<Name> | undefined;
  }

  partsList(digest: Digest) {
    return this.get('getPartsList', digest);
  }

  block(digest: Digest) {
    return this.get('getBlock', digest);
  }

  keep(operation: OperationName, digest: Digest, answer: unknown, bytes: number): void {
    const factor = DECODED_SIZE[operation];
    if (factor === undefined || !answer) return;
    const { nodeCount = 0, materials = [] } = answer as Partial<AnswerOf<'getPartsList'>>;
    const listBytes = nodeCount * NODE_BYTES + materials.length * MATERIAL_BYTES;
    const size = Math.max(1, bytes * factor, listBytes);
    this.#answers.set(`${operation} ${digest}`, answer, { size });
  }
}
