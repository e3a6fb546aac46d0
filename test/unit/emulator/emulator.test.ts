import { once } from 'node:events';
import { request } from 'node:http';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  type Emulator,
  type EmulatorOptions,
  startEmulator,
} from '../../../src/emulator/emulator.ts';
import { startEmulatorOf } from '../../../src/emulator/start-emulator.ts';
import {
  ARTICLE,
  BLOCK,
  FOLDER_ID,
  KEY,
  MATERIAL,
  RECORDING,
  startRecording,
} from '../../helpers/emulated-client.ts';
import { call, logIn } from '../../helpers/emulated-session.ts';
import { jsonOf } from '../../helpers/json-of.ts';
import { samples } from '../../helpers/samples.ts';
import { smallRange } from '../../helpers/small-range.ts';

const answered: { method: string; route: string; status: number }[] = [];
let emulator: Emulator;
let token: string;
beforeAll(async () => {
  emulator = await startRecording({ onRequest: (event) => answered.push(event) });
  token = await logIn(emulator);
});
afterAll(() => emulator.close());

const ask = (operation: string, parameters: Record<string, string> = {}) =>
  call(emulator, operation, { token, ...parameters });
const block = (name: string): string => `odb/block/${encodeURIComponent(name)}`;
const material = (file: string): string => `odb/materials/ACME/${encodeURIComponent(file)}`;

describe('names and strings arrive byte for byte', () => {
  test('an article by base number and reinit string', async () => {
    const { basearticlenumber, finalarticlenumber, reinitstring, metareinitstring: reinit } = KEY;
    const parameters = { ...ARTICLE, ocdreinitstring: reinitstring };
    const article = await jsonOf(ask('ofml/articles', parameters));
    expect(article).toMatchObject({ id: 'A2', basearticlenumber, reinit });
    expect(article.ocd).toMatchObject({ finalarticlenumber, reinitstring });
  });

  test('a parts list by final number and both reinit strings', async () => {
    expect(await jsonOf(ask('odb/btg', KEY))).toMatchObject({ blocks: [BLOCK] });
  });

  test.each(Object.keys(KEY))('a parts list with another %s is not found', async (name) => {
    const changed = { ...KEY, [name]: `${KEY[name as keyof typeof KEY]}X` };
    expect(await jsonOf(ask('odb/btg', changed), 404)).toEqual({ error: 'parts list not found' });
  });

  test('a block is served as it was recorded', async () => {
    const response = await ask(block(BLOCK));
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await response.text()).toContain('"V": [0, 0, 0, 1.0, 0, 0, 0, 0.15, 0]');
  });

  test('a material is a JPEG', async () => {
    const response = await ask(material(`${MATERIAL}.JPG`));
    expect(response.headers.get('content-type')).toBe('image/jpeg');
    expect([...new Uint8Array(await response.arrayBuffer()).slice(0, 2)]).toEqual([0xff, 0xd8]);
  });
});

describe('what is not there is a 404 in JSON', () => {
  test.each([
    ['a block in lower case', block(BLOCK.toLowerCase())],
    ['a block with a leading ::', block(`::${BLOCK}`)],
    ['a path to the disk', block('..::..::recording')],
    ['an encoded path to the disk', 'odb/block/%2e%2e%2f%2e%2e%2frecording.json'],
    ['a material with another ending', material(`${MATERIAL}.jpg`)],
    ['a material without an ending', material(MATERIAL)],
    ['a name whose slash is not encoded', 'odb/block/A/B'],
    ['an operation that does not exist', 'odb/nothing'],
    ['an operation in upper case', 'odb/BTG'],
  ])('%s', async (_, operation) => {
    expect(await jsonOf(ask(operation), 404)).toHaveProperty('error');
  });
});

describe('parameters are checked by name', () => {
  test.each(['manufacturer', 'program', 'basearticlenumber', 'finalarticlenumber'])(
    'btg without %s',
    async (name) => {
      const { [name as 'program']: _, ...rest } = KEY;
      const error = `parameter ${name}: required`;
      expect(await jsonOf(ask('odb/btg', rest), 400)).toEqual({ error });
    },
  );

  test.each([
    ['ofml/articles', { ...ARTICLE, manufacturer: 'acme' }, 'manufacturer: expected upper case'],
    ['ofml/articles', { ...ARTICLE, program: 'Büro+1' }, 'program: expected upper case'],
    ['ofml/articles', { ...ARTICLE, reinitstring: 'x' }, 'reinitstring: unknown to getarticles'],
    ['odb/btg', { ...KEY, ocdreinitstring: 'x' }, 'ocdreinitstring: unknown to btg'],
    ['xcf/getnodes', { parentNode: '' }, 'parentNode: unknown to getnodes'],
    ['xcf/search/ACME', {}, 'q: required'],
  ])('%s %j', async (operation, parameters: Record<string, string>, message) => {
    const error = `parameter ${message}`;
    expect(await jsonOf(ask(operation, parameters), 400)).toEqual({ error });
  });

  test('languages may be passed everywhere, a profile and a currency where specified', async () => {
    const languages = { lang: 'de', langalt: 'en' };
    const view = { ...languages, profile: 'p', currency: 'EUR', getallproperties: 'true' };
    expect((await ask('ofml/articles', { ...ARTICLE, ...view })).status).toBe(200);
    expect((await ask(block(BLOCK), languages)).status).toBe(200);
  });

  test('a query of 2,048 bytes is taken, one byte more is refused as too long', async () => {
    const used = `token=${encodeURIComponent(token)}&parentnode=`.length;
    const error = 'query string: expected at most 2048 bytes';
    for (const [bytes, status, answer] of [
      [2048, 404, expect.anything()],
      [2049, 414, { error }],
      [60_000, 414, { error }],
    ] as const) {
      const query = { parentnode: 'x'.repeat(bytes - used) };
      expect(await jsonOf(ask('xcf/getnodes', query), status)).toEqual(answer);
    }
  });
});

test('a recording that is served by name takes longer queries than a live server does', async () => {
  const other = await startEmulatorOf({ recording: RECORDING.pathname });
  const query = { token: 'x', ocdreinitstring: 'A'.repeat(6000) };
  // Not a matter of length any more: the token is wrong.
  expect((await call(other, 'ofml/articles', query)).status).toBe(401);
  await other.close();
});

describe('the catalogue', () => {
  const json = (operation: string, parameters = {}) => jsonOf(ask(operation, parameters));

  test('getnodes lists the top without a parent and with an empty one', async () => {
    const top = await json('xcf/getnodes');
    expect(top).toMatchObject([{ text: 'Büro' }, { text: 'Alt', convertdate: '2020-01-01' }]);
    expect(await json('xcf/getnodes', { parentnode: '' })).toEqual(top);
  });

  test('getnodes goes down by node id, and breadcrumbs run from the root', async () => {
    const parentnode = FOLDER_ID;
    const { basearticlenumber, finalarticlenumber: variantcode } = KEY;
    expect(await json('xcf/getnodes', { parentnode })).toMatchObject([
      { nodetype: 'A', basearticlenumber, variantcode },
      { nodetype: 'I' },
    ]);
    expect(await json('xcf/getnodesbreadcrumbs', { parentnode })).toEqual([
      { nodeid: 'ACME;:BÜRO+1@1', text: 'Büro' },
      { nodeid: parentnode, text: 'Tische' },
    ]);
  });

  test('search finds numbers and short texts, and numbers its results', async () => {
    expect(await json('xcf/search/ACME', { q: 'besprechung' })).toMatchObject([
      { nodeid: 'ACME;SEARCHRESULT0', basearticlenumber: KEY.basearticlenumber },
      { nodeid: 'ACME;SEARCHRESULT1', basearticlenumber: 'H1', program: 'LAGER' },
    ]);
    expect(await json('xcf/search/ACME', { q: '1/2+"ä' })).toMatchObject([
      { text: 'Runder Tisch' },
    ]);
    expect(await json('xcf/search/OTHER', { q: 'besprechung' })).toEqual([]);
  });
});

test('requests are counted by operation and reported with their status', async () => {
  const before = emulator.counts.get('block') ?? 0;
  await ask(block('A::B::C'));
  expect(emulator.counts.get('block')).toBe(before + 1);
  expect(answered.at(-1)).toEqual({ method: 'GET', route: 'block', status: 404 });
});

test('closing cuts a request that is still being answered', async () => {
  const never = new Promise<undefined>(() => undefined);
  const asked = new AbortController();
  const block = () => {
    asked.abort();
    return never;
  };
  const other = await startEmulator({ range: { ...smallRange([]), block } });
  const cut = expect(call(other, 'odb/block/X', { token: other.issueToken() })).rejects.toThrow();
  await once(asked.signal, 'abort');
  await other.close();
  await cut;
});

test('a request to a name that another server gave to this address is refused', async () => {
  const other = await startRecording({ names: ['Emulator'] });
  const { port, pathname } = new URL(`${other.authUrl}/GetPublicKey/`);
  const statusFor = (host: string) =>
    new Promise<number | undefined>((done) => {
      const sent = request({ hostname: '127.0.0.1', port, path: pathname, headers: { host } });
      sent.on('response', (response) => done(response.resume().statusCode)).end();
    });
  for (const host of ['evil.example', `evil.example:${port}`])
    expect([host, await statusFor(host)]).toEqual([host, 421]);
  for (const host of ['emulator:4810', 'LOCALHOST', `127.0.0.1:${port}`])
    expect([host, await statusFor(host)]).toEqual([host, 200]);
  await other.close();
});

test('any block name in a path arrives as it was sent', async () => {
  const encode = async (name: string) => new TextEncoder().encode(name);
  const other = await startEmulator({ range: { ...smallRange([]), block: encode } });
  const token = other.issueToken();
  const text = fc.string({
    unit: fc.constantFrom(...' %+/;:&=?#@\\.~\'"!()*€ÄßZ25F'),
    maxLength: 40,
  });
  await fc.assert(
    fc.asyncProperty(text, async (rest) => {
      const response = await call(other, block(`A::B::${rest}`), { token });
      expect(await response.text()).toBe(`A::B::${rest}`);
    }),
    { seed: 3, numRuns: samples(100) },
  );
  await other.close();
});

test.each([
  '/service/api/odb.dll/odb/block/%ZZ',
  '/service/api/odb.dll/odb/block/%FC',
  '//',
  '/..',
])('a path that makes no sense is refused as JSON: %s', async (path) => {
  const response = await fetch(new URL(emulator.baseUrl).origin + path);
  expect([400, 404]).toContain(response.status);
  expect(await response.json()).toHaveProperty('error');
});

test('it listens on loopback alone', () => {
  expect(new URL(emulator.baseUrl).hostname).toBe('127.0.0.1');
});

describe('validators', () => {
  const started: Emulator[] = [];
  afterEach(() => Promise.all(started.splice(0).map((emulator) => emulator.close())));

  /** A service with one catalogue, one block and a clock that tests turn. */
  async function start(validators?: EmulatorOptions['validators']) {
    const clock = { ms: Date.parse('2023-11-21T02:00:00Z') };
    const range = smallRange([]);
    range.missing.add('NONE');
    const options = validators === undefined ? {} : { validators };
    const emulator = await startEmulator({ range, now: () => clock.ms, ...options });
    started.push(emulator);
    const get = async (path: string, headers: Record<string, string> = {}) => {
      const token = encodeURIComponent(emulator.issueToken());
      return fetch(`${emulator.baseUrl}/api/${path}?token=${token}`, { headers });
    };
    const change = () => range.bodies.set('A::B::C', '{"N":"A"}');
    return { emulator, clock, change, get };
  }

  const BLOCK = 'odb.dll/odb/block/A%3A%3AB%3A%3AC';

  test('sends no validators, as the specification shows none', async () => {
    const { get } = await start();
    const { headers } = await get(BLOCK);
    expect([headers.get('etag'), headers.get('last-modified')]).toEqual([null, null]);
  });

  test('sends an ETag by content and answers 304 to a request with it, with any token', async () => {
    const { get, change, emulator } = await start('etag');
    for (const path of [BLOCK, 'xcf.dll/xcf/getnodes']) {
      const etag = (await get(path)).headers.get('etag') ?? '';
      const again = await get(path, { 'if-none-match': etag });
      expect([again.status, await again.text()]).toEqual([304, '']);
      expect(again.headers.get('etag')).toBe(etag);
      expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
    }
    const before = (await get(BLOCK)).headers.get('etag') ?? '';
    change();
    const after = await get(BLOCK, { 'if-none-match': before });
    expect([after.status, await after.text()]).toEqual([200, '{"N":"A"}']);
    expect(emulator.counts.get('block')).toBe(5);
  });

  test('sends the date of its start, and a later one for what changed', async () => {
    const { get, change, clock } = await start('last-modified');
    clock.ms += 5000;
    const first = (await get(BLOCK)).headers;
    expect(first.get('last-modified')).toBe('Tue, 21 Nov 2023 02:00:00 GMT');
    expect(first.get('date')).toBe('Tue, 21 Nov 2023 02:00:05 GMT');
    const had = { 'if-modified-since': first.get('last-modified') ?? '' };
    expect((await get(BLOCK, had)).status).toBe(304);
    change();
    clock.ms += 5000;
    const second = await get(BLOCK, had);
    expect(second.status).toBe(200);
    expect(second.headers.get('last-modified')).toBe('Tue, 21 Nov 2023 02:00:10 GMT');
  });

  test('leaves refusals and the login alone', async () => {
    const { get, emulator } = await start('etag');
    expect((await get('odb.dll/odb/block/NONE')).headers.get('etag')).toBeNull();
    expect((await fetch(`${emulator.authUrl}/GetPublicKey/`)).headers.get('etag')).toBeNull();
  });
});
