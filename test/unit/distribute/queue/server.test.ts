import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  checkClock,
  checkQueueServer,
  parseQueueUrl,
  queueName,
  type ServerClock,
} from '../../../../src/distribute/queue/server.ts';
import { redact } from '../../../../src/support/redact.ts';
import { type QueueServerUnderTest, startPostgres } from '../../../helpers/postgres.ts';
import { IS_LONG } from '../../../helpers/samples.ts';

const REDIS_URL = process.env.BTG2GLTF_TEST_REDIS_URL;

describe('the address of a queue', () => {
  it.each([
    ['redis://queue:6379', 'redis', 'redis://queue:6379'],
    ['rediss://:q-pass-word@queue:6380/2', 'redis', 'rediss://queue:6380/2'],
    [
      'postgres://user:q-pass-word@queue/database?sslmode=require',
      'postgres',
      'postgres://queue/database',
    ],
    ['postgresql://user@queue:5433/', 'postgres', 'postgresql://queue:5433'],
  ])('%s is one of %s', (url, kind, name) => {
    expect(parseQueueUrl(url)).toEqual({ kind, url, name });
  });

  it.each([
    ['amqp://user:secret-1@queue', 'received amqp:'],
    ['secret-2', 'received a text that is no address'],
  ])('%s is refused without showing it', (url, text) => {
    const message = expect.stringMatching(new RegExp(`^(?!.*secret-).*${text}`));
    expect(() => parseQueueUrl(url)).toThrow(expect.objectContaining({ code: 'USAGE', message }));
  });

  it('has a password that no text shows, as it is written and as it is', () => {
    parseQueueUrl('postgres://user:top%2Fsecret@queue/database');
    expect(redact('top%2Fsecret top/secret')).toBe('*** ***');
    parseQueueUrl('redis://queue:6379');
    expect(redact('redis://queue:6379')).toBe('redis://queue:6379');
  });
});

it('has a queue of each pipeline and digest, whatever its name', () => {
  expect(queueName('Tisch: groß')).toBe('btg2gltf.Tisch%3A%20gro%C3%9F');
  expect(queueName('a', { digest: 'd1', kind: 'convert' })).toBe('btg2gltf.a.d1.convert');
});

describe('the check at the start', () => {
  let postgres: QueueServerUnderTest;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.close());

  const check = (url: string) => checkQueueServer(parseQueueUrl(url));
  /** A server that shows 1e12, which was asked and has answered so long ago, milliseconds. */
  const clock = ({ asked = 0, answered = 0 } = {}): ServerClock => {
    const elapsed = Number(process.hrtime.bigint()) / 1e6;
    return { time: 1e12, asked: elapsed - asked, answered: elapsed - answered };
  };
  const changed = (change: Partial<URL>, url = postgres.url) =>
    Object.assign(new URL(url), change).href;

  it('accepts a server, and makes its tables once', async () => {
    await check(postgres.url);
    checkClock(await check(postgres.url), Date.now);
  });

  it.each(['redis', 'postgres'])('says which %s is unreachable', async (kind) => {
    // No program listens there: the port is kept for a service that no machine has any more.
    const port = 1;
    await expect(check(`${kind}://user:hidden-1@127.0.0.1:${port}`)).rejects.toMatchObject({
      code: 'QUEUE_UNREACHABLE',
      message: `queue ${kind}://127.0.0.1:${port}: expected a connection, received: connect ECONNREFUSED 127.0.0.1:${port}`,
    });
  });

  it.runIf(IS_LONG).each(['redis', 'postgres'])(
    'waits 5 s for a %s that says nothing',
    async (kind) => {
      const silent = createServer((socket) => void socket.on('error', () => {}));
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const { port } = silent.address() as AddressInfo;
      await expect(check(`${kind}://user:hidden-2@127.0.0.1:${port}`)).rejects.toMatchObject({
        code: 'QUEUE_UNREACHABLE',
      });
      silent.close();
    },
  );

  it.each([
    ['a wrong password', { password: 'hidden-3' }],
    ['a user that does not exist', { username: 'no-one' }],
    ['a database that does not exist', { pathname: '/none' }],
  ])('says that %s is refused', async (_name, change) => {
    const error: Error & { code?: string } = await check(changed(change)).then(
      () => new Error('accepted'),
      (thrown) => thrown,
    );
    expect(error.code).toBe('QUEUE_REFUSED');
    expect(error.message).toMatch(
      /^queue postgres:\/\/127\.0\.0\.1:\d+\/\w+: expected a connection, received: /,
    );
    expect(error.message).not.toContain('hidden');
  });

  it.each([
    [3_000, '3.0 s ahead'],
    [-60_000, '60.0 s behind'],
  ])('refuses a clock that is %i ms off', (difference, text) => {
    expect(() => checkClock(clock(), () => 1e12 + difference)).toThrow(
      expect.objectContaining({ code: 'WORKER_REFUSED', message: expect.stringContaining(text) }),
    );
  });

  it('accepts a machine that stood still before, or after, it had the answer', () => {
    checkClock(clock({ asked: 60_000 }), () => 1e12 + 60_000);
    checkClock(clock({ asked: 60_000, answered: 60_000 }), () => 1e12 + 60_000);
  });

  it.runIf(REDIS_URL !== undefined)('accepts Redis, and refuses a wrong password', async () => {
    checkClock(await check(REDIS_URL!), Date.now);
    await expect(
      check(changed({ username: 'someone', password: 'hidden-4' }, REDIS_URL)),
    ).rejects.toMatchObject({ code: 'QUEUE_REFUSED' });
  });
});
