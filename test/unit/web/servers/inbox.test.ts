/**
 * The inbox over HTTP: what it stores, what it refuses, and that nothing leaves its store.
 */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { watchFileOperations } from '../../../../src/support/file-operations.ts';
import type { Logger } from '../../../../src/support/log.ts';
import type { GatewayServer } from '../../../../src/web/servers/http.ts';
import { type InboxOptions, openInbox } from '../../../../src/web/servers/inbox.ts';
import { anyText } from '../../../helpers/any-text.ts';
import { jsonOf } from '../../../helpers/json-of.ts';
import { samples, someOf } from '../../../helpers/samples.ts';
import { temporaryFolder } from '../../../helpers/temporary.ts';
import { closedGate, until } from '../../../helpers/until.ts';

const CART = {
  id: '7',
  rootid: '7',
  manufacturer: 'ACME',
  program: 'DESK',
  basearticlenumber: 'D1',
  propclasses: [],
  children: [{ id: '8', rootid: '7', ocd: { reinitstring: 'C::' } }],
  ocd: { finalarticlenumber: 'D1-X', price: 12.5, reinitstring: 'D1;W=2::' },
};

type BodyInit = NonNullable<RequestInit['body']>;

let folder: string;
let store: string;
let inbox: GatewayServer;
let logged: { message: string; fields?: unknown }[];
/** Every request that any server of this process has begun to receive. */
const requests: IncomingMessage[] = [];
const note = (message: unknown) => {
  requests.push((message as { request: IncomingMessage }).request);
};

beforeEach(async () => {
  subscribe('http.server.request.start', note);
  folder = await temporaryFolder();
  store = join(folder, 'carts');
  logged = [];
});
afterEach(async () => {
  watchFileOperations(undefined);
  unsubscribe('http.server.request.start', note);
  requests.length = 0;
  await inbox?.close();
  await rm(folder, { recursive: true, force: true });
});

async function open(more: Partial<InboxOptions> = {}): Promise<void> {
  const note = (message: string, fields?: unknown) => void logged.push({ message, fields });
  const log: Logger = { debug: note, info: note, warn: note, error: note };
  inbox = await openInbox({ store, now: () => 0, log, ...more });
}

/** Waits until the inbox has received all that was written to a connection, at least the head of a request. */
const received = (socket: Socket) =>
  until(() => {
    const own = requests.find((one) => one.socket.remotePort === socket.localPort);
    return own?.socket.bytesRead === socket.bytesWritten;
  });

const send = (body: BodyInit, headers: Record<string, string> = {}) =>
  fetch(inbox.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
const post = (json: unknown, headers?: Record<string, string>) =>
  send(JSON.stringify({ json }), headers);
/** A connection on which texts were written. */
function connected(...sent: string[]): Socket {
  const { hostname, port } = new URL(inbox.url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  for (const part of sent) socket.write(part);
  return socket;
}
const head = (...fields: string[]) =>
  `${['POST /cart HTTP/1.1', 'host: localhost', ...fields].join('\r\n')}\r\n\r\n`;
const read = async (name: string) => JSON.parse(await readFile(join(store, name), 'utf8'));

describe('a cart', () => {
  beforeEach(() => open());

  it('is stored completely, children included, and answered in JSON', async () => {
    const response = await post(CART);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    const answer = await jsonOf(response);
    expect(answer).toEqual({
      stored: true,
      id: '7',
      file: expect.stringMatching(/^7~[0-9a-f]{32}\.json$/),
      warnings: [],
    });
    expect(await readdir(store)).toEqual([answer.file]);
    expect(await read(answer.file)).toEqual(CART);
  });

  it('keeps each digit of its ids', async () => {
    const text = JSON.stringify({ json: CART }).replaceAll('"7"', '9007199254740993');
    const { id, file } = await jsonOf(send(text));
    expect(id).toBe('9007199254740993');
    expect((await read(file)).children[0].rootid).toBe(id);
  });

  it('posted twice is one file; another one with the same id is another file', async () => {
    const files = [];
    for (const json of [CART, CART, { ...CART, quantity: 2 }])
      files.push((await jsonOf(post(json))).file);
    expect(files[0]).toBe(files[1]);
    expect((await readdir(store)).sort()).toEqual([files[0], files[2]].sort());
  });

  it('may come as JSON text, with any content type or none, and with a byte-order mark', async () => {
    const bodies: [BodyInit, Record<string, string>][] = [
      [JSON.stringify({ json: JSON.stringify(CART) }), {}],
      [JSON.stringify({ json: CART }), { 'content-type': 'text/plain' }],
      [new Blob([`\ufeff${JSON.stringify({ json: CART })}`]), {}],
    ];
    for (const [body, headers] of bodies) {
      const answer = await jsonOf(fetch(inbox.url, { method: 'POST', headers, body }));
      expect(answer).toMatchObject({ id: '7' });
    }
    expect(await readdir(store)).toHaveLength(1);
  });

  it('may come as the article alone, which is stored like the one in json', async () => {
    const alone = await jsonOf(send(JSON.stringify(CART)));
    expect(alone).toEqual(await jsonOf(post(CART)));
    expect(await read(alone.file)).toEqual(CART);
    const { manufacturer: _, ...incomplete } = CART;
    expect(await jsonOf(send(JSON.stringify(incomplete)), 422)).toEqual({
      error: 'body.manufacturer: expected a text, received nothing',
      code: 'CART_INVALID',
    });
    const child = await jsonOf(send(JSON.stringify({ ...CART, id: '8' })), 422);
    expect(child.code).toBe('CHILD_WITHOUT_ROOT');
  });

  it('without a reinit string is stored with a warning', async () => {
    const { ocd: _, ...bare } = CART;
    expect(await jsonOf(post(bare))).toMatchObject({
      stored: true,
      warnings: [expect.stringMatching(/ocd\.reinitstring: missing/)],
    });
  });

  it('is one of many at the same time, and none is lost or mixed up', async () => {
    const carts = Array.from({ length: 12 }, (_, i) => ({ ...CART, id: `${i}`, rootid: `${i}` }));
    const answers = await Promise.all(carts.map((cart) => jsonOf(post(cart))));
    expect(new Set(answers.map(({ file }) => file)).size).toBe(12);
    for (const [i, { file }] of answers.entries()) expect(await read(file)).toEqual(carts[i]);
    expect(await readdir(store)).toHaveLength(12);
  });

  it('with __proto__ and constructor keys is stored as the data that it is', async () => {
    const evil = `{"json":{"__proto__":{"id":"9"},"constructor":{"prototype":{"polluted":1}},${JSON.stringify(CART).slice(1)}}`;
    const { file } = await jsonOf(send(evil));
    const text = await readFile(join(store, file), 'utf8');
    expect(text).toMatch(/^\{"__proto__":\{"id":"9"\},"constructor":/);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    const without = '{"__proto__":{"json":{}}}';
    expect((await send(without)).status).toBe(422);
  });

  it('whose id is too long is refused with a sentence', async () => {
    const id = 'x'.repeat(201);
    const error = 'json.id: expected at most 200 characters, received 201';
    const answer = await jsonOf(post({ ...CART, id, rootid: id }), 422);
    expect(answer).toEqual({ error, code: 'CART_INVALID' });
  });

  const PATHS = ['../../escaped', '..', '.', '/etc/passwd', 'C:\\Windows\\x', 'a\u0000b', 'nul'];
  it.each(someOf([...PATHS, 'ü/'.repeat(100), '%2e%2e%2f', '\ud800']))(
    'whose id could be a path stays in the store (%#)',
    async (id) => {
      const answer = await jsonOf(post({ ...CART, id, rootid: id }));
      expect(answer.stored).toBe(true);
      expect(await readdir(folder)).toEqual(['carts']);
      expect(await readdir(store)).toEqual([answer.file]);
      expect(answer.file).toMatch(/^[\w.~%-]{1,130}$/);
      expect((await read(answer.file)).rootid).toBe(JSON.parse(JSON.stringify(id)));
    },
  );

  it('of any id stays in the store, two ids never in one file', async () => {
    const ids = fc.uniqueArray(anyText({ minLength: 1 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(ids, async (some) => {
        const files = await Promise.all(
          some.map(async (id) => (await jsonOf(post({ ...CART, id, rootid: id }))).file),
        );
        expect(new Set(files).size).toBe(some.length);
        const names = await readdir(store);
        for (const file of files) expect(names).toContain(file);
      }),
      { numRuns: samples(24) },
    );
    expect(await readdir(folder)).toEqual(['carts']);
  });
});

describe('a post that is no cart', () => {
  beforeEach(() => open());
  const withChanged = (change: object) => JSON.stringify({ json: { ...CART, ...change } });
  const without = (name: string) => withChanged({ [name]: undefined });
  const DEEP = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;

  it.each<[string, BodyInit, RegExp, code?: string]>([
    ['no JSON', '{"json":', /^body: /],
    ['nothing', '', /^body: /],
    ['no UTF-8', new Blob([Buffer.from([0x7b, 0xff, 0x7d])]), /^body: .*UTF-8/],
    ['an array', '[]', /property json, received an array/],
    ['an object without json', '{"cart":1}', /received an object with "cart"/],
    ['a json that is a number', '{"json":7}', /top-level article, received number "7"/],
    ['a json that is no JSON text', '{"json":"{"}', /^json: /],
    ['a cart without id', without('id'), /json\.id: expected a text, received nothing/],
    ['a cart without rootid', without('rootid'), /json\.rootid/],
    ['a cart without manufacturer', without('manufacturer'), /json\.manufacturer/],
    ['a cart without program', without('program'), /json\.program/],
    ['a cart without number', without('basearticlenumber'), /json\.basearticlenumber/],
    ['children that are no list', withChanged({ children: {} }), /children: expected an array/],
    ['children that are no articles', withChanged({ children: [{}, 3] }), /children\[1\]/],
    ['JSON that is too deep', `{"json":${DEEP}}`, /received an array/],
    ['a cart that is too deep', `{"json":{"a":${DEEP}}}`, /at most 500 nested levels/],
    [
      'a cart of more values than it may have',
      `{"json":{"a":[${'{},'.repeat(500_000)}{}]}}`,
      /at most 500000 objects, lists and keys/,
    ],
    [
      'a child without its root',
      withChanged({ id: '8' }),
      /received "8", a child of "7"/,
      'CHILD_WITHOUT_ROOT',
    ],
  ])('%s is refused', async (_, body, says, code = 'CART_INVALID') => {
    const error = expect.stringMatching(says);
    expect(await jsonOf(send(body), 422)).toEqual({ error, code });
    expect(await readdir(store)).toEqual([]);
  });

  it('anything but a post is a 405, and anywhere else is a 404 that says where', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      const response = await fetch(inbox.url, { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
    }
    for (const path of ['/', '/cart/..%2f..%2fx', '/../../etc/passwd', '/cart/7']) {
      const answer = fetch(new URL(path, inbox.url), { method: 'POST', body: '{}' });
      expect(await jsonOf(answer, 404)).toEqual({ error: 'nothing here; post to /cart' });
    }
  });

  it('has more values than an option allows, and is refused', async () => {
    await inbox.close();
    await open({ maxValues: 10 });
    expect((await jsonOf(post(CART), 422)).error).toBe(
      'body: expected at most 10 objects, lists and keys, received more',
    );
  });

  it('a packed body is a 415', async () => {
    expect((await post(CART, { 'content-encoding': 'gzip' })).status).toBe(415);
  });
});

describe('a body that is too large', () => {
  it.each([
    ['with its length declared', (bytes: Uint8Array<ArrayBuffer>): BodyInit => bytes],
    ['without', (bytes: Uint8Array<ArrayBuffer>): BodyInit => new Blob([bytes]).stream()],
  ])('of 16 MB is a 413 that the sender gets to see, %s', async (_, asBody) => {
    await open();
    const body = asBody(new Uint8Array(16_000_000).fill(0x20));
    const answer = fetch(inbox.url, { method: 'POST', body, duplex: 'half' } as RequestInit);
    expect(await jsonOf(answer, 413)).toEqual({ error: 'body: expected at most 8 MiB' });
    expect(await readdir(store)).toEqual([]);
    expect((await post(CART)).status).toBe(200);
  });

  it('is measured against the limit that was set, to the byte', async () => {
    const body = JSON.stringify({ json: CART });
    await open({ bodyLimitBytes: body.length });
    expect((await send(body)).status).toBe(200);
    expect((await send(`${body} `)).status).toBe(413);
  });

  it('that is declared to be far too large is refused before it is sent', async () => {
    await open();
    const socket = connected(head('content-length: 900000000000'), '{');
    const [first] = await once(socket, 'data');
    socket.destroy();
    expect(String(first)).toMatch(/^HTTP\/1\.1 413 /);
  });
});

describe('posts that are being received', () => {
  const MIB = 1024 * 1024;
  const start = (field: string, ...sent: string[]) => connected(head(field), ...sent);
  const answerOf = (socket: Socket) =>
    new Promise<string>((done) => {
      socket.on('close', () => done('cut'));
      socket.once('data', (data) => done(String(data)));
    });
  const large = (bytes: number) => ({ ...CART, text: 'x'.repeat(bytes) });

  it('take memory by what was received, not by what was declared', async () => {
    await open({ bodyLimitBytes: MIB, maxBytesInMemory: 2 * MIB });
    const drips = Array.from({ length: 50 }, () => start(`content-length: ${MIB}`, '{'));
    for (const socket of drips) await received(socket);
    expect((await post(large(0.75 * MIB))).status).toBe(200);
    for (const socket of drips) socket.destroy();
  });

  it('make room for a smaller one beyond the limit, and are refused at their end', async () => {
    await open({ bodyLimitBytes: 4 * MIB, maxBytesInMemory: 4 * MIB });
    const most = 'x'.repeat(3 * MIB);
    const slow = start(`content-length: ${4 * MIB}`, most);
    const almost = start(`content-length: ${MIB + 1}`, 'x'.repeat(MIB));
    for (const socket of [slow, almost]) await received(socket);
    expect((await post(large(2 * MIB))).status).toBe(200);
    slow.write('x'.repeat(MIB));
    expect(await answerOf(slow)).toMatch(
      /^HTTP\/1\.1 503 .*retry-after: 1.*"memory: expected room for this post, received too many others/s,
    );
    almost.write('x');
    expect(await answerOf(almost)).toMatch(/^HTTP\/1\.1 422 /);
  });

  it('are all stored, where many send large ones together', async () => {
    await open({ bodyLimitBytes: MIB / 2, maxBytesInMemory: 5 * MIB });
    const carts = Array.from({ length: 12 }, (_, n) => ({ ...large(0.375 * MIB), n }));
    const statuses = await Promise.all(carts.map(async (cart) => (await post(cart)).status));
    expect(statuses).toEqual(Array(12).fill(200));
  });

  it('are cut off where they come in many tiny chunks', async () => {
    await open();
    const socket = start('transfer-encoding: chunked', '1\r\n{\r\n'.repeat(5000));
    expect(await answerOf(socket)).toBe('cut');
    expect((await post(CART)).status).toBe(200);
  });
});

describe('a page in a browser', () => {
  const preflight = (more: Record<string, string>, url = inbox.url) => {
    const headers = { 'access-control-request-method': 'POST', ...more };
    return fetch(url, { method: 'OPTIONS', headers });
  };

  it('of any origin is accepted with the secret, with the headers that it requests', async () => {
    await open({ secret: 'a long secret' });
    const url = `${inbox.url}?secret=a+long+secret`;
    const origin = 'https://plan.example';
    const asked = {
      origin,
      'access-control-request-headers': 'content-type,x-requested-with',
      'access-control-request-private-network': 'true',
    };
    const response = await preflight(asked, url);
    expect(response.status).toBe(204);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type,x-requested-with',
      'access-control-allow-private-network': 'true',
    });
    const body = JSON.stringify({ json: CART });
    const inUrl = await fetch(url, { method: 'POST', headers: { origin }, body });
    expect([inUrl.status, inUrl.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
    expect((await post(CART, { origin, authorization: 'Bearer a long secret' })).status).toBe(200);
    for (const headers of [{ origin }, { origin, authorization: 'Bearer another' }])
      expect((await post(CART, headers)).status).toBe(403);
    expect(JSON.stringify(logged)).not.toContain('secret=');
  });

  it('is refused by default, and under a name that was made to point here', async () => {
    await open({ names: ['INBOX.example'], host: 'LocalHost' });
    expect((await post(CART, { origin: 'https://plan.example' })).status).toBe(403);
    const { hostname, port } = new URL(inbox.url);
    const statusFor = (host: string) =>
      new Promise<number | undefined>((done) => {
        const sent = request({ hostname, port, path: '/cart', method: 'POST', headers: { host } });
        sent.on('response', (response) => done(response.resume().statusCode));
        sent.end(JSON.stringify({ json: CART }));
      });
    for (const host of ['evil.example:4820', 'evil.example:1:2', 'xinbox.example'])
      expect([host, await statusFor(host)]).toEqual([host, 421]);
    for (const host of ['127.0.0.1', 'localhost:4820', '[::1]:4820', 'Inbox.example'])
      expect([host, await statusFor(host)]).toEqual([host, 200]);
  });

  it('of any origin may ask whether it may send the secret as a header', async () => {
    const headers = {
      origin: 'https://plan.example',
      'access-control-request-headers': 'authorization,content-type',
    };
    await open({ secret: 'a long secret' });
    const response = await preflight(headers);
    expect([response.status, response.headers.get('access-control-allow-headers')]).toEqual([
      204,
      'authorization,content-type',
    ]);
    await inbox.close();
    await open();
    expect((await preflight(headers)).status).toBe(403);
  });

  it('is refused where its origin is not among those listed, and nothing is stored', async () => {
    await open({ origins: ['https://plan.example'] });
    for (const origin of ['https://evil.example', 'null', 'https://plan.example.evil']) {
      const responses = [await preflight({ origin }), await post(CART, { origin })];
      for (const response of responses) {
        expect(response.status).toBe(403);
        expect(response.headers.get('access-control-allow-origin')).toBeNull();
      }
    }
    expect(await readdir(store)).toEqual([]);
    const welcome = await post(CART, { origin: 'https://plan.example' });
    expect(welcome.status).toBe(200);
    expect(welcome.headers.get('access-control-allow-origin')).toBe('https://plan.example');
    expect(welcome.headers.get('vary')).toBe('Origin');
    // A server has no origin.
    expect((await post(CART)).status).toBe(200);
  });
});

describe('the store', () => {
  it('that is full refuses another cart with a sentence, and takes one that it has', async () => {
    let now = 0;
    await open({ maxFiles: 2, now: () => now });
    for (const id of ['1', '2']) expect((await post({ ...CART, id, rootid: id })).status).toBe(200);
    const error = 'the store of carts is full; the cart was not stored';
    expect(await jsonOf(post(CART), 507)).toEqual({ error });
    expect((await post({ ...CART, id: '1', rootid: '1' })).status).toBe(200);
    const [file] = await readdir(store);
    await rm(join(store, file!));
    now = 60_000;
    expect((await post(CART)).status).toBe(200);
    expect(await readdir(store)).toHaveLength(2);
  });

  it('takes no more bytes than it may have, and counts no characters', async () => {
    const cart = { ...CART, shorttext: '机'.repeat(100) };
    await open({ maxStoreBytes: JSON.stringify(cart).length + 1 });
    expect((await post(cart)).status).toBe(507);
    expect((await post({ ...CART, shorttext: 'x'.repeat(100) })).status).toBe(200);
    expect((await post({ ...CART, more: 'x' })).status).toBe(507);
  });

  it('never shows half a cart: what cannot be finished is not there', async () => {
    await open();
    for (const fault of ['open', 'write', 'fsync', 'rename']) {
      watchFileOperations((operation, path) => {
        if (operation === fault && path.startsWith(store)) {
          throw Object.assign(new Error('full'), { code: 'ENOSPC' });
        }
      });
      const error = 'this could not be done; the log says why';
      expect(await jsonOf(post(CART), 507)).toEqual({ error, code: 'DISK_FULL' });
      expect(await readdir(store)).toEqual([]);
    }
    watchFileOperations(undefined);
    expect((await post(CART)).status).toBe(200);
  });

  it('is made where there is none, and rid of what a dead process left', async () => {
    await mkdir(store, { recursive: true });
    await writeFile(join(store, '.999999999-0-0.tmp'), 'half');
    await open();
    expect(await readdir(store)).toEqual([]);
  });

  it('has no links to files of others', async () => {
    await open();
    const { file } = await jsonOf(post(CART));
    await rm(join(store, file));
    await writeFile(join(folder, 'other'), '');
    await symlink(join(folder, 'other'), join(store, file));
    expect((await post(CART)).status).toBe(500);
    expect(logged).toContainEqual({
      message: 'a post failed',
      fields: expect.objectContaining({ code: 'LINK_REFUSED' }),
    });
  });

  it('that is a file is reported before the first post', async () => {
    await writeFile(store, '');
    await expect(open()).rejects.toMatchObject({ code: 'OUTPUT_UNWRITABLE' });
  });
});

describe('a permanent ID store', () => {
  it('gets the planning of each permanent identifier that a cart carries', async () => {
    const kept = new Map<string, unknown>();
    await open({ permanentIds: { put: (id, article) => void kept.set(id, article) } });
    await send(JSON.stringify({ json: CART, permanentid: 'P1' }));
    const answer = await jsonOf(post({ ...CART, permanentid: 'P2' }));
    expect(answer.permanentid).toBe('P2');
    expect(await jsonOf(post(CART))).not.toHaveProperty('permanentid');
    expect([...kept]).toEqual([
      ['P1', CART],
      ['P2', { ...CART, permanentid: 'P2' }],
    ]);
  });

  it('gets a new one for a cart without, where the service gives one; the cart is stored either way', async () => {
    const kept = new Map<string, unknown>();
    let obtain = async () => 'P3';
    await open({
      permanentIds: { put: (id, article) => void kept.set(id, article), obtain: () => obtain() },
    });
    expect(await jsonOf(post(CART))).toMatchObject({ permanentid: 'P3' });
    expect(kept.get('P3')).toEqual(CART);
    obtain = async () => {
      throw new Error('down');
    };
    expect(await jsonOf(post({ ...CART, n: 1 }))).toMatchObject({
      stored: true,
      warnings: ['permanentid: none, INTERNAL'],
    });
    expect(await readdir(store)).toHaveLength(2);
  });
});

describe('permanent identifiers of a flood of posts', () => {
  const numbered = (n: number) => ({ ...CART, n });
  const withId = (permanentid: string, json: unknown = CART) =>
    send(JSON.stringify({ json, permanentid }));

  it('are refused where they are too long', async () => {
    const kept: string[] = [];
    await open({ permanentIds: { put: (id) => void kept.push(id) } });
    const permanentid = 'P'.repeat(201);
    for (const [where, answer] of [
      ['body', withId(permanentid)],
      ['json', post({ ...CART, permanentid })],
    ] as const) {
      const error = `${where}.permanentid: expected at most 200 characters, received 201`;
      expect(await jsonOf(answer, 422)).toEqual({ error, code: 'CART_INVALID' });
    }
    expect([kept, await readdir(store)]).toEqual([[], []]);
  });

  it('take space of the store, also for a cart that it has', async () => {
    const kept = new Set<string>();
    await open({ maxFiles: 5, permanentIds: { put: (id) => void kept.add(id) } });
    const statuses = [];
    for (let n = 0; n < 8; n++) statuses.push((await withId(`P${n}`)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 507, 507, 507]);
    expect(kept.size).toBe(5);
    // Without one, a cart that is stored takes no space.
    expect((await post(CART)).status).toBe(200);
    expect((await post(numbered(1))).status).toBe(507);
  });

  it('wait without their carts in memory, and not beyond a limit', async () => {
    const slow = closedGate();
    const obtained: unknown[] = [];
    const obtain = async (article: unknown) => {
      obtained.push(article);
      await slow.opened;
      return 'P';
    };
    await open({ maxWaiting: 2, permanentIds: { put() {}, obtain } });
    const waiting = [];
    const stored = () => logged.filter(({ message }) => message === 'cart stored').length;
    for (let n = 0; n < 6; n++) {
      waiting.push(jsonOf(post(numbered(n))));
      await until(() => stored() === n + 1);
    }
    expect(await jsonOf(post(numbered(6)))).toMatchObject({
      stored: true,
      warnings: ['permanentid: none, RATE_LIMITED'],
    });
    // What has its own waits for no service.
    expect(await jsonOf(withId('mine', numbered(7)))).toMatchObject({ permanentid: 'mine' });
    await until(() => obtained.length === 4);
    // The cart is read again in its turn, so it is missing if someone took it away.
    await rm(store, { recursive: true });
    slow.open();
    const answers = await Promise.all(waiting);
    expect(answers.map(({ permanentid }) => permanentid)).toEqual([
      ...['P', 'P', 'P', 'P'],
      ...[undefined, undefined],
    ]);
    expect(answers.at(-1)!.warnings).toEqual(['permanentid: none, FILE_MISSING']);
    expect(obtained).toHaveLength(4);
    expect(obtained).toEqual(expect.arrayContaining([0, 1, 2, 3].map(numbered)));
  });
});

describe('the end', () => {
  it('lets a post under way finish, and takes no other', async () => {
    await open();
    const body = JSON.stringify({ json: CART });
    const half = body.length / 2;
    const fields = ['expect: 100-continue', `content-length: ${body.length}`];
    const socket = connected(head(...fields), body.slice(0, half));
    const answer = textOf(socket);
    // The server says that it has begun to listen to this request.
    await once(socket, 'data');
    const closed = inbox.close();
    socket.write(body.slice(half));
    await closed;
    expect(await answer).toMatch(/HTTP\/1\.1 200 OK[\s\S]*connection: close[\s\S]*"stored":true/);
    expect(await readdir(store)).toHaveLength(1);
    await expect(post(CART)).rejects.toThrow();
  });

  it('does not wait for ever for a post that never ends', async () => {
    await open({ graceMs: 1 });
    const socket = connected(head('expect: 100-continue', 'content-length: 9'));
    await once(socket, 'data');
    await Promise.all([inbox.close(), once(socket, 'close')]);
    expect(await readdir(store)).toEqual([]);
  });
});

it('logs neither query nor body nor headers', async () => {
  await open();
  const url = `${inbox.url}?token=tok-4711-secret`;
  const headers = { authorization: 'Bearer tok-4711-secret', cookie: 's=tok-4711-secret' };
  const body = JSON.stringify({ json: { ...CART, note: 'tok-4711-secret' } });
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200);
  await fetch(`${url}&x=1`, { method: 'POST', headers, body: `tok-4711-secret` });
  expect(logged.length).toBeGreaterThan(2);
  expect(JSON.stringify(logged)).not.toContain('tok-4711-secret');
});

describe('connections that do nothing', () => {
  it('are closed for newer ones, and before one that sends a cart', async () => {
    await open();
    const cart = JSON.stringify(CART);
    const fields = ['connection: close', `content-length: ${cart.length}`];
    const sender = connected(head(...fields), cart.slice(0, 10));
    const answer = textOf(sender);
    // Until the head has arrived, it is one of those that do nothing.
    await received(sender);
    const sockets = Array.from({ length: 300 }, () => connected());
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    expect((await post(CART)).status).toBe(200);
    sender.write(cart.slice(10));
    expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
    for (const socket of sockets) socket.destroy();
  });
});
