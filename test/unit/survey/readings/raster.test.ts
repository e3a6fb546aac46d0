import { expect, test } from 'vitest';
import type { Scene, SceneMaterial } from '../../../../src/convert/model/scene.ts';
import { CAMERAS, placeCamera } from '../../../../src/deliver/pictures/camera.ts';
import { DRAWN_PIXELS, sceneDrawer } from '../../../../src/survey/readings/raster.ts';

const POSITIONS = Float32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0);
const CAMERA = placeCamera(POSITIONS, CAMERAS.front, 1, 0.06);

/** A square metre whose front is towards +Z. */
function square(material: Partial<SceneMaterial> = {}): Scene {
  const normals = Float32Array.of(0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1);
  const uvs = [Float32Array.of(0, 1, 1, 1, 1, 0, 0, 0)];
  const indices = Uint16Array.of(0, 1, 2, 0, 2, 3);
  const own = { roughness: 1, metallic: 0, transmission: 0, alphaMode: 'OPAQUE', alpha: 1 };
  const light = { baseColorLinear: [0, 0, 0], emissiveLinear: [0, 0, 0], doubleSided: false };
  return {
    nodes: [
      {
        ...{ name: 'square', parent: -1, mesh: 0, extras: undefined },
        ...{ translationMetres: [0, 0, 0], rotation: [0, 0, 0, 1], scale: [1, 1, 1] },
      },
    ],
    meshes: [{ name: 'square', primitives: [{ geometry: 0, material: 0 }] }],
    geometries: [{ positions: POSITIONS, normals, uvs, tangents: undefined, indices }],
    materials: [{ ...own, ...light, ...material } as unknown as SceneMaterial],
  } as unknown as Scene;
}

/** The light of a pixel, by its shares of the drawing from the upper left. */
const lightAt = (colors: Float32Array, x: number, y: number) =>
  colors[3 * (Math.floor(y * DRAWN_PIXELS) * DRAWN_PIXELS + Math.floor(x * DRAWN_PIXELS))];

test('a surface fills the drawing except its margin, and hides what is behind it', () => {
  const { covered, colors } = sceneDrawer(square(), () => undefined)(CAMERA);
  const share = covered.reduce((sum, one) => sum + one, 0) / covered.length;
  expect(share).toBeGreaterThan(0.8);
  expect(share).toBeLessThan(0.95);
  expect(lightAt(colors, 0.5, 0.5)).toBe(0);
});

test('the back of a surface is drawn if it has two sides', () => {
  const behind = placeCamera(POSITIONS, CAMERAS.back, 1, 0.06);
  const drawn = (scene: Scene) => sceneDrawer(scene, () => undefined)(behind).covered.includes(1);
  expect(drawn(square())).toBe(false);
  expect(drawn(square({ doubleSided: true }))).toBe(true);
});

test('an image lies as its UVs and its transform say', () => {
  // Two columns: white, then black.
  const columns = Float32Array.of(1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0);
  const image = { levels: [{ side: 2, data: columns }] };
  const drawn = (offset: readonly [number, number]) => {
    const transform = { offset, rotationRadians: 0, scale: [1, 1] } as const;
    const use = { image: 0, uvSet: 0, transform };
    const scene = square({ baseColorTexture: use, baseColorLinear: [1, 1, 1] });
    const { colors } = sceneDrawer(scene, () => image)(CAMERA);
    return [0.25, 0.75].map((x) => lightAt(colors, x, 0.5)! > 50);
  };
  expect(drawn([0, 0])).toEqual([true, false]);
  expect(drawn([0.5, 0])).toEqual([false, true]);
});

test('what is behind glass is drawn through it, also if it comes later', () => {
  const glass = { transmission: 1, baseColorLinear: [1, 1, 1] as const };
  const scene = square(glass);
  const [node, [material]] = [scene.nodes[0]!, square().materials] as const;
  const behind = { ...node, mesh: 1, translationMetres: [0, 0, -0.5] };
  const both = {
    ...scene,
    nodes: [node, behind],
    meshes: [...scene.meshes, { name: 'wall', primitives: [{ geometry: 0, material: 1 }] }],
    materials: [...scene.materials, material],
  } as unknown as Scene;
  const middle = (one: Scene) =>
    lightAt(sceneDrawer(one, () => undefined)(CAMERA).colors, 0.5, 0.5);
  expect(middle(scene)).toBeGreaterThan(200);
  expect(middle(both)).toBe(0);
});
