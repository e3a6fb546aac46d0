import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_JSON_DEPTH } from '../../../src/service/wire-value.ts';
import {
  type Answer,
  type FaultServer,
  json,
  raw,
  startFaultServer,
} from '../../helpers/fault-server.ts';
import { clientOf, errorOf, KEY, ROOT_NODES } from '../../helpers/faulty-client.ts';

const BLOCK = '/block/';
const EMPTY_BLOCK = { N: 'A', V: [0, 0, 0], A: [] };

let server: FaultServer;
beforeEach(async () => {
  server = await startFaultServer();
  server.always('/getnodes?', json(ROOT_NODES));
});
afterEach(() => server.close());

const names = (count: number) => Array.from({ length: count }, (_, i) => `ACME::DESK::B${i}`);

/** Answers once as many requests are waiting as can be in flight, so that all of them are seen. */
function together(count: number, answer: (at: number) => Answer): Answer {
  const waiting: (() => void)[] = [];
  let answered = 0;
  return (response, request) => {
    waiting.push(() => answer(answered++)(response, request));
    if (waiting.length === count) for (const go of waiting.splice(0)) go();
  };
}

describe('requests in flight', () => {
  it('stay as many as the service is known to accept, whatever it answers', async () => {
    const busy = raw('', {}, 503);
    server.always(
      BLOCK,
      together(4, (at) => (at < 8 ? busy : json(EMPTY_BLOCK))),
    );
    const client = clientOf(server, { rateLimit: { concurrency: 4 }, concurrency: 8 });
    await Promise.all(names(8).map((name) => client.getBlock(name)));
    expect(server.mostAtOnce()).toBe(4);
    await client.close();
  });

  it('are never more than configured, even if the service accepts more', async () => {
    server.always(
      BLOCK,
      together(2, () => json(EMPTY_BLOCK)),
    );
    const client = clientOf(server, { rateLimit: { concurrency: 16 }, concurrency: 2 });
    await Promise.all(names(8).map((name) => client.getBlock(name)));
    expect(server.mostAtOnce()).toBe(2);
    await client.close();
  });

  it('become fewer when the service cannot cope, and more again', async () => {
    const inFlight: number[] = [];
    let open = 0;
    const noting =
      (answer: Answer): Answer =>
      (response, request) => {
        open += 1;
        inFlight.push(open);
        const end = response.end.bind(response) as (body?: unknown) => typeof response;
        response.end = (body?: unknown) => {
          open -= 1;
          return end(body);
        };
        answer(response, request);
      };
    const refused = together(8, () => raw('', {}, 503));
    server.next(BLOCK, ...Array(8).fill(noting(refused)));
    const answerLater: Answer = (response, request) => {
      setTimeout(() => json(EMPTY_BLOCK)(response, request), 5);
    };
    server.always(BLOCK, noting(answerLater));
    const client = clientOf(server, { concurrency: 8 });
    await Promise.all(names(60).map((name) => client.getBlock(name)));
    expect(inFlight.slice(0, 8)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(Math.max(...inFlight.slice(8, 11))).toBeLessThanOrEqual(4);
    expect(Math.max(...inFlight.slice(-20))).toBeGreaterThan(4);
    await client.close();
  });
});

describe('a known rate limit', () => {
  it('delays requests until their turn', async () => {
    server.always(BLOCK, json(EMPTY_BLOCK));
    // The second one may go in half an hour.
    const rateLimit = { perSecond: 1 / 1800 };
    const client = clientOf(server, { rateLimit, credentials: { token: 'token-of-the-test' } });
    const [first, ...others] = names(4).map((name) => client.getBlock(name));
    await first;
    const interrupted = Promise.all(others.map(errorOf));
    await client.close();
    expect((await interrupted).map(({ code }) => code)).toEqual(Array(3).fill('INTERRUPTED'));
    expect(server.count(BLOCK)).toBe(1);
  });

  it('does not delay requests whose turn it is', async () => {
    server.always(BLOCK, json(EMPTY_BLOCK));
    let now = 0;
    // A clock on which an hour passes between two looks at it.
    const hourly = () => (now += 3_600_000);
    const client = clientOf(server, { rateLimit: { perSecond: 1 }, now: hourly, rememberMe: true });
    await Promise.all(names(9).map((name) => client.getBlock(name)));
    expect(server.count(BLOCK)).toBe(9);
    await client.close();
  });
});

describe('an answer that is nested too deep', () => {
  it('is refused before it is parsed, and not sent for again', async () => {
    const body = '['.repeat(MAX_JSON_DEPTH + 1);
    for (const part of ['/getnodes?', '/articles?', '/btg?', BLOCK]) server.always(part, raw(body));
    const client = clientOf(server, { maxJsonValues: 2 * MAX_JSON_DEPTH });
    const errors = await Promise.all([
      errorOf(client.getNodes('x')),
      errorOf(client.getArticle(KEY)),
      errorOf(client.getPartsList(KEY)),
      errorOf(client.getBlock('ACME::DESK::LEG')),
    ]);
    for (const error of errors) {
      expect(error.code).toBe('RESPONSE_INVALID');
      expect(error.message).toMatch(/expected JSON, received more than 500000 nested levels$/);
    }
    expect(server.seen.filter(({ url }) => url.startsWith('/base/api'))).toHaveLength(4);
    await client.close();
  });
});

describe('bodies that share the bytes in flight', () => {
  const MIB = 1024 * 1024;
  const LARGE_BLOCK = JSON.stringify({ ...EMPTY_BLOCK, X: 'x'.repeat(5 * MIB) });
  let sent = 0;
  /** Most of a body, which then never ends, or late. */
  const stalled: Answer = (response) => {
    response.write(LARGE_BLOCK.slice(0, -1000), () => (sent += 1));
  };
  const late: Answer = (response, request) => {
    stalled(response, request);
    setTimeout(() => response.end(LARGE_BLOCK.slice(-1000)), 1400);
  };

  it('wait for stalled ones, and their time limit begins after that', async () => {
    server.next(BLOCK, stalled, stalled);
    server.always(BLOCK, late);
    const limits = { maxBytesInFlight: 12 * MIB, timeoutMs: 1000, retries: 0 };
    const client = clientOf(server, limits);
    const first = names(2).map((name) => errorOf(client.getBlock(name)));
    while (sent < 2) await sleep(10);
    await sleep(100);
    await client.getBlock('ACME::DESK::LEG');
    const errors = await Promise.all(first);
    expect(errors.map(({ code }) => code)).toEqual(['HTTP_TIMEOUT', 'HTTP_TIMEOUT']);
    await client.close();
  });

  it('end at once when the client is closed', async () => {
    server.always(BLOCK, stalled);
    const client = clientOf(server, { maxBytesInFlight: MIB, retries: 0 });
    const ended = Promise.all(names(6).map((name) => errorOf(client.getBlock(name))));
    while (server.count(BLOCK) < 6) await sleep(10);
    await client.close();
    expect((await ended).map(({ code }) => code)).toEqual(Array(6).fill('INTERRUPTED'));
  });
});
