import { beforeEach, describe, expect, it } from 'vitest';
import type { ServiceClient } from '../../../../src/source/service/client.ts';
import {
  type FaultServer,
  html,
  json,
  raw,
  startFaultServer,
} from '../../../helpers/fault-server.ts';
import { clientOf, errorOf } from '../../../helpers/faulty-client.ts';

const PREVIEW = 'ocd/preview/ACME/DESK/OAK.jpg';
const FIRST = '/ofml.dll/ofml/preview/';
const SECOND = '/ocd.dll/ocd/preview/';
const THIRD = '/ocd.dll/preview/';
const RESSOURCE = '/xcf/ressource/';
const RESSOURCES = '/xcf/ressources/';
const JPEG = raw(Buffer.from('ffd8ffe00004000affd9', 'hex'));
const PICTURE = raw('picture');

let server: FaultServer;
let client: ServiceClient;
beforeEach(async () => {
  server = await startFaultServer();
  client = clientOf(server, { retries: 0 });
});

const counted = (...parts: string[]) => parts.map((part) => server.count(part));

describe('a preview', () => {
  it('is requested at its first address only, if that has it', async () => {
    server.always(FIRST, JPEG);
    await client.getPreview(PREVIEW);
    await client.getPreview(PREVIEW);
    expect(counted(FIRST, SECOND)).toEqual([2, 0]);
  });

  it.each([
    ['404', json({ error: 'no such thing' }, 404)],
    ['a page of HTML', html],
    ['an error for an unknown method', json({ error: 'method not found' }, 500)],
    ['405', raw('', {}, 405)],
  ])('is requested at its second address after %s, and from then on', async (_, refusal) => {
    server.always(FIRST, refusal);
    server.always(SECOND, JPEG);
    await client.getPreview(PREVIEW);
    const before = server.count(FIRST);
    await client.getPreview(PREVIEW);
    expect(counted(FIRST, SECOND)).toEqual([before, 2]);
  });

  it('is requested at the three addresses in their order, then where it was found', async () => {
    server.always(THIRD, JPEG);
    await client.getPreview(PREVIEW);
    const paths = server.seen.map(({ url }) => /api\/.*preview\//.exec(url)?.[0]).filter(Boolean);
    expect(paths.map((path) => path?.slice(3))).toEqual([FIRST, SECOND, THIRD]);
    await client.getPreview(PREVIEW);
    expect(counted(FIRST, SECOND, THIRD)).toEqual([1, 1, 2]);
  });

  it('is missing where all addresses say so, and then the order stays', async () => {
    const error = await errorOf(client.getPreview(PREVIEW));
    expect(error).toMatchObject({ code: 'IMAGE_MISSING', operation: 'getPreview', status: 404 });
    expect(counted(FIRST, SECOND, THIRD)).toEqual([1, 1, 1]);
    server.always(FIRST, JPEG);
    await client.getPreview(PREVIEW);
    expect(counted(FIRST, SECOND, THIRD)).toEqual([2, 1, 1]);
  });

  it('is requested at the other address if the one that worked has not got it', async () => {
    server.next(FIRST, JPEG);
    server.always(SECOND, JPEG);
    await client.getPreview(PREVIEW);
    await client.getPreview(PREVIEW);
    expect(counted(FIRST, SECOND)).toEqual([2, 1]);
  });

  it('is not called missing while one address only fails', async () => {
    server.always(FIRST, raw('', {}, 503));
    expect(await errorOf(client.getPreview(PREVIEW))).toMatchObject({
      code: 'HTTP_STATUS',
      status: 503,
    });
    expect(counted(FIRST, SECOND)).toEqual([1, 1]);
  });
});

describe('a resource', () => {
  it('is requested as its reference spells it', async () => {
    server.always(RESSOURCE, PICTURE);
    server.always(RESSOURCES, PICTURE);
    await client.getResource('xcf/ressource/ACME/DESK/any/A B.jpg');
    await client.getResource('xcf/ressources/ACME/DESK/any/A B.jpg');
    expect(counted(RESSOURCE, RESSOURCES)).toEqual([1, 1]);
    expect(server.seen.at(-1)?.url).toMatch(
      /^\/base\/api\/xcf\.dll\/xcf\/ressources\/ACME\/DESK\/any\/A%20B\.jpg\?token=/,
    );
  });

  it.each([
    ['manufacturer', () => client.getManufacturerResource('ACME', 'de', 'logo.png')],
    ['series', () => client.getSeriesResource('ACME', 'DESK', 'any', 'top.png')],
    ['path', () => client.getResource('xcf/ressources/ACME/DESK/any/top.png')],
  ])('is requested once in the other spelling: by %s', async (_, load) => {
    server.always(RESSOURCE, PICTURE);
    expect(new TextDecoder().decode((await load()).bytes)).toBe('picture');
    expect(counted(RESSOURCES, RESSOURCE)).toEqual([1, 1]);
  });

  it('is missing where neither spelling has it', async () => {
    const error = await errorOf(client.getManufacturerResource('ACME', 'de', 'logo.png'));
    expect(error).toMatchObject({
      code: 'RESOURCE_MISSING',
      message: 'getManufacturerResource ACME/de/logo.png: the service has no such resource',
    });
    expect(counted(RESSOURCES, RESSOURCE)).toEqual([1, 1]);
  });

  it('may be a drawing, which is markup but no page of HTML; it is never empty', async () => {
    server.next(RESSOURCES, raw('<?xml version="1.0"?><svg/>'));
    const { bytes } = await client.getManufacturerResource('ACME', 'any', 'logo.svg');
    expect(bytes.length).toBe(27);
    server.always(RESSOURCES, raw(''));
    expect(await errorOf(client.getManufacturerResource('ACME', 'any', 'a'))).toMatchObject({
      code: 'RESPONSE_INVALID',
    });
  });
});
