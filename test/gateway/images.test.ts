/** The image endpoint as an ERP system uses it: one base address is another, everything else as before. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ManifestLine } from '../../src/run/lists/manifest-line.ts';
import { readManifest } from '../../src/run/output/manifest.ts';
import { ConverterError } from '../../src/support/errors.ts';
import { SILENT } from '../../src/support/log.ts';
import { openImageServer } from '../../src/web/servers/images.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { MADE_TO_MEASURE, WORKPLACE } from '../helpers/configurator.ts';
import { jsonOf } from '../helpers/json-of.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { type RunningCommand, startCommand } from '../helpers/running-command.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { until } from '../helpers/until.ts';

const TOKEN = 'a token of this server';
const SIZE = 64;
const LAMP = { manufacturer: 'AULI', program: 'LUMO', basearticlenumber: 'LM-DREIBEIN' };

let folder: string;
let pipeline: string;
let lines: ManifestLine[];
const started: RunningCommand[] = [];

async function serve(env: Record<string, string>, ...options: string[]) {
  const words = ['images', join(folder, 'out'), '--port', '0', '--size', String(SIZE), ...options];
  const running = await startCommand(words, env);
  started.push(running);
  return running;
}

describe.runIf(HAS_BROWSER)('articlesimage.jpg', () => {
  let url: string;
  beforeAll(async () => {
    folder = await temporaryFolder();
    const articles = [MADE_TO_MEASURE, WORKPLACE, { ...LAMP, basearticlenumber: 'LM-DOM 16"' }].map(
      (article) => ({ article }),
    );
    pipeline = await writePipeline(folder, { service: { emulator: true }, articles });
    expect(await command(['run', pipeline])).toMatchObject({ exit: 0 });
    lines = await readManifest(join(folder, 'out'));
    ({ url } = await serve({}));
  });
  afterAll(async () => {
    await Promise.all(started.map(({ end }) => end()));
    await rm(folder, { recursive: true, force: true });
  });

  const address = (base: string, fields: Record<string, string>) =>
    `${base}?${new URLSearchParams(fields)}`;
  const parametersOf = (line: ManifestLine) => {
    const { manufacturer, program, basearticlenumber } = line;
    const { finalarticlenumber, reinitstring, metareinitstring } = line;
    const configuration = { finalarticlenumber, reinitstring, metareinitstring };
    return { manufacturer, program, basearticlenumber, ...configuration };
  };

  it('is a JPEG of each published configuration, meta plannings too, with any token', async () => {
    for (const line of lines) {
      const response = await fetch(address(url, { token: 'any', ...parametersOf(line) }));
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
      const image = await sharp(await response.arrayBuffer()).metadata();
      expect([image.format, image.width, image.height]).toEqual(['jpeg', SIZE, SIZE]);
    }
  });

  it('is that of the default configuration, where no other is asked for, at any spelling of the ids', async () => {
    const { requested } = lines.find(({ basearticlenumber }) => basearticlenumber === 'LN-M')!;
    const { manufacturer, program, basearticlenumber } = requested[0]!;
    const ids = { manufacturer: manufacturer.toLowerCase(), program, basearticlenumber };
    expect((await fetch(address(url, ids))).status).toBe(200);
  });

  it('needs no reinit string where a final article number has one configuration', async () => {
    const { reinitstring: _, ...ids } = parametersOf(lines[0]!);
    expect((await fetch(address(url, ids))).status).toBe(200);
  });

  it('has the camera that a request adds, and the next larger size that there is', async () => {
    const parameters = { ...parametersOf(lines[0]!), camera: 'back', width: '80', height: '40' };
    const response = await fetch(address(url, parameters));
    const image = await sharp(await response.arrayBuffer()).metadata();
    expect([image.width, image.height]).toEqual([80, 48]);
  });

  it('is not sent again to who has it', async () => {
    const wanted = address(url, parametersOf(lines[0]!));
    const etag = (await fetch(wanted)).headers.get('etag')!;
    const again = await fetch(wanted, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it('of an unknown article is 404 with a sentence; of a wrong request 400', async () => {
    const known = parametersOf(lines[0]!);
    const unknown = fetch(address(url, { ...known, basearticlenumber: 'NONE' }));
    expect((await jsonOf(unknown, 404)).error).toContain('no such article');
    const faults = [
      ...[{ manufacturer: '' }, { camera: 'moon' }, { width: '-1' }, { height: '4097' }],
      // Beyond the budget of pixels.
      { width: '2112', height: '2048' },
    ];
    for (const wrong of faults) {
      const response = await fetch(address(url, { ...known, ...wrong }));
      expect([wrong, response.status]).toEqual([wrong, 400]);
    }
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
    expect((await fetch(new URL('/other', url))).status).toBe(404);
  });

  it('is refused to a page of another site, whose visitors would ask for it', async () => {
    const wanted = address(url, parametersOf(lines[0]!));
    const from = async (site: string) =>
      (await fetch(wanted, { headers: { 'sec-fetch-site': site } })).status;
    expect([await from('cross-site'), await from('same-origin')]).toEqual([403, 200]);
  });

  it('is made once, however many ask for it at the same time', async () => {
    const { url: own, end } = await serve({}, '--log-format', 'json');
    const asked = lines.map((line) => ({ ...parametersOf(line), width: '72' }));
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const response = await fetch(address(own, asked[i % asked.length]!));
        return [response.status, response.headers.get('etag')] as const;
      }),
    );
    expect(answers.filter(([status]) => status !== 200)).toEqual([]);
    const masters = new Set(lines.map(({ sha256 }) => sha256));
    expect(new Set(answers.map(([, etag]) => etag)).size).toBe(masters.size);
    const { stderr } = await end();
    expect(stderr.match(/a picture is made/g)).toHaveLength(masters.size);
  });

  it('needs the token of the environment variable where there is one, and logs no parameter', async () => {
    const { url: guarded, end } = await serve({ BTG2GLTF_IMAGES_TOKEN: TOKEN });
    const parameters = parametersOf(lines[0]!);
    const elsewhere = { headers: { 'sec-fetch-site': 'cross-site' } };
    expect((await fetch(address(guarded, parameters))).status).toBe(401);
    const shown = address(guarded, { ...parameters, token: TOKEN });
    expect((await fetch(shown, elsewhere)).status).toBe(200);
    expect((await fetch(address(guarded, { ...parameters, token: 'wrong' }))).status).toBe(401);
    expect((await fetch(address(guarded, { ...parameters, token: TOKEN }))).status).toBe(200);
    const result = await end();
    const printed = `${result.stdout}${result.stderr}`;
    expect(printed).not.toContain(TOKEN);
    expect(printed).not.toContain(parameters.basearticlenumber);
  });

  it('of an article that was not published is made by the pipeline that can convert it', async () => {
    const { url: converting } = await serve({}, '--pipeline', pipeline);
    expect((await fetch(address(url, LAMP))).status).toBe(404);
    const asked = Array.from({ length: 5 }, () => fetch(address(converting, LAMP)));
    const found = await Promise.all(asked);
    expect(found.map(({ status }) => status)).toEqual(asked.map(() => 200));
    const unknown = { ...LAMP, basearticlenumber: 'NO' };
    expect((await fetch(address(converting, unknown))).status).toBe(404);
  });
});

describe('an image server', () => {
  const ARTICLE = { manufacturer: 'A', program: 'B', basearticlenumber: 'C' };
  const open = async (find: Parameters<typeof openImageServer>[0]['find']) => {
    const server = await openImageServer({ now: Date.now, log: SILENT, graceMs: 0, find });
    onTestFinished(() => server.close());
    return `${server.url}?${new URLSearchParams(ARTICLE)}`;
  };

  it('that makes too many pictures says when to ask again', async () => {
    const url = await open(() => {
      throw new ConverterError('RATE_LIMITED', 'too many pictures are being made');
    });
    const { status, headers } = await fetch(url);
    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
  });

  it('lets go of what is asked for by a connection that ends', async () => {
    let signal: AbortSignal | undefined;
    const url = await open((_, gone) => {
      signal = gone;
      return new Promise(() => {});
    });
    const request = new AbortController();
    const ended = expect(fetch(url, { signal: request.signal })).rejects.toThrow();
    await until(() => signal !== undefined);
    expect(signal!.aborted).toBe(false);
    request.abort();
    await ended;
    await until(() => signal!.aborted);
  });
});
