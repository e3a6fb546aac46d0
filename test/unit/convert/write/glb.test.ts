import { NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { describe, expect, it } from 'vitest';
import type { Scene } from '../../../../src/convert/model/scene.ts';
import { writeGlb, writeGlbPieces } from '../../../../src/convert/write/glb.ts';
import { complaintsAbout } from '../../../helpers/check-glb.ts';
import { flatJpeg } from '../../../helpers/flat-picture.ts';
import { parseChunks } from '../../../helpers/glb-reader/document.ts';
import { readGlb } from '../../../helpers/glb-reader/read-glb.ts';
import { drawnPoints } from '../../../helpers/graphics.ts';
import { RICH_ARTICLE as RICH } from '../../../helpers/rich-article.ts';
import { BOX_BODY, sceneOf } from '../../../helpers/snapshot.ts';

const BOX = 'ACME::DESK::BOX';
const LEG = 'ACME::DESK::LEG';
const FAN = [0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5];

const jsonOf = (scene: Scene) => parseChunks(writeGlb(scene)).json;

describe('writeGlb', () => {
  it('is valid with everything at once, with and without tangents', async () => {
    expect(await complaintsAbout(writeGlb(await sceneOf(RICH)))).toEqual([]);
    const tangents = await sceneOf(RICH, { tangents: 'mikktspace' });
    expect(tangents.geometries.some((geometry) => geometry.tangents !== undefined)).toBe(true);
    expect(await complaintsAbout(writeGlb(tangents), [])).toEqual([]);
    const lean = await sceneOf(RICH, { unusedUvs: 'drop', textureTransform: 'bake' });
    expect(await complaintsAbout(writeGlb(lean))).toEqual([]);
  });

  it('gives equal bytes for equal scenes', async () => {
    const scene = await sceneOf(RICH);
    const bytes = writeGlb(scene);
    expect(Buffer.compare(writeGlb(scene), bytes)).toBe(0);
    expect(Buffer.compare(writeGlb(await sceneOf(RICH)), bytes)).toBe(0);
  });

  it('gives the same bytes in pieces, without a copy of large arrays and images', async () => {
    const scene = await sceneOf(RICH);
    const bytes = new Uint8Array(500_001).fill(7);
    const images = scene.images.map((image, i) => (i === 0 ? { ...image, bytes } : image));
    const positions = new Float32Array(90_000).fill(1);
    const geometries = scene.geometries.map((it, i) => (i === 0 ? { ...it, positions } : it));
    const large = { ...scene, images, geometries };
    const pieces = writeGlbPieces(large);
    expect(Buffer.concat(pieces).equals(writeGlb(large))).toBe(true);
    expect(pieces.some((piece) => piece === bytes)).toBe(true);
    expect(pieces.some(({ buffer }) => buffer === positions.buffer)).toBe(true);
    // A small GLB is written at once.
    const small = writeGlbPieces(scene);
    expect(small).toHaveLength(1);
    expect(Buffer.compare(small[0]!, writeGlb(scene))).toBe(0);
  });

  it('is what a strict reader accepts: arrays aligned inside their views, exact bounds of positions', async () => {
    const glb = writeGlb(await sceneOf(RICH));
    expect(() => readGlb(glb)).not.toThrow();
    for (const view of parseChunks(glb).json.bufferViews!) expect(view.byteOffset! % 4).toBe(0);
  });

  it('writes every factor and transform as the shortest decimal of its float32', async () => {
    const scene = await sceneOf(RICH);
    const [first] = scene.nodes;
    scene.nodes[0] = {
      ...first!,
      translationMetres: [0.1 + 0.2, 1 / 3, -1e-12],
      rotation: [0, Math.SQRT1_2, 0, Math.SQRT1_2],
      scale: [1 + 1e-12, 2, 16777217],
    };
    const json = jsonOf(scene);
    const { translation, rotation, scale } = json.nodes![0]!;
    expect(translation).toEqual([0.3, 0.33333334, -1e-12]);
    expect(rotation).toEqual([0, 0.70710677, 0, 0.70710677]);
    expect(scale).toEqual([1, 2, 16777216]);
    const numbers: number[] = [];
    JSON.stringify([json.nodes, json.materials], (key, value) => {
      if (typeof value === 'number') numbers.push(value);
      return key === 'extras' ? undefined : value;
    });
    expect(numbers.some((value) => !Number.isInteger(value))).toBe(true);
    for (const value of numbers) {
      const digits = value.toExponential().replace(/e.*|[-.]/g, '').length;
      const shorter = digits > 1 ? Number(value.toPrecision(digits - 1)) : NaN;
      expect([digits <= 9, Math.fround(shorter) === Math.fround(value)]).toEqual([true, false]);
    }
  });

  it('leaves out what equals a default of glTF in float32', async () => {
    const scene = await sceneOf(RICH);
    scene.nodes[0] = { ...scene.nodes[0]!, scale: [1, 1 + 1e-9, 1] };
    expect(jsonOf(scene).nodes![0]!.scale).toBeUndefined();
  });

  it('has one accessor for each content, however many primitives use it', async () => {
    const scene = await sceneOf(RICH);
    const json = jsonOf(scene);
    const arrays = scene.geometries.flatMap(({ positions, normals, uvs, indices }) => [
      positions,
      normals,
      ...uvs,
      indices,
    ]);
    expect(json.accessors).toHaveLength(new Set(arrays).size);
    expect(json.images).toHaveLength(scene.images.length);
  });

  it.each([
    [
      'normals of one sphere that are the positions of another',
      [2, 1].map((radius) => ({ type: 'sphere', params: [radius] })),
      {},
    ],
    [
      'normals of a square that are the UVs of a fan',
      [BOX, LEG].map((btgname) => ({ type: 'imp', btgname })),
      {
        [BOX]: { V: [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0], A: [{ F: [0, 1, 2, 0, 2, 3] }] },
        [LEG]: {
          V: [0, 0, 1, 1, 0, 1, 2, 1, 1, 2, 2, 1, 1, 3, 1, 0, 2, 1],
          T: [0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0],
          A: [{ F: FAN, TI: FAN }],
        },
      },
    ],
  ])('keeps roles apart where contents meet: %s', async (_name, btg, blocks) => {
    const scene = await sceneOf({ btg, blocks });
    const arrays = scene.geometries.flatMap(({ positions, normals, uvs }) => [
      positions,
      normals,
      ...uvs,
    ]);
    expect(new Set(arrays).size).toBeLessThan(arrays.length);
    expect(await complaintsAbout(writeGlb(scene))).toEqual([]);
  });

  it('is read back as the scene that was written', async () => {
    const scene = await sceneOf(RICH);
    const document = await new NodeIO()
      .registerExtensions(ALL_EXTENSIONS)
      .readBinary(writeGlb(scene));
    const root = document.getRoot();
    expect(root.listNodes().map((node) => node.getName())).toEqual(
      scene.nodes.map(({ name }) => name),
    );
    expect(root.listMaterials().map((material) => material.getName())).toEqual(
      scene.materials.map(({ name }) => name),
    );
    expect(
      root
        .listExtensionsUsed()
        .map(({ extensionName }) => extensionName)
        .sort(),
    ).toEqual([
      'KHR_materials_clearcoat',
      'KHR_materials_emissive_strength',
      'KHR_materials_ior',
      'KHR_materials_sheen',
      'KHR_materials_specular',
      'KHR_materials_transmission',
      'KHR_texture_transform',
    ]);
    const lamp = root.listMaterials().find((material) => material.getName() === 'LAMP')!;
    expect(lamp.getExtras()).toEqual({ service: { weight: 'ünïcode "quoted"' } });
    const wood = root.listTextures().map((texture) => texture.getImage());
    expect(wood).toContainEqual(RICH.images!.WOOD);
    const points: number[][] = [];
    for (const node of root.listNodes()) {
      const m = node.getWorldMatrix();
      for (const primitive of node.getMesh()?.listPrimitives() ?? []) {
        const position = primitive.getAttribute('POSITION')!;
        for (const index of primitive.getIndices()!.getArray()!) {
          const [x, y, z] = position.getElement(index, [0, 0, 0]) as [number, number, number];
          points.push([0, 1, 2].map((k) => m[k]! * x + m[4 + k]! * y + m[8 + k]! * z + m[12 + k]!));
        }
      }
    }
    const off = drawnPoints(scene).map((p, i) =>
      Math.max(...p.map((v, k) => Math.abs(v - points[i]![k]!))),
    );
    expect(points).toHaveLength(3 * scene.triangles);
    expect(off.reduce((a, b) => Math.max(a, b))).toBeLessThan(1e-6);
  });
});

/** A box in a material. */
const boxOf = (mat: string) => ({ type: 'imp', btgname: BOX, mat });

describe('textures of a GLB', () => {
  it('an image seen as colour and read as data is two textures over one image', async () => {
    const scene = await sceneOf({
      btg: [boxOf('M')],
      blocks: { [BOX]: BOX_BODY },
      mats: [{ mname: 'M', pic: 'GREY', roughness_image: 'GREY' }],
      images: { GREY: await flatJpeg(128, 128, 128) },
    });
    const { materials, textures, images } = jsonOf(scene);
    const { baseColorTexture, metallicRoughnessTexture } = materials![0]!.pbrMetallicRoughness!;
    expect(baseColorTexture!.index).not.toBe(metallicRoughnessTexture!.index);
    expect(textures!.map(({ source }) => source)).toEqual([0, 0]);
    expect(images).toHaveLength(1);
  });

  it('materials of equal values and different names stay apart', async () => {
    const names = ['OAK', 'ASH'];
    const scene = await sceneOf({
      btg: names.map(boxOf),
      blocks: { [BOX]: BOX_BODY },
      mats: names.map((mname) => ({ mname, dif: '0x808080' })),
    });
    expect(jsonOf(scene).materials!.map(({ name }) => name)).toEqual(names);
  });
});
