import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createOnce } from '../../../../src/deliver/making/once.ts';
import { createStoredOnce } from '../../../../src/deliver/making/stored-once.ts';

/** Work that counts how often it is done. */
function counted(result: unknown) {
  const done = { times: 0 };
  const work = async () => {
    done.times++;
    await turn();
    return result;
  };
  return { done, work };
}

test('what several ask for at the same time, and later, is done once', async () => {
  const once = createOnce();
  const { done, work } = counted('oak');
  expect(await Promise.all([once('a', work), once('a', work)])).toEqual(['oak', 'oak']);
  expect(await once('a', work)).toBe('oak');
  expect(done.times).toBe(1);
  await once('b', work);
  expect(done.times).toBe(2);
});

test('a result without a value is a result', async () => {
  const once = createOnce();
  const { done, work } = counted(undefined);
  await once('a', work);
  await once('a', work);
  expect(done.times).toBe(1);
});

test('an error is that of one call: who waited does the work itself', async () => {
  const once = createOnce();
  const { done, work } = counted('oak');
  const failing = async () => {
    await turn();
    throw new Error('interrupted');
  };
  const [first, second] = await Promise.allSettled([once('a', failing), once('a', work)]);
  expect(first).toMatchObject({ status: 'rejected', reason: { message: 'interrupted' } });
  expect(second).toEqual({ status: 'fulfilled', value: 'oak' });
  expect(done.times).toBe(1);
});

test('results beyond 64 MB are forgotten, those of the last use last', async () => {
  const once = createOnce();
  const large = counted({ bytes: new Uint8Array(30e6), mimeType: 'image/webp' });
  for (const key of ['a', 'b', 'a', 'c']) await once(key, large.work);
  expect(large.done.times).toBe(3);
  await once('a', large.work);
  expect(large.done.times).toBe(3);
  await once('b', large.work);
  expect(large.done.times).toBe(4);
});

describe('results that are kept for other machines and nights', () => {
  /** Derived data of one folder, as each worker has them of a shared one. */
  function derivedData() {
    const kept = new Map<string, Uint8Array>();
    return {
      keys: () => [...kept.keys()],
      get: async (key: string) => kept.get(key),
      put: async (key: string, bytes: Uint8Array) => void kept.set(key, bytes),
    };
  }

  test.each([
    ['a texture', { bytes: new Uint8Array([1, 2, 3]), mimeType: 'image/webp' }],
    ['a distance', 0.1 + 0.2],
    ['a texture that stays as it is', undefined],
  ])('have %s as it was', async (_, result) => {
    const derived = derivedData();
    const { done, work } = counted(result);
    await createStoredOnce(derived)('a', work);
    expect(await createStoredOnce(derived)('a', work)).toEqual(result);
    expect(done.times).toBe(1);
  });

  test('are made anew where another version of Node.js has written them', async () => {
    const derived = derivedData();
    const { done, work } = counted('oak');
    await createStoredOnce(derived)('a', work);
    for (const key of derived.keys()) await derived.put(key, new Uint8Array([0xff, 0x7f, 0x22]));
    expect(await createStoredOnce(derived)('a', work)).toBe('oak');
    expect(await createStoredOnce(derived)('a', work)).toBe('oak');
    expect(done.times).toBe(2);
  });

  test('have no errors', async () => {
    const derived = derivedData();
    const failing = async () => Promise.reject(new Error('interrupted'));
    await expect(createStoredOnce(derived)('a', failing)).rejects.toThrow('interrupted');
    expect(await createStoredOnce(derived)('a', counted('oak').work)).toBe('oak');
  });
});
