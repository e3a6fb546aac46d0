/// <reference lib="dom" />
/** The colours of pictures: those of the catalogue. */
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { writeGlb } from '../../src/convert/write/glb.ts';
import { MODEL_VIEWER_EXPOSURE } from '../../src/deliver/embed/snippet.ts';
import { openGallery } from '../../src/deliver/gallery/publish-gallery.ts';
import { takePictures } from '../../src/deliver/pictures/picture.ts';
import { PICTURE_DEFAULTS, TRANSPARENT } from '../../src/deliver/pictures/picture-options.ts';
import { publishedIn } from '../../src/run/output/published.ts';
import { openGalleryServer } from '../../src/web/servers/gallery-server.ts';
import { closePages, openWatched, sharedRenderer } from '../helpers/browser.ts';
import {
  chromaOf,
  ciede2000,
  hueDifference,
  labOf,
  meanColour,
  meanColourOfImage,
} from '../helpers/colour-difference.ts';
import { writeOutput } from '../helpers/gallery-output.ts';
import { BOX_TRIANGLES, boxPoints } from '../helpers/graphics.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { servePlanningView } from '../helpers/planning-view-page.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { sceneOf } from '../helpers/snapshot.ts';
import { serveFolder } from '../helpers/static-server.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { until } from '../helpers/until.ts';

/** A colour chart of 24 patches, as its maker publishes it for sRGB. */
const CHART = [
  [115, 82, 68],
  [194, 150, 130],
  [98, 122, 157],
  [87, 108, 67],
  [133, 128, 177],
  [103, 189, 170],
  [214, 126, 44],
  [80, 91, 166],
  [193, 90, 99],
  [94, 60, 108],
  [157, 188, 64],
  [224, 163, 46],
  [56, 61, 150],
  [70, 148, 73],
  [175, 54, 60],
  [231, 199, 31],
  [187, 86, 149],
  [8, 133, 161],
  [243, 243, 242],
  [200, 200, 200],
  [160, 160, 160],
  [122, 122, 121],
  [85, 85, 85],
  [52, 52, 52],
] as const;
const TEXTURES = ['walnut', 'oak', 'fabricSand', 'leatherCognac'] as const;

const SIZE = 96;
const MODEL_VIEWER = new URL(
  '../../node_modules/@google/model-viewer/dist/model-viewer.min.js',
  import.meta.url,
);
const textureFile = (name: string) =>
  new URL(`../../src/emulator/sample/images/textures/${name}.jpg`, import.meta.url);

interface Swatch {
  name: string;
  /** sRGB bytes. */
  color: readonly number[];
  material: object;
  images: Record<string, Uint8Array>;
}

function patch(color: readonly [number, number, number]): Swatch {
  const dif = `0x${Buffer.from(color).toString('hex').toUpperCase()}`;
  return { name: color.join(), color, material: { dif, roughness: 1 }, images: {} };
}

async function texture(name: string): Promise<Swatch> {
  const image = new Uint8Array(await readFile(textureFile(name)));
  const color = await meanColourOfImage(image);
  return { name, color, material: { pic: name, roughness: 1 }, images: { [name]: image } };
}

/** A matt cube of one metre. */
const cubeOf = (swatch: Swatch) => boxOf(swatch, [1, 1, 1]);

async function boxOf(
  { material, images }: Swatch,
  size: readonly [number, number, number],
): Promise<Uint8Array> {
  return writeGlb(
    await sceneOf({
      btg: [{ type: 'imp', btgname: 'A::B::CUBE', mat: 'CUBE' }],
      mats: [{ mname: 'CUBE', ...material }],
      blocks: { 'A::B::CUBE': { V: boxPoints(...size), A: [{ F: BOX_TRIANGLES }] } },
      images,
    }),
  );
}

async function pixelsOf(bytes: Uint8Array): Promise<number[][]> {
  const data = await sharp(bytes).ensureAlpha().raw().toBuffer();
  const pixels: number[][] = [];
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3] === 255) pixels.push([...data.subarray(at, at + 3)]);
  return pixels;
}

/** The brightest face of a picture of a cube, which is its top: a twentieth of its opaque pixels. */
function brightestFace(pixels: number[][]): number[] {
  const byLightness = pixels
    .map((pixel) => [labOf(pixel)[0], pixel] as const)
    .sort(([a], [b]) => b - a);
  return meanColour(byLightness.slice(0, pixels.length / 20).map(([, pixel]) => pixel));
}

/** The colours of a cube: its brightest face in `hero`, and the middle of other pictures. */
async function coloursOf(swatch: Swatch, others: ('front' | 'side')[]): Promise<number[][]> {
  const [hero, ...pictures] = await takePictures(await sharedRenderer(), await cubeOf(swatch), {
    ...{ ...PICTURE_DEFAULTS, cameras: ['hero', ...others], width: SIZE, height: SIZE },
    ...{ format: 'png', background: TRANSPARENT },
  });
  const third = { left: SIZE / 3, top: SIZE / 3, width: SIZE / 3, height: SIZE / 3 };
  const middles = pictures.map(async ({ bytes }) =>
    meanColour(await pixelsOf(await sharp(bytes).extract(third).png().toBuffer())),
  );
  return [brightestFace(await pixelsOf(hero!.bytes)), ...(await Promise.all(middles))];
}

/** A picture of a cabinet before a white background. */
async function cabinetOf(material: object) {
  const size = [0.8, 0.8, 0.4] as const;
  const glb = await boxOf({ name: 'cabinet', color: [], material, images: {} }, size);
  const [hero] = await takePictures(await sharedRenderer(), glb, {
    ...{ ...PICTURE_DEFAULTS, width: CABINET_SIZE, height: CABINET_SIZE, format: 'png' },
  });
  return hero!.bytes;
}

const CABINET_SIZE = 200;
/** The levels of green of top, front and side. */
async function facesOf(material: object): Promise<number[]> {
  const bytes = await cabinetOf(material);
  const { data } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const green = (x: number, y: number) => data[3 * (y * CABINET_SIZE + x) + 1]!;
  const isShown = (x: number, y: number) => green(x, y) < 250;
  const steps = Array.from({ length: CABINET_SIZE }, (_, i) => i);
  const [middle, upper] = [CABINET_SIZE / 2, CABINET_SIZE / 4];
  const top = steps.find((y) => isShown(middle, y))!;
  const right = steps.findLast((x) => isShown(x, upper))!;
  const left = middle - CABINET_SIZE / 10;
  return [green(middle, top + 3), green(left, upper), green(right - 4, upper)];
}

interface ModelViewer extends HTMLElement {
  toDataURL(type: string): string;
}

/** Shows a model in model-viewer as the camera `hero` does, in the page. */
async function showInModelViewer(of: { src: string; exposure: string; side: number }) {
  const viewer = document.createElement('model-viewer');
  const attributes = { ...of, 'camera-orbit': '32deg 74deg auto', 'field-of-view': '22deg' };
  for (const [name, value] of Object.entries(attributes)) viewer.setAttribute(name, String(value));
  viewer.style.width = `${of.side}px`;
  viewer.style.height = `${of.side}px`;
  const loaded = new Promise((done) => viewer.addEventListener('load', done, { once: true }));
  document.body.replaceChildren(viewer);
  await loaded;
}

/** The picture of model-viewer, once two in a row are equal and show the model. */
async function pictureOfModelViewer(page: Page): Promise<Buffer> {
  let before = '';
  return until(async () => {
    const shown = await page.evaluate(async () => {
      await new Promise((done) => requestAnimationFrame(done));
      return document.querySelector<ModelViewer>('model-viewer')!.toDataURL('image/png');
    });
    const picture = Buffer.from(shown.split(',')[1]!, 'base64');
    const isSame = shown === before && (await pixelsOf(picture)).length > 0;
    before = shown;
    expect(isSame).toBe(true);
    return picture;
  });
}

/** Red, green and blue of the top of a cube, and of its front: the faces on which light falls. */
async function litFaces(picture: Uint8Array): Promise<number[]> {
  const image = sharp(picture).ensureAlpha().raw();
  const { data, info } = await image.toBuffer({ resolveWithObject: true });
  const pixel = (x: number, y: number) => [
    ...data.subarray(4 * (y * info.width + x), 4 * (y * info.width + x) + 4),
  ];
  const middle = info.width / 2;
  const rows = Array.from({ length: info.height }, (_, y) => y);
  const top = rows.find((y) => pixel(middle, y)[3] === 255)!;
  return [pixel(middle, top + 5), pixel(middle - 5, middle)].flatMap((of) => of.slice(0, 3));
}

/** The opaque pixels of a 3D view, which is drawn again: its pixels are gone once they are on the screen. */
async function canvasPixels(canvas: Locator): Promise<number[][]> {
  const { pixels, width, height } = await canvas.evaluate(async (one: HTMLCanvasElement) => {
    one.dispatchEvent(new KeyboardEvent('keydown', { key: 'Home' }));
    await new Promise((done) => requestAnimationFrame(done));
    const graphics = one.getContext('webgl2')!;
    const pixels = new Uint8Array(4 * one.width * one.height);
    const { RGBA, UNSIGNED_BYTE } = graphics;
    graphics.readPixels(0, 0, one.width, one.height, RGBA, UNSIGNED_BYTE, pixels);
    return { pixels: [...pixels], width: one.width, height: one.height };
  });
  const raw = { raw: { width, height, channels: 4 } } as const;
  return pixelsOf(await sharp(Uint8Array.from(pixels), raw).png().toBuffer());
}

/** What the page of the planning view offers. */
declare function show(name: string): Promise<void>;

describe.runIf(HAS_BROWSER)('the colours of matt surfaces', () => {
  it('are those of the catalogue', async () => {
    const swatches = [...CHART.map(patch), ...(await Promise.all(TEXTURES.map(texture)))];
    const differences = { brightest: [] as number[], front: [] as number[] };
    // Without the long form: brown, orange, blue, white and walnut.
    for (const swatch of swatches.filter((_, i) => IS_LONG || i % 6 === 0)) {
      const expected = labOf(swatch.color);
      const [brightest, front] = await coloursOf(swatch, ['front']);
      differences.brightest.push(ciede2000(expected, labOf(brightest!)));
      differences.front.push(ciede2000(expected, labOf(front!)));
      if (chromaOf(expected) >= 8)
        expect(hueDifference(expected, labOf(brightest!)), swatch.name).toBeLessThanOrEqual(3);
    }
    const mean = (values: number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
    const { brightest, front } = differences;
    expect(mean(brightest)).toBeLessThanOrEqual(4);
    expect(Math.max(...brightest)).toBeLessThanOrEqual(8);
    expect(mean(front)).toBeLessThanOrEqual(6);
    expect(Math.max(...front)).toBeLessThanOrEqual(10);
  });

  it('of a light grey are 0.8 on top, a tenth less in front and two fifths less at the side', async () => {
    // Linear 0.8.
    const colours = await coloursOf(patch([231, 231, 231]), ['front', 'side']);
    const [top, before, beside] = colours.map(
      ([, green]) => ((green! / 255 + 0.055) / 1.055) ** 2.4,
    ) as [number, number, number];
    expect(top).toBeGreaterThan(0.78);
    expect(top).toBeLessThan(0.82);
    expect(before / top).toBeGreaterThan(0.85);
    expect(before / top).toBeLessThan(0.95);
    expect(beside / top).toBeCloseTo(0.6, 1);
  });

  it.each([
    ['matt', 1],
    ['lacquered', 0.2],
  ])(
    'of a %s white cabinet differ from face to face, and from a white background',
    async (_, roughness) => {
      const [top, front, side] = await facesOf({ dif: '0xFFFFFF', roughness });
      expect(top! - front!).toBeGreaterThanOrEqual(6);
      expect(front! - side!).toBeGreaterThanOrEqual(6);
      expect(255 - top!).toBeGreaterThanOrEqual(10);
    },
  );

  it('of a black cabinet have at least eight levels', async () => {
    const pixels = await pixelsOf(await cabinetOf({ dif: '0x0A0A0A', roughness: 0.6 }));
    const dark = pixels.filter(([red]) => red! < 60).map(([red]) => red!);
    const levels = [...new Set(dark)].filter(
      (level) => dark.filter((one) => one === level).length > dark.length / 1000,
    );
    expect(levels.length).toBeGreaterThanOrEqual(8);
  });

  it.runIf(IS_LONG)(
    'are those of model-viewer with the exposure of the snippet, where light falls',
    async () => {
      const folder = await temporaryFolder();
      await copyFile(MODEL_VIEWER, join(folder, 'viewer.js'));
      const script = '<!doctype html><script type="module" src="viewer.js"></script><body></body>';
      await writeFile(join(folder, 'page.html'), script);
      const server = await serveFolder(folder);
      try {
        const { page } = await openWatched(`${server.address}/page.html`);
        for (const color of [CHART[18], CHART[1], CHART[7], CHART[12], CHART[15]]) {
          const glb = await cubeOf(patch(color));
          await writeFile(join(folder, `${color}.glb`), glb);
          // Pages of tests have half as many pixels.
          const of = {
            src: `${color}.glb`,
            exposure: String(MODEL_VIEWER_EXPOSURE),
            side: 2 * SIZE,
          };
          await page.evaluate(showInModelViewer, of);
          const theirs = await litFaces(await pictureOfModelViewer(page));
          const [hero] = await takePictures(await sharedRenderer(), glb, {
            ...{ ...PICTURE_DEFAULTS, width: SIZE, height: SIZE },
            ...{ format: 'png', background: TRANSPARENT },
          });
          for (const [at, value] of (await litFaces(hero!.bytes)).entries())
            expect(Math.abs(theirs[at]! - value), `${color} ${at}`).toBeLessThanOrEqual(12);
        }
      } finally {
        await closePages();
        await server.close();
      }
    },
  );

  it.runIf(IS_LONG)(
    'are the same in pictures, on the planning page and in the gallery',
    async () => {
      const cube = await cubeOf(patch([189, 157, 119]));
      const [expected] = await coloursOf(patch([189, 157, 119]), []);
      const folder = await temporaryFolder();
      await writeOutput(folder, [{ glb: cube }]);
      const gallery = await openGalleryServer(
        await openGallery(publishedIn(folder, Date.now), 'x'),
      );
      const planning = await servePlanningView(async () => cube);
      const viewport = { width: 400, height: 400 };
      try {
        const { page: onPlanning } = await openWatched(planning.address, { viewport });
        await onPlanning.evaluate(() => show('cube'));
        const { page: inGallery } = await openWatched(gallery.url, { viewport });
        await inGallery.locator('.card').first().click();
        await inGallery.getByRole('button', { name: '3D' }).click();
        for (const page of [onPlanning, inGallery]) {
          const canvas = page.getByRole('application', { name: '3D view' });
          await canvas.waitFor();
          const found = brightestFace(await canvasPixels(canvas));
          for (const [channel, value] of expected!.entries())
            expect(Math.abs(found[channel]! - value)).toBeLessThanOrEqual(4);
        }
      } finally {
        await closePages();
        await gallery.close();
        await planning.close();
      }
    },
  );
});
