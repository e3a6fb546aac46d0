/** Stored plannings for pages without a token: of the service is read what draws the planning, and nothing else. */
import { LRUCache } from 'lru-cache';
import { decodeArticle } from '../../convert/wire/article.ts';
import type { JsonRecord } from '../../convert/wire/value.ts';
import { graphicsRequests } from '../../source/fetch/requests.ts';
import { planningChildren, resolveKey } from '../../source/fetch/resolve-article.ts';
import type { ServiceClient } from '../../source/service/client.ts';
import { createBudget } from '../../support/budget.ts';
import { Refusal } from './http.ts';

interface Body {
  operation: 'getBlock' | 'getMaterial';
  values: { name?: string | undefined; manufacturer?: string | undefined };
}

interface PublicPlanningOptions {
  /** A stored planning, as the service answered it; undefined for an unknown identifier. */
  find(permanentid: string): unknown;
  /** Calls the service with the login of the server. */
  call: ServiceClient['call'];
  /** Template of the locations of images, if it is not the default. */
  imageLocation: string | undefined;
}

/** What a planning is drawn from. */
interface Drawing {
  partsList: Uint8Array;
  /** The requests for its blocks and images, by their keys. */
  bodies: ReadonlyMap<string, Body>;
}

/** Requests to the service at once: those of people with a login go on beside them. */
const AT_ONCE = 4;
/** Requests that wait for one of them; beyond it the answer is 503. */
const MOST_WAITING = 1000;
const MOST_DRAWINGS = 100;
const KEPT_BYTES = 64 * 1024 * 1024;
/** After this time the service is asked again: its data may have changed. */
const KEPT_MS = 10 * 60_000;

/**
 * Reads stored plannings and the bodies that draw them.
 *
 * The load on the service is limited: an unknown identifier, and a body that the planning does not consist of, are refused
 * without a request; answers are kept in memory, up to 64 MiB for 10 minutes; four requests are sent at once.
 */
export class PublicPlannings {
  readonly #options: PublicPlanningOptions;
  readonly #turns = createBudget(AT_ONCE);
  #waiting = 0;
  readonly #drawings = new LRUCache<string, Drawing>({
    max: MOST_DRAWINGS,
    ttl: KEPT_MS,
    fetchMethod: (permanentid) => this.#loadDrawing(permanentid),
  });
  readonly #bodies = new LRUCache<string, Uint8Array, Body>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ length }) => length + 1,
    ttl: KEPT_MS,
    fetchMethod: async (_key, _stale, { context: { operation, values } }) =>
      (await this.#inTurn(() => this.#options.call(operation, values))).bytes,
  });

  constructor(options: PublicPlanningOptions) {
    this.#options = options;
  }

  /** The topmost article of a planning. @throws {@link Refusal} 404 if the identifier is not known here. */
  planning(permanentid: string): JsonRecord {
    const article = this.#options.find(permanentid);
    if (article !== undefined) return article as JsonRecord;
    throw new Refusal(
      404,
      'permanentid: expected one that was stored here, received an unknown one',
    );
  }

  /** The parts list of a planning, also if another one is requested. @throws {@link Refusal} 404 */
  async partsList(permanentid: string): Promise<Uint8Array> {
    return (await this.#drawing(permanentid)).partsList;
  }

  /** A block or an image of a planning. @throws {@link Refusal} 404 if the planning does not consist of it. */
  async body(permanentid: string, body: Body): Promise<Uint8Array> {
    const { bodies } = await this.#drawing(permanentid);
    const key = keyOf(body);
    const context = bodies.get(key);
    if (context === undefined) throw new Refusal(404, 'the planning does not consist of this part');
    return (await this.#bodies.fetch(key, { context }))!;
  }

  async #drawing(permanentid: string): Promise<Drawing> {
    this.planning(permanentid);
    return (await this.#drawings.fetch(permanentid))!;
  }

  async #loadDrawing(permanentid: string): Promise<Drawing> {
    const { call, imageLocation } = this.#options;
    const article = decodeArticle(this.planning(permanentid), undefined, true);
    const [request] = planningChildren({ children: [article] });
    const { key } = resolveKey(request!, article);
    const { partsList, bodies } = graphicsRequests(key, imageLocation);
    const { bytes, answer } = await this.#inTurn(() => call('getPartsList', partsList.values));
    const { blocks, images, ofImage } = bodies(answer);
    const named = [
      ...blocks.values(),
      ...images.flatMap((reference) => orNone(ofImage, reference)),
    ];
    const known = named.map(({ operation, values }): [string, Body] => [
      keyOf({ operation, values }),
      { operation, values },
    ]);
    return { partsList: bytes, bodies: new Map(known) };
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= MOST_WAITING) {
      const headers = { 'retry-after': '2' };
      throw new Refusal(503, 'expected fewer requests at a time; try again', { headers });
    }
    this.#waiting++;
    const release = await this.#turns.take(1);
    try {
      return await work();
    } finally {
      this.#waiting--;
      release();
    }
  }
}

function keyOf({ operation, values: { manufacturer = '', name } }: Body): string {
  return JSON.stringify([operation, manufacturer.toUpperCase(), name]);
}

/** A reference that leads out of the service is requested by no page. */
function orNone<T>(requestsOf: (reference: string) => T[], reference: string): T[] {
  try {
    return requestsOf(reference);
  } catch {
    return [];
  }
}
