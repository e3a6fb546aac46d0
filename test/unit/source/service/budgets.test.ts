import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createGrowingBudget, FairBudget } from '../../../../src/source/service/budgets.ts';
import { samples } from '../../../helpers/samples.ts';

const soon = () => new Promise((done) => setImmediate(done));

describe('a budget that is shared evenly', () => {
  /** Calls of takers by name, and the names of those that have been served. */
  function served(total: number) {
    const budget = new FairBudget(total);
    const takers = new Map<string, object>();
    const names: string[] = [];
    const release: (() => void)[] = [];
    const take = (name: string, times: number) => {
      const taker = takers.get(name) ?? {};
      takers.set(name, taker);
      for (let time = 0; time < times; time++) {
        void budget.take(new Set([taker])).then(({ giveBack }) => {
          names.push(name);
          release.push(giveBack);
        });
      }
      return soon();
    };
    const giveBack = (count: number) => {
      for (const give of release.splice(0, count)) give();
      return soon();
    };
    return { budget, take, giveBack, names };
  }

  it('gives one half, the next to who has the fewest, and all to one that is alone', async () => {
    const { take, giveBack, names } = served(4);
    await take('a', 20);
    expect(names.join('')).toBe('aa');
    await take('b', 2);
    expect(names.join('')).toBe('aabb');
    await take('c', 1);
    await giveBack(1);
    expect(names.join('')).toBe('aabbc');
    await giveBack(4);
    await giveBack(2);
    expect(names.join('')).toBe('aabbcaaaaaa');
  });

  it('serves a call by any of its takers, and one without takers at once', async () => {
    const { budget, take, giveBack, names } = served(2);
    await take('a', 1);
    await take('b', 2);
    const takers = new Set<object>();
    const call = budget.take(takers);
    takers.add({});
    await giveBack(1);
    const given = await call;
    expect(given.taker).toBe([...takers][0]);
    const withoutTakers = budget.take(new Set());
    given.giveBack();
    await withoutTakers;
    expect(names.join('')).toBe('ab');
  });
});

describe('a budget of shares that grow', () => {
  it('lets all but the oldest wait once it is used up', async () => {
    const open = createGrowingBudget(10);
    const [first, second, third] = [open(), open(), open()];
    expect(second.need(4)).toBe(undefined);
    expect(first.need(4)).toBe(undefined);
    const isOver = vi.fn();
    void first.need(8)?.then(isOver);
    // The first of all is the one that has needed something first, however much there is.
    expect(second.need(30)).toBe(undefined);
    expect(second.need(3)).toBe(undefined);
    await soon();
    expect(isOver).not.toHaveBeenCalled();
    const waiting = third.need(1);
    expect(waiting).toBe(undefined);
    second.close();
    second.close();
    await soon();
    expect(isOver).toHaveBeenCalledOnce();
  });

  it('brings every share to its end', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 30 }),
        async (amounts) => {
          const open = createGrowingBudget(20);
          let used = 0;
          await Promise.all(
            amounts.map(async (amount) => {
              const share = open();
              for (let now = 1; now <= amount; now++) {
                await share.need(now);
                used += 1;
                expect(used).toBeLessThanOrEqual(20 + 30);
                await soon();
              }
              used -= amount;
              share.close();
            }),
          );
        },
      ),
      { numRuns: samples(50) },
    ));
});
