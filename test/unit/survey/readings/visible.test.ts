import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { Scene, SceneMaterial } from '../../../../src/convert/model/scene.ts';
import { sharpImageCodec } from '../../../../src/support/image-codec.ts';
import { type Effect, LEAST_PIXELS } from '../../../../src/survey/readings/decide.ts';
import { SmallImages } from '../../../../src/survey/readings/small-images.ts';
import { Looks } from '../../../../src/survey/readings/visible.ts';

const SIDE = 64;

/** Rows of an image, each of one light. */
type Rows = (row: number) => number;

/** Lights from 140 to 170, in no order: veneer whose grain runs along its width. */
const GRAIN: Rows = (row) => 140 + ((row * 2_654_435_761) % 61) / 2;
const PRINT: Rows = (row) => (row < SIDE / 3 ? 40 : 210);

/** UVs of the corners of a panel, from its lower left, counter-clockwise. */
const PLACES = {
  upright: [0, 1, 1, 1, 1, 0, 0, 0],
  upsideDown: [0, 0, 1, 0, 1, 1, 0, 1],
  turned: [0, 0, 0, 1, 1, 1, 1, 0],
};

/** A panel of a square metre, whose front is towards +Z. */
async function panel(rows: Rows, place: keyof typeof PLACES): Promise<Scene> {
  const pixels = Buffer.alloc(SIDE * SIDE * 3);
  for (let at = 0; at < pixels.length; at++) pixels[at] = rows(Math.floor(at / (3 * SIDE)));
  const raw = { width: SIDE, height: SIDE, channels: 3 as const };
  const bytes = await sharp(pixels, { raw }).png().toBuffer();
  const transform = { offset: [0, 0], rotationRadians: 0, scale: [1, 1] };
  const material = {
    ...{ roughness: 1, metallic: 0, transmission: 0, alphaMode: 'OPAQUE', alpha: 1 },
    ...{ baseColorLinear: [1, 1, 1], emissiveLinear: [0, 0, 0], doubleSided: false },
    baseColorTexture: { image: 0, uvSet: 0, transform },
  } as unknown as SceneMaterial;
  const geometry = {
    positions: Float32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0),
    normals: Float32Array.of(0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1),
    uvs: [Float32Array.from(PLACES[place])],
    indices: Uint16Array.of(0, 1, 2, 0, 2, 3),
  };
  const where = { translationMetres: [0, 0, 0], rotation: [0, 0, 0, 1], scale: [1, 1, 1] };
  return {
    nodes: [{ name: 'panel', parent: -1, mesh: 0, extras: undefined, ...where }],
    meshes: [{ name: 'panel', primitives: [{ geometry: 0, material: 0 }] }],
    geometries: [geometry],
    materials: [material],
    images: [{ bytes }],
  } as unknown as Scene;
}

/** The share of the pixels of a panel that differ if its image lies otherwise. */
async function seenOf(rows: Rows, place: keyof typeof PLACES): Promise<number> {
  const looks = new Looks(new SmallImages(sharpImageCodec()), (_, { flipV }) =>
    panel(rows, flipV === undefined ? 'upright' : place),
  );
  const effect: Effect = {
    ...{ value: false, articles: 1, areaShare: 1, aspects: ['texture'], examples: ['PANEL'] },
  };
  const [measured] = await looks.measured('flipV', [effect]);
  return measured!.pixelShare!;
}

describe('an image that lies otherwise', () => {
  test('is not seen where grain is only upside down', async () => {
    expect(await seenOf(GRAIN, 'upsideDown')).toBeLessThan(LEAST_PIXELS);
  });

  test('is seen where grain runs in another direction', async () => {
    expect(await seenOf(GRAIN, 'turned')).toBeGreaterThan(10 * LEAST_PIXELS);
  });

  test('is seen where a print is upside down', async () => {
    expect(await seenOf(PRINT, 'upsideDown')).toBeGreaterThan(0.5);
  });
});

test('the article in which a reading is seen best comes first, and one in which it is not seen is left out', async () => {
  const looks = new Looks(new SmallImages(sharpImageCodec()), (label, { flipV }) =>
    panel(
      label === 'GRAIN' ? GRAIN : PRINT,
      flipV === undefined ? 'upright' : label === 'GRAIN' ? 'upsideDown' : 'turned',
    ),
  );
  const effect: Effect = {
    ...{
      value: false,
      articles: 2,
      areaShare: 1,
      aspects: ['texture'],
      examples: ['GRAIN', 'PRINT'],
    },
  };
  const [measured] = await looks.measured('flipV', [effect]);
  expect(measured!.examples).toEqual(['PRINT']);
});
