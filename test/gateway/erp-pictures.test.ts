/** The deprecated picture operation of the service, as an ERP system uses it: one base address is another, all else as before. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../src/emulator/emulator.ts';
import { createSampleRange } from '../../src/emulator/sample/sample-range.ts';
import type { ManifestLine } from '../../src/run/lists/manifest-line.ts';
import { readManifest } from '../../src/run/output/manifest.ts';
import { shareBrowser } from '../helpers/browser.ts';
import { environmentOf } from '../helpers/child.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { MADE_TO_MEASURE, WORKPLACE } from '../helpers/configurator.ts';
import { jsonOf } from '../helpers/json-of.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { type RunningCommand, startCommand } from '../helpers/running-command.ts';
import { statusOf } from '../helpers/status-of.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

shareBrowser();

const TOKEN = 'a token of this server';
const SIDE = '64';
const DESK = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' };

let folder: string;
let lines: ManifestLine[];
let url: string;
let pipeline: string;
/** Its address and account. */
let service: Record<string, string>;
const started: RunningCommand[] = [];

/** Starts the server with the service gone. */
async function serve(env: Record<string, string> = {}) {
  const running = await startCommand(['images', pipeline, '--port', '0'], { ...service, ...env });
  started.push(running);
  return { ...running, url: new URL('/api/odb.dll/odb/articlesimage.jpg', running.url).href };
}

describe.runIf(HAS_BROWSER)('articlesimage.jpg', () => {
  beforeAll(async () => {
    folder = await temporaryFolder();
    const articles = [MADE_TO_MEASURE, WORKPLACE, DESK].map((article) => ({ article }));
    const emulator = await startEmulator({ range: createSampleRange() });
    service = environmentOf(emulator);
    pipeline = await writePipeline(folder, { articles });
    expect(await command(['run', pipeline], { env: service })).toMatchObject({ exit: 0 });
    await emulator.close();
    lines = await readManifest(join(folder, 'out'));
    ({ url } = await serve());
  });
  afterAll(async () => {
    await Promise.all(started.map(({ end }) => end()));
    await rm(folder, { recursive: true, force: true });
  });

  const address = (base: string, fields: Record<string, string>) =>
    `${base}?${new URLSearchParams({ width: SIDE, ...fields })}`;
  const parametersOf = (line: ManifestLine) => {
    const { manufacturer, program, basearticlenumber } = line;
    const { finalarticlenumber, reinitstring, metareinitstring } = line;
    const configuration = { finalarticlenumber, reinitstring, metareinitstring };
    return { manufacturer, program, basearticlenumber, ...configuration };
  };

  it('is a JPEG of each published configuration, meta plannings too, with any token, although the service is gone', async () => {
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) {
      const response = await fetch(address(url, { token: 'any', ...parametersOf(line) }));
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
      expect(response.headers.get('warning')).toBeNull();
      const image = await sharp(await response.arrayBuffer()).metadata();
      expect([image.format, image.width, image.height]).toEqual(['jpeg', 64, 64]);
    }
  });

  it('is that of the default configuration, where no other is asked for, at any spelling of the ids', async () => {
    const ids = { ...DESK, manufacturer: DESK.manufacturer.toLowerCase() };
    expect(await statusOf(address(url, ids))).toBe(200);
  });

  it('needs no reinit string where a final article number has one configuration', async () => {
    const { reinitstring: _, ...ids } = parametersOf(lines[0]!);
    expect(await statusOf(address(url, ids))).toBe(200);
  });

  it('has the camera and the size that a request adds', async () => {
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

  it('of a wrong request is 400 with a sentence; of what is not selected 404, and not published 503, since the service is gone', async () => {
    const known = parametersOf(lines[0]!);
    const faults = [{ manufacturer: '' }, { camera: 'moon' }, { width: '-1' }, { height: '9999' }];
    for (const wrong of faults) {
      const { detail } = await jsonOf(fetch(address(url, { ...known, ...wrong })), 400);
      expect(detail).toContain('expected');
    }
    const unknown = { ...DESK, basearticlenumber: 'LN-D120/80' };
    expect(await statusOf(address(url, unknown))).toBe(404);
    expect(await statusOf(address(url, { ...DESK, finalarticlenumber: 'another' }))).toBe(503);
    expect(await statusOf(url, { method: 'POST' })).toBe(405);
  });

  it('needs the token of the environment variable where there is one, and logs no parameter', async () => {
    const { url: guarded, end } = await serve({ BTG2GLTF_IMAGES_TOKEN: TOKEN });
    const parameters = parametersOf(lines[0]!);
    const crossSite = { headers: { 'sec-fetch-site': 'cross-site' } };
    expect(await statusOf(address(guarded, parameters))).toBe(401);
    const shown = address(guarded, { ...parameters, token: TOKEN });
    expect(await statusOf(shown, crossSite)).toBe(200);
    expect(await statusOf(address(guarded, { ...parameters, token: 'wrong' }))).toBe(401);
    const { stdout, stderr } = await end();
    expect(stdout + stderr).not.toContain(TOKEN);
    expect(stdout + stderr).not.toContain(parameters.reinitstring);
    expect(stderr).toContain('the next version has no images');
  });
});
