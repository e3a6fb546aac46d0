/** Planning tab: what a tab of a browser keeps and tells of a planning page, without the page; and its converter. */

import { CONVERT_DEFAULTS } from '../../src/convert/transform/convert-options.ts';
import { createMeshCache } from '../../src/convert/transform/mesh-cache.ts';
import { transformArticle } from '../../src/convert/transform/transform-article.ts';
import { writeGlb } from '../../src/convert/write/glb.ts';
import { sha256Hex } from '../../src/support/files.ts';
import { sharpImageCodec } from '../../src/support/image-codec.ts';
import type {
  ConvertedModel,
  MissingBody,
  PageWindow,
  PlanningConverter,
} from '../../src/web/planning/state/interfaces.ts';

const CACHE_BYTES = 1_000_000;

/** What the page around has received, and the origin that it was for. */
export type Received = Record<string, unknown> & { type: string; origin: string };

/** A tab; a page in a frame has another page around it. */
export function openTab({
  isFramed = false,
  hasStorage = true,
  ancestorOrigins,
}: {
  isFramed?: boolean;
  hasStorage?: boolean;
  ancestorOrigins?: readonly string[];
} = {}) {
  const received: Received[] = [];
  const storage = new Map<string, string>();
  let state: unknown = null;
  let listeners: ((event: Parameters<MessageListener>[0]) => void)[] = [];
  const parent: PageWindow['parent'] = {
    postMessage: (message, origin) => received.push({ ...(message as Received), origin }),
  };
  let search = '?lang=en';
  const keep = (next: unknown, _: string, address: string) => {
    state = structuredClone(next);
    search = new URL(address, 'https://plan.example').search;
  };
  const window: PageWindow = {
    location: {
      pathname: '/planning',
      get search() {
        return search;
      },
      ...(ancestorOrigins && { ancestorOrigins }),
    },
    history: {
      get state() {
        return state;
      },
      pushState: keep,
      replaceState: keep,
    },
    get sessionStorage() {
      if (!hasStorage)
        throw new DOMException('Access is denied for this document', 'SecurityError');
      return {
        getItem: (name: string) => storage.get(name) ?? null,
        setItem: (name: string, value: string) => void storage.set(name, value),
      };
    },
    get parent() {
      return isFramed ? parent : window;
    },
    postMessage() {},
    addEventListener(type: 'message' | 'popstate', listener: (event: never) => void) {
      if (type === 'message') listeners.push(listener as MessageListener);
    },
  };
  return {
    window,
    received,
    /** The page around, or another sender, posts a message. */
    send(data: object, origin: string, source: object = parent) {
      for (const listener of listeners) listener({ data, origin, source: source as Window });
    },
    /** The page is loaded again; or the page around it, with whose frame the history goes. */
    reload(what: 'page' | 'page around') {
      listeners = [];
      if (what === 'page around') state = null;
    },
  };
}

type MessageListener = (event: { data: unknown; origin: string; source: Window }) => void;

/** The converter in the thread of the test. */
export const DIRECT_CONVERTER: PlanningConverter = {
  async convert({ key, ...given }, signal): Promise<ConvertedModel> {
    const bodies = new Map<string, Uint8Array>();
    const digestOf = (bytes: Uint8Array) => {
      const digest = sha256Hex(bytes);
      bodies.set(digest, bytes);
      return digest;
    };
    const fetched = (all: ReadonlyMap<string, Uint8Array | MissingBody>) =>
      new Map(
        Array.from(all, ([name, body]) => [
          name,
          'missing' in body ? body : { digest: digestOf(body), bytes: body.length },
        ]),
      );
    const snapshot = {
      key,
      partsList: digestOf(given.partsList),
      blocks: fetched(given.blocks),
      images: fetched(given.images),
    };
    const options = { ...CONVERT_DEFAULTS, allowMissingParts: true };
    const read = async (digest: string) => bodies.get(digest)!;
    const cache = createMeshCache(CACHE_BYTES);
    const images = sharpImageCodec();
    const scene = await transformArticle({ snapshot, read, options, images, cache });
    signal.throwIfAborted();
    const { min, max } = scene.boundsMetres;
    return {
      glb: writeGlb(scene) as Uint8Array<ArrayBuffer>,
      sizeMetres: [max[0] - min[0], max[1] - min[1], max[2] - min[2]],
      triangles: scene.triangles,
      holesMetres: scene.holesMetres,
      warnings: scene.warnings,
    };
  },
  usdz: () => Promise.reject(new Error('expected no USDZ file to be asked for')),
  close() {},
};
