import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concurrencyOf, startTimer } from '../../../../src/source/service/service-config.ts';
import {
  createRateLimit,
  readRetryAfter,
  Traffic,
} from '../../../../src/source/service/traffic.ts';
import { ConverterError } from '../../../../src/support/errors.ts';
import { createTestClock, type TestClock } from '../../../helpers/clock.ts';
import { closedGate } from '../../../helpers/until.ts';

const MINUTE_MS = 60_000;
const TIMEOUT = new ConverterError('HTTP_TIMEOUT', 'timed out after 60 s');
const OTHER = new ConverterError('BLOCK_MISSING', 'no such thing', { status: 404 });
const REFUSED = new ConverterError('HTTP_STATUS', 'too many requests', { status: 429 });

function trafficOf(options: Partial<ConstructorParameters<typeof Traffic>[0]> = {}): Traffic {
  return new Traffic({
    concurrency: 8,
    retries: 0,
    backoffMs: 1,
    giveUpAfterMs: 2 * MINUTE_MS,
    maxPauseMs: 60 * MINUTE_MS,
    maxTotalPauseMs: 240 * MINUTE_MS,
    probe: async () => {},
    now: () => 0,
    random: () => 0,
    startTimer,
    signal: new AbortController().signal,
    ...options,
  });
}

const answer = (status = 200, retryAfter?: string) => ({ response: { status, retryAfter } });

async function failing(times: number, work: () => Promise<unknown>): Promise<unknown[]> {
  const errors: unknown[] = [];
  for (let time = 0; time < times; time++) errors.push(await work().catch((error) => error));
  return errors;
}

/** Sends requests; returns the times at which they left, to which it adds. */
function departures(traffic: Traffic, count: number, clock: TestClock): number[] {
  const times: number[] = [];
  for (let request = 0; request < count; request++) {
    void traffic.send(async () => {
      times.push(clock.now());
      return answer();
    });
  }
  return times;
}

describe('a pause', () => {
  const refuse = (traffic: Traffic, retryAfter: string) =>
    traffic.send(async () => answer(429, retryAfter));

  it('holds all requests until the longest announced pause is over', async () => {
    const clock = createTestClock();
    const traffic = trafficOf(clock);
    const slow = closedGate();
    const refusedLate = traffic.send(() => slow.opened.then(() => answer(503, '0.2')));
    await refuse(traffic, '0.05');
    const sent = departures(traffic, 3, clock);
    slow.open();
    await refusedLate;
    await clock.advance(199);
    expect([traffic.state, sent]).toEqual(['paused', []]);
    await clock.advance(1);
    expect([traffic.state, sent]).toEqual(['open', [200, 200, 200]]);
  });

  it('does not follow a 503 without Retry-After', async () => {
    const traffic = trafficOf();
    await traffic.send(async () => answer(503));
    expect(traffic.state).toBe('open');
  });

  it('is followed by requests at the rate limit', async () => {
    const clock = createTestClock();
    const traffic = trafficOf({ ...clock, perSecond: 10 });
    await refuse(traffic, '0.05');
    const sent = departures(traffic, 3, clock);
    await clock.advance(1000);
    // The refused request took the first departure.
    expect(sent).toEqual([100, 200, 300]);
  });

  it('ends when the run is stopped', async () => {
    const stop = new AbortController();
    const traffic = trafficOf({ signal: stop.signal });
    await refuse(traffic, '3600');
    const waiting = traffic.send(async () => answer());
    stop.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow('stop');
  });

  it('is at most as long as one answer may impose, and counts what overlaps once', async () => {
    const clock = createTestClock();
    const traffic = trafficOf({ ...clock, maxPauseMs: 40 });
    await Promise.all([refuse(traffic, '3600'), refuse(traffic, '3600')]);
    const sent = departures(traffic, 1, clock);
    await clock.advance(1000);
    expect([sent, traffic.pausedMs]).toEqual([[40], 40]);
  });

  it('ends all requests and logins once the sum of all pauses is too long', async () => {
    let now = 0;
    const limits = { maxPauseMs: 5, maxTotalPauseMs: 20 };
    const traffic = trafficOf({ ...limits, now: () => (now += 1000) });
    let sent = 0;
    const request = () =>
      traffic.request(() =>
        traffic.send(async () => {
          sent += 1;
          // A hostile service answers every other request, so that it never counts as gone.
          return sent % 2 === 0 ? answer() : answer(429, '3600');
        }),
      );
    for (let time = 0; time < 8; time++) await request();
    const error = { code: 'RATE_LIMITED', message: expect.stringContaining('0.02 s in all') };
    await request();
    await expect(request()).rejects.toMatchObject(error);
    await expect(traffic.login(() => traffic.send(async () => answer()))).rejects.toMatchObject(
      error,
    );
    expect([sent, traffic.state, traffic.pausedMs]).toEqual([9, 'gone', 20]);
  });
});

describe('the concurrency limit', () => {
  const OVERLOAD = new ConverterError('HTTP_STATUS', 'too much', { status: 503, operation: 'a' });

  /** Traffic with requests that never run out, where a test ends one after the other. */
  async function busyTraffic(concurrency: number, isConcurrencyKnown = false) {
    const traffic = trafficOf({ concurrency, isConcurrencyKnown });
    const running: ((error?: Error) => void)[] = [];
    const work = () =>
      new Promise<void>((resolve, reject) => {
        running.push((error) => (error === undefined ? resolve() : reject(error)));
      });
    const started = async () => {
      // Whatever can start has started once nothing is left to do at once.
      await setImmediate();
      return running.length;
    };
    for (let request = 0; request < 1000; request++) traffic.request(work).catch(() => {});
    await started();
    return {
      /** Ends that many, the oldest first; returns how many are running after that. */
      async end(count: number, error?: Error) {
        for (const finish of running.splice(0, count)) finish(error);
        return started();
      },
    };
  }

  it('is halved once for all that fail together, and never goes below one', async () => {
    const traffic = await busyTraffic(8);
    expect(await traffic.end(8, OVERLOAD)).toBe(4);
    expect(await traffic.end(4, OVERLOAD)).toBe(2);
    expect(await traffic.end(2, OVERLOAD)).toBe(1);
    expect(await traffic.end(1, OVERLOAD)).toBe(1);
  });

  it('grows by one after as many successes as it is, up to all permits', async () => {
    const traffic = await busyTraffic(4);
    expect(await traffic.end(4, OVERLOAD)).toBe(2);
    expect(await traffic.end(1)).toBe(2);
    expect(await traffic.end(1)).toBe(3);
    expect(await traffic.end(3)).toBe(4);
    expect(await traffic.end(4)).toBe(4);
    expect(await traffic.end(4)).toBe(4);
  });

  it('counts any other failure as an answer in time', async () => {
    const traffic = await busyTraffic(4);
    expect(await traffic.end(4, OVERLOAD)).toBe(2);
    expect(await traffic.end(2, OTHER)).toBe(3);
  });

  it('ignores what was sent before it changed', async () => {
    const traffic = await busyTraffic(8);
    expect(await traffic.end(1, OVERLOAD)).toBe(7);
    expect(await traffic.end(3)).toBe(4);
    expect(await traffic.end(4, OVERLOAD)).toBe(4);
  });

  it('is halved once by an article that gets no answer while others do', async () => {
    const traffic = trafficOf({ concurrency: 8 });
    const demand = (requesters: object[]) => ({
      requesters: new Set(requesters),
      signal: new AbortController().signal,
    });
    const [slow, good] = [demand([{}]), demand([{}])];
    for (let request = 0; request < 5; request++) {
      await traffic.request(async () => {}, good);
      await traffic.request(() => Promise.reject(OVERLOAD), slow).catch(() => {});
    }
    let running = 0;
    const hang = () => {
      running += 1;
      return new Promise<void>(() => {});
    };
    for (let request = 0; request < 9; request++) {
      traffic.request(hang, demand([{}])).catch(() => {});
    }
    await setImmediate();
    expect(running).toBe(5);
  });

  it('does not count small answers that wait to be decoded, up to as many', async () => {
    const traffic = trafficOf({ concurrency: 2 });
    const sent: number[] = [];
    const attempt = (bytes: number) => async (_: number, arrived: (bytes: number) => unknown) => {
      sent.push(bytes);
      await arrived(bytes);
      await new Promise(() => {});
    };
    // Each answer has a turn of its own.
    const decoded = async () => {
      for (let turn = 0; turn < 10; turn++) await setImmediate();
    };
    for (const bytes of [1, 2, 3, 4, 5]) traffic.request(attempt(bytes)).catch(() => {});
    await decoded();
    expect(sent).toEqual([1, 2, 3, 4]);
    const other = trafficOf({ concurrency: 2 });
    sent.length = 0;
    for (const bytes of [1e6, 2e6, 3]) other.request(attempt(bytes)).catch(() => {});
    await decoded();
    expect(sent).toEqual([1e6, 2e6]);
  });

  it('stays as it is if it is known', async () => {
    const traffic = await busyTraffic(4, true);
    expect(await traffic.end(4, OVERLOAD)).toBe(4);
  });
});

describe('retries', () => {
  it('send a request again while its failure may pass, each with its number', async () => {
    const traffic = trafficOf({ retries: 2 });
    const numbers: number[] = [];
    const fail = async (number: number) => {
      numbers.push(number);
      throw TIMEOUT;
    };
    await expect(traffic.request(fail)).rejects.toBe(TIMEOUT);
    expect(numbers).toEqual([1, 2, 3]);
  });

  it('are not used up by refusals', async () => {
    const traffic = trafficOf({ retries: 0 });
    const work = async (number: number) => {
      if (number < 5) throw REFUSED;
      return number;
    };
    expect(await traffic.request(work)).toBe(5);
    expect(await traffic.login(work)).toBe(5);
  });

  it('end when the run is stopped', async () => {
    const stop = new AbortController();
    const traffic = trafficOf({ retries: 9, backoffMs: MINUTE_MS, signal: stop.signal });
    const waiting = traffic.request(() => Promise.reject(TIMEOUT));
    await setImmediate();
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });
});

it('a request has fewer attempts than the others where that is asked for', async () => {
  const traffic = trafficOf({ retries: 4 });
  let attempts = 0;
  const fail = async () => {
    attempts += 1;
    throw TIMEOUT;
  };
  const { signal } = new AbortController();
  const demand = { requesters: new Set([signal]), signal, retries: 0 };
  expect(await failing(1, () => traffic.request(fail, demand))).toEqual([TIMEOUT]);
  expect(attempts).toBe(1);
});

describe('an outage', () => {
  /** Traffic to a service that takes a minute for each probe, and fails some of them. */
  function outageOf(
    awayFor = Number.POSITIVE_INFINITY,
    options: Parameters<typeof trafficOf>[0] = {},
  ) {
    let now = 10 * MINUTE_MS;
    let probes = 0;
    const traffic = trafficOf({
      ...options,
      now: () => now,
      probe: async () => {
        probes += 1;
        now += MINUTE_MS;
        if (probes <= awayFor) throw TIMEOUT;
      },
    });
    let attempts = 0;
    const attempt = (failures: number) => async () => {
      attempts += 1;
      if (attempts <= failures) throw TIMEOUT;
      return attempts;
    };
    return { traffic, attempt, probes: () => probes };
  }

  it('is probed after the fourth failure in a row; the request is sent again once it is over', async () => {
    const { traffic, attempt, probes } = outageOf(1);
    await traffic.request(attempt(0));
    const work = attempt(1 + 4);
    expect(await failing(3, () => traffic.request(work))).toEqual([TIMEOUT, TIMEOUT, TIMEOUT]);
    expect(probes()).toBe(0);
    expect(await traffic.request(work)).toBe(6);
    expect(probes()).toBe(2);
  });

  it('is over at once where the first probe is answered: the failure is the request’s own', async () => {
    const { traffic, attempt, probes } = outageOf(0);
    await traffic.request(attempt(0));
    const errors = await failing(4, () => traffic.request(attempt(99)));
    expect(errors).toEqual([TIMEOUT, TIMEOUT, TIMEOUT, TIMEOUT]);
    expect(probes()).toBe(1);
  });

  it('counts the time that the probes take; then the service is gone for all requests', async () => {
    const { traffic, attempt, probes } = outageOf();
    await traffic.request(attempt(0));
    const errors = await failing(5, () => traffic.request(attempt(99)));
    for (const error of errors.slice(3)) {
      expect(error).toMatchObject({
        code: 'SERVICE_GONE',
        message:
          'service: expected a response within 120 s, received none; the last failure was: timed out after 60 s',
      });
    }
    expect(probes()).toBe(2);
    expect(traffic.state).toBe('gone');
  });

  it('is probed before the first answer where that is waited for, with a request of one attempt too', async () => {
    const { traffic, attempt, probes } = outageOf(1, { waitsForFirstAnswer: true });
    expect(await traffic.request(attempt(1))).toBe(2);
    expect(probes()).toBe(2);
  });

  it('is not probed before the service answered once', async () => {
    const { traffic, attempt, probes } = outageOf();
    await failing(9, () => traffic.request(attempt(99)));
    expect(probes()).toBe(0);
  });

  it.each([
    ['a good answer', undefined],
    ['a refusal, which is an answer', OTHER],
  ])('is counted anew after %s', async (_, refusal) => {
    const { traffic, attempt, probes } = outageOf();
    const answered = () => (refusal === undefined ? attempt(0)() : Promise.reject(refusal));
    await failing(1, () => traffic.request(answered));
    for (let round = 0; round < 5; round++) {
      await failing(3, () => traffic.request(attempt(99)));
      await failing(1, () => traffic.request(answered));
    }
    expect(probes()).toBe(0);
  });
});

describe('a service that refuses everything', () => {
  /** Refuses requests until an attempt, one a minute; the root of the catalogue too, or not. */
  function refusing(isRootRefused: boolean) {
    let now = 0;
    let probes = 0;
    const traffic = trafficOf({
      giveUpAfterMs: 5 * MINUTE_MS,
      now: () => now,
      probe: async () => {
        probes += 1;
        if (isRootRefused) throw REFUSED;
      },
    });
    let attempts = 0;
    const request = (refusals: number) =>
      traffic.request(async (number) => {
        attempts += 1;
        now += MINUTE_MS;
        if (number <= refusals) throw REFUSED;
        return number;
      });
    return { request, attempts: () => attempts, probes: () => probes };
  }

  it('is gone after ten rounds and the time that one without answers has', async () => {
    const { request, attempts } = refusing(true);
    await expect(request(99)).rejects.toMatchObject({ code: 'SERVICE_GONE' });
    expect(attempts()).toBe(10);
  });

  it('counts all that are refused together once, and begins anew after an answer', async () => {
    const { request, probes } = refusing(true);
    const together = () => Promise.all(Array.from({ length: 8 }, () => request(4)));
    for (let time = 0; time < 4; time++) await together();
    expect(probes()).toBe(0);
  });

  it('is there if it refuses one request alone', async () => {
    const { request, probes } = refusing(false);
    expect(await request(19)).toBe(20);
    expect(probes()).toBe(1);
  });
});

describe('a share of the limits', () => {
  const sharesOf = (total: number, count: number) =>
    Array.from({ length: count }, (_, index) =>
      concurrencyOf({ concurrency: total }, { index, count }),
    );

  it('is a whole number, and all together are what is stated', () => {
    const whole = fc.integer({ min: 1, max: 300 });
    fc.assert(
      fc.property(whole, whole, (total, count) => {
        const shares = sharesOf(total, count);
        expect(shares.every((share) => Number.isInteger(share) && share >= 0)).toBe(true);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(total);
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('is nothing for those who came after as many as there are requests', () => {
    expect(sharesOf(8, 3)).toEqual([3, 3, 2]);
    expect(sharesOf(2, 4)).toEqual([1, 1, 0, 0]);
  });

  /** Requests that wait for an answer; how many were sent by now, and a way to answer all. */
  function requesting(traffic: Traffic, count: number) {
    const answers: (() => void)[] = [];
    const requests = Array.from({ length: count }, () =>
      traffic.request(() => new Promise<void>((resolve) => answers.push(resolve))),
    );
    const inFlight = async () => {
      await setImmediate();
      return answers.length;
    };
    return { requests, inFlight, answers };
  }

  it('limits the requests in flight, and holds all of one that has none until it has', async () => {
    const traffic = trafficOf({ concurrency: 2 });
    traffic.share({ index: 2, count: 3 });
    const { requests, inFlight, answers } = requesting(traffic, 3);
    expect(await inFlight()).toBe(0);
    traffic.share({ index: 1, count: 2 });
    expect(await inFlight()).toBe(1);
    traffic.share({ index: 0, count: 1 });
    expect(await inFlight()).toBe(2);
    for (const end of answers) end();
    expect(await inFlight()).toBe(3);
    answers.at(-1)!();
    await Promise.all(requests);
  });

  it('stays nothing although an answer that is late is an overload', async () => {
    const traffic = trafficOf({ concurrency: 1 });
    const late = traffic.request(async () => {
      traffic.share({ index: 1, count: 2 });
      throw TIMEOUT;
    });
    await expect(late).rejects.toBe(TIMEOUT);
    expect(await requesting(traffic, 1).inFlight()).toBe(0);
  });

  it.each([
    ['two share the rate', 8, 2, 2],
    ['of three that have one request in all, the first has the rate', 1, 3, 1],
  ])('where %s', async (_, concurrency, count, sending) => {
    const clock = createTestClock();
    const traffic = trafficOf({ ...clock, concurrency, perSecond: 100 });
    traffic.share({ index: 0, count });
    const sent = departures(traffic, 3, clock);
    await clock.advance(1000);
    // It waits as long before the first one: others may have sent just now.
    expect(sent).toEqual([1, 2, 3].map((turn) => 10 * sending * turn));
  });
});

describe('a hold, because another process met a 429', () => {
  it('pauses every request for a time, at most the longest pause', async () => {
    const clock = createTestClock();
    const traffic = trafficOf({ ...clock, maxPauseMs: 30 });
    traffic.hold(60_000);
    expect(traffic.state).toBe('paused');
    const sent = departures(traffic, 1, clock);
    await clock.advance(60_000);
    expect([traffic.state, sent]).toEqual(['open', [30]]);
  });

  it('tells nobody: only the one that met it does', async () => {
    const told: number[] = [];
    const traffic = trafficOf({ maxPauseMs: 1, onPause: (ms) => told.push(ms) });
    traffic.hold(1);
    expect(told).toEqual([]);
    await traffic.send(async () => answer(429, '3'));
    expect(told).toEqual([1]);
  });

  it('counts as a pause, and overlapping ones once', () => {
    let nowMs = 0;
    const ended = AbortSignal.abort();
    const traffic = trafficOf({ now: () => nowMs, signal: ended });
    for (const ms of [4_000, 1_000, 5_000]) traffic.hold(ms);
    expect(traffic.pausedMs).toBe(0);
    nowMs = 9_000;
    expect(traffic.pausedMs).toBe(5_000);
  });
});

describe('createRateLimit', () => {
  it.each([
    ['delays nothing if no limit is known', undefined, [0, 0, 0]],
    ['books departures at equal distances', 4, [0, 250, 500]],
    ['accepts limits below one a second', 0.5, [0, 2000, 4000]],
  ])('%s', (_, perSecond, delays) => {
    const delayMs = createRateLimit(perSecond, () => 0);
    expect(delays.map(() => delayMs())).toEqual(delays);
  });

  it('saves nothing up: after a quiet while there is no burst', () => {
    let now = 0;
    const delayMs = createRateLimit(10, () => now);
    delayMs();
    now = 60_000;
    expect([delayMs(), delayMs()]).toEqual([0, 100]);
    now = 60_150;
    expect(delayMs()).toBe(50);
  });

  it('continues after an earlier departure', () => {
    const delayMs = createRateLimit(10, () => 1_000, 1_000);
    expect([delayMs(), delayMs()]).toEqual([100, 200]);
  });

  it('goes on at the same distances when the clock is set back', () => {
    let now = 3_600_000;
    const delayMs = createRateLimit(10, () => now);
    delayMs();
    now = 0;
    expect([delayMs(), delayMs()]).toEqual([100, 200]);
  });
});

describe('readRetryAfter', () => {
  const now = Date.parse('Tue, 21 Nov 2023 02:00:00 GMT');

  it.each([
    ['0', 0],
    ['3', 3000],
    [' 1.5 ', 1500],
    ['Tue, 21 Nov 2023 02:00:07 GMT', 7000],
    ['Tue, 21 Nov 2023 01:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads %j as %j ms', (header, ms) => expect(readRetryAfter(header, now)).toBe(ms));
});
