import { once } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ServiceClient } from '../../../../src/source/service/client.ts';
import { createTestClock } from '../../../helpers/clock.ts';
import {
  type Answer,
  type FaultServer,
  html,
  json,
  raw,
  silence,
  startFaultServer,
} from '../../../helpers/fault-server.ts';
import { clientOf, errorOf, KEY, ROOT_NODES } from '../../../helpers/faulty-client.ts';
import { IS_LONG } from '../../../helpers/samples.ts';
import { closedGate, until } from '../../../helpers/until.ts';

const NODES = '/getnodes?';
const BTG = '/btg?';

const PARTS_LIST = json({ btg: [], blocks: [], mats: [] });
const GIVEN = { token: 'given-token-of-the-test' };

let server: FaultServer;
let client: ServiceClient;
beforeEach(async () => {
  server = await startFaultServer();
  server.always(NODES, json(ROOT_NODES));
  client = clientOf(server);
});

const logouts = () =>
  server.seen.filter(({ url }) => url.includes('/logout/')).map(({ url }) => url);

describe('login', () => {
  it('sends what the specification lists, and the key as it came', async () => {
    client = clientOf(server, { rememberMe: true });
    await client.getNodes('');
    const [first, second] = server.seen;
    expect(first?.url).toBe('/auth/GetPublicKey/');
    expect(second).toMatchObject({ method: 'POST', url: '/auth/%22GetSessionToken%22/' });
    const base64 = expect.stringMatching(/^[A-Za-z0-9+/]+=*$/);
    const encrypted = { User: base64, Password: base64, PublicKey: base64 };
    const body = JSON.parse(second!.body);
    expect(body).toEqual({ ...encrypted, RememberMe: true, AppKey: expect.any(String) });
  });

  it.each([
    ['first', 'token-of-the-front'],
    ['last', 'token-of-the-back'],
  ] as const)('takes the %s element of the result', async (tokenElement, token) => {
    server.always(
      'GetSessionToken',
      json({ result: ['token-of-the-front', 7, 'token-of-the-back'] }),
    );
    client = clientOf(server, { tokenElement });
    await client.getNodes('');
    expect(server.seen.at(-1)?.url).toContain(`token=${token}`);
  });

  it.each([
    ['LOGIN_REFUSED', json({ error: 'Wrong user name or password' })],
    ['LOGIN_REFUSED', json({ error: 'Wrong user name or password' }, 500)],
    ['LOGIN_REFUSED', raw('', {}, 401)],
    ['LOGIN_REFUSED', raw('', {}, 403)],
    ['LOGIN_REFUSED', json({ result: [] })],
    ['LOGIN_REFUSED', json({ result: [''] })],
    ['AUTH_PROTOCOL', raw('', {}, 404)],
    ['AUTH_PROTOCOL', raw('', {}, 400)],
    ['AUTH_PROTOCOL', raw('', { location: '/login' }, 302)],
  ])('that gets %s is not tried again by any request', async (code, answer) => {
    server.always('GetSessionToken', answer);
    const errors = await Promise.all([1, 2, 3].map(() => errorOf(client.getNodes(''))));
    errors.push(await errorOf(client.getNodes('')));
    expect(new Set(errors.map((error) => error.code))).toEqual(new Set([code]));
    expect(server.count('GetSessionToken')).toBe(1);
    await client.close();
    expect(logouts()).toEqual([]);
  });

  it.each([
    ['SERVICE_UNREACHABLE', raw('', {}, 503)],
    ['AUTH_PROTOCOL', html],
    ['AUTH_PROTOCOL', raw('{"result":[')],
  ])('that gets %s was tried three times', async (code, answer) => {
    server.always('GetSessionToken', answer);
    const error = await errorOf(client.getNodes(''));
    expect(error).toMatchObject({ code });
    expect(error.message).toMatch(/^cannot log in at 127\.0\.0\.1:\d+: /);
    expect(server.count('GetSessionToken')).toBe(3);
  });
});

describe('a service that is not there', () => {
  it('is named by its host, without the query, after the retries', async () => {
    client = clientOf(server, { credentials: GIVEN });
    await server.close();
    const { host } = new URL(server.baseUrl);
    expect(await errorOf(client.getNodes(''))).toMatchObject({
      code: 'SERVICE_UNREACHABLE',
      message: `cannot reach ${host}: nothing listens there (ECONNREFUSED)`,
    });
  });

  it.each([
    [
      'its name is not known',
      () => 'https://no-such-host.invalid/auth',
      /no-such-host.*: the name/,
    ],
    ['it speaks no TLS', () => server.authUrl.replace('http:', 'https:'), /127/],
  ])('is so too where %s', async (_, authUrl, host) => {
    // A run does not wait for it either.
    const ofRun = { waitsForFirstAnswer: true, giveUpAfterMs: 3_600_000 };
    client = clientOf(server, { authUrl: authUrl(), retries: 0, ...ofRun });
    const error = await errorOf(client.getNodes(''));
    expect(error.code).toBe('SERVICE_UNREACHABLE');
    expect(error.message).toMatch(host);
  });
});

describe('a token that dies', () => {
  /** Only the newest token is taken; anything else gets what a dead one gets. */
  function takeOnlyTheNewest(dead = json({ error: 'session expired' }, 401)) {
    let valid = '';
    server.always(NODES, (response, request) => {
      const newest = server.tokens.at(-1) ?? '';
      if (valid === '') valid = newest;
      const isTaken = request.url?.includes(`token=${valid}`) ?? false;
      (isTaken ? json(ROOT_NODES) : dead)(response, request);
    });
    const kill = () => {
      valid = `token-${server.tokens.length + 1}-of-the-server`;
    };
    return { kill };
  }

  it.each([
    ['401', json({ error: 'session expired' }, 401)],
    ['403', raw('', {}, 403)],
    ['HTML', html],
    ['an error body', json({ error: 'session expired' })],
    ['an error body with 500', json({ error: 'session expired' }, 500)],
  ])('is replaced once for all who wait: %s', async (_, dead) => {
    const { kill } = takeOnlyTheNewest(dead);
    client = clientOf(server, { concurrency: 5 });
    await client.getNodes('');
    kill();
    const folders = Array.from({ length: 10 }, (_, index) => String(index));
    await Promise.all(folders.map((folder) => client.getNodes(folder)));
    expect(server.tokens).toHaveLength(2);
  });

  it('needs no logout, but its successor does: of both groups', async () => {
    const { kill } = takeOnlyTheNewest();
    await client.getNodes('');
    kill();
    await client.getNodes('');
    await client.close();
    expect(logouts().sort()).toEqual([
      '/base/api/odb.dll/odb/logout/token-2-of-the-server',
      '/base/api/xcf.dll/xcf/logout/token-2-of-the-server',
    ]);
  });

  it('ends the run where it was given', async () => {
    server.always(NODES, raw('', {}, 401));
    server.always(BTG, raw('', {}, 401));
    client = clientOf(server, { credentials: GIVEN });
    expect(await errorOf(client.getPartsList(KEY))).toMatchObject({
      code: 'TOKEN_DIED',
      message:
        'BTG2GLTF_TOKEN: expected a token that the service accepts, received an expired or unknown one',
    });
    const sent = server.seen.length;
    expect(await errorOf(client.getPartsList(KEY))).toMatchObject({ code: 'TOKEN_DIED' });
    await client.close();
    expect(server.seen.length).toBe(sent);
    expect(server.tokens).toEqual([]);
  });

  it('is not taken for dead because of one article, where it was given', async () => {
    server.always(BTG, html);
    client = clientOf(server, { credentials: GIVEN });
    expect(await errorOf(client.getPartsList(KEY))).toMatchObject({ code: 'RESPONSE_INVALID' });
    expect((await client.getNodes('')).nodes).toHaveLength(1);
    await client.close();
    expect(logouts()).toEqual([]);
  });
});

describe('an article that is refused', () => {
  const STYLES = [
    ['401', json({ error: 'unknown article' }, 401)],
    ['403', raw('', {}, 403)],
    ['HTML', html],
    ['an error body with 500', json({ error: 'unknown article' }, 500)],
    ['an error body with 200', json({ error: 'unknown article' })],
  ] as const;
  const keys = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, i) => ({ ...KEY, basearticlenumber: `${prefix}${i}` }));

  it.each(STYLES)('costs no login, among others and alone: %s', async (_, refusal) => {
    server.always(BTG, PARTS_LIST);
    server.next('basearticlenumber=X', ...Array<typeof refusal>(600).fill(refusal));
    for (const good of [keys('G', 4), []]) {
      client = clientOf(server);
      const mixed = keys('X', 4).flatMap((key, i) => [...good.slice(i, i + 1), key]);
      const settled = await Promise.allSettled(mixed.map((key) => client.getPartsList(key)));
      const refused = settled.filter((one) => one.status === 'rejected');
      expect(refused.map(({ reason }) => reason.operation)).toEqual(Array(4).fill('getPartsList'));
    }
    // One for each client.
    expect(server.tokens).toHaveLength(2);
  });

  it('with a status is sent twice, not as often as there are retries', async () => {
    server.always(BTG, raw('', {}, 403));
    client = clientOf(server, { retries: 4 });
    const refused = { code: 'HTTP_STATUS', status: 403 };
    expect(await errorOf(client.getPartsList(KEY))).toMatchObject(refused);
    expect(server.count(BTG)).toBe(2);
  });

  const [GOOD, BAD] = [keys('G', 12), keys('X', 12)];
  const ORDERS = {
    'after good ones': [...GOOD, ...BAD],
    'after one and before good ones': [BAD[0]!, ...GOOD, ...BAD.slice(1)],
    'around good ones': [...BAD.slice(6), ...GOOD, ...BAD.slice(0, 6)],
    'between good ones': GOOD.flatMap((key, i) => [BAD[i]!, key]),
    alone: BAD,
  };

  it.each(
    (Object.keys(ORDERS) as (keyof typeof ORDERS)[]).flatMap((order, at) =>
      // The short form has each period with each number at once.
      (IS_LONG ? [2, 3, 1000] : [[3, 1000][(at >> 1) % 2]!]).flatMap((period) =>
        (IS_LONG ? [1, 8] : [[1, 8][at % 2]!]).map((most) => [order, most, period] as const),
      ),
    ),
  )(
    '%s, %i at once, costs three logins at most if the root answers one of %i requests',
    async (order, concurrency, period) => {
      let asked = 0;
      server.always(NODES, (...sent) => {
        const answer = asked++ % period === 0 ? json(ROOT_NODES) : raw('', {}, 401);
        answer(...sent);
      });
      server.always(BTG, PARTS_LIST);
      server.next('basearticlenumber=X', ...Array<Answer>(600).fill(html));
      client = clientOf(server, { concurrency });
      await Promise.allSettled(ORDERS[order].map((key) => client.getPartsList(key)));
      expect(server.tokens.length).toBeLessThanOrEqual(3);
    },
  );

  it('does not keep a token from being replaced that dies after two such incidents', async () => {
    let firstLivingToken = 1;
    let isRootDown = false;
    const isDead = (url = '') => Number(/token-(\d+)-of/.exec(url)?.[1]) < firstLivingToken;
    server.always(NODES, (response, request) => {
      const isRefused = isRootDown || isDead(request.url);
      (isRefused ? html : json(ROOT_NODES))(response, request);
    });
    server.always(BTG, (response, request) => {
      const isRefused = isDead(request.url) || request.url?.includes('basearticlenumber=X');
      (isRefused ? html : PARTS_LIST)(response, request);
    });
    for (const incident of ['1', '2']) {
      isRootDown = true;
      await errorOf(client.getPartsList({ ...KEY, basearticlenumber: `X${incident}` }));
      isRootDown = false;
      await Promise.all(keys(`G${incident}`, 20).map((key) => client.getPartsList(key)));
    }
    const loginsBefore = server.tokens.length;
    firstLivingToken = loginsBefore + 1;
    await Promise.all(keys('G3', 10).map((key) => client.getPartsList(key)));
    expect(server.tokens).toHaveLength(loginsBefore + 1);
  });

  it('does not keep tokens from being replaced that die again and again', async () => {
    const refusal = raw('', {}, 401);
    let sent = 0;
    let dead = 0;
    const isDead = (url = '') => url.includes(`token-${dead}-of`);
    server.always(BTG, (response, request) => {
      if (++sent % 10 === 0) dead = server.tokens.length;
      const isRefused = isDead(request.url) || request.url?.includes('basearticlenumber=X');
      (isRefused ? refusal : PARTS_LIST)(response, request);
    });
    server.always(NODES, (response, request) => {
      (isDead(request.url) ? refusal : json(ROOT_NODES))(response, request);
    });
    client = clientOf(server, { concurrency: 4 });
    const mixed = keys('G', 40).flatMap((key, i) => [key, ...keys(`X${i}`, i % 4 === 0 ? 1 : 0)]);
    const settled = await Promise.allSettled(mixed.map((key) => client.getPartsList(key)));
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(40);
    expect(server.tokens.length).toBeGreaterThan(4);
  });

  it('as everything else costs three logins, and ends the run', async () => {
    for (const part of [NODES, BTG]) server.always(part, raw('', {}, 401));
    const errors = await Promise.all(keys('X', 60).map((key) => errorOf(client.getPartsList(key))));
    expect(errors.at(-1)).toMatchObject({ code: 'LOGIN_REFUSED' });
    expect(server.tokens).toHaveLength(3);
  });
});

describe('close', () => {
  it.each([
    ['however often it is called', json({})],
    ['although the service refuses to end the session', raw('', {}, 500)],
  ])('logs out once, %s', async (_, answer) => {
    server.always('/logout/', answer);
    await client.getNodes('');
    await Promise.all([client.close(), client.close()]);
    await client.close();
    expect(logouts()).toHaveLength(2);
  });

  it('sends nothing if nothing was requested', async () => {
    await client.close();
    expect(server.seen).toEqual([]);
  });

  it('drops what is in flight and logs out when the run is stopped', async () => {
    server.always(BTG, silence);
    const stop = new AbortController();
    client = clientOf(server, { signal: stop.signal, concurrency: 1 });
    await client.getNodes('');
    const pending = [errorOf(client.getPartsList(KEY)), errorOf(client.getPartsList(KEY))];
    await until(() => server.count(BTG) === 1);
    stop.abort();
    for (const error of await Promise.all(pending)) expect(error.code).toBe('INTERRUPTED');
    await client.close();
    expect(logouts()).toHaveLength(2);
    expect(await errorOf(client.getNodes(''))).toMatchObject({ code: 'INTERRUPTED' });
  });

  it('logs out a token that arrives after the run was stopped', async () => {
    const stop = new AbortController();
    const late = closedGate();
    server.next('GetSessionToken', async (response, request) => {
      stop.abort();
      await late.opened;
      json({ result: ['token-that-came-late'] })(response, request);
    });
    const { startTimer } = createTestClock();
    client = clientOf(server, { signal: stop.signal, startTimer });
    const request = errorOf(client.getNodes(''));
    await once(stop.signal, 'abort');
    const closed = client.close();
    late.open();
    expect(await request).toMatchObject({ code: 'INTERRUPTED' });
    await closed;
    expect(logouts().every((url) => url.endsWith('/token-that-came-late'))).toBe(true);
    expect(logouts()).toHaveLength(2);
  });
});
