/** Models that are refused before anything is drawn. */
import { expect, it } from 'vitest';
import { type Gltf, writeGlb } from '../../../../src/deliver/making/glb-container.ts';
import { pictureBreach } from '../../../../src/deliver/pictures/picture-budget.ts';
import { plainGlb } from '../../../helpers/plain-glb.ts';

/** A triangle whose positions are zeros, which no byte of the file stores. */
const zeros = (count: number) =>
  writeGlb(
    {
      ...{ asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }] },
      meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
      accessors: [{ componentType: 5126, count, type: 'VEC3', min: [0, 0, 0], max: [0, 0, 0] }],
      ...{ bufferViews: [], buffers: [] },
    } as unknown as Gltf,
    [],
  );

/** A triangle that one node draws so many times. */
const instanced = (count: number) =>
  writeGlb(
    {
      ...{ asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }] },
      nodes: [
        { mesh: 0, extensions: { EXT_mesh_gpu_instancing: { attributes: { TRANSLATION: 1 } } } },
      ],
      meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
      accessors: [3, count].map((each) => ({ componentType: 5126, count: each, type: 'VEC3' })),
      ...{ bufferViews: [], buffers: [] },
    } as unknown as Gltf,
    [],
  );

it.each([
  [
    'of many triangles',
    plainGlb({ triangles: 20_000, instances: 400 }),
    /6000000 triangles, received 8\d{6}$/,
  ],
  ['of many parts', instanced(1_000_001), /1000000 meshes that are drawn, received 1000001$/],
  [
    'of zeros that are not in the file',
    zeros(500_000_000),
    /bytes of vertices and indices|triangles/,
  ],
])('a model %s', (_, glb, sentence) => {
  expect(pictureBreach(glb)).toMatch(sentence);
});

it('no model that can be drawn, and no file that is none', () => {
  expect(pictureBreach(plainGlb({ triangles: 20_000, instances: 200 }))).toBe(undefined);
  expect(pictureBreach(new Uint8Array(100))).toBe(undefined);
});
