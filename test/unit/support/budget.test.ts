import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createBudget } from '../../../src/support/budget.ts';

const soon = () => new Promise((done) => setImmediate(done));

it('is given in turn: a small share waits behind a large one', async () => {
  const budget = createBudget(10);
  const first = await budget.take(6);
  const taken: string[] = [];
  const take = async (name: string, amount: number) => {
    const release = await budget.take(amount);
    taken.push(name);
    return release;
  };
  const large = take('large', 8);
  const small = take('small', 1);
  await soon();
  expect(taken).toEqual([]);
  first();
  first();
  const release = await large;
  await small;
  expect(taken).toEqual(['large', 'small']);
  release();
});

it('never gives more than it has, and everything in the end', async () => {
  const amounts = fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(amounts, async (shares) => {
      const budget = createBudget(20);
      let used = 0;
      await Promise.all(
        shares.map(async (amount) => {
          const release = await budget.take(amount);
          used += Math.min(amount, 20);
          expect(used).toBeLessThanOrEqual(20);
          await soon();
          used -= Math.min(amount, 20);
          release();
        }),
      );
    }),
    { seed: 20_261_122, numRuns: 50 },
  );
});
