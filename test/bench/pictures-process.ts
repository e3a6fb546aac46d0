/**
 * Pictures of models that are new to a renderer whose browser runs; prints one JSON object, {@link PictureTimes}.
 *
 * Usage: `node pictures-process.js CHECKOUT OUTPUT PIXELS`: a built checkout, an output folder with masters, and the
 * side of the pictures. `BTG2GLTF_BROWSER` is the path of the browser.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Renderer } from '../../src/deliver/pictures/renderer.ts';
import type { ManifestLine } from '../../src/run/lists/manifest-line.ts';
import { processorSeconds } from '../helpers/process-memory.ts';
import { median } from './process.ts';
import { listIn, pictureModule } from './workspace.ts';

/** What one picture takes: the median of all, and the mean of the processor time of all processes. */
export interface PictureTimes {
  pictures: number;
  seconds: number;
  cpuSeconds: number;
}

/** One article of so many has its picture taken. */
const EVERY_ARTICLE = 2;
/** One of these warms up: the browser compiles what its materials need, and has textures that models share. */
const EVERY_EARLY = 5;

type RendererModule = typeof import('../../src/deliver/pictures/renderer.ts');
type RendererOptions = ConstructorParameters<RendererModule['BrowserRenderer']>[0];
/** The module of earlier builds. */
interface EarlierModule {
  openRenderer(options: RendererOptions): Renderer;
}

const [checkout, output, pixels] = process.argv.slice(2) as [string, string, string];
const [rendererModule, { takePictures }, { PICTURE_DEFAULTS }] = await Promise.all([
  pictureModule<RendererModule | EarlierModule>('renderer', checkout),
  pictureModule<typeof import('../../src/deliver/pictures/picture.ts')>('picture', checkout),
  pictureModule<typeof import('../../src/deliver/pictures/picture-options.ts')>(
    'picture-options',
    checkout,
  ),
]);
const masters = await mastersIn(output);
const settings = {
  browser: { path: process.env.BTG2GLTF_BROWSER, cacheDir: output, from: 'BTG2GLTF_BROWSER' },
  pages: 1,
};
const renderer =
  'openRenderer' in rendererModule
    ? rendererModule.openRenderer(settings)
    : new rendererModule.BrowserRenderer(settings);
const side = Number(pixels);
const options = { ...PICTURE_DEFAULTS, width: side, height: side };
try {
  const isEarly = (_: Uint8Array, i: number) => i % EVERY_EARLY === 0;
  for (const master of masters.filter(isEarly)) await takePictures(renderer, master, options);
  const seconds: number[] = [];
  const before = processorSeconds(process.pid);
  for (const master of masters.filter((each, i) => !isEarly(each, i))) {
    const began = performance.now();
    await takePictures(renderer, master, options);
    seconds.push((performance.now() - began) / 1000);
  }
  const pictures = seconds.length;
  const cpuSeconds = (processorSeconds(process.pid) - before) / pictures;
  const times: PictureTimes = { pictures, seconds: median(seconds), cpuSeconds };
  console.log(JSON.stringify(times));
} finally {
  await renderer.close();
}

/** One master of an article: other finishes of a shape that was drawn just before take less time. */
async function mastersIn(folder: string): Promise<Uint8Array[]> {
  const lines = await listIn<ManifestLine>(folder, 'manifest.jsonl');
  const byArticle = new Map(
    lines.map(({ manufacturer, program, basearticlenumber, glb }) => [
      JSON.stringify([manufacturer, program, basearticlenumber]),
      glb!,
    ]),
  );
  const chosen = [...new Set(byArticle.values())].filter((_, i) => i % EVERY_ARTICLE === 0);
  return Promise.all(chosen.map(async (glb) => new Uint8Array(await readFile(join(folder, glb)))));
}
