import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../src/emulator/emulator.ts';
import { createSampleRange } from '../../../src/emulator/sample/sample-range.ts';
import { articleIn, customer, MADE_TO_MEASURE, WORKPLACE } from '../../helpers/configurator.ts';
import { logIn, post } from '../../helpers/emulated-session.ts';
import { jsonOf } from '../../helpers/json-of.ts';
import type { Wire } from '../../helpers/sample-range.ts';

const LIFTING = { propclass: 'AUSSTATTUNG', prop: 'UNTERGESTELL', newvalue: 'HUB' };
const DARK = { proptype: 'meta', propclass: 'PLANUNG', prop: 'LEUCHTE', newvalue: 'OHNE' };
const CART = 'https://shop.example/cart?a=1&b="2"';

const stored: [string, Wire][] = [];
let [testing, production]: [Emulator, Emulator] = [] as never;
let [token, otherToken] = ['', ''];
let buyer: ReturnType<typeof customer>;
let stranger: ReturnType<typeof customer>;
beforeAll(async () => {
  const start = () =>
    startEmulator({
      range: createSampleRange(),
      onPermanentId: (id, article) => stored.push([id, article]),
    });
  [testing, production] = [await start(), await start()];
  [token, otherToken] = [await logIn(testing), await logIn(production)];
  buyer = customer(testing, token);
  stranger = customer(production, otherToken);
});
afterAll(() => Promise.all([testing.close(), production.close()]));

describe('a permanent identifier', () => {
  test('restores a meta planning completely, with all children and properties', async () => {
    const planning = await buyer.change(await buyer.load(WORKPLACE), DARK);
    const permanentid = await buyer.permanentId(planning);
    expect(stored.at(-1)).toEqual([permanentid, planning]);
    const response = await buyer.plan({ permanentid });
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const restored = articleIn(await response.text());
    expect(restored).toEqual(planning);
    expect(restored.children).toHaveLength(3);
  });

  test('does more than ocdreinit, which restores one article without what is planned with it', async () => {
    const planning = await buyer.change(await buyer.load(WORKPLACE), DARK);
    const page = await buyer.plan({ ...WORKPLACE, ocdreinit: planning.ocd.reinitstring });
    const restored = articleIn(await page.text());
    expect(restored.ocd.reinitstring).toBe(planning.ocd.reinitstring);
    expect(restored.reinit).not.toBe(planning.reinit);
  });

  test('is new each time, and known to no other system', async () => {
    const desk = await buyer.load(MADE_TO_MEASURE);
    const [first, second] = [await buyer.permanentId(desk), await buyer.permanentId(desk)];
    expect(first).not.toBe(second);
    expect((await buyer.plan({ permanentid: first })).status).toBe(200);
    const elsewhere = stranger.plan({ permanentid: first });
    expect(await jsonOf(elsewhere, 404)).toEqual({ error: 'permanentid not found' });
  });

  test('and a token of one system are refused by the other', async () => {
    const confused = customer(production, token);
    expect((await confused.plan({ permanentid: 'X' })).status).toBe(401);
    await expect(confused.load(MADE_TO_MEASURE)).rejects.toThrow('token is not valid');
    const desk = await stranger.load(MADE_TO_MEASURE);
    expect((await confused.store(desk)).status).toBe(401);
  });

  test.each([
    ['no JSON', 'x', 400, 'body: expected JSON'],
    ['an array', [], 400, 'body: expected a JSON object'],
    ['no json', {}, 400, 'json: required'],
    ['more than json', { json: {}, id: 1 }, 400, 'id: no such field'],
    ['an article without id', { json: {} }, 422, 'json.id: expected an id'],
  ])('is not given for %s', async (_, body, status, error) => {
    const answer = post(testing, 'ofml/reinit', { token }, body);
    expect(await jsonOf(answer, status)).toEqual({ error });
  });

  test('is not given for a configuration that this range does not have', async () => {
    const desk = await buyer.load(MADE_TO_MEASURE);
    const forged = { ...desk, ocd: { ...desk.ocd, reinitstring: 'X::' } };
    expect((await buyer.store(forged)).status).toBe(422);
    expect((await buyer.store({ ...desk, basearticlenumber: 'NONE' })).status).toBe(422);
  });

  test('is given only to a body that says it is JSON, of at most 8 MiB', async () => {
    const body = { json: await buyer.load(MADE_TO_MEASURE) };
    const asText = await post(testing, 'ofml/reinit', { token }, body, 'text/plain');
    expect(asText.status).toBe(400);
    const long = { json: { ...body.json, dump: 'x'.repeat(8_400_000) } };
    expect((await post(testing, 'ofml/reinit', { token }, long)).status).toBe(413);
  });
});

describe('ocd/reinit restores one article configuration', () => {
  test.each(['ofml.dll/ofml/ocd/reinit', 'ocd.dll/ocd/reinit'])('at %s', async (path) => {
    const walnut = { propclass: 'OBERFLÄCHE', prop: 'DEKOR', newvalue: 'NB' };
    const planning = await buyer.change(await buyer.load(WORKPLACE), walnut);
    const ocdreinitstring = planning.ocd.reinitstring;
    const query = { token, ...WORKPLACE, ocdreinitstring, lang: 'en' };
    const url = `${testing.baseUrl}/api/${path}?${new URLSearchParams(query)}`;
    const restored = await jsonOf(fetch(url, { method: 'POST' }));
    expect(restored).toMatchObject({ reinit: '', children: [], propclasses: [] });
    expect(restored.rootid).toBe(restored.id);
    expect(restored.ocd).toMatchObject({ reinitstring: ocdreinitstring });
    expect(restored.ocd.shorttext).toMatch(/^Workplace/);
  });
});

describe('the planning page', () => {
  const htmlOf = async (parameters: Record<string, string>): Promise<string> => {
    const response = await buyer.plan(parameters);
    if (response.status !== 200) throw new Error(await response.text());
    return response.text();
  };

  test.each([
    ['opencatalogue', 'catalogue', { opencatalogue: 'true' }, true, false],
    ['disablecatalogue', 'configurator', { disablecatalogue: 'true', ...WORKPLACE }, false, true],
    ['neither, with an article', 'hybrid', { ...WORKPLACE }, true, true],
    ['neither', 'hybrid', { disablecatalogue: 'false' }, true, false],
  ])('%s opens the mode %s', async (_, mode, parameters, hasCatalogue, hasArticle) => {
    const html = await htmlOf(parameters as Record<string, string>);
    expect(html).toContain(`data-mode="${mode}"`);
    expect(html.includes('id="catalogue"')).toBe(hasCatalogue);
    expect(articleIn(html) !== undefined).toBe(hasArticle);
  });

  test('opens the catalogue at a folder, in a language', async () => {
    const html = await htmlOf({ opencatalogue: 'true', parentnode: 'FJEL;:@1', lang: 'en' });
    expect(html).toContain('LINEA desks');
    expect(html).toContain('<html lang="en"');
  });

  test('shows a price unless showprice is false', async () => {
    const shown = await htmlOf(MADE_TO_MEASURE);
    const hidden = await htmlOf({ ...MADE_TO_MEASURE, showprice: 'false' });
    expect([shown.includes('id="price"'), hidden.includes('id="price"')]).toEqual([true, false]);
  });

  test('offers a cart where it is given one, and not for an article that is not valid', async () => {
    expect(await htmlOf(MADE_TO_MEASURE)).not.toContain('<button');
    const html = await htmlOf({ ...MADE_TO_MEASURE, urlwarenkorb: CART });
    expect(html).toContain('data-url="https://shop.example/cart?a=1&amp;b=&quot;2&quot;">');
    const { ocd } = (await buyer.change(await buyer.load(MADE_TO_MEASURE), LIFTING)) as Wire;
    expect(ocd.obligatory2c).toBe(true);
    const open = { ...MADE_TO_MEASURE, ocdreinit: ocd.reinitstring, urlwarenkorb: CART };
    expect(await htmlOf(open)).toMatch(/<button[^>]* disabled>/);
  });

  test('holds nothing that could end its script or be run', async () => {
    const desk = await buyer.load(MADE_TO_MEASURE);
    const evil = '</script><script>alert(1)</script>';
    const permanentid = await buyer.permanentId({ ...desk, ocd: { ...desk.ocd, shorttext: evil } });
    const html = await htmlOf({ permanentid, lang: '"><b>' });
    expect(html).not.toContain(evil);
    expect(html).not.toContain('"><b>');
    expect(articleIn(html).ocd.shorttext).toBe(evil);
  });

  test('posts to the cart what it holds, as the cart post has it', async () => {
    const received: Wire[] = [];
    const shop = createServer(async (request, response) => {
      const body = (await request.toArray()).join('');
      received.push([request.method, request.headers['content-type'], JSON.parse(body)]);
      response.end('{"stored":true}');
    }).listen(0, '127.0.0.1');
    await once(shop, 'listening');
    const urlwarenkorb = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/cart`;
    const html = await htmlOf({ ...WORKPLACE, urlwarenkorb });
    const article = articleIn(html);
    const clicks: (() => Promise<void>)[] = [];
    const elements: Wire = {
      cart: {
        dataset: { url: /data-url="([^"]*)"/.exec(html)![1] },
        addEventListener: (_: string, listener: () => Promise<void>) => clicks.push(listener),
      },
      article: { textContent: JSON.stringify(article) },
      answer: {},
    };
    const script = [...html.matchAll(/<script>(.*?)<\/script>/gs)]
      .map((match) => match[1])
      .join('');
    runInNewContext(script, { fetch, document: { getElementById: (id: string) => elements[id] } });
    await clicks[0]!();
    expect(received).toEqual([['POST', 'application/json', { json: article }]]);
    expect(elements.answer.textContent).toBe('200 {"stored":true}');
    shop.close();
  });

  test('does not let its address, which holds the token, be kept or passed on', async () => {
    const { headers } = await buyer.plan(MADE_TO_MEASURE);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  test.each([
    [{ disablecatalogue: 'true' }, 400, 'disablecatalogue: expected a base article'],
    [{ disablecatalogue: 'true', opencatalogue: 'true', ...WORKPLACE }, 400, 'opencatalogue: not'],
    [{ showprice: 'yes' }, 400, 'showprice: expected true or false'],
    [{ manufacturer: 'FJEL' }, 400, 'program: required'],
    [{ ocdreinit: 'X::' }, 400, 'manufacturer: required'],
    [{ permanentid: 'X', ...WORKPLACE }, 400, 'permanentid: not together with manufacturer'],
    [{ permanentid: 'X', ocdreinit: 'X::' }, 400, 'permanentid: not together with ocdreinit'],
    [{ parentnode: 'NOWHERE' }, 404, 'parentnode not found'],
    [{ ...WORKPLACE, basearticlenumber: 'NONE' }, 404, 'article not found'],
    [{ ...WORKPLACE, ocdreinit: 'X::' }, 404, 'article not found'],
    [{ urlwarenkorb: 'javascript:alert(1)' }, 400, 'urlwarenkorb: expected an http'],
    [{ warenkorb: CART }, 400, 'warenkorb: unknown to planning'],
  ])('refuses %j', async (parameters, status, message) => {
    const answer = buyer.plan(parameters as unknown as Record<string, string>);
    expect((await jsonOf(answer, status)).error).toContain(message);
  });

  test('needs a token', async () => {
    const response = await fetch(`${testing.frontendUrl}/planning`);
    expect(response.status).toBe(401);
  });
});
