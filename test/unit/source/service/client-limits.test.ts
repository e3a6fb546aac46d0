import { beforeEach, describe, expect, it } from 'vitest';
import { SERVICE_DEFAULTS } from '../../../../src/source/service/service-config.ts';
import { createTestClock } from '../../../helpers/clock.ts';
import {
  type Answer,
  type FaultServer,
  json,
  raw,
  startFaultServer,
  together,
} from '../../../helpers/fault-server.ts';
import { clientOf, errorOf, KEY, ROOT_NODES } from '../../../helpers/faulty-client.ts';
import { until } from '../../../helpers/until.ts';

/** The limit of nested levels. */
const MAX_JSON_DEPTH = 500_000;

const BLOCK = '/block/';
const EMPTY_BLOCK = { N: 'A', V: [0, 0, 0], A: [] };

let server: FaultServer;
beforeEach(async () => {
  server = await startFaultServer();
  server.always('/getnodes?', json(ROOT_NODES));
});

const names = (count: number) => Array.from({ length: count }, (_, i) => `ACME::DESK::B${i}`);

describe('requests in flight', () => {
  it.each([
    ['the service is known to accept, whatever it answers', 4, 8, 4, raw('', {}, 503)],
    ['are configured, even if the service accepts more', 16, 2, 2, json(EMPTY_BLOCK)],
  ])('are as many as %s', async (_, accepted, concurrency, most, first) => {
    const answers = together(most, (at) => (at < 8 ? first : json(EMPTY_BLOCK)));
    server.always(BLOCK, answers);
    const client = clientOf(server, { rateLimit: { concurrency: accepted }, concurrency });
    await Promise.all(names(8).map((name) => client.getBlock(name)));
    expect(server.mostAtOnce()).toBe(most);
  });

  it('become fewer when the service cannot cope, and more again', async () => {
    const waiting: (() => void)[] = [];
    server.next(BLOCK, ...Array(8).fill(together(8, () => raw('', {}, 503))));
    server.always(BLOCK, (...sent) => void waiting.push(() => json(EMPTY_BLOCK)(...sent)));
    const clock = createTestClock();
    const client = clientOf(server, { ...clock, concurrency: 8 });
    const requests = names(9).map((name) => client.getBlock(name));
    // Eight were refused, and the ninth is sent.
    await until(() => waiting.length === 1 && clock.timers() === 9);
    await clock.advance(1);
    await until(() => waiting.length === 4);
    // What was sent with the fourth would be there before the answer to this.
    await fetch(server.baseUrl);
    expect(waiting).toHaveLength(4);
    for (const answer of waiting.splice(0)) answer();
    await until(() => waiting.length === 5);
    for (const answer of waiting.splice(0)) answer();
    await Promise.all(requests);
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
  });
});

describe('bodies that share the bytes in flight', () => {
  const MIB = 1024 * 1024;
  const LARGE_BLOCK = JSON.stringify({ ...EMPTY_BLOCK, X: 'x'.repeat(5 * MIB) });
  const responses: Parameters<Answer>[0][] = [];
  /** Most of a body, whose end is not sent. */
  const stalled: Answer = (response) => {
    responses.push(response);
    response.write(LARGE_BLOCK.slice(0, -1000));
  };
  beforeEach(() => void responses.splice(0));

  it('wait for a stalled one, and their time limit begins after that', async () => {
    server.always(BLOCK, stalled);
    const clock = createTestClock({ realBelowMs: SERVICE_DEFAULTS.timeoutMs });
    const { timeoutMs } = SERVICE_DEFAULTS;
    const limits = { maxBytesInFlight: 6 * MIB, retries: 0, timeoutMs };
    const client = clientOf(server, { ...limits, ...clock });
    const ends: string[] = [];
    const requests = names(2).map((name) =>
      client.getBlock(name).then(
        () => ends.push('received'),
        ({ code }) => ends.push(code),
      ),
    );
    // One waits for its end, the other for memory, which takes none of its time. With a third, two would go on when the
    // first has failed, until one of them waits again.
    await until(() => responses.length === 2 && clock.timers() === 1);
    await clock.advance(timeoutMs);
    await until(() => ends.length === 1 && clock.timers() === 1);
    await clock.advance(timeoutMs - 1);
    for (const response of responses) response.end(LARGE_BLOCK.slice(-1000));
    await Promise.all(requests);
    expect(ends).toEqual(['HTTP_TIMEOUT', 'received']);
  });

  it('end at once when the client is closed', async () => {
    server.always(BLOCK, stalled);
    const client = clientOf(server, { maxBytesInFlight: MIB, retries: 0 });
    const ended = Promise.all(names(6).map((name) => errorOf(client.getBlock(name))));
    await until(() => server.count(BLOCK) === 6);
    await client.close();
    expect((await ended).map(({ code }) => code)).toEqual(Array(6).fill('INTERRUPTED'));
  });
});
