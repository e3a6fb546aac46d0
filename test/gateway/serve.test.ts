/** `serve`: the link to the planning page of the emulator, and who may show it in a frame. */
import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openCacheDatabase } from '../../src/source/cache/database.ts';
import { redact } from '../../src/support/redact.ts';
import { planningUrl } from '../../src/web/servers/planning-url.ts';
import { command } from '../helpers/command.ts';
import { MADE_TO_MEASURE } from '../helpers/configurator.ts';
import { jsonOf } from '../helpers/json-of.ts';
import { type ServedPage, servePage } from '../helpers/served-page.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

/** The origins that may show the page. */
function ancestorsOf({ headers }: Response): string {
  return /frame-ancestors ([^;]*)/.exec(headers.get('content-security-policy')!)![1]!;
}

describe('serve', () => {
  it('prints a link that opens the planning page with a token of its own; without it says so', async () => {
    const { link, token, end } = await servePage();
    const frontendUrl = `${link.origin}/frontend`;
    expect(link.href).toBe(planningUrl({ frontendUrl, token, mode: 'hybrid' }));
    const response = await fetch(link);
    expect([response.status, await response.text()]).toEqual([
      200,
      expect.stringContaining(`data-base-url="${link.origin}/service"`),
    ]);
    const query = new URLSearchParams({ token });
    const root = await fetch(link.origin);
    expect(root.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const text = await root.text();
    expect(text).toContain('The planning page is at <code>/frontend/planning</code>.');
    expect(text).not.toContain(token);
    const nodes = await fetch(`${link.origin}/service/api/xcf.dll/xcf/getnodes?${query}`);
    expect(nodes.status).toBe(200);
    const { exit, stdout, stderr } = await end();
    // A log of this process has it nowhere, however it is spelled.
    expect(redact(stdout)).not.toContain(encodeURIComponent(token));
    expect(stdout).toContain('offers no cart; to get one: btg2gltf serve --help');
    expect([exit, stderr]).toEqual([0, '']);
  });

  it('restores what an earlier process with the same cache has stored, at any port', async () => {
    const cache = await temporaryFolder();
    const words = ['--cache', cache];
    const first = await servePage(words);
    const base = ({ link }: ServedPage) => `${link.origin}/service`;
    const query = (page: ServedPage) => new URLSearchParams({ token: page.token });
    const desk = new URLSearchParams({ ...MADE_TO_MEASURE, token: first.token });
    const api = `${base(first)}/api/ofml.dll/ofml`;
    const article = await jsonOf(fetch(`${api}/articles?${desk}`));
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ json: article });
    const stored = fetch(`${api}/reinit?${query(first)}`, { method: 'POST', headers, body });
    const { permanentid } = await jsonOf(stored);
    await first.end();

    const second = await servePage(words);
    const restore = (id: string) =>
      fetch(`${base(second)}/planning/permanentid/${id}?${query(second)}`);
    expect(await jsonOf(restore(permanentid))).toEqual(article);
    expect((await jsonOf(restore('UNKNOWN'), 404)).error).toContain('received an unknown one');
    await second.end();
    // A pipeline of the same data has it, too, and one that has its address.
    const database = await openCacheDatabase(cache);
    for (const owner of ['emulator:sample', base(first)])
      expect(database.permanentIds.get(owner, permanentid)).toEqual(article);
    database.close();
    await rm(cache, { recursive: true, force: true });
  });

  it.each([
    [[], "'self' http://localhost:* http://127.0.0.1:* https://localhost:* https://127.0.0.1:*"],
    [['--frame-ancestors', 'none'], "'none'"],
    [
      ['--frame-ancestors', 'https://shop.example, http://b.example:8080/'],
      "'self' https://shop.example http://b.example:8080",
    ],
  ])('with %j lets %s show it in a frame', async (words, ancestors) => {
    const { link, end } = await servePage(words);
    expect(ancestorsOf(await fetch(link))).toBe(ancestors);
    await end();
  });

  it('gives the page the address of a cart, if it is one that the page takes', async () => {
    const { link, end } = await servePage(['--cart', 'http://127.0.0.1:4820/cart']);
    expect(link.searchParams.get('urlwarenkorb')).toBe('http://127.0.0.1:4820/cart');
    expect((await end()).stdout).not.toContain('offers no cart');
    for (const address of ['127.0.0.1:4820/cart', 'cart', 'https://user:SECRET@shop.example/']) {
      const { exit, stderr } = await command(['serve', '--port', '0', '--cart', address]);
      expect([exit, stderr]).toEqual([2, expect.stringContaining('--cart: expected an address')]);
      expect(stderr).not.toContain('SECRET');
    }
  });

  it.each(['shop.example', 'https://shop.example/path', "https://a;b'c.example", '*'])(
    'refuses %s as an origin',
    async (origin) => {
      const result = await command(['serve', '--port', '0', '--frame-ancestors', origin]);
      expect(result).toMatchObject({
        exit: 2,
        stderr: expect.stringContaining('--frame-ancestors: expected'),
      });
    },
  );
});
