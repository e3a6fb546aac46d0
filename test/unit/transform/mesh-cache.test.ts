import { describe, expect, it } from 'vitest';
import { createMeshCache } from '../../../src/transform/mesh-cache.ts';

/** A cache whose values tell how often they were made; each weighs 10. */
function counting(maxBytes?: number) {
  const cache = createMeshCache(maxBytes);
  const made: string[] = [];
  return {
    made,
    get: (key: string) =>
      cache.get(
        key,
        () => made.push(key),
        () => 10,
      ),
    getAsync: (key: string) =>
      cache.getAsync(
        key,
        async () => {
          await Promise.resolve();
          return made.push(key);
        },
        () => 10,
      ),
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

  it('makes it once however many ask at the same time', async () => {
    const { getAsync, made } = counting();
    expect(await Promise.all([getAsync('a'), getAsync('a'), getAsync('b')])).toEqual([1, 1, 2]);
    expect(made).toEqual(['a', 'b']);
  });

  it('remembers a value that is undefined', () => {
    const cache = createMeshCache();
    let times = 0;
    const make = () => {
      times++;
      return undefined;
    };
    expect(cache.get('x', make, () => 8)).toBeUndefined();
    expect(cache.get('x', make, () => 8)).toBeUndefined();
    expect(times).toBe(1);
  });

  it('lets go of the least recently used first, by weight', () => {
    const { get, made } = counting(30);
    for (const key of ['a', 'b', 'c', 'a', 'd']) get(key);
    expect(made).toEqual(['a', 'b', 'c', 'd']);
    get('a');
    get('c');
    expect(made).toHaveLength(4);
    get('b');
    expect(made).toEqual(['a', 'b', 'c', 'd', 'b']);
  });

  it('hands out what is too heavy to be kept', () => {
    const { get, made } = counting(5);
    expect([get('a'), get('a')]).toEqual([1, 2]);
    expect(made).toHaveLength(2);
  });

  it('does not remember a failure, and forgets that it was being made', async () => {
    const cache = createMeshCache();
    const fail = () => Promise.reject(new Error('broken'));
    await expect(cache.getAsync('x', fail, () => 1)).rejects.toThrow('broken');
    expect(
      await cache.getAsync(
        'x',
        async () => 7,
        () => 1,
      ),
    ).toBe(7);
  });
});
