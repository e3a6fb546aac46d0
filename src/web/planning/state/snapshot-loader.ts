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
 * Creates a loader of snapshots; a body that the page has loaded before is not requested again, while it is kept.
 *
 * The loader loads all bodies of a configuration; a body that the service lacks, or that cannot be read, is
 * `{ missing }`. It throws any other {@link ConverterError} of the service: a later call requests the remaining bodies.
 *
 * @param imageLocation - Where the service has the images of materials, if not at the default location.
 * @example
 * ```ts
 * const snapshot = await createSnapshotLoader(service)(key, signal, () => {});
 * snapshot.blocks.get('FJEL::LINEA::LEG'); // → Uint8Array
 * ```
 */
export function createSnapshotLoader(service: PlanningService, imageLocation?: string) {
  // Bodies by name, the least recently used first.
  const kept = new Map<string, Uint8Array>();
  let keptBytes = 0;
  const keep = (name: string, bytes: Uint8Array) => {
    kept.set(name, bytes);
    keptBytes += bytes.length;
    for (const [oldest, { length }] of kept) {
      if (keptBytes <= KEPT_BYTES || oldest === name) break;
      kept.delete(oldest);
      keptBytes -= length;
    }
  };
  /** Returns a body by its name. Only a body that is not kept is requested, until one of its requests finds it. */
  const bodyOf = async (
    name: string,
    requestsOf: () => readonly BodyRequest[],
    signal: AbortSignal,
  ): Promise<Body> => {
    const known = kept.get(name);
    if (known !== undefined) {
      kept.delete(name);
      kept.set(name, known);
      return known;
    }
    try {
      const bytes = await requestFirst(service, requestsOf(), signal);
      keep(name, bytes);
      return bytes;
    } catch (thrown) {
      if (!isConverterError(thrown, ...LASTING)) throw thrown;
      const { code, message } = thrown;
      return { missing: { code, message: `${name}: ${message}` } };
    }
  };
  return async (
    key: ArticleKey,
    signal: AbortSignal,
    onProgress: (progress: LoadingProgress) => void,
  ): Promise<PlanningSnapshot> => {
    onProgress({ step: 'partsList', done: 0, total: 0 });
    const { partsList, bodies } = graphicsRequests(key, imageLocation);
    const { values } = partsList;
    const { bytes, answer } = await service.call('getPartsList', values, { signal });
    const named = bodies(answer);
    const blocks = new Map<string, Body>();
    const images = new Map<string, Body>();
    const work = [
      ...[...named.blocks.keys()].sort().map((name) => async () => {
        const request = named.blocks.get(name)!;
        const subject = `block ${request.values.name}`;
        blocks.set(name, await bodyOf(subject, () => [request], signal));
      }),
      ...named.images.sort().map((reference) => async () => {
        const subject = `image ${key.manufacturer} ${reference}`;
        images.set(reference, await bodyOf(subject, () => named.ofImage(reference), signal));
      }),
    ];
    let done = 0;
    onProgress({ step: 'parts', done, total: work.length });
    await inParallel(work, AT_ONCE, async (load) => {
      await load();
      onProgress({ step: 'parts', done: ++done, total: work.length });
    });
    return { key, partsList: bytes, blocks, images };
  };
}

async function requestFirst(
  service: PlanningService,
  requests: readonly BodyRequest[],
  signal: AbortSignal,
): Promise<Uint8Array> {
  let failure: unknown;
  for (const { operation, values } of requests) {
    try {
      return (await service.call(operation, values, { signal })).bytes;
    } catch (thrown) {
      if (!isConverterError(thrown, 'IMAGE_MISSING')) throw thrown;
      failure ??= thrown;
    }
  }
  throw failure;
}
