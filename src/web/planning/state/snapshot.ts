/** Loads what one configuration consists of: its parts list, and the blocks and images that it names. */

import { imageReferences } from '../../../convert/wire/material.ts';
import type { ArticleKey } from '../../../model/article.ts';
import { locateImage } from '../../../source/fetch/image-location.ts';
import { blockRequests, imageRequest, partsListRequest } from '../../../source/fetch/requests.ts';
import { type ErrorCode, isConverterError } from '../../../support/errors.ts';
import { inParallel } from '../../../support/in-parallel.ts';
import type { MissingBody, PlanningSnapshot } from './interfaces.ts';
import type { PlanningService } from './requests.ts';

/** How far loading is; of the parts list there is nothing to count. */
export interface LoadingProgress {
  step: 'partsList' | 'parts';
  done: number;
  total: number;
}

type Body = Uint8Array | MissingBody;

/** What is so of the article itself; anything else may pass, and is no reason to show less than there is. */
const LASTING = [
  'BLOCK_MISSING',
  'BLOCK_INVALID',
  'IMAGE_MISSING',
  'IMAGE_REFUSED',
  'RESPONSE_INVALID',
] as const satisfies readonly ErrorCode[];

/** A browser opens six connections to a server; some more wait in its own queue. */
const AT_ONCE = 12;
/** Bodies that are kept for the next configuration, which mostly shares them. */
const KEPT_BYTES = 96 * 1024 * 1024;

/** Loads snapshots; what a page has loaded before it does not ask for again. */
export interface SnapshotLoader {
  /**
   * Loads all of it; what the service does not have, or sends in a form that cannot be read, is `{ missing }`.
   *
   * @throws {@link ConverterError} what the service throws where it cannot be asked: a later call asks for the rest.
   */
  load(
    key: ArticleKey,
    signal: AbortSignal,
    onProgress: (progress: LoadingProgress) => void,
  ): Promise<PlanningSnapshot>;
}

/**
 * Creates a loader of snapshots.
 *
 * @param imageLocation - Where the service has the images of materials, if not at the default.
 * @example
 * ```ts
 * const snapshot = await createLoader(service).load(key, signal, () => {});
 * snapshot.blocks.get('FJEL::LINEA::LEG'); // → Uint8Array
 * ```
 */
export function createLoader(service: PlanningService, imageLocation?: string): SnapshotLoader {
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
  const once = async (name: string, ask: () => Promise<Uint8Array>): Promise<Body> => {
    const known = kept.get(name);
    if (known !== undefined) {
      // The one that was used last is dropped last.
      kept.delete(name);
      kept.set(name, known);
      return known;
    }
    try {
      const bytes = await ask();
      keep(name, bytes);
      return bytes;
    } catch (thrown) {
      if (!isConverterError(thrown, ...LASTING)) throw thrown;
      const { code, message } = thrown;
      return { missing: { code, message: `${name}: ${message}` } };
    }
  };

  return {
    async load(key, signal, onProgress) {
      onProgress({ step: 'partsList', done: 0, total: 0 });
      const { values } = partsListRequest(key);
      const { bytes, answer } = await service.call('getPartsList', values, { signal });
      const { requests } = blockRequests(answer, key.manufacturer);
      const owners = {
        manufacturer: key.manufacturer,
        blockManufacturers: [...new Set(Array.from(requests.values(), ({ owner }) => owner))],
      };
      const blocks = new Map<string, Body>();
      const images = new Map<string, Body>();
      const block = async (canonical: string) => {
        const values = requests.get(canonical)!.values;
        const name = `block ${values.name}`;
        blocks.set(
          canonical,
          await once(name, async () => (await service.call('getBlock', values, { signal })).bytes),
        );
      };
      const image = async (reference: string) => {
        const ask = async () => {
          let failure: unknown;
          for (const location of locateImage(reference, owners, imageLocation)) {
            const { values } = imageRequest(location, key.manufacturer);
            try {
              return (await service.call('getMaterial', values, { signal })).bytes;
            } catch (thrown) {
              if (!isConverterError(thrown, 'IMAGE_MISSING')) throw thrown;
              failure ??= thrown;
            }
          }
          throw failure;
        };
        images.set(reference, await once(`image ${key.manufacturer} ${reference}`, ask));
      };
      const work = [
        ...[...requests.keys()].sort().map((name) => () => block(name)),
        ...imageReferences(answer)
          .sort()
          .map((reference) => () => image(reference)),
      ];
      let done = 0;
      onProgress({ step: 'parts', done, total: work.length });
      await inParallel(work, AT_ONCE, async (load) => {
        await load();
        onProgress({ step: 'parts', done: ++done, total: work.length });
      });
      return { key, partsList: bytes, blocks, images };
    },
  };
}
