import { expect, test } from 'vitest';
import type { Scene, SceneMaterial } from '../../../../src/convert/model/scene.ts';
import { patternShare } from '../../../../src/survey/readings/pattern.ts';

const POSITIONS = Float32Array.of(0, 0, 0, 2, 0, 0, 2, 1, 0, 0, 1, 0);
const UPRIGHT = [0, 1, 2, 1, 2, 0, 0, 0];
const IMAGE = Uint8Array.of(1);

/** A panel of 2 × 1 m with an image of a square metre, whose UVs are mapped. */
function panel(map: (u: number, v: number) => [number, number], roughness = 1): Scene {
  const uvs: number[] = [];
  for (let i = 0; i < UPRIGHT.length; i += 2) uvs.push(...map(UPRIGHT[i]!, UPRIGHT[i + 1]!));
  const material = { roughness, baseColorTexture: { image: 0, uvSet: 0, transform: undefined } };
  const place = { translationMetres: [0, 0, 0], rotation: [0, 0, 0, 1], scale: [1, 1, 1] };
  return {
    nodes: [{ name: 'panel', parent: -1, mesh: 0, extras: undefined, ...place }],
    meshes: [{ name: 'panel', primitives: [{ geometry: 0, material: 0 }] }],
    geometries: [
      {
        positions: POSITIONS,
        normals: Float32Array.of(0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1),
        uvs: [Float32Array.from(uvs)],
        tangents: undefined,
        indices: Uint16Array.of(0, 1, 2, 0, 2, 3),
      },
    ],
    materials: [material as unknown as SceneMaterial],
    images: [{ bytes: IMAGE }],
  } as unknown as Scene;
}

const plain = panel((u, v) => [u, v]);
const turned = (degrees: number) => {
  const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  return panel((u, v) => [c * u - s * v, s * u + c * v]);
};

test.each([
  ['moved', panel((u, v) => [u + 0.3, v - 0.2])],
  ['upside down', panel((u, v) => [u, 1 - v])],
  ['mirrored', panel((u, v) => [-u, v])],
  ['turned by half', turned(180)],
  ['turned by 10°', turned(10)],
  ['a tenth larger', panel((u, v) => [u / 1.1, v / 1.1])],
])('a pattern that is %s looks the same', (_, other) => {
  expect(patternShare(plain, other)).toBe(0);
});

test.each([
  ['turned by a quarter', turned(90)],
  ['turned by 30°', turned(30)],
  ['twice as large', panel((u, v) => [u / 2, v / 2])],
  ['stretched', panel((u, v) => [u, v / 2])],
])('a pattern that is %s looks otherwise', (_, other) => {
  expect(patternShare(plain, other)).toBe(1);
});

test('opposite directions of a slope are not the same', () => {
  expect(patternShare(turned(45), turned(-45))).toBe(1);
  expect(patternShare(turned(45), turned(225))).toBe(0);
});

test('what is no image counts in any case', () => {
  expect(
    patternShare(
      plain,
      panel((u, v) => [u, 1 - v], 0.2),
    ),
  ).toBe(1);
});
