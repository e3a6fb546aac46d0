/** Loads the data of one configuration: its parts list, and the blocks and images that the list names. */

import type { ArticleKey } from '../../../model/article.ts';
import { graphicsRequests } from '../../../source/fetch/requests.ts';
import { type ErrorCode, isConverterError } from '../../../support/errors.ts';
import { inParallel } from '../../../support/in-parallel.ts';
import type { MissingBody, PlanningSnapshot } from './interfaces.ts';
import type { PlanningService } from './planning-service.ts';

/** The progress of loading. The step of the parts list has no count. */
export interface LoadingProgress {
  step: 'partsList' | 'parts';
  done: number;
  total: number;
}

type Body = Uint8Array | MissingBody;

interface BodyRequest {
  operation: 'getBlock' | 'getMaterial';
  values: Parameters<PlanningService['call']>[1];
}

/** Errors that belong to the article itself. Any other error may be temporary, and is no reason to leave a part out. */
const LASTING = [
  'BLOCK_MISSING',
  'BLOCK_INVALID',
  'IMAGE_MISSING',
  'IMAGE_REFUSED',
  'RESPONSE_INVALID',
] as const satisfies readonly ErrorCode[];

/** A browser opens six connections to a server; some more requests wait in its queue. */
const AT_ONCE = 12;
/** Bytes of bodies that are kept for the next configuration, which shares most of them. */
const KEPT_BYTES = 96 * 1024 * 1024;

/**
 * Loads snapshots; a body that the page has loaded before is not requested again, while it is kept.
 *
 * @example
 * ```ts
 * const snapshot = await new SnapshotLoader(service).load(key, signal, () => {});
 * snapshot.blocks.get('FJEL::LINEA::LEG'); // → Uint8Array
 * ```
 */
export class SnapshotLoader {
  readonly #service: PlanningService;
  readonly #imageLocation: string | undefined;
  /** Bodies by name, the least recently used first. */
  readonly #kept = new Map<string, Uint8Array>();
  #keptBytes = 0;

  /** @param imageLocation - Where the service has the images of materials, if not at the default location. */
  constructor(service: PlanningService, imageLocation?: string) {
    this.#service = service;
    this.#imageLocation = imageLocation;
  }

  /**
   * Loads all bodies of a configuration; a body that the service lacks, or that cannot be read, is `{ missing }`.
   *
   * @throws {@link ConverterError} Any other error of the service: a later call requests the remaining bodies.
   */
  async load(
    key: ArticleKey,
    signal: AbortSignal,
    onProgress: (progress: LoadingProgress) => void,
  ): Promise<PlanningSnapshot> {
    onProgress({ step: 'partsList', done: 0, total: 0 });
    const { partsList, bodies } = graphicsRequests(key, this.#imageLocation);
    const { values } = partsList;
    const { bytes, answer } = await this.#service.call('getPartsList', values, { signal });
    const named = bodies(answer);
    const blocks = new Map<string, Body>();
    const images = new Map<string, Body>();
    const work = [
      ...[...named.blocks.keys()].sort().map((name) => async () => {
        const request = named.blocks.get(name)!;
        const subject = `block ${request.values.name}`;
        blocks.set(name, await this.#bodyOf(subject, () => [request], signal));
      }),
      ...named.images.sort().map((reference) => async () => {
        const subject = `image ${key.manufacturer} ${reference}`;
        const requests = () => named.ofImage(reference);
        images.set(reference, await this.#bodyOf(subject, requests, signal));
      }),
    ];
    let done = 0;
    onProgress({ step: 'parts', done, total: work.length });
    await inParallel(work, AT_ONCE, async (load) => {
      await load();
      onProgress({ step: 'parts', done: ++done, total: work.length });
    });
    return { key, partsList: bytes, blocks, images };
  }

  /** Returns a body by its name. Only a body that is not kept is requested, until one of its requests finds it. */
  async #bodyOf(
    name: string,
    requestsOf: () => readonly BodyRequest[],
    signal: AbortSignal,
  ): Promise<Body> {
    const known = this.#kept.get(name);
    if (known !== undefined) {
      this.#kept.delete(name);
      this.#kept.set(name, known);
      return known;
    }
    try {
      const bytes = await this.#request(requestsOf(), signal);
      this.#keep(name, bytes);
      return bytes;
    } catch (thrown) {
      if (!isConverterError(thrown, ...LASTING)) throw thrown;
      const { code, message } = thrown;
      return { missing: { code, message: `${name}: ${message}` } };
    }
  }

  async #request(requests: readonly BodyRequest[], signal: AbortSignal): Promise<Uint8Array> {
    let failure: unknown;
    for (const { operation, values } of requests) {
      try {
        return (await this.#service.call(operation, values, { signal })).bytes;
      } catch (thrown) {
        if (!isConverterError(thrown, 'IMAGE_MISSING')) throw thrown;
        failure ??= thrown;
      }
    }
    throw failure;
  }

  #keep(name: string, bytes: Uint8Array): void {
    this.#kept.set(name, bytes);
    this.#keptBytes += bytes.length;
    for (const [oldest, { length }] of this.#kept) {
      if (this.#keptBytes <= KEPT_BYTES || oldest === name) break;
      this.#kept.delete(oldest);
      this.#keptBytes -= length;
    }
  }
}
