/** The limits of a service, kept together by those that send requests to it. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type BudgetPlace,
  ServiceBudget,
  shareOf,
} from '../../../../src/run/open/service-budget.ts';
import { concurrencyOf } from '../../../../src/source/service/service-config.ts';
import { closedGate } from '../../../helpers/until.ts';

it('is never exceeded, whoever has how many workers, and at no turn', () => {
  const workers = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(workers, fc.integer({ min: 1, max: 20 }), fc.nat(50), (members, most, turn) => {
      const requests = members.flatMap((count, at) =>
        Array.from({ length: count }, (_, index) => {
          const share = shareOf({ index: at, count: members.length }, { index, count }, most, turn);
          return Math.max(0, concurrencyOf({ concurrency: most }, share));
        }),
      );
      expect(requests.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(most);
    }),
  );
});

it('gives each a turn, where there are more than requests in flight', () => {
  const [members, workers] = [2, 4];
  const turns = Array.from({ length: members * workers }, (_, turn) => turn);
  for (let at = 0; at < members; at++) {
    for (let index = 0; index < workers; index++) {
      const has = turns.filter((turn) => {
        const share = shareOf({ index: at, count: members }, { index, count: workers }, 3, turn);
        return concurrencyOf({ concurrency: 3 }, share) > 0;
      });
      expect([at, index, has.length > 0]).toEqual([at, index, true]);
    }
  }
});

it('heeds the pauses of others, and leaves its place when it is closed', async () => {
  const seen = { index: 1, count: 2, pausedUntilMs: 5_000 };
  const given: unknown[] = [];
  const place: BudgetPlace = {
    lookEveryMs: 1,
    see: async (pausedUntilMs) => {
      given.push(['see', pausedUntilMs]);
      return seen;
    },
    leave: async () => void given.push(['leave']),
  };
  const traffic = {
    share: (share: object) => void given.push(share),
    hold: (ms: number) => void given.push(['hold', ms]),
  };
  const budget = new ServiceBudget({ place, traffic, concurrency: 8, now: () => 2_000 });
  await budget.open(new AbortController().signal);
  await budget.close();
  expect(given.slice(0, 3)).toEqual([['see', 0], ['hold', 3_000], { index: 1, count: 2 }]);
  expect(given.at(-1)).toEqual(['leave']);
  expect(given.filter((one) => Array.isArray(one) && one[0] === 'hold')).toHaveLength(1);
});

it('looks no more, if it is closed during its first look', async () => {
  const ended = new AbortController();
  const first = closedGate();
  let looks = 0;
  const place: BudgetPlace = {
    lookEveryMs: 1,
    see: async () => {
      looks++;
      await first.opened;
      return { index: 0, count: 1, pausedUntilMs: 0 };
    },
    leave: async () => {},
  };
  const traffic = { share: () => {}, hold: () => {} };
  const budget = new ServiceBudget({ place, traffic, concurrency: 8, now: () => 0 });
  const opening = budget.open(ended.signal);
  ended.abort(new Error('the session is closed'));
  const closing = budget.close();
  first.open();
  await expect(opening).rejects.toThrow('the session is closed');
  await closing;
  expect(looks).toBe(1);
});
