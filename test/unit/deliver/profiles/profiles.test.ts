import { type Document, NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { MeshoptDecoder } from 'meshoptimizer/decoder';
import sharp from 'sharp';
import type { Mesh } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { describe, expect, it } from 'vitest';
import { writeGlb } from '../../../../src/convert/write/glb.ts';
import { readFigures } from '../../../../src/deliver/making/glb-figures.ts';
import { optimize } from '../../../../src/deliver/profiles/optimize.ts';
import {
  breachesOf,
  breachText,
  PROFILE_NAMES,
  PROFILES,
} from '../../../../src/deliver/profiles/profiles.ts';
import { openTextureEncoder } from '../../../../src/deliver/profiles/texture-encoder.ts';
import { drawnVertices, unmatched } from '../../../helpers/drawn-vertices.ts';
import { BOX_BODY, sceneOf } from '../../../helpers/snapshot.ts';

const { encode: encodeTexture } = openTextureEncoder();
const io = new NodeIO().registerExtensions(ALL_EXTENSIONS);

/** Pixels from the top to the bottom of an image that is large across: each encoder takes them one by one. */
const STRIP = 64;

/** A box of one metre whose image, if any, has so many pixels across, and as many or {@link STRIP} of them down. */
async function boxWith(side?: number, height = Math.min(side ?? 0, STRIP)): Promise<Uint8Array> {
  const background = { r: 180, g: 140, b: 90 };
  const create = { width: side!, height, channels: 3, background } as const;
  return writeGlb(
    await sceneOf({
      btg: [{ type: 'imp', btgname: 'A::B::BOX', mat: 'OAK' }],
      mats: [{ mname: 'OAK', ...(side && { pic: 'OAK' }) }],
      blocks: { 'A::B::BOX': BOX_BODY },
      images: side ? { OAK: await sharp({ create }).jpeg().toBuffer() } : {},
    }),
  );
}

const made = async (side: number, name: (typeof PROFILE_NAMES)[number], height?: number) =>
  (await optimize(await boxWith(side, height), PROFILES[name], encodeTexture)).figures;

describe('the profiles', () => {
  it('make textures that are too large smaller, and enlarge none', async () => {
    const names = PROFILE_NAMES.filter((name) => name !== 'amazon');
    const widths = async (side: number) => {
      const all = await Promise.all(names.map((name) => made(side, name)));
      return Object.fromEntries(names.map((name, i) => [name, all[i]!.images[0]!.width]));
    };
    const large = { web: 2048, 'ar-android': 2048, 'khronos-commerce': 2048, google: 2048 };
    expect(await widths(2064)).toEqual({ ...large, shopify: 2064, planner: 1024, shared: 2064 });
    for (const width of Object.values(await widths(512))) expect(width).toBe(512);
  });

  describe('ar-android blends glass', () => {
    const BOX = [{ type: 'imp', btgname: 'A::B::BOX', mat: 'GLASS' }];
    const blended = async (mats: Record<string, unknown>, change: (master: Document) => void) => {
      const blocks = { 'A::B::BOX': BOX_BODY };
      const scene = await sceneOf({ btg: BOX, mats: [{ mname: 'GLASS', ...mats }], blocks });
      const master = await io.readBinary(writeGlb(scene));
      change(master);
      const glb = await io.writeBinary(master);
      const { bytes } = await optimize(glb, PROFILES['ar-android'], encodeTexture);
      const [material] = (await io.readBinary(bytes)).getRoot().listMaterials();
      expect(material!.getAlphaMode()).toBe('BLEND');
      return material!.getBaseColorFactor().map((value) => Number(value.toFixed(3)));
    };
    const asItIs = () => {};

    it('as the service describes it, in its own colour', async () => {
      // Linear light of 6E6A62.
      const smoked = [0.156, 0.144, 0.122, 0.4];
      expect(await blended({ tra: 0.6, dif: '0x6E6A62', refr: 1.52 }, asItIs)).toEqual(smoked);
      expect(await blended({ tra: 0.97, refr: 1.52 }, asItIs)).toEqual([1, 1, 1, 0.15]);
    });

    it('by its transmission, where a master does not say how the service describes it', async () => {
      const removed = (master: Document) => master.getRoot().listMaterials()[0]!.setExtras({});
      const [r, g, b, alpha] = await blended({ tra: 0.6, dif: '0x6E6A62', refr: 1.52 }, removed);
      expect(alpha).toBeCloseTo(0.4, 2);
      for (const [i, own] of [0.156, 0.144, 0.122].entries())
        expect(Math.abs([r, g, b][i]! - own)).toBeLessThan(0.03);
    });
  });

  it('web and shared keep materials apart that differ in their names alone', async () => {
    const parts = ['OAK', 'OAK 2'].map((mat) => ({ type: 'imp', btgname: 'A::B::BOX', mat }));
    const scene = await sceneOf({
      btg: parts,
      mats: ['OAK', 'OAK 2'].map((mname) => ({ mname, dif: '0x123456' })),
      blocks: { 'A::B::BOX': BOX_BODY },
    });
    const names = async (name: (typeof PROFILE_NAMES)[number]) => {
      const made = await optimize(writeGlb(scene), PROFILES[name], encodeTexture);
      const document = await io.readBinary(await made.decoded());
      return document
        .getRoot()
        .listMaterials()
        .map((material) => material.getName());
    };
    for (const name of ['web', 'shared'] as const)
      expect(await names(name)).toEqual(['OAK', 'OAK 2']);
    expect(await names('planner')).toEqual(['OAK']);
  });

  it('amazon: 2048 passes, a smaller texture is refused with a sentence', async () => {
    expect((await made(2048, 'amazon', 2048)).images[0]!.width).toBe(2048);
    await expect(made(1024, 'amazon', 1024)).rejects.toMatchObject({
      code: 'BUDGET_EXCEEDED',
      message:
        'textures: expected 2048 to 4096 pixels a side, received 1024 × 1024 (texture OAK); btg2gltf enlarges no texture',
      help: 'use a model with larger textures, or leave out this profile',
    });
  });

  it('web: three.js reads it with the decoder of meshoptimizer, and not without', async () => {
    const { bytes } = await optimize(await boxWith(), PROFILES.web, encodeTexture);
    const load = (loader: GLTFLoader) => loader.parseAsync(Uint8Array.from(bytes).buffer, '');
    await expect(load(new GLTFLoader())).rejects.toThrow(/setMeshoptDecoder/);
    const { scene } = await load(new GLTFLoader().setMeshoptDecoder(MeshoptDecoder));
    const meshes: Mesh[] = [];
    scene.traverse((object) => {
      if (object.isMesh) meshes.push(object);
    });
    expect(meshes.map(({ geometry }) => geometry.getAttribute('position').count)).toEqual([24]);
  });

  it('web: a mesh that is larger than furniture has more bits for its vertices', async () => {
    const large = [0, 0, 0, 20, 0, 0, 0, 1, 0];
    const small = [0.1234, 0.2345, 0.3456, 0.1434, 0.2345, 0.3456, 0.1234, 0.2545, 0.3456];
    const glb = writeGlb(
      await sceneOf({
        btg: [{ type: 'imp', btgname: 'A::B::WALL', mat: 'M' }],
        mats: [{ mname: 'M' }],
        blocks: { 'A::B::WALL': { V: [...large, ...small], A: [{ F: [0, 1, 2, 3, 4, 5] }] } },
      }),
    );
    const { bytes } = await optimize(glb, PROFILES.web, encodeTexture);
    const [before, after] = [await drawnVertices(glb), await drawnVertices(bytes)];
    const tolerance = { metres: 20 / 2 ** 16, normalDegrees: 0.1, uv: 0 };
    expect(before).toHaveLength(6);
    expect(unmatched(before, after, tolerance)).toEqual([]);
  });

  it('name what a file breaks', async () => {
    const figures = await readFigures(await boxWith(64));
    const broken = {
      ...figures,
      ...{ triangles: 200_000, drawCalls: 20, bytes: 3_000_001 },
      extensionsUsed: ['KHR_materials_ior', 'X_other'],
      extensionsRequired: ['X_other'],
    };
    expect(breachesOf(broken, PROFILES['khronos-commerce']).map(breachText)).toEqual([
      'triangles: expected at most 150000, received 200000',
      'bytes: expected at most 3000000, received 3000001',
      'draw calls: expected at most 19, received 20',
      'required extensions: the file requires X_other, which readers of this profile may not support',
    ]);
    expect(breachesOf(figures, PROFILES['khronos-commerce'])).toEqual([]);
  });
});
