import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inParallel } from '../../../src/support/in-parallel.ts';
import { closedGate } from '../../helpers/until.ts';

test('works on each item once, in order, with so many at the same time', async () => {
  const begun: string[] = [];
  let now = 0;
  let most = 0;
  await inParallel('abcdefghij', 3, async (item, index) => {
    begun.push(`${item}${index}`);
    most = Math.max(most, ++now);
    await setImmediate();
    now--;
  });
  expect(begun).toEqual(Array.from('abcdefghij', (item, index) => `${item}${index}`));
  expect(most).toBe(3);
});

test('after a failure begins nothing more, waits for what is under way, and throws the first', async () => {
  const events: string[] = [];
  const slow = closedGate();
  const all = inParallel([0, 1, 2, 3], 2, async (item) => {
    events.push(`item ${item}`);
    if (item === 1) await slow.opened;
    throw new Error(`item ${item}`);
  });
  const end = expect(all.finally(() => events.push('end'))).rejects.toThrow('item 0');
  await setImmediate();
  events.push('slow one');
  slow.open();
  await end;
  expect(events).toEqual(['item 0', 'item 1', 'slow one', 'end']);
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
    await setImmediate();
  });
  expect(seen).toBe(100);
});
