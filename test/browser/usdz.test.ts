/** A USDZ in two readers that are not ours: what they find in it, and how it looks. */
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takePictures } from '../../src/deliver/pictures/picture.ts';
import {
  PICTURE_DEFAULTS,
  type PictureOptions,
} from '../../src/deliver/pictures/picture-options.ts';
import type { Renderer } from '../../src/deliver/pictures/renderer.ts';
import { createUsdzMaker } from '../../src/deliver/usd/usdz-maker.ts';
import { type ConvertParameters, convert } from '../../src/library.ts';
import { closePages, openPage, sharedRenderer } from '../helpers/browser.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { similarity } from '../helpers/similarity.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { judgeUsdz } from '../helpers/usdz-judge.ts';

const RECORDING = resolve('../shared/data/cc0-furniture');
const recorded = (program: string, basearticlenumber: string) => ({
  service: { recording: RECORDING },
  article: { manufacturer: 'SH3D', program, basearticlenumber },
});

const SIZE = 512;
/** A USDZ has no layers, which say of a lamp that it hangs. */
const FLOOR = { floor: 'always' } as const;
const PICTURE: PictureOptions = {
  ...{ ...PICTURE_DEFAULTS, ...FLOOR },
  ...{ width: SIZE, height: SIZE, format: 'png' },
};
const service = { emulator: true };
const SCREEN = { manufacturer: 'FJEL', program: 'FORUM', basearticlenumber: 'FM-P3' };
const LAMP = {
  ...{ manufacturer: 'AULI', program: 'LUMO', basearticlenumber: 'LM-DOM 16"' },
  ...{ finalarticlenumber: 'LM-DOM 16";METALL=MS' },
  reinitstring: 'LM-DOM 16"/METALL: Messing;::',
};

/**
 * A screen where normal maps lie otherwise than the colour. At length, a lamp with normal maps too, and real furniture
 * where it is there: glass, and many mirrored and double-sided parts.
 */
const ARTICLES: Pick<ConvertParameters, 'service' | 'article'>[] = [
  { service, article: SCREEN },
  { service, article: LAMP },
  ...(existsSync(RECORDING) ? otherFurniture() : []),
];

/** The rest of the real furniture. */
function otherFurniture() {
  return [
    ...['BC092', 'LA053', 'SE077', 'SO2074'].map((number) => recorded('LIVING', number)),
    ...['CH044', 'DT160/80'].map((number) => recorded('OFFICE', number)),
    ...['BT198', 'VN090'].map((number) => recorded('PRIVATE', number)),
  ];
}

/** Nothing is asked of the page that the test does not answer. */
const ORIGIN = 'http://readers.test';
const WASM = createRequire(import.meta.url).resolve('tinyusdz/tinyusdz.wasm');

interface Seen {
  three: { triangles: number; min: number[]; max: number[] };
  tinyUsdz: { path: string; points: number[]; indices: number[] }[];
  /** What three.js has made of it. */
  glb: Uint8Array;
}

/** Opens the page with the readers; it reads a file. */
async function openReaders(): Promise<(usdz: Uint8Array) => Promise<Seen>> {
  const input = fileURLToPath(new URL('usdz-readers.mjs', import.meta.url));
  const bundle = await rolldown({ input, platform: 'browser' });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  let model = new Uint8Array();
  let uploaded = new Uint8Array();
  const files: Record<
    string,
    { type: string; body: () => Promise<Uint8Array> | Uint8Array | string }
  > = {
    '/': {
      type: 'text/html',
      body: () => '<!doctype html><script type="module" src="readers.js"></script>',
    },
    '/readers.js': { type: 'text/javascript', body: () => output[0].code },
    '/model.usdz': { type: 'model/vnd.usdz+zip', body: () => model },
    '/tinyusdz.wasm': { type: 'application/wasm', body: () => readFile(WASM) },
  };
  const page = await openPage();
  await page.route(`${ORIGIN}/**`, async (route) => {
    const posted = route.request().postDataBuffer();
    if (posted !== null) uploaded = new Uint8Array(posted);
    const file = files[new URL(route.request().url()).pathname];
    const body = (await file?.body()) ?? '';
    await route.fulfill({
      contentType: file?.type ?? 'text/plain',
      body: typeof body === 'string' ? body : Buffer.from(body),
    });
  });
  await page.goto(`${ORIGIN}/`);
  await page.waitForFunction('globalThis.readers');
  return async (usdz) => {
    model = new Uint8Array(usdz);
    const three = (await page.evaluate("readers.three('model.usdz', 'upload')")) as Seen['three'];
    const seen = await page.evaluate("readers.tinyUsdz('model.usdz', 'tinyusdz.wasm')");
    return { three, tinyUsdz: seen as Seen['tinyUsdz'], glb: uploaded };
  };
}

// What a USDZ says, and that a browser writes it as a delivery does, is in npm test, too: test/unit/deliver/usd/usdz-maker.test.ts,
// test/browser/converter.test.ts.
describe.runIf(HAS_BROWSER && IS_LONG)('a USDZ', () => {
  let folder: string;
  let renderer: Renderer;
  let read: Awaited<ReturnType<typeof openReaders>>;
  beforeAll(async () => {
    folder = await temporaryFolder();
    read = await openReaders();
    renderer = await sharedRenderer();
  });
  afterAll(async () => {
    await closePages();
    await rm(folder, { recursive: true });
  });

  it.each(ARTICLES)(
    'of $article.basearticlenumber is to readers what was written, and looks like its master',
    async (article) => {
      const output = join(folder, 'master.glb');
      await convert({ ...article, output });
      const master = new Uint8Array(await readFile(output));
      const [file] = await createUsdzMaker().make(master, ['model.usdz']);
      const { meshes, problems } = judgeUsdz(file!.bytes);
      expect(problems).toEqual([]);
      const { three, tinyUsdz, glb } = await read(file!.bytes);
      expect(three.triangles).toBe(file!.facts.triangles);
      expect(three.min[1]).toBeCloseTo(0, 5);
      expect(tinyUsdz.map(({ path }) => path)).toEqual(meshes.map(({ path }) => path));
      tinyUsdz.forEach(({ points, indices }, i) => {
        // Element by element: a comparison of long lists by Vitest takes seconds.
        const written = meshes[i]!.ownPoints;
        expect(points.findIndex((value, at) => value !== written[at])).toBe(-1);
        expect(indices.findIndex((value, at) => value !== meshes[i]!.indices[at])).toBe(-1);
        expect([points.length, indices.length]).toEqual([
          written.length,
          meshes[i]!.indices.length,
        ]);
      });
      const [[before], [after]] = [
        await takePictures(renderer, master, PICTURE),
        await takePictures(renderer, glb, PICTURE),
      ];
      expect(await similarity(before!.bytes, after!.bytes)).toBeGreaterThan(0.99);
    },
  );
});
