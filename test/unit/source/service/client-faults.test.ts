import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ServiceClient } from '../../../../src/source/service/client.ts';
import {
  type RequestEvent,
  SERVICE_DEFAULTS,
  type ServiceConfig,
} from '../../../../src/source/service/service-config.ts';
import { createTestClock } from '../../../helpers/clock.ts';
import {
  type Answer,
  cut,
  type FaultServer,
  html,
  json,
  raw,
  reset,
  silence,
  stall,
  startFaultServer,
  together,
} from '../../../helpers/fault-server.ts';
import { clientOf, errorOf, KEY, ROOT_NODES } from '../../../helpers/faulty-client.ts';
import { until } from '../../../helpers/until.ts';

const NODES = '/getnodes?';
const BTG = '/btg?';
const BLOCK = '/block/';
const EMPTY_LIST = { btg: [], blocks: [], mats: [] };
const JPEG = Buffer.from('ffd8ffe00004000affd9', 'hex');

let server: FaultServer;
let client: ServiceClient;
beforeEach(async () => {
  server = await startFaultServer();
  client = clientOf(server);
  server.always(NODES, json(ROOT_NODES));
  server.always(BTG, json(EMPTY_LIST));
  server.always('/materials/', raw(JPEG));
});

/** A client, and what lets the time of its request be up once so many parts lists are requested. */
function clientOfSlow(more: Partial<ServiceConfig> = {}) {
  const { timeoutMs } = SERVICE_DEFAULTS;
  const clock = createTestClock({ realBelowMs: timeoutMs });
  const timeIsUp = async (requests: number) => {
    await until(() => server.count(BTG) === requests);
    await clock.advance(timeoutMs);
  };
  return { client: clientOf(server, { ...clock, timeoutMs, ...more }), timeIsUp };
}

describe('a failure that passes', () => {
  const passing: [string, Answer][] = [
    ['a reset', reset],
    ['a cut body', cut],
    ['status 500', raw('', {}, 500)],
    ['status 502 with a page', raw('<html>Bad gateway', {}, 502)],
    ['status 503', raw('', {}, 503)],
    ['truncated JSON', raw('{"btg":[{"type":"top","prop":{}}')],
    ['no body', raw('')],
    ['a body that is not packed as it says', raw('{}', { 'content-encoding': 'gzip' })],
  ];

  it.each(passing)('is sent again: %s', async (_, answer) => {
    server.next(BTG, answer, answer);
    expect((await client.getPartsList(KEY)).partsList.nodes).toEqual([]);
    expect(server.count(BTG)).toBe(3);
  });

  it.each([
    ['silence', silence],
    ['a stalled body', stall],
  ])('is sent again when the time is up: %s', async (_, answer) => {
    server.next(BTG, answer);
    const { client, timeIsUp } = clientOfSlow();
    const answered = client.getPartsList(KEY);
    await timeIsUp(1);
    expect((await answered).partsList.nodes).toEqual([]);
    expect(server.count(BTG)).toBe(2);
  });

  it('is sent again: a truncated JPEG', async () => {
    server.next('/materials/', raw(JPEG.subarray(0, 6)));
    expect((await client.getMaterial('ACME', 'OAK')).bytes).toEqual(new Uint8Array(JPEG));
  });

  it.each([
    ['HTTP_CONNECTION', reset],
    ['HTTP_CONNECTION', cut],
    ['HTTP_STATUS', raw('', {}, 500)],
    ['RESPONSE_INVALID', raw('{"btg":[')],
    ['RESPONSE_INVALID', html],
    ...['gzip', 'br', 'deflate'].map((encoding): [string, Answer] => [
      'RESPONSE_INVALID',
      raw(gzipSync('{"btg":[]}').subarray(0, 12), { 'content-encoding': encoding }),
    ]),
  ])('becomes %s when it stays, with operation, article and address', async (code, answer) => {
    server.always(BTG, answer);
    const error = await errorOf(client.getPartsList({ ...KEY, basearticlenumber: 'D/1' }));
    expect(error).toMatchObject({ code, operation: 'getPartsList', article: 'ACME/DESK/D/1' });
    expect(error.url).toMatch(/\/btg\?token=\*\*\*&manufacturer=ACME&.*=D%2F1&/);
    expect(error.message).toMatch(/^getPartsList ACME\/DESK\/D\/1: /);
    expect(error.message).not.toContain('127.0.0.1');
    expect(server.count(BTG)).toBe(3);
    expect(server.tokens).toHaveLength(1);
  });

  it('becomes HTTP_TIMEOUT when the service stays silent', async () => {
    server.always(BTG, stall);
    const { client, timeIsUp } = clientOfSlow({ retries: 1 });
    const failed = errorOf(client.getPartsList(KEY));
    await timeIsUp(1);
    await timeIsUp(2);
    expect(await failed).toMatchObject({ code: 'HTTP_TIMEOUT' });
    expect(server.count(BTG)).toBe(2);
  });
});

describe('a failure that stays', () => {
  it.each([
    ['ARTICLE_NOT_FOUND', json({ error: 'no such article' }, 404)],
    ['ARTICLE_NOT_FOUND', raw('<html>Not found', {}, 404)],
    ['HTTP_STATUS', raw('', {}, 400)],
    ['QUERY_TOO_LONG', raw('', {}, 414)],
    ['REDIRECT_REFUSED', raw('', { location: 'http://other.example/?a' }, 302)],
    ['REDIRECT_REFUSED', raw('', { location: 'https://127.0.0.2/btg' }, 307)],
    ['REDIRECT_REFUSED', raw('', {}, 301)],
    ['PARTS_LIST_INVALID', raw(Buffer.from('{"btg":[],"mats":[{"mname":"ß"}]}', 'latin1'))],
  ])('is sent once: %s', async (code, answer) => {
    server.always(BTG, answer);
    expect(await errorOf(client.getPartsList(KEY))).toMatchObject({ code });
    expect(server.count(BTG)).toBe(1);
    expect(server.tokens).toHaveLength(1);
  });

  it('gives each missing thing its own code', async () => {
    server.always(NODES, json({ error: 'no such folder' }, 404));
    server.always('/materials/', json({}, 404));
    const errors = {
      NODE_NOT_FOUND: errorOf(client.getNodes('gone')),
      ARTICLE_NOT_FOUND: errorOf(client.getArticle(KEY)),
      BLOCK_MISSING: errorOf(client.getBlock('ACME::DESK::LEG')),
      IMAGE_MISSING: errorOf(client.getMaterial('ACME', 'OAK')),
    };
    for (const [code, error] of Object.entries(errors)) {
      expect(await error).toMatchObject({ code, status: 404 });
    }
  });

  it('stops reading at the limit, packed or not', async () => {
    client = clientOf(server, { maxResponseBytes: 1000 });
    const big = Buffer.alloc(5000, ' ');
    const chunked: Answer = (response) => void response.writeHead(200).end(big);
    server.next(BTG, raw(big), chunked, raw(gzipSync(big), { 'content-encoding': 'gzip' }));
    for (let time = 0; time < 3; time++) {
      expect(await errorOf(client.getPartsList(KEY))).toMatchObject({ code: 'RESPONSE_TOO_LARGE' });
    }
    expect(server.count(BTG)).toBe(3);
  });

  it.each([
    [
      'headers beyond the limit',
      raw('{}', { 'x-flood': 'x'.repeat(20_000) }),
      /: expected an answer of at most 16384 bytes of headers, received more$/,
      'report it to the operator of the service',
    ],
    [
      'too many objects, before they are parsed',
      raw(gzipSync(`{"btg":[${'{},'.repeat(60_000)}{}]}`), { 'content-encoding': 'gzip' }),
      /expected at most 1000 objects, lists and keys/,
      'service.maxJsonValues',
    ],
  ])('refuses %s at once, and says what to do', async (_, answer, message, help) => {
    client = clientOf(server, { maxJsonValues: 1000 });
    server.next(BTG, answer);
    expect(await errorOf(client.getPartsList(KEY))).toMatchObject({
      code: 'RESPONSE_TOO_LARGE',
      message: expect.stringMatching(message),
      help: expect.stringContaining(help),
    });
    expect(server.count(BTG)).toBe(1);
  });

  it('follows only a few redirects', async () => {
    server.always(BTG, raw('', { location: '/base/api/odb.dll/odb/btg?a=1' }, 302));
    expect(await errorOf(client.getPartsList(KEY))).toMatchObject({ code: 'REDIRECT_REFUSED' });
    expect(server.count(BTG)).toBe(4);
  });
});

describe('a request', () => {
  it('says that it takes compressed answers, and which program sends it', async () => {
    await client.getNodes('');
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    const sent = { 'accept-encoding': 'gzip, br, deflate', 'user-agent': `btg2gltf/${version}` };
    expect(server.seen).toMatchObject(Array(3).fill({ headers: sent }));
  });
});

describe('an answer', () => {
  it('is unpacked, and keeps its ETag and date', async () => {
    const headers = { 'content-encoding': 'gzip', etag: '"1"', 'last-modified': 'yesterday' };
    server.always(BTG, raw(gzipSync(JSON.stringify(EMPTY_LIST)), headers));
    const { bytes, etag, lastModified } = await client.getPartsList(KEY);
    expect(new TextDecoder().decode(bytes)).toBe(JSON.stringify(EMPTY_LIST));
    expect([etag, lastModified]).toEqual(['"1"', 'yesterday']);
  });

  it('is fetched from where the same host says', async () => {
    server.next(BTG, raw('', { location: '/moved?token=T' }, 302));
    server.always('/moved', json(EMPTY_LIST));
    expect((await client.getPartsList(KEY)).partsList.nodes).toEqual([]);
  });

  it('is reported to onRequest, without the address', async () => {
    const events: RequestEvent[] = [];
    server.next(BTG, reset);
    client = clientOf(server, { onRequest: (event) => events.push(event) });
    await client.getPartsList(KEY);
    await client.close();
    expect(events.map(({ operation, status, attempt }) => [operation, status, attempt])).toEqual([
      ['getPublicKey', 200, 1],
      ['getSessionToken', 200, 1],
      ['getPartsList', undefined, 1],
      ['getPartsList', 200, 2],
      ['logoutCatalogue', 200, 1],
      ['logoutGraphics', 200, 1],
    ]);
  });
});

describe('too many requests', () => {
  it('pauses all requests, and uses up no retry', async () => {
    let isBusy = true;
    const refuse = together(3, () => raw('', { 'retry-after': '60' }, 429));
    const block = json({ N: 'A', V: [0, 0, 0], A: [] });
    server.always(BLOCK, (...sent) => (isBusy ? refuse : block)(...sent));
    const clock = createTestClock();
    client = clientOf(server, { ...clock, retries: 1, concurrency: 3 });
    const names = Array.from({ length: 9 }, (_, index) => `ACME::DESK::B${index}`);
    const blocks = Promise.all(names.map((name) => client.getBlock(name)));
    await until(() => server.count(BLOCK) === 3 && clock.timers() === 3);
    isBusy = false;
    await clock.advance(60_000);
    await blocks;
    // Three were in flight when the first was refused; after that none is sent in vain.
    expect(server.count(BLOCK)).toBe(9 + 3);
  });

  it('is no failure of the request: it needs no retry', async () => {
    server.next(BTG, raw('', {}, 500), raw('', { 'retry-after': '0' }, 429));
    client = clientOf(server, { retries: 1 });
    expect((await client.getPartsList(KEY)).partsList.nodes).toEqual([]);
    expect(server.count(BTG)).toBe(3);
  });

  it('ends some day where the service never takes it', async () => {
    server.always(BTG, raw('', { 'retry-after': '0' }, 429));
    const refused = { code: 'HTTP_STATUS', status: 429 };
    expect(await errorOf(client.getPartsList(KEY))).toMatchObject(refused);
  });
});

describe('concurrency', () => {
  it('counts requests of all kinds together', async () => {
    const answer: Answer = (response, request) =>
      json(request.url!.includes(BTG) ? EMPTY_LIST : ROOT_NODES)(response, request);
    const all = together(3, () => answer);
    for (const part of [NODES, BTG]) server.always(part, all);
    client = clientOf(server, { concurrency: 3 });
    const work = Array.from({ length: 12 }, (_, index) =>
      index % 2 === 0 ? client.getNodes(String(index)) : client.getPartsList(KEY),
    );
    await Promise.all(work);
    expect(server.mostAtOnce()).toBe(3);
  });

  it('does not wait for itself: one slot is enough to log in and to log in again', async () => {
    server.next(NODES, raw('', {}, 401), raw('', {}, 401));
    client = clientOf(server, { concurrency: 1 });
    expect((await client.getNodes('')).nodes).toHaveLength(1);
    expect(server.tokens).toHaveLength(2);
  });
});
