/**
 * The limit of logins, with a clock in hand.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRateLimit } from '../../../src/gateway/rate-limit.ts';

it('lets so many of one sender pass, then says how long to wait', () => {
  let nowMs = 1000;
  const limit = createRateLimit({ perSender: 2, overall: 9, windowMs: 60_000, now: () => nowMs });
  expect([limit('a'), limit('a'), limit('a'), limit('b')]).toEqual([0, 0, 60_000, 0]);
  nowMs += 59_999;
  expect(limit('a')).toBe(1);
  nowMs += 1;
  expect(limit('a')).toBe(0);
});

it('lets so many of all together pass, whoever they are', () => {
  const limit = createRateLimit({ perSender: 2, overall: 3, windowMs: 10, now: () => 0 });
  expect(['a', 'b', 'c', 'd'].map(limit)).toEqual([0, 0, 0, 10]);
});

it('locks nobody out when the clock is set back', () => {
  let nowMs = 1e9;
  const limit = createRateLimit({ perSender: 1, overall: 1, windowMs: 10, now: () => nowMs });
  expect(limit('a')).toBe(0);
  nowMs = 5;
  expect(limit('a')).toBe(0);
});

it('never lets more pass within any window, and the wait that it names is enough', () => {
  const step = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 0, max: 40 }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let nowMs = 0;
      const limit = createRateLimit({ perSender: 2, overall: 4, windowMs: 100, now: () => nowMs });
      const passed: { sender: string; at: number }[] = [];
      for (const [sender, pause] of steps) {
        nowMs += pause;
        const wait = limit(sender);
        if (wait > 0) {
          nowMs += wait;
          expect(limit(sender)).toBe(0);
        }
        passed.push({ sender, at: nowMs });
        const recent = passed.filter(({ at }) => at > nowMs - 100);
        expect(recent.length).toBeLessThanOrEqual(4);
        expect(recent.filter((p) => p.sender === sender).length).toBeLessThanOrEqual(2);
      }
    }),
    { seed: 47, numRuns: 200 },
  );
});
