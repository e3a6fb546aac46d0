/** Assets over HTTP: what a shop, a cache in between, and who means harm receive. */
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readManifest } from '../../src/run/output/manifest.ts';
import { assetUrl } from '../../src/web/assets/signatures.ts';
import { shareBrowser } from '../helpers/browser.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { jsonOf } from '../helpers/json-of.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { type RunningCommand, startCommand } from '../helpers/running-command.ts';
import { statusOf } from '../helpers/status-of.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

shareBrowser();

const DESK = '/a/FJEL/LINEA/LN-M';
const CHAIR = { manufacturer: 'BRNK', program: 'KONVA', basearticlenumber: 'KV20 F' };
const FINISH = 'OBERFLÄCHE.DEKOR';
const SECRET = 'a secret of the server';
const SIDE = '48';

let folder: string;
let pipeline: string;
let origin: string;
const started: RunningCommand[] = [];

async function serve(env: Record<string, string> = {}, ...options: string[]): Promise<string> {
  const words = ['assets', pipeline, '--port', '0', ...options];
  const running = await startCommand(words, env);
  started.push(running);
  return new URL(running.url).origin;
}

beforeAll(async () => {
  folder = await temporaryFolder();
  const articles = [
    {
      configurations: {
        manufacturer: 'FJEL',
        program: 'LINEA',
        basearticlenumber: 'LN-M',
        each: [FINISH],
        max: 2,
      },
    },
    { article: CHAIR },
  ];
  pipeline = await writePipeline(folder, {
    service: { emulator: true },
    articles,
    assets: { prices: true },
  });
  origin = await serve(
    {},
    ...['--allow-origin', 'https://shop.example', '--max-pixels', '40000', '--max-new', '1000'],
  );
});
afterAll(async () => {
  await Promise.all(started.map(({ end }) => end()));
  await rm(folder, { recursive: true, force: true });
});

const at = (path: string, query: Record<string, string> = {}, server = origin) =>
  `${server}${path}?${new URLSearchParams(query)}`;
const digest = (bytes: ArrayBuffer) =>
  createHash('sha256').update(Buffer.from(bytes)).digest('hex');
const bytesOf = async (answer: Response) => {
  expect(answer.status).toBe(200);
  return answer.arrayBuffer();
};

describe('an asset', () => {
  it('has the bytes that a run publishes of the configuration', async () => {
    expect(await command(['run', pipeline])).toMatchObject({ exit: 0 });
    const lines = await readManifest(join(folder, 'out'));
    expect(lines).toHaveLength(3);
    for (const { manufacturer, program, basearticlenumber, sha256, ...line } of lines) {
      const path = ['a', manufacturer, program, `${basearticlenumber}.glb`]
        .map(encodeURIComponent)
        .join('/');
      const { finalarticlenumber, reinitstring } = line;
      const answer = await fetch(at(`/${path}`, { finalarticlenumber, reinitstring }));
      expect(digest(await bytesOf(answer))).toBe(sha256);
      expect(answer.headers.get('etag')).toBe(`"${sha256}"`);
      expect(answer.headers.get('content-location')).toBe(`/objects/${sha256}.glb`);
    }
  });

  it('has values by the property alone, and names a value that is refused', async () => {
    const full = await bytesOf(await fetch(at(`${DESK}.glb`, { [FINISH]: 'NB' })));
    const short = await bytesOf(await fetch(at(`${DESK}.glb`, { DEKOR: 'NB' })));
    expect(digest(short)).toBe(digest(full));
    expect(await jsonOf(fetch(at(`${DESK}.glb`, { DEKOR: 'NBB' })), 422)).toMatchObject({
      code: 'PROPERTY_VALUE_REFUSED',
      detail: expect.stringMatching(
        /DEKOR: expected one of EI, NB, .* received "NBB"; did you mean "NB"/,
      ),
    });
  });

  it('is described, with its price, its properties, and addresses of its forms', async () => {
    const described = await jsonOf(fetch(at(`${DESK}.json`, { DEKOR: 'NB' })));
    expect(described).toMatchObject({
      configuration: {
        basearticlenumber: 'LN-M',
        finalarticlenumber: expect.stringContaining('.NB.'),
      },
      price: { amount: expect.any(Number), currency: 'EUR' },
      isComplete: true,
      missing: [],
      boundsMetres: { min: expect.any(Array), max: expect.any(Array) },
    });
    const finish = described.properties.find(({ name }: { name: string }) => name === FINISH);
    expect(finish).toMatchObject({ kind: 'choice', value: 'NB', isEnabled: true });
    expect(finish.values).toContainEqual({
      ...{ value: 'EI', text: 'Oak veneer' },
      swatch: expect.stringContaining('/LN-M.swatch?'),
    });
    const { swatch } = finish.values.find(({ value }: { value: string }) => value === 'EI');
    const picture = await bytesOf(await fetch(swatch));
    expect((await sharp(picture).metadata()).width).toBeGreaterThan(0);
    const none = new URL(swatch);
    none.searchParams.set('value', 'NONE');
    expect(await jsonOf(fetch(none), 404)).toMatchObject({ code: 'IMAGE_MISSING' });
    const { links } = described;
    expect(Object.keys(links)).toEqual([
      'glb',
      'usdz',
      'jpg',
      'png',
      'webp',
      'avif',
      'qr.svg',
      'ar',
    ]);
    const linked = await bytesOf(await fetch(links.glb));
    expect(digest(linked)).toBe(
      digest(await bytesOf(await fetch(at(`${DESK}.glb`, { DEKOR: 'NB' })))),
    );
  });

  it('is found by its content, which never changes', async () => {
    const answer = await fetch(at(`${DESK}.glb`));
    const location = answer.headers.get('content-location')!;
    const object = await fetch(`${origin}${location}`);
    expect(digest(await bytesOf(object))).toBe(digest(await bytesOf(answer)));
    expect(object.headers.get('cache-control')).toContain('immutable');
    const unknown = location.replace(/[0-9a-f]{8}/, '00000000');
    expect(await statusOf(`${origin}${unknown}`)).toBe(404);
    expect(await statusOf(`${origin}${location.replace('.glb', '.usdz')}`)).toBe(404);
  });

  it('answers HEAD, conditions and ranges as HTTP defines them', async () => {
    const whole = Buffer.from(await bytesOf(await fetch(at(`${DESK}.glb`))));
    const head = await fetch(at(`${DESK}.glb`), { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(whole.length));
    expect((await head.arrayBuffer()).byteLength).toBe(0);
    const etag = head.headers.get('etag')!;
    const known = await fetch(at(`${DESK}.glb`), {
      headers: { 'if-none-match': `"other", W/${etag}` },
    });
    expect([known.status, await known.text()]).toEqual([304, '']);
    const part = async (range: string, more = {}) => {
      const answer = await fetch(at(`${DESK}.glb`), { headers: { range, ...more } });
      return [
        answer.status,
        answer.headers.get('content-range'),
        Buffer.from(await answer.arrayBuffer()),
      ];
    };
    const { length } = whole;
    expect(await part('bytes=0-3')).toEqual([206, `bytes 0-3/${length}`, whole.subarray(0, 4)]);
    expect(await part('bytes=-4')).toEqual([
      206,
      `bytes ${length - 4}-${length - 1}/${length}`,
      whole.subarray(-4),
    ]);
    expect((await part(`bytes=${length}-`))[0]).toBe(416);
    const beyond = await fetch(at(`${DESK}.glb`), { headers: { range: `bytes=${length}-` } });
    expect(beyond.headers.get('cache-control')).toBe('no-store');
    expect((await part('bytes=0-3', { 'if-range': '"other"' }))[0]).toBe(200);
    expect((await part('bytes=3-1'))[0]).toBe(200);
    expect((await part('lines=0-3'))[0]).toBe(200);
  });

  it('is compressed where that helps', async () => {
    const answer = await fetch(at(`${DESK}.json`), { headers: { 'accept-encoding': 'br' } });
    expect(answer.headers.get('content-encoding')).toBe('br');
    expect(answer.headers.get('vary')).toContain('accept-encoding');
    const plain = await fetch(at(`${DESK}.json`), {
      headers: { 'accept-encoding': 'br;q=0, identity' },
    });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(plain.headers.get('etag')).not.toBe(answer.headers.get('etag'));
    expect(await plain.json()).toEqual(await answer.json());
  });

  it('tells caches how long it is good, and people what it is called', async () => {
    const { headers } = await fetch(at(`/a/BRNK/KONVA/${encodeURIComponent('KV20 F')}.usdz`));
    expect(headers.get('cache-control')).toMatch(
      /^public, max-age=60, stale-while-revalidate=\d+$/,
    );
    expect(headers.get('content-type')).toBe('model/vnd.usdz+zip');
    expect(headers.get('content-disposition')).toMatch(
      /^inline; filename="KV20_F[^"]*\.usdz"; filename\*=UTF-8''KV20%20F/,
    );
    expect(headers.get('link')).toContain(
      '<'.concat('/a/BRNK/KONVA/KV20%20F.glb>; rel="alternate"; type="model/gltf-binary"'),
    );
    expect(headers.get('server-timing')).toMatch(
      /^(resolve;dur=\d+, convert;dur=\d+, make;dur=\d+|cache)/,
    );
  });

  it('may be read by pages of the origins that are allowed, and no others', async () => {
    const from = async (page: string) =>
      (await fetch(at(`${DESK}.json`), { headers: { origin: page } })).headers.get(
        'access-control-allow-origin',
      );
    expect(await from('https://shop.example')).toBe('https://shop.example');
    expect(await from('https://other.example')).toBeNull();
  });

  it.runIf(HAS_BROWSER)('is a picture by a camera, or one of a turn', async () => {
    const picture = async (query: Record<string, string>, form = 'png') => {
      const bytes = await bytesOf(await fetch(at(`${DESK}.${form}`, { size: SIDE, ...query })));
      const { format, width, height } = await sharp(bytes).metadata();
      expect([format, width, height]).toEqual([form, Number(SIDE), Number(SIDE)]);
      return digest(bytes);
    };
    const all = [
      await picture({ camera: 'front' }),
      await picture({ frame: '9' }),
      await picture({ background: 'transparent' }),
      await picture({}, 'webp'),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  it.runIf(HAS_BROWSER)('is a picture for ERP systems, as the service had it', async () => {
    const fields = { ...CHAIR, width: SIDE, height: SIDE, token: 'any' };
    const answer = await fetch(at('/api/odb.dll/odb/articlesimage.jpg', fields));
    expect((await sharp(await bytesOf(answer)).metadata()).format).toBe('jpeg');
    const page = { headers: { 'sec-fetch-site': 'cross-site' } };
    expect(await statusOf(at('/articlesimage.jpg', fields), page)).toBe(403);
  });
});

describe('the page that shows it in a room', () => {
  it('has the links of each kind of device, and a code of its own address', async () => {
    const html = await (await fetch(at('/ar/FJEL/LINEA/LN-M', { DEKOR: 'NB' }))).text();
    expect(html).toContain(
      `<a rel="ar" href="${origin}/a/FJEL/LINEA/LN-M.usdz?DEKOR=NB#allowsContentScaling=0"`,
    );
    expect(html).toMatch(
      /href="intent:\/\/arvr\.google\.com\/scene-viewer\/1\.0\?file=[^"]*profile%3Dar-android/,
    );
    expect(html).toContain('<svg');
    expect(html.length).toBeLessThan(30_000);
  });

  it('is one sentence and a way back where the article cannot be shown; a program gets the problem', async () => {
    const open = (path: string, referer?: string) => {
      const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
      return fetch(`${origin}${path}`, { headers: { accept, ...(referer && { referer }) } });
    };
    const answer = await open(
      '/ar/FJEL/LINEA/NONE?key=abc',
      'https://shop.example/desk?a=1&b="<i>',
    );
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('vary')]).toEqual(
      [404, 'text/html; charset=utf-8', expect.stringContaining('accept')],
    );
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = await answer.text();
    expect(html).toContain('<h1>This article is not available here.</h1>');
    expect(html).toContain('href="https://shop.example/desk?a=1&amp;b=%22%3Ci%3E">Back</a>');
    expect(html).not.toMatch(/NONE|abc|pipeline/);
    const other = await open('/ar/FJEL/LINEA/LN-M?NONE=1', `${origin}/ar/FJEL/LINEA/LN-M`);
    expect([other.status, await other.text()]).toEqual([422, expect.not.stringContaining('Back')]);
    const script = 'javascript:alert(1)';
    expect(await (await open('/ar/FJEL/LINEA/NONE', script)).text()).not.toContain('alert');
    for (const accept of ['*/*', 'application/json', 'text/html;q=0, */*']) {
      const problem = await fetch(at('/ar/FJEL/LINEA/NONE'), { headers: { accept } });
      expect(problem.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(await problem.json()).toMatchObject({ status: 404, code: 'ARTICLE_NOT_FOUND' });
    }
  });

  it('has its code as files', async () => {
    const svg = await (await fetch(at(`${DESK}.qr.svg`, { DEKOR: 'NB' }))).text();
    expect(svg).toMatch(/^<svg/);
    const png = await sharp(await bytesOf(await fetch(at(`${DESK}.qr.png`)))).metadata();
    expect(png.format).toBe('png');
    expect(png.width).toBe(png.height);
    expect(await statusOf(at('/a/FJEL/LINEA/NONE.qr.svg'))).toBe(404);
  });
});

describe('a request that is wrong', () => {
  it.each([
    ['an unknown manufacturer', '/a/NONE/LINEA/LN-M.glb', 404, 'ARTICLE_NOT_FOUND'],
    [
      'an article that the pipeline does not select',
      '/a/AULI/LUMO/LM-DREIBEIN.glb',
      404,
      'ARTICLE_NOT_FOUND',
    ],
    ['an unknown property', `${DESK}.glb?NONE=1`, 422, 'PROPERTY_UNKNOWN'],
    ['an unknown form', `${DESK}.exe`, 404, undefined],
    ['an unknown camera', `${DESK}.jpg?camera=moon`, 400, 'USAGE'],
    ['an unknown profile', `${DESK}.glb?profile=webb`, 400, 'USAGE'],
    ['too many pixels', `${DESK}.jpg?size=201`, 400, undefined],
    ['a frame beyond the turn', `${DESK}.jpg?frame=33`, 400, 'USAGE'],
    ['two configurations', `${DESK}.glb?DEKOR=NB&reinitstring=x`, 400, 'USAGE'],
    ['a forged configuration', `${DESK}.glb?reinitstring=forged`, 422, 'CONFIGURATION_REFUSED'],
    ['an unknown planning', `${DESK}.glb?permanentid=1234`, 422, 'PERMANENT_ID_NOT_RESOLVABLE'],
    ['a long query', `${DESK}.glb?X=${'x'.repeat(10_000)}`, 414, undefined],
    ['a prototype', `${DESK}.glb?__proto__=1`, 422, 'PROPERTY_UNKNOWN'],
    ['a path upwards', '/a/FJEL/LINEA/..%2f..%2f..%2fetc%2fpasswd.glb', 404, 'ARTICLE_NOT_FOUND'],
    ['NUL', '/a/FJEL/LINEA/LN-M%00.glb', 400, undefined],
    ['no UTF-8', '/a/FJEL/LINEA/%ff.glb', 400, undefined],
    ['another place', '/b', 404, undefined],
  ])('%s is a problem with a sentence', async (_, path, status, code) => {
    const answer = await fetch(`${origin}${path}`);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    const problem = (await answer.json()) as Record<string, unknown>;
    expect([answer.status, problem.code]).toEqual([status, code]);
    expect(problem).toMatchObject({ status, detail: expect.stringMatching(/\w/) });
    expect(JSON.stringify(problem)).not.toContain(folder);
  });

  it('is refused under another name, and by another method', async () => {
    const status = await new Promise((resolve) => {
      const headers = { host: 'evil.example' };
      httpRequest(at(`${DESK}.glb`), { headers }, ({ statusCode }) => resolve(statusCode)).end();
    });
    expect(status).toBe(421);
    expect(await statusOf(at(`${DESK}.glb`), { method: 'POST' })).toBe(405);
  });

  it('costs a sender its budget, and nobody else; what is known stays free', async () => {
    const own = await serve({}, '--max-new', '1');
    const first = at(`${DESK}.glb`, { DEKOR: 'WS' }, own);
    expect(await statusOf(first)).toBe(200);
    const refused = await fetch(at(`${DESK}.glb`, { DEKOR: 'BU' }, own));
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await statusOf(first)).toBe(200);
  });

  it('comes from who a trusted proxy says, and from no one whom a client names', async () => {
    const from = async (server: string, sender: string, finish: string) => {
      const headers = { 'x-forwarded-for': sender };
      return await statusOf(at(`${DESK}.usdz`, { DEKOR: finish }, server), { headers });
    };
    const proxied = await serve({}, '--max-new', '1', '--trust-proxy', 'loopback');
    const direct = await serve({}, '--max-new', '1');
    expect(await from(proxied, '192.0.2.1', 'EI')).toBe(200);
    expect(await from(proxied, '192.0.2.2', 'NB')).toBe(200);
    expect(await from(proxied, '192.0.2.2', 'BU')).toBe(429);
    expect(await from(direct, '192.0.2.3', 'WS')).toBe(200);
    expect(await from(direct, '192.0.2.4', 'LG')).toBe(429);
    const words = ['assets', pipeline, '--port', '0', '--trust-proxy', 'all'];
    expect((await command(words)).stderr).toMatch(/--trust-proxy: expected addresses/);
  });
});

describe('with a secret', () => {
  it('only signed addresses are answered, and their links are signed, too', async () => {
    const own = await serve({ BTG2GLTF_ASSETS_SECRET: SECRET });
    expect(await jsonOf(fetch(at(`${DESK}.glb`, {}, own)), 403)).toMatchObject({ status: 403 });
    expect(await statusOf(at('/articlesimage.jpg', { ...CHAIR }, own))).toBe(403);
    const desk = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' };
    const url = assetUrl({
      ...desk,
      server: own,
      form: 'json',
      properties: ['DEKOR'],
      secret: SECRET,
    });
    const { links } = await jsonOf(fetch(`${url}&DEKOR=NB`));
    expect(await statusOf(links.glb)).toBe(200);
    expect(await statusOf(links.ar)).toBe(200);
    expect(await statusOf(`${url}&BREITE=1800`)).toBe(403);
    const { stdout, stderr } = await started.pop()!.end();
    for (const secret of [SECRET, new URL(url).searchParams.get('signature')!])
      expect(`${stdout}${stderr}`).not.toContain(secret);
  });
});

describe('metrics', () => {
  it('count files by where they came from', async () => {
    await bytesOf(await fetch(at(`${DESK}.glb`)));
    const text = await (await fetch(`${origin}/metrics`)).text();
    expect(text).toMatch(
      /btg2gltf_assets_files_total\{form="glb",from="known",pipeline="[^"]+"\} [1-9]/,
    );
    expect(text).toMatch(/btg2gltf_assets_step_seconds_count\{.*step="convert"/);
    expect(await statusOf(`${origin}/health`)).toBe(200);
    expect(await statusOf(`${origin}/ready`)).toBe(200);
  });
});
