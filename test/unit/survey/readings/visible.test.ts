import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { Scene, SceneMaterial } from '../../../../src/convert/model/scene.ts';
import { sharpImageCodec } from '../../../../src/support/image-codec.ts';
import { type Effect, LEAST_PIXELS } from '../../../../src/survey/readings/decide.ts';
import type { ReadingOption } from '../../../../src/survey/readings/readings.ts';
import { SmallImages } from '../../../../src/survey/readings/small-images.ts';
import { Looks } from '../../../../src/survey/readings/visible.ts';

const SIDE = 64;

/** Rows of an image, each of one light. */
type Rows = (row: number) => number;

/** Lights from 140 to 170, in no order: veneer whose grain runs along its width. */
const GRAIN: Rows = (row) => 140 + ((row * 2_654_435_761) % 61) / 2;
const PRINT: Rows = (row) => (row < SIDE / 3 ? 40 : 210);

/** A panel of a square metre, whose front is towards +Z. */
async function panel(rows: Rows, isUpsideDown: boolean): Promise<Scene> {
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
    uvs: [Float32Array.from(isUpsideDown ? [0, 0, 1, 0, 1, 1, 0, 1] : [0, 1, 1, 1, 1, 0, 0, 0])],
    indices: Uint16Array.of(0, 1, 2, 0, 2, 3),
  };
  const place = { translationMetres: [0, 0, 0], rotation: [0, 0, 0, 1], scale: [1, 1, 1] };
  return {
    nodes: [{ name: 'panel', parent: -1, mesh: 0, extras: undefined, ...place }],
    meshes: [{ name: 'panel', primitives: [{ geometry: 0, material: 0 }] }],
    geometries: [geometry],
    materials: [material],
    images: [{ bytes }],
  } as unknown as Scene;
}

/** The share of the pixels of a panel that differ if its image is upside down. */
async function seenOf(option: ReadingOption, rows: Rows): Promise<number> {
  const looks = new Looks(new SmallImages(sharpImageCodec()), (_, values) =>
    panel(rows, option in values),
  );
  const effect: Effect = {
    ...{ value: 'other', articles: 1, areaShare: 1, aspects: ['material'], examples: ['PANEL'] },
  };
  const [measured] = await looks.measured(option, [effect]);
  return measured!.pixelShare!;
}

describe('whether an image is upside down', () => {
  test('cannot be seen on grain', async () => {
    expect(await seenOf('flipV', GRAIN)).toBeLessThan(LEAST_PIXELS);
    expect(await seenOf('textureRotation', GRAIN)).toBeGreaterThan(10 * LEAST_PIXELS);
  });

  test('is seen on a print', async () => {
    expect(await seenOf('flipV', PRINT)).toBeGreaterThan(0.5);
  });
});
