import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createOnce } from '../../../../src/deliver/making/once.ts';

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
