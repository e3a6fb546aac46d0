/**
 * Three: a second implementation of texture transforms agrees with the service's formula.
 *
 * three.js loads the written GLB and evaluates its own texture matrices. No browser is needed, since
 * no image is decoded.
 */
import fc from 'fast-check';
import { type Mesh, Texture } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { describe, expect, it } from 'vitest';
import { type TexturePlacement, texelOf } from '../helpers/evaluator/projection.ts';
import { imagePool } from '../helpers/generated-articles/image-pool.ts';
import { body } from '../helpers/graphics.ts';
import { samples } from '../helpers/samples.ts';
import { convert } from './convert.ts';

/** A sheet whose stored UVs are its x and y, so that a vertex shows what the service means. */
const SHEET = body({
  V: [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0.3, 0.7, 0],
  T: [0, 0, 1, 0, 1, 1, 0, 1, 0.3, 0.7],
  A: [{ F: [0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4], TI: [0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4] }],
});

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const scale = fc.oneof(fc.constantFrom(1, 2, -1, 0.5), number(0.1, 5));
const placement: fc.Arbitrary<TexturePlacement> = fc.record({
  scale: fc.oneof(
    fc.tuple(scale, scale),
    scale.map((s): [number, number] => [s, s]),
    scale.map((s): [number, number] => [s, -s]),
  ),
  offset: fc.tuple(number(-3, 3), number(-3, 3)),
  rotationDegrees: fc.oneof(fc.constantFrom(0, 90, 180, 270, -90, 33, 360), number(-360, 360)),
});

describe('texture transforms in three.js', () => {
  it('address the texel that the service means, for base colour and normal map', async () => {
    const pool = await imagePool();
    await fc.assert(
      fc.asyncProperty(placement, placement, async (base, bump) => {
        const fields = { ...fieldsOf(base), ...fieldsOf(bump, 'bump_') };
        const glb = await convert({
          partsList: body({
            btg: [{ type: 'imp', prop: { btgname: 'A::B::SHEET', mat: 'M' } }],
            blocks: ['A::B::SHEET'],
            mats: [{ mname: 'M', pic: 'WOOD', bump: 'BUMPS', ...fields }],
          }),
          blocks: new Map([['A::B::SHEET', SHEET]]),
          images: new Map(['WOOD', 'BUMPS'].map((name) => [name, pool.get(name)!.bytes])),
        });
        const mesh = await loadMesh(glb);
        expect(worstTexel(mesh, mesh.material.map!, base)).toBeLessThan(1e-4);
        expect(worstTexel(mesh, mesh.material.normalMap!, bump)).toBeLessThan(1e-4);
      }),
      { seed: 5, numRuns: samples(300) },
    );
  });
});

function fieldsOf({ scale, offset, rotationDegrees }: TexturePlacement, prefix = '') {
  return {
    [`${prefix}scaleu`]: scale[0],
    [`${prefix}scalev`]: scale[1],
    [`${prefix}offsetx`]: offset[0],
    [`${prefix}offsety`]: offset[1],
    [`${prefix}rot`]: rotationDegrees,
  };
}

async function loadMesh(glb: Uint8Array): Promise<Mesh> {
  const loader = new GLTFLoader();
  // Textures without pictures: their matrices are all that matters.
  loader.register(() => ({ name: 'no images', loadTexture: async () => new Texture() }));
  const { scene } = await loader.parseAsync(Uint8Array.from(glb).buffer, '');
  const meshes: Mesh[] = [];
  scene.traverse((object) => {
    if (object.isMesh) meshes.push(object);
  });
  return meshes[0]!;
}

/** Largest distance in tiles between the texel that three.js reads and the one that is meant. */
function worstTexel(mesh: Mesh, texture: Texture, placed: TexturePlacement): number {
  if (texture.matrixAutoUpdate) texture.updateMatrix();
  const m = texture.matrix.elements as [
    ...[number, number, number, number, number, number, number, number, number],
  ];
  const uvs = mesh.geometry.getAttribute(texture.channel === 0 ? 'uv' : `uv${texture.channel}`);
  const positions = mesh.geometry.getAttribute('position');
  let worst = 0;
  for (let i = 0; i < uvs.count; i++) {
    const [u, v] = [uvs.getX(i), uvs.getY(i)];
    const read = [m[0] * u + m[3] * v + m[6], m[1] * u + m[4] * v + m[7]];
    const [meantU, meantV] = texelOf(placed, [positions.getX(i), positions.getY(i)]);
    worst = Math.max(worst, tilesApart(read[0]!, meantU), tilesApart(read[1]!, 1 - meantV));
  }
  return worst;
}

function tilesApart(a: number, b: number): number {
  return Math.abs(a - b - Math.round(a - b));
}
