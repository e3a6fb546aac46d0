import { beforeEach, describe, expect, it } from 'vitest';
import type { ServiceClient } from '../../../../src/source/service/client.ts';
import { OPERATIONS } from '../../../../src/source/service/operations.ts';
import {
  type FaultServer,
  json,
  raw,
  reset,
  startFaultServer,
} from '../../../helpers/fault-server.ts';
import { clientOf, errorOf } from '../../../helpers/faulty-client.ts';

const CONFIGURATION = {
  manufacturer: 'ACME',
  program: 'DESK',
  basearticlenumber: 'D/1',
  reinitstring: "D1;W='1600'::",
};
/** It has parts that are not specified, which have to arrive as they are. */
const PLANNING = JSON.parse(
  '{"id":"1","rootid":"1","manufacturer":"ACME","program":"DESK","basearticlenumber":"D/1",' +
    '"children":[{"id":"2","rootid":"1"}],"later":{"__proto__":{"a":1},"ü":[null]},"ocd":{"finalarticlenumber":"D1-X","reinitstring":"D1::"}}',
);
const CHANGE = {
  id: '1',
  rootid: '1',
  proptype: 'ocd',
  propclass: 'SIZE',
  prop: 'WIDTH',
  newvalue: '1800',
  jsondata: PLANNING,
} as const;
const ARTICLES = '/articles?';
const REINIT = '/reinit?';

let server: FaultServer;
let client: ServiceClient;
beforeEach(async () => {
  server = await startFaultServer();
  client = clientOf(server, { profile: 'p', currency: 'EUR', lang: 'de' });
});

const lastPost = () => server.seen.filter(({ url }) => !url.startsWith('/auth')).at(-1)!;

describe('changeProperty', () => {
  it('posts all fields of the table, the article in them untouched', async () => {
    server.always(ARTICLES, json(PLANNING));
    const { article } = await client.changeProperty(CONFIGURATION, CHANGE);
    expect(article.basearticlenumber).toBe('D/1');
    const { method, url, body } = lastPost();
    expect(method).toBe('POST');
    expect(url).toBe(
      `/base/api/ofml.dll/ofml/articles?token=${server.tokens[0]}&manufacturer=ACME&program=DESK` +
        '&basearticlenumber=D%2F1&ocdreinitstring=D1%3BW%3D%271600%27%3A%3A&lang=de',
    );
    expect(Object.keys(JSON.parse(body))).toEqual(OPERATIONS.changeProperty.body);
    expect(body).toContain(`"jsondata":${JSON.stringify(PLANNING)}`);
    expect(body).toContain('"__proto__":{"a":1}');
  });

  it('says what the service refuses, without another login or attempt', async () => {
    server.always(ARTICLES, json({ error: 'WIDTH: 5000 is beyond 2000' }, 422));
    const error = await errorOf(client.changeProperty(CONFIGURATION, CHANGE));
    expect(error).toMatchObject({
      code: 'PROPERTY_VALUE_REFUSED',
      article: 'ACME/DESK/D/1',
      message: 'changeProperty ACME/DESK/D/1: WIDTH: 5000 is beyond 2000',
    });
    expect(server.count(ARTICLES)).toBe(1);
    expect(server.tokens).toHaveLength(1);
  });

  it('is sent again after a failure that passes', async () => {
    server.next(ARTICLES, reset, raw('', {}, 503));
    server.always(ARTICLES, json(PLANNING));
    await client.changeProperty(CONFIGURATION, CHANGE);
    expect(server.count(ARTICLES)).toBe(3);
  });

  it.each([
    [{ id: '2', rootid: '1' }, '1', 'CHILD_WITHOUT_ROOT'],
    [PLANNING, '9', 'CHILD_WITHOUT_ROOT'],
    [{ rootid: '1' }, '1', 'CART_INVALID'],
    [{ id: '', rootid: '' }, '', 'CART_INVALID'],
    [[], '1', 'CART_INVALID'],
    ['{}', '1', 'CART_INVALID'],
  ])('does not take %j for the article %s', async (jsondata, rootid, code) => {
    const change = { ...CHANGE, rootid, jsondata };
    expect(await errorOf(client.changeProperty(CONFIGURATION, change))).toMatchObject({
      code,
      operation: 'changeProperty',
    });
    expect(server.seen).toEqual([]);
  });
});

describe('storePlanning', () => {
  it('posts the topmost article under `json`', async () => {
    server.always(REINIT, json('7C1E'));
    expect(await client.storePlanning(PLANNING)).toBe('7C1E');
    const { method, url, body } = lastPost();
    expect([method, url]).toEqual([
      'POST',
      `/base/api/ofml.dll/ofml/reinit?token=${server.tokens[0]}`,
    ]);
    expect(body).toBe(JSON.stringify({ json: PLANNING }));
  });

  it('is not sent again if a complete answer has no identifier', async () => {
    server.always(REINIT, json({ stored: true }));
    expect(await errorOf(client.storePlanning(PLANNING))).toMatchObject({
      code: 'RESPONSE_INVALID',
      article: 'ACME/DESK/D/1',
    });
    expect(server.count(REINIT)).toBe(1);
  });

  it('stores no child on its own, and nothing that is no article', async () => {
    const child = PLANNING.children[0];
    expect(await errorOf(client.storePlanning(child))).toMatchObject({
      code: 'CHILD_WITHOUT_ROOT',
      message: 'storePlanning: expected the topmost article, received 2 of the planning 1',
    });
    expect(await errorOf(client.storePlanning(undefined))).toMatchObject({ code: 'CART_INVALID' });
  });

  it('reports a planning that cannot be written as JSON', async () => {
    const circular = { ...PLANNING };
    circular.children = [circular];
    expect(await errorOf(client.storePlanning(circular))).toMatchObject({ code: 'CART_INVALID' });
  });
});

describe('restoreConfiguration', () => {
  it('posts the query alone, below the article group first', async () => {
    server.always('/ocd.dll/reinit?', json(PLANNING));
    const { article } = await client.restoreConfiguration(CONFIGURATION);
    expect(article.id).toBe('1');
    const posted = server.seen.filter(({ url }) => url.includes(REINIT));
    expect(posted.map(({ method, url, body }) => [method, url.split('?')[0], body])).toEqual([
      ['POST', '/base/api/ofml.dll/ofml/ocd/reinit', ''],
      ['POST', '/base/api/ocd.dll/ocd/reinit', ''],
      ['POST', '/base/api/ocd.dll/reinit', ''],
    ]);
  });
});

describe('getArticleImage', () => {
  it('sends every parameter, the empty ones too', async () => {
    server.always('/articlesimage.jpg', raw(Buffer.from('ffd8ffe00004000affd9', 'hex')));
    const { reinitstring: _, ...article } = CONFIGURATION;
    const key = { ...article, finalarticlenumber: '', reinitstring: '', metareinitstring: 'm' };
    expect((await client.getArticleImage(key)).bytes).toHaveLength(10);
    expect(lastPost().url).toMatch(/basearticlenumber=D%2F1&finalarticlenumber=&reinitstring=$/);
  });
});

it('a complete answer of the wrong shape is not requested again', async () => {
  server.always(ARTICLES, json({ ocd: 5 }));
  expect(await errorOf(client.getArticle(CONFIGURATION))).toMatchObject({
    code: 'RESPONSE_INVALID',
  });
  expect(server.count(ARTICLES)).toBe(1);
});
