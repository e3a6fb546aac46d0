import { describe, expect, it } from 'vitest';
import { prepareBlock } from '../../../../src/convert/transform/block-mesh.ts';
import {
  CONVERT_DEFAULTS,
  CONVERTER_VERSION,
} from '../../../../src/convert/transform/convert-options.ts';
import { createMeshCache } from '../../../../src/convert/transform/mesh-cache.ts';
import { decodeBlock } from '../../../../src/convert/wire/block.ts';
import { sha256Hex } from '../../../../src/support/files.ts';
import { body } from '../../../helpers/graphics.ts';
import { BOX_BODY } from '../../../helpers/snapshot.ts';

/** A cache whose values count how often they were made; each takes 8 bytes. */
function counting(maxBytes?: number) {
  const cache = createMeshCache(maxBytes);
  const made: string[] = [];
  return {
    made,
    get: (key: string) => cache.get(key, () => made.push(key)),
    getAsync: (key: string) =>
      cache.getAsync(key, async () => {
        await Promise.resolve();
        return made.push(key);
      }),
  };
}

describe('createMeshCache', () => {
  it('makes each content once', async () => {
    const { get, getAsync, made } = counting();
    expect([get('a'), get('b'), get('a')]).toEqual([1, 2, 1]);
    expect(await getAsync('a')).toBe(1);
    expect(await getAsync('c')).toBe(await getAsync('c'));
    expect(made).toEqual(['a', 'b', 'c']);
  });

  it('makes it once for concurrent requests', async () => {
    const { getAsync, made } = counting();
    expect(await Promise.all([getAsync('a'), getAsync('a'), getAsync('b')])).toEqual([1, 1, 2]);
    expect(made).toEqual(['a', 'b']);
  });

  it('keeps a value that is undefined', () => {
    const cache = createMeshCache();
    let times = 0;
    const make = () => {
      times++;
      return undefined;
    };
    expect(cache.get('x', make)).toBeUndefined();
    expect(cache.get('x', make)).toBeUndefined();
    expect(times).toBe(1);
  });

  it('evicts the least recently used first, by size', () => {
    const { get, made } = counting(24);
    for (const key of ['a', 'b', 'c', 'a', 'd']) get(key);
    expect(made).toEqual(['a', 'b', 'c', 'd']);
    get('a');
    get('c');
    expect(made).toHaveLength(4);
    get('b');
    expect(made).toEqual(['a', 'b', 'c', 'd', 'b']);
  });

  it('counts the typed arrays in a value, however deep', () => {
    const cache = createMeshCache(1000);
    const mesh = { positions: new Float32Array(100), surfaces: [{ points: new Uint32Array(100) }] };
    let times = 0;
    const make = () => {
      times++;
      return mesh;
    };
    cache.get('a', make);
    cache.get('a', make);
    expect(times).toBe(1);
    cache.get('b', () => new Uint8Array(250));
    cache.get('a', make);
    expect(times).toBe(2);
  });

  it('returns what is too large to be kept', () => {
    const { get, made } = counting(5);
    expect([get('a'), get('a')]).toEqual([1, 2]);
    expect(made).toHaveLength(2);
  });

  it('keeps no failure, and makes the value anew after one', async () => {
    const cache = createMeshCache();
    const fail = () => Promise.reject(new Error('broken'));
    await expect(cache.getAsync('x', fail)).rejects.toThrow('broken');
    expect(await cache.getAsync('x', async () => 7)).toBe(7);
  });

  describe('with a store', () => {
    const stored = new Map<string, Uint8Array>();
    const store = {
      get: async (key: string) => stored.get(key),
      put: async (key: string, bytes: Uint8Array) => void stored.set(key, bytes),
    };
    const never = () => Promise.reject(new Error('made'));

    it('makes a value once for all runs, under a key of this version', async () => {
      const cache = createMeshCache(1000, store);
      await cache.getAsync('facts', async () => [0.1, null], 'stored');
      await cache.getAsync('map', async () => Uint8Array.of(1, 2), 'stored');
      await cache.getAsync('mesh', async () => 1);
      expect([...stored.keys()]).toEqual([
        `${CONVERTER_VERSION} 2 facts`,
        `${CONVERTER_VERSION} 2 map`,
      ]);
      const later = createMeshCache(1000, store);
      expect(await later.getAsync('facts', never, 'stored')).toEqual([0.1, null]);
      expect(await later.getAsync('map', never, 'stored')).toEqual(Uint8Array.of(1, 2));
    });

    it('has another format number where what is stored of a mesh differs', async () => {
      const only = new Map<string, Uint8Array>();
      const put = async (key: string, bytes: Uint8Array) => void only.set(key, bytes);
      const block = decodeBlock(body(BOX_BODY));
      const make = async () => prepareBlock(block, CONVERT_DEFAULTS);
      await createMeshCache(1_000_000, { ...store, put }).getAsync('box', make, 'stored');
      // If the digest changes, raise FORMAT, so that no later version reads what an earlier one has stored.
      expect(Array.from(only, ([key, bytes]) => [key, sha256Hex(bytes)])).toEqual([
        [
          `${CONVERTER_VERSION} 2 box`,
          '705fff60fe0feb38cd8b96953a7056b423c0ffaa005c48bf24275139a10546da',
        ],
      ]);
    });

    it('returns plain data and typed arrays as they were', async () => {
      const value = {
        ...{ $: 'object', text: 'ä', zero: [-0, 0, -0.1, 1e300], none: null },
        lists: [
          { floats: Float32Array.of(-0, 1 / 3, Number.NaN), empty: new Float64Array() },
          { odd: Uint8Array.of(1, 2, 3).subarray(1), indices: Uint32Array.of(0, 2 ** 32 - 1) },
          { odd: Buffer.from('abc'), doubles: Float64Array.of(Math.PI, -Infinity) },
        ],
      };
      await createMeshCache(1000, store).getAsync('all', async () => value, 'stored');
      for (const offset of [0, 3]) {
        const bytes = stored.get(`${CONVERTER_VERSION} 2 all`)!;
        const moved = new Uint8Array(bytes.length + offset).subarray(offset);
        moved.set(bytes);
        const moving = { ...store, get: async () => moved };
        const read = await createMeshCache(1000, moving).getAsync('all', never, 'stored');
        const [, , last] = value.lists;
        expect(read).toEqual({
          ...value,
          lists: [value.lists[0], value.lists[1], { ...last, odd: Uint8Array.from(last!.odd!) }],
        });
      }
      stored.delete(`${CONVERTER_VERSION} 2 all`);
    });

    it('makes it again where the store fails, and stores no failure', async () => {
      const fail = () => Promise.reject(new Error('disk full'));
      const cache = createMeshCache(1000, { get: fail, put: fail });
      expect(await cache.getAsync('map', async () => Uint8Array.of(3), 'stored')).toEqual(
        Uint8Array.of(3),
      );
      const other = createMeshCache(1000, store);
      await expect(other.getAsync('none', never, 'stored')).rejects.toThrow('made');
      expect(stored.size).toBe(2);
    });
  });
});
