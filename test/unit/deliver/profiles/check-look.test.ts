/** What a compressed model looks like, compared by numbers with the model before. */
import { fileURLToPath } from 'node:url';
import { type Document, NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS, type Transform } from '@gltf-transform/extensions';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { writeGlb } from '../../../../src/convert/write/glb.ts';
import type { Once } from '../../../../src/deliver/making/once.ts';
import { compareLooks, lookOf } from '../../../../src/deliver/profiles/check-look.ts';
import { type Libraries, loadLibraries } from '../../../../src/deliver/profiles/libraries.ts';
import { optimize } from '../../../../src/deliver/profiles/optimize.ts';
import { PROFILES } from '../../../../src/deliver/profiles/profiles.ts';
import { openTextureEncoder } from '../../../../src/deliver/profiles/texture-encoder.ts';
import { BOX_BODY, sceneOf } from '../../../helpers/snapshot.ts';

const TOLERANCE_METRES = 0.001;
const textureFile = (name: string) =>
  new URL(`../../../../src/emulator/sample/images/textures/${name}.jpg`, import.meta.url);

let libraries: Libraries;
let glb: Uint8Array;
beforeAll(async () => {
  libraries = await loadLibraries();
  const [oak, walnut] = await Promise.all(
    ['oak', 'walnut'].map(
      async (name) =>
        new Uint8Array(
          await sharp(fileURLToPath(textureFile(name)))
            .resize(128)
            .jpeg()
            .toBuffer(),
        ),
    ),
  );
  const board = (mat: string, offs: number[], rot: number[] = [0, 0, 0]) => {
    return { type: 'imp', btgname: 'A::B::BOX', mat, offs, rot };
  };
  glb = writeGlb(
    await sceneOf({
      btg: [board('OAK', [0, 0, 0]), board('WALNUT', [2, 0, 0], [0, 30, 0])],
      mats: [
        { mname: 'OAK', pic: 'OAK', rot: 30 },
        { mname: 'WALNUT', pic: 'WALNUT' },
      ],
      blocks: { 'A::B::BOX': BOX_BODY },
      images: { OAK: oak, WALNUT: walnut },
    }),
  );
});

const read = () => new NodeIO().registerExtensions(ALL_EXTENSIONS).readBinary(glb);

/** Compares the model with what a change makes of it. */
async function comparison(change: (document: Document) => unknown): Promise<() => void> {
  const [before, after] = [await read(), await read()];
  await change(after);
  const [was, is] = [await lookOf(before, libraries), await lookOf(after, libraries)];
  return () => compareLooks(was, is, TOLERANCE_METRES);
}

const materials = (document: Document) => document.getRoot().listMaterials();
const drawing = (document: Document) =>
  document
    .getRoot()
    .listNodes()
    .filter((node) => node.getMesh());

describe('the look of a compressed model', () => {
  it('is that of its master in the profile web', async () => {
    const { encode, close } = openTextureEncoder();
    const done: string[] = [];
    const once: Once = (key, work) => {
      done.push(key);
      return work();
    };
    const { figures } = await optimize(glb, PROFILES.web, encode, once);
    await close();
    expect(figures.images.map(({ mimeType }) => mimeType)).toEqual(['image/webp', 'image/webp']);
    expect(done.filter((key) => key.startsWith('compared '))).toHaveLength(2);
  });

  it('passes with quantized coordinates and in any order of its nodes', async () => {
    const { functions } = libraries;
    expect(
      await comparison(async (document) => {
        await document.transform(functions.quantize({ quantizePosition: 14 }));
      }),
    ).not.toThrow();
  });

  it.each<[string, (document: Document) => unknown, RegExp]>([
    [
      'textures were swapped',
      (document) => {
        const [one, other] = document.getRoot().listTextures();
        const image = one!.getImage()!;
        one!.setImage(other!.getImage()!);
        other!.setImage(image);
      },
      /^material/,
    ],
    [
      'a colour was changed',
      (document) => materials(document)[0]!.setBaseColorFactor([1, 0, 0, 1]),
      /^material/,
    ],
    [
      'a part became shiny',
      (document) => materials(document)[0]!.setRoughnessFactor(0.1),
      /^material/,
    ],
    [
      'a texture was dropped',
      (document) => materials(document)[1]!.setBaseColorTexture(null),
      /^material/,
    ],
    [
      'a transform of a texture was lost',
      (document) => {
        for (const material of materials(document))
          material
            .getBaseColorTextureInfo()
            ?.getExtension<Transform>('KHR_texture_transform')
            ?.setRotation(0)
            .setScale([1, 1]);
      },
      /^material/,
    ],
    ['a part was moved', (document) => drawing(document)[0]!.setTranslation([0, 1, 0]), /^place/],
    ['a part was turned', (document) => drawing(document)[1]!.setRotation([0, 0, 0, 1]), /^place/],
    ['a part was mirrored', (document) => drawing(document)[0]!.setScale([-1, 1, 1]), /^place/],
    ['a part is missing', (document) => drawing(document)[0]!.dispose(), /^places/],
  ])('is refused where %s', async (_, change, message) => {
    expect(await comparison(change)).toThrow(
      expect.objectContaining({
        code: 'COMPRESSION_FAILED',
        message: expect.stringMatching(message),
      }),
    );
  });
});
