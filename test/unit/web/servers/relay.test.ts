/**
 * The relay against the emulator's authentication server: Spec 4.7, and no credential anywhere.
 */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Emulator, startEmulator } from '../../../../src/emulator/emulator.ts';
import { TOKEN_LIFETIMES_MS } from '../../../../src/emulator/tokens.ts';
import type { Logger } from '../../../../src/support/log.ts';
import { redact } from '../../../../src/support/redact.ts';
import type { GatewayServer } from '../../../../src/web/servers/http.ts';
import {
  createRateLimit,
  openRelay,
  type RelayOptions,
} from '../../../../src/web/servers/relay.ts';
import { call } from '../../../helpers/emulated-session.ts';
import { jsonOf } from '../../../helpers/json-of.ts';
import { smallRange } from '../../../helpers/small-range.ts';

const FORM = 'application/x-www-form-urlencoded';
const LOGIN = { username: 'jürgen@möbel', password: 'pä"ss +wörd/&=', appKey: 'app-key-4711' };
type BodyInit = NonNullable<RequestInit['body']>;

let emulator: Emulator;
let relay: GatewayServer;
let nowMs: number;
let logged: unknown[];

beforeAll(async () => {
  const range = smallRange([{ number: 'D1' }]);
  emulator = await startEmulator({ range, login: LOGIN, now: () => nowMs });
});
afterAll(() => emulator.close());
beforeEach(() => {
  nowMs = 1_000_000;
  logged = [];
});
afterEach(() => relay.close());

async function open(more: Partial<RelayOptions> = {}): Promise<void> {
  const note = (message: string, fields?: unknown) => void logged.push({ message, fields });
  const log: Logger = { debug: note, info: note, warn: note, error: note };
  const { authUrl, appKey } = emulator;
  relay = await openRelay({ authUrl, appKey, now: () => nowMs, random: () => 0, log, ...more });
}

const form = (fields: Record<string, string> = {}) =>
  new URLSearchParams({ username: LOGIN.username, password: LOGIN.password, ...fields });
const post = (body: BodyInit, headers: Record<string, string> = {}) =>
  fetch(relay.url, { method: 'POST', body, headers });
const isAlive = async (token: string) =>
  (await call(emulator, 'xcf/getnodes', { token })).status === 200;

describe('a login', () => {
  beforeEach(() => open());

  it('posted as a form is answered with a token that opens the API', async () => {
    const response = await post(form());
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await isAlive(await response.text())).toBe(true);
  });

  it('may be a form in parts, and its answer JSON on request', async () => {
    const parts = new FormData();
    for (const [name, value] of form()) parts.set(name, value);
    const { token } = await jsonOf(post(parts, { accept: 'application/json' }));
    expect(await isAlive(token)).toBe(true);
  });

  it.each([
    ['false', TOKEN_LIFETIMES_MS.session],
    ['true', TOKEN_LIFETIMES_MS.remembered],
    ['', TOKEN_LIFETIMES_MS.session],
  ])('with rememberme %s lives as long as the specification says', async (rememberme, lifeMs) => {
    const token = await (await post(form({ rememberme }))).text();
    nowMs += lifeMs - 1;
    expect(await isAlive(token)).toBe(true);
    nowMs += 2;
    expect(await isAlive(token)).toBe(false);
  });

  it('that is wrong is a 401 without a reason', async () => {
    const answer = await jsonOf(post(form({ password: 'wrong-password' })), 401);
    expect(answer).toEqual({ error: 'the login was refused', code: 'LOGIN_REFUSED' });
  });

  it('is one of several at the same time, each with a token of its own', async () => {
    const tokens = await Promise.all([1, 2, 3, 4, 5].map(async () => (await post(form())).text()));
    expect(new Set(tokens).size).toBe(5);
  });
});

describe('a post that is no login', () => {
  beforeEach(() => open({ perSender: 1 }));

  const file = new FormData();
  file.set('username', new Blob(['u']), 'u.txt');
  const json = new Blob([JSON.stringify(Object.fromEntries(form()))], { type: 'application/json' });
  const twice = new Blob([`${form()}&username=x`], { type: FORM });
  const noParts = new Blob(['x'], { type: 'multipart/form-data' });

  it.each<[string, BodyInit, number, RegExp]>([
    ['no user', form({ username: '' }), 400, /^username: expected a text/],
    ['a file as the user', file, 400, /received a file/],
    ['no password', new URLSearchParams({ username: 'u' }), 400, /^password: /],
    [
      'an odd rememberme',
      form({ rememberme: 'maybe' }),
      400,
      /^rememberme: expected true or false/,
    ],
    ['a field twice', twice, 400, /twice/],
    ['JSON', json, 415, /expected a form/],
    ['no type', new Blob([String(form())]), 415, /expected a form/],
    ['parts without a boundary', noParts, 400, /multipart/],
    ['a large body', 'x'.repeat(20_000), 413, /at most 16384 bytes/],
  ])('%s is refused without asking the authentication server', async (_, body, status, says) => {
    const asked = emulator.counts.get('getpublickey');
    expect((await jsonOf(post(body), status)).error).toMatch(says);
    expect(emulator.counts.get('getpublickey')).toBe(asked);
  });

  it('a login in the address is none', async () => {
    const response = await fetch(`${relay.url}?${form()}`);
    expect(response.status).toBe(405);
    expect((await fetch(`${relay.url}?${form()}`, { method: 'POST' })).status).toBe(415);
  });
});

describe('too many logins', () => {
  it('are a 429 that says when to come back, and the next minute is a new one', async () => {
    await open({ perSender: 2 });
    const statuses = [];
    for (let i = 0; i < 3; i++)
      statuses.push((await post(form({ password: `guess-${i}` }))).status);
    expect(statuses).toEqual([401, 401, 429]);
    nowMs += 20_000;
    const response = await post(form());
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '40']);
    nowMs += 40_000;
    expect((await post(form())).status).toBe(200);
  });

  it('cannot slip through together', async () => {
    await open({ overall: 3 });
    const asked = emulator.counts.get('getsessiontoken') ?? 0;
    const responses = await Promise.all(Array.from({ length: 12 }, () => post(form())));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(9);
    expect(emulator.counts.get('getsessiontoken')).toBe(asked + 3);
  });
});

describe('a page in a browser', () => {
  it('is refused before its login is tried, unless its origin is listed', async () => {
    await open({ origins: ['https://shop.example'] });
    const asked = emulator.counts.get('getpublickey');
    const refused = await post(form(), { origin: 'https://evil.example' });
    expect(refused.status).toBe(403);
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
    expect(emulator.counts.get('getpublickey')).toBe(asked);
    const welcome = await post(form(), { origin: 'https://shop.example' });
    expect(welcome.headers.get('access-control-allow-origin')).toBe('https://shop.example');
    expect(welcome.status).toBe(200);
  });

  it('is refused by default, whatever its origin', async () => {
    await open();
    for (const origin of ['null', 'http://127.0.0.1', new URL(relay.url).origin]) {
      expect((await post(form(), { origin })).status).toBe(403);
    }
  });
});

describe('an authentication server that does not do its part', () => {
  let server: Server;
  async function serve(answer: RequestListener): Promise<string> {
    server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  it.each<[string, number, string, number]>([
    ['speaks HTML', 200, '<html>', 502],
    ['is not there yet', 503, 'later', 502],
    ['is something else', 404, 'no', 502],
    ['repeats the login', 500, `{"error":${JSON.stringify(Object.values(LOGIN).join())}}`, 401],
  ])('%s', async (_, status, body, expected) => {
    const authUrl = await serve((request, response) => {
      request.resume().on('end', () => response.writeHead(status).end(body));
    });
    await open({ authUrl });
    const response = await post(form());
    expect(response.status).toBe(expected);
    expect(await response.text()).not.toMatch(/jürgen|pä/);
    expect(JSON.stringify(logged)).not.toMatch(/jürgen|pä/);
  });

  it('never answers', async () => {
    await open({ authUrl: await serve(() => {}), timeoutMs: 50 });
    expect((await post(form())).status).toBe(504);
  });

  it('is not there', async () => {
    const authUrl = await serve(() => {});
    await new Promise((done) => server.close(done));
    await open({ authUrl });
    const error = 'the authentication server cannot be reached';
    expect(await jsonOf(post(form()), 502)).toEqual({ error, code: 'SERVICE_UNREACHABLE' });
  });
});

it('logs each request and its result, and no secret in any spelling', async () => {
  await open({ perSender: 4 });
  const tokens = [await (await post(form())).text(), await (await post(form())).text()];
  await post(form({ password: 'another secret' }));
  await post(`${form()}&username=twice`, { 'content-type': FORM });
  await fetch(`${relay.url}?${form()}&token=${encodeURIComponent(tokens[0]!)}`);
  await post(form());
  expect((await post(form())).status).toBe(429);
  expect(logged).toContainEqual({
    message: 'answered',
    fields: { method: 'POST', status: 200, ms: 0, sender: '127.0.0.1' },
  });
  expect(logged).toContainEqual({ message: 'no token', fields: { code: 'LOGIN_REFUSED' } });
  const text = JSON.stringify(logged);
  for (const secret of [...Object.values(LOGIN), 'another secret', ...tokens]) {
    const inJson = JSON.stringify(secret).slice(1, -1);
    for (const spelling of [secret, encodeURIComponent(secret), inJson])
      expect(text).not.toContain(spelling);
  }
});

it('deletes each token once it is handed over: it runs for months', async () => {
  await open();
  const token = await (await post(form())).text();
  expect(redact(token)).toBe(token);
});

describe('the rate limit', () => {
  it('lets so many of one sender pass, then says how long to wait', () => {
    let nowMs = 1000;
    const limit = createRateLimit({ perSender: 2, overall: 9 }, 60_000, () => nowMs);
    expect([limit('a'), limit('a'), limit('a'), limit('b')]).toEqual([0, 0, 60_000, 0]);
    nowMs += 59_999;
    expect(limit('a')).toBe(1);
    nowMs += 1;
    expect(limit('a')).toBe(0);
  });

  it('accepts a limited number from all addresses together', () => {
    const limit = createRateLimit({ perSender: 2, overall: 3 }, 10, () => 0);
    expect(['a', 'b', 'c', 'd'].map(limit)).toEqual([0, 0, 0, 10]);
  });

  it('blocks no login when the clock is set back', () => {
    let nowMs = 1e9;
    const limit = createRateLimit({ perSender: 1, overall: 1 }, 10, () => nowMs);
    expect(limit('a')).toBe(0);
    nowMs = 5;
    expect(limit('a')).toBe(0);
  });

  it('never lets more pass within any window, and the wait that it names is enough', () => {
    const step = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 0, max: 40 }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let nowMs = 0;
        const limit = createRateLimit({ perSender: 2, overall: 4 }, 100, () => nowMs);
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
      { numRuns: 200 },
    );
  });
});
