/** A web page in a real browser posts carts to the inbox, with an origin that may and with the secret. */
import { readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GatewayServer } from '../../src/web/servers/http.ts';
import { type InboxOptions, openInbox } from '../../src/web/servers/inbox.ts';
import { closePages, openPage } from '../helpers/browser.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const CART = {
  ...{ id: '7', rootid: '7', manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D1' },
  ocd: { reinitstring: 'D1::' },
};
const silent = () => {};
const log = { debug: silent, info: silent, warn: silent, error: silent };

describe.runIf(HAS_BROWSER)('a page in a browser', () => {
  let folder: string;
  let server: Server;
  let origin: string;

  beforeAll(async () => {
    folder = await temporaryFolder();
    server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end('<title>plan</title>');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await closePages();
    await new Promise((done) => server.close(done));
    await rm(folder, { recursive: true, force: true });
  });

  /** The status of the response that a page receives, or its error. */
  async function post(inbox: GatewayServer, headers: Record<string, string>): Promise<unknown> {
    const page = await openPage();
    await page.goto(origin);
    const sent = { url: inbox.url, body: JSON.stringify({ json: CART }), headers };
    const result = await page.evaluate(async ({ url, ...request }) => {
      try {
        const response = await fetch(url, { method: 'POST', ...request });
        return ((await response.json()) as { stored?: boolean }).stored;
      } catch (error) {
        return String(error);
      }
    }, sent);
    return result;
  }

  test.each<[string, (own: string) => Partial<InboxOptions>, Record<string, string>, unknown]>([
    ['of an allowed origin posts JSON', (own) => ({ origins: [own] }), {}, true],
    [
      'of any origin posts JSON with the secret',
      () => ({ secret: 's3cret' }),
      { authorization: 'Bearer s3cret' },
      true,
    ],
    [
      'of another origin posts nothing',
      () => ({ secret: 's3cret' }),
      {},
      'TypeError: Failed to fetch',
    ],
  ])('%s', async (name, optionsOf, headers, expected) => {
    const store = join(folder, name);
    const inbox = await openInbox({ store, now: Date.now, log, ...optionsOf(origin) });
    const type = { 'content-type': 'application/json' };
    expect(await post(inbox, { ...type, ...headers })).toBe(expected);
    expect(await readdir(store)).toHaveLength(expected === true ? 1 : 0);
    await inbox.close();
  });
});
