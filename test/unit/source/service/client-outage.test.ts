import { beforeEach, describe, expect, it } from 'vitest';
import type { ServiceClient } from '../../../../src/source/service/client.ts';
import type { ServiceConfig } from '../../../../src/source/service/service-config.ts';
import {
  type Answer,
  type FaultServer,
  html,
  json,
  raw,
  reset,
  startFaultServer,
} from '../../../helpers/fault-server.ts';
import { clientOf, errorOf, KEY, ROOT_NODES } from '../../../helpers/faulty-client.ts';

const ROOT = '/getnodes?';
const BTG = '/btg?';
const BLOCK = '/block/';
const EMPTY_LIST = { btg: [], blocks: [], mats: [] };
const EMPTY_BLOCK = { N: 'A', V: [0, 0, 0], A: [] };

let server: FaultServer;
beforeEach(async () => {
  server = await startFaultServer();
  healthy();
});

function healthy(): void {
  server.always(ROOT, json(ROOT_NODES));
  server.always(BTG, json(EMPTY_LIST));
  server.always(BLOCK, json(EMPTY_BLOCK));
  server.always('/auth/', server.logIn);
}

function breakAll(answer: Answer): void {
  for (const part of [ROOT, BTG, BLOCK, '/auth/']) server.always(part, answer);
}

/** A client that has had an answer already. */
async function clientInRun(more: Partial<ServiceConfig> = {}): Promise<ServiceClient> {
  const client = clientOf(server, { giveUpAfterMs: 50, ...more });
  await client.getPartsList(KEY);
  return client;
}

const names = (count: number) => Array.from({ length: count }, (_, i) => `ACME::DESK::B${i}`);

describe('a service that is gone', () => {
  it.each([
    ['status 500', raw('', {}, 500)],
    ['status 500 with an error', json({ error: 'no database' }, 500)],
    ['resets', reset],
    ['a page of HTML', html],
  ])('ends every request with SERVICE_GONE: %s', async (_, answer) => {
    const client = await clientInRun();
    breakAll(answer);
    // What it says of a login is taken for what it is (D-601).
    server.always('/auth/', server.logIn);
    const errors = await Promise.all(names(10).map((name) => errorOf(client.getBlock(name))));
    expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['SERVICE_GONE']));
    const before = server.seen.length;
    expect(await errorOf(client.getPartsList(KEY))).toMatchObject({ code: 'SERVICE_GONE' });
    expect(server.seen.length).toBe(before);
  });

  it('is waited for when it refuses connections', async () => {
    const client = await clientInRun();
    await server.close();
    expect(await errorOf(client.getPartsList(KEY))).toMatchObject({ code: 'SERVICE_GONE' });
  });

  it('names no address and no request', async () => {
    const client = await clientInRun({ giveUpAfterMs: 0 });
    breakAll(raw('', {}, 500));
    const errors = await Promise.all(names(4).map((name) => errorOf(client.getBlock(name))));
    const gone = errors.find(({ code }) => code === 'SERVICE_GONE');
    expect(gone?.message).toBe(
      'service: expected a response within 0 s, received none; the last failure was: the service answered with status 500',
    );
  });

  it('is not waited for if it never answered, as long as a person waits for the answer', async () => {
    const client = clientOf(server, { giveUpAfterMs: 3_600_000 });
    server.always(BTG, raw('', {}, 500));
    server.always(ROOT, raw('', {}, 500));
    const errors = await Promise.all([1, 2, 3].map(() => errorOf(client.getPartsList(KEY))));
    expect(errors.map(({ code }) => code)).toEqual(Array(3).fill('HTTP_STATUS'));
    expect(server.count(ROOT)).toBe(0);
  });
});

describe('a service that is away when a run begins', () => {
  const GIVEN = { token: 'given-token-of-the-test' };
  const refuse = raw('', {}, 503);
  /** More requests than a login and a request have attempts. */
  const AWAY = Array.from({ length: 8 });
  let outages: (string | undefined)[];
  const clientOfRun = (more: Partial<ServiceConfig> = {}) =>
    clientOf(server, {
      ...{ waitsForFirstAnswer: true, giveUpAfterMs: 3_600_000, ...more },
      onOutage: (failure) => outages.push(failure?.code),
    });
  beforeEach(() => {
    outages = [];
  });

  it.each([
    ['the login is answered with 503', 'GetPublicKey', refuse],
    ['its gateway explains the 503', 'GetSessionToken', json({ error: 'no backend' }, 503)],
    ['the login has no connection', 'GetPublicKey', reset],
  ])('is waited for, and that is announced: %s', async (_, step, answer) => {
    server.next(step, ...AWAY.map(() => answer));
    const client = clientOfRun();
    expect((await client.getNodes('')).nodes).toHaveLength(1);
    expect(outages).toEqual(['SERVICE_UNREACHABLE', undefined]);
    expect(server.tokens).toHaveLength(1);
  });

  it.each([0, 4])('is waited for at the catalogue, with %i retries', async (retries) => {
    server.next(ROOT, ...AWAY.map(() => refuse));
    const client = clientOfRun({ retries, credentials: GIVEN });
    const work = Promise.all([client.getNodes(''), client.getPartsList(KEY)]);
    expect((await work)[0].nodes).toHaveLength(1);
    expect(outages).toEqual(['HTTP_STATUS', undefined]);
  });

  it('counts as unreachable after giveUpAfterMs, as its address may be wrong', async () => {
    breakAll(refuse);
    const error = await errorOf(clientOfRun({ giveUpAfterMs: 50 }).getNodes(''));
    expect(error.code).toBe('SERVICE_UNREACHABLE');
    expect(error.message).toMatch(/^service: expected a response within 0\.05 s.*status 503$/);
    expect(outages).toEqual(['SERVICE_UNREACHABLE']);
  });

  it.each([
    ['a refused password', 'GetSessionToken', json({ error: 'wrong' }, 500), 'LOGIN_REFUSED'],
    ['another server at its address', 'GetPublicKey', raw('', {}, 404), 'AUTH_PROTOCOL'],
    ['no catalogue at its address', ROOT, raw('', {}, 404), 'SERVICE_UNREACHABLE'],
  ])('is not waited for after %s', async (_, part, answer, code) => {
    server.next(part, answer);
    expect(await errorOf(clientOfRun().getNodes(''))).toMatchObject({ code });
    expect(outages).toEqual([]);
  });

  it('is not waited for any more once it refuses the password', async () => {
    server.next('GetSessionToken', json({ error: 'wrong' }));
    server.next('GetPublicKey', ...AWAY.map(() => refuse));
    expect(await errorOf(clientOfRun().getNodes(''))).toMatchObject({ code: 'LOGIN_REFUSED' });
    expect(server.count('GetSessionToken')).toBe(1);
  });
});

describe('a service that comes back', () => {
  it('gets every request answered, though each has no retry', async () => {
    const client = await clientInRun({ retries: 3, giveUpAfterMs: 3_600_000 });
    breakAll(raw('', {}, 500));
    server.always(ROOT, (response, request) => {
      if (server.count(ROOT) === 5) healthy();
      raw('', {}, 500)(response, request);
    });
    const bodies = await Promise.all(names(20).map((name) => client.getBlock(name)));
    expect(bodies).toHaveLength(20);
    expect(server.count(ROOT)).toBe(6);
  });

  it('logs in again where the token died meanwhile', async () => {
    const client = await clientInRun({ retries: 1, giveUpAfterMs: 3_600_000 });
    server.next(BTG, raw('', {}, 401), raw('', {}, 401));
    server.next(ROOT, raw('', {}, 401));
    const refuse = raw('', {}, 503);
    // One login that comes to nothing, then one for the question.
    server.next('GetPublicKey', refuse, refuse, refuse);
    expect((await client.getPartsList(KEY)).partsList.nodes).toEqual([]);
    expect(server.tokens).toHaveLength(2);
  });
});

describe('a service that is there', () => {
  it('is probed at its root, and an article that always answers 500 stops no other', async () => {
    const client = await clientInRun({ retries: 4, giveUpAfterMs: 0 });
    server.always(BTG, raw('', {}, 500));
    expect(await errorOf(client.getPartsList(KEY))).toMatchObject({ code: 'HTTP_STATUS' });
    expect(server.count(BTG)).toBe(1 + 5);
    expect(server.count(ROOT)).toBe(1);
    expect((await client.getBlock('ACME::DESK::LEG')).bytes.length).toBeGreaterThan(0);
  });

  it('may refuse the probe itself: a 401 or 429 proves that it is there', async () => {
    for (const status of [401, 429]) {
      const client = await clientInRun({ retries: 4, giveUpAfterMs: 0 });
      server.always(BTG, raw('', {}, 500));
      server.always(ROOT, raw('', { 'retry-after': '0' }, status));
      expect(await errorOf(client.getPartsList(KEY))).toMatchObject({ code: 'HTTP_STATUS' });
      healthy();
      await client.close();
    }
  });

  it('is gone where it refuses everything, its root too, for as long', async () => {
    const client = await clientInRun({ retries: 4, giveUpAfterMs: 0 });
    breakAll(raw('', { 'retry-after': '0' }, 429));
    expect(await errorOf(client.getPartsList(KEY))).toMatchObject({ code: 'SERVICE_GONE' });
  });

  it('is not probed while other requests succeed', async () => {
    const client = await clientInRun({ retries: 0, concurrency: 1 });
    for (const name of names(6)) {
      server.next(BTG, raw('', {}, 500));
      await errorOf(client.getPartsList(KEY));
      await client.getBlock(name);
    }
    expect(server.count(ROOT)).toBe(0);
  });
});

describe('a run that is stopped', () => {
  it('does not wait for the service', async () => {
    const stop = new AbortController();
    const client = await clientInRun({ giveUpAfterMs: 3_600_000, signal: stop.signal });
    breakAll(raw('', {}, 500));
    server.always(ROOT, (response, request) => {
      raw('', {}, 500)(response, request);
      if (server.count(ROOT) === 3) stop.abort();
    });
    const errors = await Promise.all(names(5).map((name) => errorOf(client.getBlock(name))));
    expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['INTERRUPTED']));
  });
});
