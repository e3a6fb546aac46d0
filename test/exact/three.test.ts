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
import { convert } from './convert.ts';

const utf8 = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** A sheet whose stored UVs are its x and y, so that a vertex shows what the service means. */
const SHEET = utf8({
  V: [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0.3, 0.7, 0],
  T: [0, 0, 1, 0, 1, 1, 0, 1, 0.3, 0.7],
  A: [{ F: [0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4], TI: [0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4] }],
});

const scale = fc.oneof(
  fc.constantFrom(1, 2, -1, 0.5),
  fc.double({ min: 0.1, max: 5, noNaN: true }),
);
const placement: fc.Arbitrary<TexturePlacement> = fc.record({
  scale: fc.oneof(
    fc.tuple(scale, scale),
    scale.map((s): [number, number] => [s, s]),
    scale.map((s): [number, number] => [s, -s]),
  ),
  offset: fc.tuple(
    fc.double({ min: -3, max: 3, noNaN: true }),
    fc.double({ min: -3, max: 3, noNaN: true }),
  ),
  rotationDegrees: fc.oneof(
    fc.constantFrom(0, 90, 180, 270, -90, 33, 360),
    fc.double({ min: -360, max: 360, noNaN: true }),
  ),
});

describe('texture transforms in three.js', () => {
  it('address the texel that the service means, for base colour and normal map', async () => {
    const pool = await imagePool();
    await fc.assert(
      fc.asyncProperty(placement, placement, async (base, bump) => {
        const glb = await convert(
          {
            partsList: utf8({
              btg: [{ type: 'imp', prop: { btgname: 'A::B::SHEET', mat: 'M' } }],
              blocks: ['A::B::SHEET'],
              mats: [{ mname: 'M', pic: 'WOOD', bump: 'BUMPS', ...fields(base, bump) }],
            }),
            blocks: new Map([['A::B::SHEET', SHEET]]),
            images: new Map(['WOOD', 'BUMPS'].map((name) => [name, pool.get(name)!.bytes])),
          },
          {},
        );
        const mesh = await loadMesh(glb);
        expect(worstTexel(mesh, mesh.material.map!, base)).toBeLessThan(1e-4);
        expect(worstTexel(mesh, mesh.material.normalMap!, bump)).toBeLessThan(1e-4);
      }),
      { seed: 5, numRuns: 300 },
    );
  });
});

function fields(base: TexturePlacement, bump: TexturePlacement) {
  return {
    scaleu: base.scale[0],
    scalev: base.scale[1],
    offsetx: base.offset[0],
    offsety: base.offset[1],
    rot: base.rotationDegrees,
    bump_scaleu: bump.scale[0],
    bump_scalev: bump.scale[1],
    bump_offsetx: bump.offset[0],
    bump_offsety: bump.offset[1],
    bump_rot: bump.rotationDegrees,
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
