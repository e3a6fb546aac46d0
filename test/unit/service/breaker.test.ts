import { describe, expect, it } from 'vitest';
import { createBreaker } from '../../../src/service/breaker.ts';
import { ConverterError } from '../../../src/support/errors.ts';

const TIMEOUT = new ConverterError('HTTP_TIMEOUT', 'no complete answer came in time');
const MINUTE_MS = 60_000;

/** A breaker over a service of which each question takes a minute, and which stays away for some. */
function breakerOf(awayFor = Number.POSITIVE_INFINITY) {
  let now = 10 * MINUTE_MS;
  let asked = 0;
  const breaker = createBreaker({
    isThere: async () => {
      asked += 1;
      now += MINUTE_MS;
      return asked > awayFor;
    },
    isRefusing: async () => false,
    giveUpAfterMs: 2 * MINUTE_MS,
    now: () => now,
    policy: { retries: 0, backoffMs: 1, random: () => 0, signal: new AbortController().signal },
  });
  let attempts = 0;
  const attempt = (failures: number) => async () => {
    attempts += 1;
    if (attempts <= failures) throw TIMEOUT;
    return attempts;
  };
  return { breaker, attempt, asked: () => asked };
}

async function failing(times: number, work: () => Promise<unknown>): Promise<unknown[]> {
  const errors: unknown[] = [];
  for (let time = 0; time < times; time++) errors.push(await work().catch((error) => error));
  return errors;
}

describe('createBreaker', () => {
  it('asks after the fourth failure in a row, and lets the request go on where it is back', async () => {
    const { breaker, attempt, asked } = breakerOf(1);
    await breaker(attempt(0));
    const work = attempt(1 + 4);
    expect(await failing(3, () => breaker(work))).toEqual([TIMEOUT, TIMEOUT, TIMEOUT]);
    expect(asked()).toBe(0);
    expect(await breaker(work)).toBe(6);
    expect(asked()).toBe(2);
  });

  it('counts the time that the questions take', async () => {
    const { breaker, attempt, asked } = breakerOf();
    await breaker(attempt(0));
    const errors = await failing(4, () => breaker(attempt(99)));
    expect(errors[3]).toMatchObject({
      code: 'SERVICE_GONE',
      message:
        'the service is gone, it gave no good answer for a long time: no complete answer came in time',
    });
    expect(asked()).toBe(2);
  });

  it('begins anew after each good answer', async () => {
    const { breaker, attempt, asked } = breakerOf();
    for (let round = 0; round < 5; round++) {
      await breaker(attempt(0));
      await failing(3, () => breaker(attempt(99)));
    }
    expect(asked()).toBe(0);
  });

  it('takes a refusal for an answer', async () => {
    const { breaker, asked } = breakerOf();
    const missing = new ConverterError('BLOCK_MISSING', 'no such block', { status: 404 });
    await failing(1, () => breaker(() => Promise.reject(missing)));
    for (let round = 0; round < 5; round++) {
      await failing(3, () => breaker(() => Promise.reject(TIMEOUT)));
      await failing(1, () => breaker(() => Promise.reject(missing)));
    }
    expect(asked()).toBe(0);
  });
});

describe('a service that refuses everything', () => {
  const REFUSED = new ConverterError('HTTP_STATUS', 'too many requests', { status: 429 });

  /** Refuses a request a minute; the root of the catalogue too, or not. */
  function refusing(root: boolean) {
    let now = 0;
    let asked = 0;
    const breaker = createBreaker({
      isThere: async () => true,
      isRefusing: async () => {
        asked += 1;
        return root;
      },
      giveUpAfterMs: 5 * MINUTE_MS,
      now: () => now,
      policy: { retries: 0, backoffMs: 1, random: () => 0, signal: new AbortController().signal },
    });
    const refuse = async () => {
      now += MINUTE_MS;
      throw REFUSED;
    };
    return { breaker, refuse, asked: () => asked };
  }

  it('is gone after ten rounds and the time that one without answers has', async () => {
    const { breaker, refuse } = refusing(true);
    const errors = await failing(10, () => breaker(refuse));
    expect(errors.slice(0, 9)).toEqual(Array.from({ length: 9 }, () => REFUSED));
    expect(errors[9]).toMatchObject({ code: 'SERVICE_GONE' });
  });

  it('counts all that are refused together once, and begins anew after an answer', async () => {
    const { breaker, refuse, asked } = refusing(true);
    const together = () => Promise.all(Array.from({ length: 8 }, () => breaker(refuse)));
    await failing(9, together);
    await breaker(async () => 'an answer');
    await failing(9, together);
    expect(asked()).toBe(0);
  });

  it('is there where it refuses one request alone', async () => {
    const { breaker, refuse, asked } = refusing(false);
    const errors = await failing(19, () => breaker(refuse));
    expect(errors.every((error) => error === REFUSED)).toBe(true);
    expect(asked()).toBe(1);
  });
});
