/** The image endpoint as an ERP system uses it: one base address is another, everything else as before. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ManifestLine } from '../../src/model/asset.ts';
import { readManifest } from '../../src/write/manifest.ts';
import { type CommandResult, command } from '../helpers/command.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const TOKEN = 'a token of this server';
const SIZE = 64;

let folder: string;
let lines: ManifestLine[];
const ended: (() => Promise<unknown>)[] = [];

/** Starts the command; returns the address that it prints. */
async function serve(env: Record<string, string>, ...options: string[]) {
  const stop = new AbortController();
  let result: Promise<CommandResult> | undefined;
  const address = new Promise<string>((resolve, reject) => {
    result = command(
      ['images', join(folder, 'out'), '--port', '0', '--size', String(SIZE), ...options],
      {
        env,
        signal: stop.signal,
        onPrint: (text) => {
          const [url] = /http:\S+/.exec(text) ?? [];
          if (url !== undefined) resolve(url);
        },
      },
    );
    result.then(({ stderr }) => reject(new Error(stderr)), reject);
  });
  const end = async () => {
    stop.abort();
    return result;
  };
  ended.push(end);
  return { url: await address, end };
}

describe.runIf(HAS_BROWSER)('articlesimage.jpg', () => {
  let url: string;
  beforeAll(async () => {
    folder = await temporaryFolder();
    const pipeline = {
      name: 'erp',
      service: { emulator: true },
      articles: [
        { article: { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' } },
        { search: { manufacturer: 'AULI', query: 'Pendant' } },
        { search: { manufacturer: 'FJEL', query: 'workplace' } },
      ],
      output: { dir: 'out' },
    };
    await writeFile(join(folder, 'erp.yaml'), JSON.stringify(pipeline));
    expect(await command(['run', join(folder, 'erp.yaml')])).toMatchObject({ exit: 0 });
    lines = await readManifest(join(folder, 'out'));
    ({ url } = await serve({}));
  });
  afterAll(async () => {
    await Promise.all(ended.map((end) => end()));
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

  it('has the camera and size that a request adds', async () => {
    const parameters = { ...parametersOf(lines[0]!), camera: 'back', width: '80', height: '40' };
    const response = await fetch(address(url, parameters));
    const image = await sharp(await response.arrayBuffer()).metadata();
    expect([image.width, image.height]).toEqual([80, 40]);
  });

  it('is not sent again to who has it', async () => {
    const wanted = address(url, parametersOf(lines[0]!));
    const etag = (await fetch(wanted)).headers.get('etag')!;
    const again = await fetch(wanted, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it('of an unknown article is 404 with a sentence; of a wrong request 400', async () => {
    const known = parametersOf(lines[0]!);
    const unknown = await fetch(address(url, { ...known, basearticlenumber: 'NONE' }));
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({
      error: expect.stringContaining('no such article'),
    });
    for (const wrong of [
      { manufacturer: '' },
      { camera: 'moon' },
      { width: '-1' },
      { height: '4097' },
    ]) {
      const response = await fetch(address(url, { ...known, ...wrong }));
      expect([wrong, response.status]).toEqual([wrong, 400]);
    }
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
    expect((await fetch(new URL('/other', url))).status).toBe(404);
  });

  it('is made once, however many ask for it at the same time', async () => {
    const { url: own, end } = await serve({}, '--log-format', 'json');
    const four = lines.slice(0, 4).map((line) => ({ ...parametersOf(line), width: '72' }));
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const response = await fetch(address(own, four[i % four.length]!));
        return [response.status, response.headers.get('etag')] as const;
      }),
    );
    expect(answers.filter(([status]) => status !== 200)).toEqual([]);
    const masters = new Set(lines.slice(0, 4).map(({ sha256 }) => sha256));
    expect(new Set(answers.map(([, etag]) => etag)).size).toBe(masters.size);
    const { stderr } = (await end())!;
    expect(stderr.match(/a picture is made/g)).toHaveLength(masters.size);
  });

  it('needs the token of the environment variable where there is one, and logs no parameter', async () => {
    const { url: guarded, end } = await serve({ BTG2GLTF_IMAGES_TOKEN: TOKEN });
    const parameters = parametersOf(lines[0]!);
    expect((await fetch(address(guarded, parameters))).status).toBe(401);
    expect((await fetch(address(guarded, { ...parameters, token: 'wrong' }))).status).toBe(401);
    expect((await fetch(address(guarded, { ...parameters, token: TOKEN }))).status).toBe(200);
    const result = (await end())!;
    const printed = `${result.stdout}${result.stderr}`;
    expect(printed).not.toContain(TOKEN);
    expect(printed).not.toContain(parameters.basearticlenumber);
  });

  it('of an article that was not published is made by the pipeline that can convert it', async () => {
    const { url: converting } = await serve({}, '--pipeline', join(folder, 'erp.yaml'));
    const lamp = { manufacturer: 'AULI', program: 'LUMO', basearticlenumber: 'LM-DREIBEIN' };
    expect((await fetch(address(url, lamp))).status).toBe(404);
    const asked = Array.from({ length: 5 }, () => fetch(address(converting, lamp)));
    const found = await Promise.all(asked);
    expect(found.map(({ status }) => status)).toEqual(asked.map(() => 200));
    expect((await fetch(address(converting, { ...lamp, basearticlenumber: 'NO' }))).status).toBe(
      404,
    );
  });
});
