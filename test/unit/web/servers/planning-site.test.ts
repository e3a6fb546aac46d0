import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readBytes } from '../../../../src/support/files.ts';
import { openPlanningSite, policyOrigin } from '../../../../src/web/servers/planning-site.ts';

const BASE = 'http://127.0.0.1:4810/service';
const ask = (
  name: string,
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
  site = openPlanningSite(),
) => site({ name, query, baseUrl: BASE, headers });

/** The sources of a directive of the page's policy. */
async function sources(directive: string, query = '', site = openPlanningSite()) {
  const { headers } = await ask('', { query }, site);
  const all = headers['content-security-policy']!.split('; ').map((one) => one.split(' '));
  expect(new Set(all.map(([name]) => name)).size).toBe(all.length);
  return all.find(([name]) => name === directive)?.slice(1);
}

describe('the HTML of the planning page', () => {
  it('has nothing of the query, which may have hostile texts and has the token', async () => {
    const query = `token=SECRET&lang="><script>&urlwarenkorb=${encodeURIComponent('https://shop.example/cart?a=SECRET')}`;
    const { body, headers } = await ask('', { query });
    expect(body).toBe((await ask('')).body);
    expect(`${body}${JSON.stringify(headers)}`).not.toContain('SECRET');
  });

  it('names the service, and its files relative to itself', async () => {
    const { body } = await ask('');
    expect(body).toContain(`data-base-url="${BASE}"`);
    expect(body).toContain('<main id="planning"></main>');
    const files = [...String(body).matchAll(/(?:src|href)="(?!data:)([^"]*)"/g)];
    expect(files.map(([, to]) => to)).toEqual(['planning/page.css', 'planning/page.js']);
  });

  it('has the options of a pipeline with which it converts, as text', async () => {
    const convert = { creaseAngleDegrees: 45, keepLayers: ['"><script>'] };
    const { body } = await ask('', {}, openPlanningSite({ convert: convert as never }));
    const [, options] = /data-convert="([^"]*)"/.exec(String(body))!;
    const text = options!.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
    expect(JSON.parse(text)).toEqual(convert);
    expect((await ask('')).body).not.toContain('data-convert');
  });

  it('has what a pipeline says of the images of its service', async () => {
    const service = { baseUrl: 'https://api.example/v2.5', imageLocation: '{program}/{name}' };
    const { body } = await ask('', {}, openPlanningSite({ service }));
    expect(body).toContain(' data-service-url="https://api.example/v2.5"');
    expect(body).toContain(' data-image-location="{program}/{name}"');
  });

  it('is not kept, passes no address on, and is taken for nothing else', async () => {
    expect((await ask('')).headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-type': 'text/html; charset=utf-8',
    });
  });
});

describe('the policy of the planning page', () => {
  it('forbids all but the page, its service and the cart', async () => {
    const query = `urlwarenkorb=${encodeURIComponent('https://shop.example:8443/cart?a=1')}`;
    expect(await sources('default-src')).toEqual(["'none'"]);
    expect(await sources('script-src')).toEqual(["'self'", "'wasm-unsafe-eval'"]);
    expect(await sources('style-src')).toEqual(["'self'"]);
    expect(await sources('connect-src')).toEqual(["'self'", 'blob:', 'http://127.0.0.1:4810']);
    expect(await sources('connect-src', query)).toContain('https://shop.example:8443');
    expect(await sources('img-src', query)).not.toContain('https://shop.example:8443');
  });

  it.each([
    ['javascript:alert(1)'],
    ['shop.example'],
    ['https://shop.example;script-src/x'],
    ['https://shop.example,*/x'],
    ["https://'unsafe-inline'/"],
    ['data:text/html,x'],
    [''],
  ])('names no cart of %s', async (address) => {
    expect(policyOrigin(address)).toBeUndefined();
    const query = `urlwarenkorb=${encodeURIComponent(address)}`;
    expect(await sources('connect-src', query)).toEqual(await sources('connect-src'));
    expect(await sources('script-src', query)).toEqual(await sources('script-src'));
  });
});

describe('a file of the planning page', () => {
  it.each([
    ['page.js', 'text/javascript; charset=utf-8'],
    ['view.js', 'text/javascript; charset=utf-8'],
    ['convert-worker.js', 'text/javascript; charset=utf-8'],
    ['usdz.js', 'text/javascript; charset=utf-8'],
    ['page.css', 'text/css; charset=utf-8'],
    ['studio.bin', 'application/octet-stream'],
  ])('%s has its type, or a sentence that says to build', async (name, type) => {
    const { status, headers, body } = await ask(name);
    expect(headers['x-content-type-options']).toBe('nosniff');
    if (status === 200) {
      expect(headers['content-type']).toBe(type);
      expect(headers['content-security-policy']).toContain("default-src 'none'");
    } else {
      expect([status, body]).toEqual([
        503,
        `{"error":"planning: expected the file dist/planning/${name}, received none; run npm run build"}`,
      ]);
    }
  });

  it('is not sent again to who has it', async () => {
    const { headers, body } = await ask('studio.bin');
    const url = new URL('../../../../src/deliver/pictures/studio-map.bin', import.meta.url);
    const bytes = await readBytes(fileURLToPath(url));
    expect(Buffer.compare(body as Uint8Array, bytes)).toBe(0);
    const again = await ask('studio.bin', { headers: { 'if-none-match': headers.etag! } });
    expect([again.status, again.body]).toEqual([304, '']);
    const other = await ask('studio.bin', { headers: { 'if-none-match': '"other"' } });
    expect(other.status).toBe(200);
  });

  it('is packed for a browser that takes that, with an ETag of its own', async () => {
    const site = openPlanningSite();
    const plain = await ask('page.js', {}, site);
    if (plain.status !== 200) return;
    const unpack = { br: brotliDecompressSync, gzip: gunzipSync };
    for (const [encoding, unpacked] of Object.entries(unpack)) {
      const packed = await ask('page.js', { headers: { 'accept-encoding': encoding } }, site);
      expect(packed.headers['content-encoding']).toBe(encoding);
      expect(packed.headers.etag).not.toBe(plain.headers.etag);
      expect(unpacked(packed.body as Uint8Array).equals(plain.body as Uint8Array)).toBe(true);
    }
  });

  it.each(['page.tsx', '../page.js', 'constructor', 'page.js.map'])('is not %s', async (name) => {
    expect((await ask(name)).status).toBe(404);
  });
});
