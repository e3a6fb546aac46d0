/** `serve --planning-for`: the page of a live service, whose login stays on the server. */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../src/emulator/emulator.ts';
import { createSampleRange } from '../../src/emulator/sample/sample-range.ts';
import { openCacheDatabase } from '../../src/source/cache/database.ts';
import { closePages, openPage as openBrowserPage, watch } from '../helpers/browser.ts';
import { environmentOf } from '../helpers/child.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { MADE_TO_MEASURE } from '../helpers/configurator.ts';
import { jsonOf } from '../helpers/json-of.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { modelOf, violations, WORKPLACE, withoutView } from '../helpers/planning-page.ts';
import { allArticles, type Wire } from '../helpers/sample-range.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { type ServedPage, servePage } from '../helpers/served-page.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const RANGE = createSampleRange();
const STORED = { id: '7', rootid: '7', children: [], ocd: { reinitstring: 'R::' } };

/** A page as it is open: the address of its service, its token, and all that it received. */
interface OpenPage extends ServedPage {
  base: string;
  /** All answers up to now, headers too. */
  received: string[];
  ask(path: string, parameters?: Record<string, string>, init?: RequestInit): Promise<Response>;
}

let folder: string;
let service: Emulator;
/** Every random text of the service: its tokens and its password are made of them. */
const secrets: string[] = [];
let page: OpenPage;

beforeAll(async () => {
  folder = await temporaryFolder();
  service = await startService();
  const cache = await openCacheDatabase(join(folder, 'cache'));
  cache.permanentIds.put(service.baseUrl, 'SEEN', STORED);
  cache.permanentIds.put('https://other.example', 'FOREIGN', STORED);
  cache.close();
  page = await openPage();
});
afterAll(async () => {
  await page.end();
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

function startService(options: Partial<EmulatorOptions> = {}): Promise<Emulator> {
  const random = (bytes: number) => {
    const made = randomBytes(bytes);
    secrets.push(made.toString('base64url'));
    return made;
  };
  return startEmulator({ range: RANGE, random, ...options });
}

async function openPage(): Promise<OpenPage> {
  const { authUrl, baseUrl } = service;
  const pipeline = await writePipeline(folder, { service: { authUrl, baseUrl } });
  const words = ['--planning-for', pipeline];
  const { link, token, end } = await servePage(words, environmentOf(service));
  const html = await (await fetch(link)).text();
  const base = /data-base-url="([^"]*)"/.exec(html)![1]!;
  const received: string[] = [html];
  return {
    ...{ link, base, token, received, end },
    async ask(path, parameters = {}, init = {}) {
      const query = new URLSearchParams({ token, ...parameters });
      const response = await fetch(`${base}${path}?${query}`, init);
      const copy = response.clone();
      received.push(
        JSON.stringify([...copy.headers]),
        Buffer.from(await copy.arrayBuffer()).toString('latin1'),
      );
      return response;
    },
  };
}

const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const ARTICLES = '/api/ofml.dll/ofml/articles';

/** The sentence of a refusal. */
const refused = async (answer: Promise<Response>, status: number): Promise<string> =>
  (await jsonOf(answer, status)).error;

/** Chooses another base of the desk. */
function changeBase(article: Wire, newvalue: string): Promise<Response> {
  const { id, rootid, ocd } = article;
  const change = { id, rootid, proptype: 'ocd', propclass: 'AUSSTATTUNG', prop: 'UNTERGESTELL' };
  const parameters = { ...MADE_TO_MEASURE, ocdreinitstring: ocd.reinitstring };
  return page.ask(ARTICLES, parameters, post({ ...change, newvalue, jsondata: article }));
}

describe('the proxy of the planning page', () => {
  it('has a token of its own, and not that of the service', async () => {
    expect(await (await fetch(page.link.origin)).text()).toContain('/frontend/planning');
    expect(page.link.pathname).toBe('/frontend/planning');
    expect(page.base).toBe(`${page.link.origin}/service`);
    const own = new URLSearchParams({ token: page.token });
    const direct = await fetch(`${service.baseUrl}/api/xcf.dll/xcf/getnodes?${own}`);
    expect(direct.status).toBe(401);
    expect((await fetch(`${page.link.origin}/frontend/planning/studio.bin`)).status).toBe(200);
  });

  it.each(['..%2f..%2fsecret', '..%5c..%5csecret', 'A%2f..%2fB', '%2e%2e%5Cx'])(
    'forwards no path that leads to another folder: %s',
    async (name) => {
      const sentence = await refused(page.ask(`/api/odb.dll/odb/block/${name}`), 404);
      expect(sentence).toContain('received a path that leads to another folder');
    },
  );

  it('answers each operation of the three groups as the service does, byte for byte', async () => {
    const theirs = service.issueToken();
    const article = await jsonOf(page.ask(ARTICLES, MADE_TO_MEASURE));
    const { finalarticlenumber, reinitstring } = article.ocd;
    const key = { ...MADE_TO_MEASURE, finalarticlenumber, reinitstring };
    const partsList = RANGE.partsList(key) as Wire;
    const preview = JSON.stringify(article).match(/ocd\/preview\/[^"]+/)![0];
    const picture = JSON.stringify(allArticles(RANGE)).match(/xcf\/ressource\/[^"]+/)![0];
    const texture = partsList.mats.map(({ pic }: Wire) => pic).find(Boolean) as string;
    const [manufacturer, , name] = texture.split('::');
    const encoded = (path: string) => path.split('/').map(encodeURIComponent).join('/');
    const asked: [string, Record<string, string>?][] = [
      ['/api/xcf.dll/xcf/getnodes', { lang: 'en' }],
      ['/api/xcf.dll/xcf/getnodesbreadcrumbs', { parentnode: 'FJEL;:@1', lang: 'de' }],
      ['/api/xcf.dll/xcf/search/FJEL', { q: 'LN', lang: 'de' }],
      [`/api/xcf.dll/${encoded(picture)}`],
      [ARTICLES, { ...MADE_TO_MEASURE, lang: 'de', getallproperties: 'true' }],
      [`/api/ofml.dll/ofml/${encoded(preview.replace('ocd/', ''))}`],
      ['/api/odb.dll/odb/btg', key],
      [`/api/odb.dll/odb/block/${encodeURIComponent(partsList.blocks[0])}`],
      [`/api/odb.dll/odb/materials/${manufacturer}/${encodeURIComponent(name ?? '')}.JPG`],
    ];
    for (const [path, parameters] of asked) {
      const query = new URLSearchParams({ token: theirs, ...parameters });
      const direct = await fetch(`${service.baseUrl}${path}?${query}`);
      const through = await page.ask(path, parameters);
      expect([path, direct.status, through.status]).toEqual([path, 200, 200]);
      const type = direct.headers.get('content-type');
      expect([path, through.headers.get('content-type')]).toEqual([path, type]);
      const bytes = Buffer.from(await direct.arrayBuffer());
      expect(bytes.equals(Buffer.from(await through.arrayBuffer()))).toBe(true);
    }
  });

  it('changes and stores a planning, and resolves what it has stored', async () => {
    const article = await jsonOf(page.ask(ARTICLES, MADE_TO_MEASURE));
    const changed = await jsonOf(changeBase(article, 'HUB'));
    expect(changed.ocd.reinitstring).not.toBe(article.ocd.reinitstring);
    const stored = page.ask('/api/ofml.dll/ofml/reinit', {}, post({ json: changed }));
    const { permanentid } = await jsonOf(stored);
    const restored = page.ask(`/planning/permanentid/${permanentid}`);
    expect(await jsonOf(restored)).toEqual(changed);
  });

  it('resolves the permanent identifiers that the cache of the pipeline has of this service', async () => {
    expect(await jsonOf(page.ask('/planning/permanentid/SEEN'))).toEqual(STORED);
    for (const unknown of ['FOREIGN', 'NONE']) {
      expect(await refused(page.ask(`/planning/permanentid/${unknown}`), 404)).toContain(
        'no operation of the service resolves an identifier',
      );
    }
  });

  it.each([
    ['none', () => '', 'received none'],
    ['another', () => 'token=x', 'received another'],
    [
      'that of the service',
      () => String(new URLSearchParams({ token: service.issueToken() })),
      'received another',
    ],
  ])('answers 401 with a sentence to %s as the token', async (_, queryWith, says) => {
    const query = queryWith();
    for (const path of [ARTICLES, '/planning/permanentid/SEEN', '/api/other'])
      expect(await refused(fetch(`${page.base}${path}?${query}`), 401)).toContain(says);
    // Without the option there are no public links.
    expect((await fetch(`${page.base}/public/SEEN/planning?${query}`)).status).toBe(404);
    const encoded = page.base.replace('/service', '/%73ervice');
    const around = await fetch(`${encoded}/planning/permanentid/SEEN?${query}`);
    expect(around.status).toBe(401);
  });

  it.each([
    ['a logout', 'POST', '/xcf.dll/xcf/logout/any', 404, 'no operation'],
    ['the other logout', 'POST', '/odb.dll/odb/logout/any', 404, 'no operation'],
    ['a login', 'GET', '/GetPublicKey/', 404, 'no operation'],
    ['another group', 'GET', '/other.dll/other/list', 404, 'no operation'],
    ['a step out of its group', 'GET', '/xcf.dll/xcf/ressource/A/%2e%2e/%2e%2e/x', 404, ''],
    ['a method that it has not', 'POST', '/odb.dll/odb/btg', 404, 'no operation'],
    ['a path that is no text', 'GET', '/odb.dll/odb/block/%ff', 400, 'as HTTP defines it'],
    ['a body that is no JSON', 'POST', '/ofml.dll/ofml/reinit', 400, 'expected a JSON object'],
  ])('does not pass on %s', async (_, method, path, status, says) => {
    const before = service.openSessions();
    const init = { method, ...(method === 'POST' && { body: 'x' }) };
    expect(await refused(page.ask(`/api${path}`, {}, init), status)).toContain(says);
    expect(service.openSessions()).toBe(before);
  });

  it('refuses a parameter that the operation has not, and a body that is too long', async () => {
    const other = page.ask(ARTICLES, { ...MADE_TO_MEASURE, callback: 'x' });
    expect(await refused(other, 400)).toContain('parameter callback');
    const long = page.ask(ARTICLES, MADE_TO_MEASURE, post('x'.repeat(8_400_000)));
    expect(await refused(long, 413)).toContain('expected at most');
  });

  it('passes on what the service says about a request', async () => {
    const none = { ...MADE_TO_MEASURE, basearticlenumber: 'NONE' };
    expect(await refused(page.ask(ARTICLES, none), 404)).toContain(
      'the service has no such article',
    );
    const article = await jsonOf(page.ask(ARTICLES, MADE_TO_MEASURE));
    expect((await changeBase(article, 'NONE')).status).toBe(422);
  });

  it('lets no page of another origin read it, and has no other name', async () => {
    const origin = 'https://evil.example';
    const response = await page.ask(ARTICLES, MADE_TO_MEASURE, { headers: { origin } });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  });

  it('ends the requests that the page no longer waits for, and no others', async () => {
    const leaving = Array.from({ length: 8 }, async (_, i) => {
      const left = new AbortController();
      const asked = page.ask(ARTICLES, { ...MADE_TO_MEASURE, lang: 'de' }, { signal: left.signal });
      if (i % 2 === 0) setImmediate(() => left.abort());
      return asked.then(
        ({ status }) => status,
        ({ name }: Error) => name,
      );
    });
    const ends = await Promise.all(leaving);
    expect(ends.filter((_, i) => i % 2 === 1)).toEqual(Array(4).fill(200));
    expect(ends.every((end) => end === 200 || end === 'AbortError')).toBe(true);
  });

  it('logs in again where the token of the service has expired', async () => {
    const logins = service.counts.get('getsessiontoken')!;
    service.expireTokens();
    expect((await page.ask(ARTICLES, MADE_TO_MEASURE)).status).toBe(200);
    expect(service.counts.get('getsessiontoken')).toBe(logins + 1);
  });

  it('survives an outage, logs out at its end, and shows nothing of the login anywhere', async () => {
    const { baseUrl, username, password, appKey } = service;
    await service.close();
    const gone = await page.ask(ARTICLES, MADE_TO_MEASURE);
    expect(gone.status).toBeGreaterThanOrEqual(502);
    expect(await gone.json()).toMatchObject({ error: expect.stringContaining('cannot reach') });
    const port = Number(new URL(baseUrl).port);
    service = await startService({ port, login: { username, password, appKey } });
    expect((await page.ask(ARTICLES, MADE_TO_MEASURE)).status).toBe(200);
    expect(service.openSessions()).toBe(1);
    const { exit, stdout, stderr } = await page.end();
    expect(service.openSessions()).toBe(0);
    expect(exit).toBe(0);
    expect(stdout).toContain(baseUrl);
    const known = [password, appKey, username, ...secrets];
    const all = [...page.received, stdout, stderr].join('\n');
    for (const secret of known) expect(all.includes(secret)).toBe(false);
    expect(stderr.match(/"msg":"[^"]*"/g)).toEqual([
      '"msg":"a request of the planning page failed"',
    ]);
    expect(stderr).not.toContain(page.token);
    expect(stderr).not.toContain(MADE_TO_MEASURE.basearticlenumber);
    expect(page.received.join('\n')).not.toContain(page.token);
  });
});

describe('serve --planning-for --public-links', () => {
  const desk = RANGE.article(MADE_TO_MEASURE) as Wire;
  const workplace = RANGE.article({ ...MADE_TO_MEASURE, ...WORKPLACE }) as Wire;
  let live: Emulator;
  let shown: ServedPage;
  let base: string;
  beforeAll(async () => {
    live = await startEmulator({ range: RANGE });
    const { authUrl, baseUrl } = live;
    const cache = await openCacheDatabase(join(folder, 'cache'));
    cache.permanentIds.put(baseUrl, 'DESK', desk);
    cache.permanentIds.put(baseUrl, 'WORKPLACE', workplace);
    cache.close();
    const pipeline = await writePipeline(folder, { service: { authUrl, baseUrl } });
    const words = ['--planning-for', pipeline, '--public-links'];
    shown = await servePage(words, environmentOf(live));
    base = `${shown.link.origin}/service/public`;
  });
  afterAll(async () => {
    await shown?.end();
    await live?.close();
  });
  const { finalarticlenumber, reinitstring } = desk.ocd;
  const partsList = RANGE.partsList({
    ...MADE_TO_MEASURE,
    finalarticlenumber,
    reinitstring,
  }) as Wire;
  const block = (name: string) => `api/odb.dll/odb/block/${encodeURIComponent(name)}`;

  it('answers without a token what draws a stored planning, each from the service once', async () => {
    expect(await jsonOf(fetch(`${base}/DESK/planning?token=`))).toEqual(desk);
    // Of another article it is that of the planning all the same.
    const other = new URLSearchParams({ ...MADE_TO_MEASURE, basearticlenumber: 'LN-S160' });
    const { blocks } = await jsonOf(fetch(`${base}/DESK/api/odb.dll/odb/btg?${other}`));
    expect(blocks).toEqual(partsList.blocks);
    const before = live.counts.get('block') ?? 0;
    const all = [...blocks, ...blocks].map((name: string) => fetch(`${base}/DESK/${block(name)}`));
    for (const { status } of await Promise.all(all)) expect(status).toBe(200);
    expect(live.counts.get('block')! - before).toBe(new Set(blocks).size);
  });

  it.each([
    ['a part of another article', 'GET', `DESK/${block('FJEL::BASIS::NONE')}`],
    ['an unknown planning', 'GET', 'NONE/planning'],
    ['the parts list of an unknown planning', 'GET', 'NONE/api/odb.dll/odb/btg'],
    ['the catalogue', 'GET', 'DESK/api/xcf.dll/xcf/getnodes'],
    ['an article', 'GET', `DESK${ARTICLES}?${new URLSearchParams(MADE_TO_MEASURE)}`],
    ['a change', 'POST', `DESK${ARTICLES}`],
    ['another planning to be stored', 'POST', 'DESK/api/ofml.dll/ofml/reinit'],
    ['a step out of it', 'GET', 'DESK/%2e%2e/api/xcf.dll/xcf/getnodes'],
  ])('refuses without a token %s, and asks the service for nothing', async (_, method, path) => {
    const before = JSON.stringify([...live.counts]);
    const init = { method, ...(method === 'POST' && post({ json: desk })) };
    expect((await fetch(`${base}/${path}`, init)).status).toBe(404);
    expect(JSON.stringify([...live.counts])).toBe(before);
    const direct = await fetch(`${shown.link.origin}/service/planning/permanentid/DESK`);
    expect(direct.status).toBe(401);
  });

  it('is not offered by the emulator', async () => {
    const { exit, stderr } = await command(['serve', '--port', '0', '--public-links']);
    expect([exit, stderr]).toEqual([2, expect.stringContaining('expected --planning-for')]);
  });

  it.runIf(HAS_BROWSER)(
    'shows everybody the planning, in which nothing can be changed',
    async () => {
      const { page, trouble, asked } = watch(await openBrowserPage());
      await withoutView(page);
      await page.goto(`${shown.link.origin}/frontend/planning?permanentid=DESK&lang=en`);
      await modelOf(page);
      await page.getByText('This is a stored planning, to look at.').waitFor();
      await page.getByText('LN-M-V.EI').waitFor();
      expect(await page.locator('.components').first().innerText()).toContain('Vierfuß');
      expect(await page.locator('input, select').count()).toBe(0);
      expect(await page.getByRole('button', { name: /cart|link|Catalogue/ }).count()).toBe(0);
      expect(asked.filter((address) => /service\/(?!public\/DESK\/)/.test(address))).toEqual([]);
      expect(await violations(page)).toEqual([]);
      // A planning of several articles, which is as large as all of them.
      await page.goto(`${shown.link.origin}/frontend/planning?permanentid=WORKPLACE&lang=en`);
      expect(await modelOf(page)).toBe('Width × depth × height: 1,600 × 820 × 1,279 mm');
      await page.getByText('Consists of 4 articles').waitFor();
      // It has the elements of the page above.
      if (IS_LONG) expect(await violations(page)).toEqual([]);
      expect(trouble).toEqual([]);
      await closePages();
    },
  );
});

describe('serve --planning-for', () => {
  it.each([
    ['--recording', 'recording'],
    ['--cache', 'cache'],
  ])('refuses %s, which the pipeline has', async (...words) => {
    const result = await command(['serve', '--planning-for', 'pipeline.yaml', ...words]);
    expect(result).toMatchObject({ exit: 2, stderr: expect.stringContaining('--planning-for') });
  });

  it('ends at once where the login is refused', async () => {
    const live = await startEmulator({ range: RANGE });
    const { authUrl, baseUrl, username } = live;
    const file = await writePipeline(folder, { service: { authUrl, baseUrl } });
    const env = { BTG2GLTF_USERNAME: username, BTG2GLTF_PASSWORD: 'wrong password' };
    const result = await command(['serve', '--port', '0', '--planning-for', file], { env });
    expect(result).toMatchObject({ exit: 3, stderr: expect.stringContaining('LOGIN_REFUSED') });
    expect(result.stdout + result.stderr).not.toContain('wrong password');
    await live.close();
  });
});
