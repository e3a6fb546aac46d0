import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createBudget } from '../../../src/support/budget.ts';
import { samples } from '../../helpers/samples.ts';

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

it('never gives more than it has, and everything in the end', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 30 }),
      async (shares) => {
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
      },
    ),
    { numRuns: samples(50) },
  ));
