import { beforeEach, describe, expect, it } from 'vitest';
import {
  type Answer,
  type FaultServer,
  json,
  raw,
  reset,
  startFaultServer,
} from '../../../helpers/fault-server.ts';
import { clientOf, errorOf, KEY, ROOT_NODES } from '../../../helpers/faulty-client.ts';

const VALIDATORS = { etag: '"7"', lastModified: 'Tue, 21 Nov 2023 02:00:00 GMT' };
const notModified: Answer = raw('', { etag: '"7"' }, 304);

let server: FaultServer;
beforeEach(async () => {
  server = await startFaultServer();
});

/** The validators of each request for one of some things. */
const conditionsOf = (parts: string[]) =>
  server.seen
    .filter(({ url }) => parts.some((part) => url.includes(part)))
    .map(({ headers }) => ({
      etag: headers['if-none-match'],
      lastModified: headers['if-modified-since'],
    }));

describe('a request with validators', () => {
  it('is answered with "not modified" for every kind of answer', async () => {
    const parts = ['/getnodes?', '/articles?', '/btg?', '/block/', '/materials/'];
    for (const part of parts) server.always(part, notModified);
    const client = clientOf(server);
    const answers = await Promise.all([
      client.getNodes('', VALIDATORS),
      client.getArticle(KEY, VALIDATORS),
      client.getPartsList(KEY, VALIDATORS),
      client.getBlock('ACME::DESK::LEG', VALIDATORS),
      client.getMaterial('ACME', 'OAK', VALIDATORS),
    ]);
    expect(answers).toEqual(Array(5).fill({ notModified: true }));
    expect(conditionsOf(parts)).toEqual(Array(5).fill(VALIDATORS));
  });

  it('reads a new answer like any other', async () => {
    server.always('/getnodes?', json(ROOT_NODES));
    const client = clientOf(server);
    expect(await client.getNodes('', VALIDATORS)).toMatchObject({ nodes: [{ text: 'Desks' }] });
  });

  it('is sent again, still conditional, after a failure and with a new token', async () => {
    server.next('/block/', reset, raw('', {}, 401), notModified);
    server.next('/getnodes?', raw('', {}, 401));
    const client = clientOf(server);
    expect(await client.getBlock('ACME::DESK::LEG', VALIDATORS)).toEqual({ notModified: true });
    expect(conditionsOf(['/block/'])).toEqual(Array(3).fill(VALIDATORS));
    expect(server.tokens).toHaveLength(2);
  });
});

describe('"not modified"', () => {
  it.each([undefined, { etag: '', lastModified: '' }])(
    'is no answer to a request without conditions: %j',
    async (validators) => {
      server.always('/block/', notModified);
      const client = clientOf(server);
      const error = await errorOf(client.getBlock('ACME::DESK::LEG', validators));
      expect(error).toMatchObject({ code: 'RESPONSE_INVALID', status: 304 });
    },
  );
});

describe('the date of an answer', () => {
  const SECOND = (second: number) => `Tue, 21 Nov 2023 02:00:0${second} GMT`;

  it.each([
    [SECOND(1), SECOND(2), SECOND(1)],
    [SECOND(2), SECOND(2), ''],
    [SECOND(3), SECOND(2), ''],
    [SECOND(3), undefined, SECOND(3)],
    ['yesterday', SECOND(3), 'yesterday'],
    [undefined, SECOND(3), ''],
  ])('is settled if %j was modified before %j: %j', async (modified, date, settled) => {
    server.always('/getnodes?', (response) => {
      response.sendDate = false;
      if (modified !== undefined) response.setHeader('last-modified', modified);
      if (date !== undefined) response.setHeader('date', date);
      response.end(JSON.stringify(ROOT_NODES));
    });
    const client = clientOf(server);
    expect(await client.getNodes('')).toMatchObject({ lastModified: settled });
  });
});
