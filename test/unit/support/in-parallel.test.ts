import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inParallel } from '../../../src/support/in-parallel.ts';

test('works on each item once, in order, with so many at the same time', async () => {
  const begun: string[] = [];
  let now = 0;
  let most = 0;
  await inParallel('abcdefghij', 3, async (item, index) => {
    begun.push(`${item}${index}`);
    most = Math.max(most, ++now);
    await sleep(1);
    now--;
  });
  expect(begun).toEqual(Array.from('abcdefghij', (item, index) => `${item}${index}`));
  expect(most).toBe(3);
});

test('after a failure begins nothing more, waits for what is under way, and throws the first', async () => {
  const ended: number[] = [];
  const all = inParallel([0, 1, 2, 3, 4, 5], 2, async (item) => {
    await sleep(item === 0 ? 1 : 5);
    if (item < 2) throw new Error(`item ${item}`);
    ended.push(item);
  });
  await expect(all).rejects.toThrow('item 0');
  expect(ended).toEqual([]);
});

test('takes no item before its turn', async () => {
  let taken = 0;
  function* items() {
    for (; taken < 100; taken++) yield taken;
  }
  let seen = 0;
  await inParallel(items(), 4, async () => {
    seen++;
    expect(taken).toBeLessThan(seen + 4);
    await sleep(0);
  });
  expect(seen).toBe(100);
});
