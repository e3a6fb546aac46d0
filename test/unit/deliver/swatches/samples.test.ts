import { WebIO } from '@gltf-transform/core';
import { KHRONOS_EXTENSIONS } from '@gltf-transform/extensions';
import { describe, expect, it } from 'vitest';
import { writeGlb } from '../../../../src/convert/write/glb.ts';
import { samplesOf } from '../../../../src/deliver/swatches/samples.ts';
import { encoded, flatPicture } from '../../../helpers/flat-picture.ts';
import { BOX_TRIANGLES, boxPoints } from '../../../helpers/graphics.ts';
import { plainGlb } from '../../../helpers/plain-glb.ts';
import { sceneOf } from '../../../helpers/snapshot.ts';

const OAK = { mname: 'OAK', dif: '0x8C6E46' };
const STEEL = { mname: 'STEEL', dif: '0xA0A0A0', roughness: 0.2 };
const GLASS = { mname: 'GLASS', dif: '0xF0F0F0', tra: 0.8, refr: 1.5 };

/** A GLB of a box of each material, one beside the other. */
async function boxesOf(mats: readonly { mname: string }[], metres = 1): Promise<Uint8Array> {
  const block = { V: boxPoints(metres, 1, 1), A: [{ F: BOX_TRIANGLES }] };
  const btg = mats.map(({ mname }, i) => {
    return { type: 'imp', btgname: 'A::B::BOX', mat: mname, offs: [2 * i, 0, 0] };
  });
  return writeGlb(await sceneOf({ btg, mats: [...mats], blocks: { 'A::B::BOX': block } }));
}

const read = (glb: Uint8Array) =>
  new WebIO().registerExtensions(KHRONOS_EXTENSIONS).readBinary(glb);

const materialsOf = async (glb: Uint8Array) =>
  (await read(glb))
    .getRoot()
    .listMeshes()[0]!
    .listPrimitives()
    .map((one) => one.getMaterial()!);

/** A wall of a texture that repeats after so many metres. */
async function wallOf(metres: number, sideMetres: number): Promise<Uint8Array> {
  const image = await encoded(flatPicture([200, 160, 120]).png());
  const glb = plainGlb({
    triangles: 8,
    sideMetres,
    image: { name: 'oak', mimeType: 'image/png', bytes: image },
  });
  const document = await read(glb);
  for (const accessor of document.getRoot().listAccessors())
    if (accessor.getType() === 'VEC2')
      accessor.setArray(accessor.getArray()!.map((value: number) => (value * sideMetres) / metres));
  return new WebIO().writeBinary(document);
}

describe('the samples of a master', () => {
  it('are its materials, each alone, by name', async () => {
    const samples = await samplesOf(await boxesOf([STEEL, OAK]), 'flat');
    expect(samples.map(({ material }) => material)).toEqual(['OAK', 'STEEL']);
    const [oak] = await materialsOf(samples[0]!.glb);
    const [red, green] = oak!.getBaseColorFactor();
    expect(red! / green!).toBeCloseTo((0x8c / 0x6e) ** 2.2, 1);
    expect((await read(samples[1]!.glb)).getRoot().listMaterials()).toHaveLength(1);
  });

  it('are equal for equal finishes of other articles, names and shapes', async () => {
    const [alone] = await samplesOf(await boxesOf([OAK]), 'ball');
    const others = await boxesOf([{ ...OAK, mname: 'EICHE' }, GLASS], 3);
    const [oak] = await samplesOf(others, 'ball');
    expect(oak!.material).toBe('EICHE');
    expect(Buffer.compare(oak!.glb, alone!.glb)).toBe(0);
  });

  it('leave out a material without a triangle, and are none without a material', async () => {
    const document = await read(await boxesOf([OAK]));
    document.createMaterial('UNUSED');
    const [used] = document.getRoot().listMaterials();
    const io = new WebIO().registerExtensions(KHRONOS_EXTENSIONS);
    expect(await samplesOf(await io.writeBinary(document), 'flat')).toHaveLength(1);
    used!.dispose();
    expect(await samplesOf(await io.writeBinary(document), 'flat')).toEqual([]);
  });

  it.each(['flat', 'ball'] as const)(
    'have textures at the scale of the model: %s',
    async (shape) => {
      for (const metres of [0.25, 1.6]) {
        const [sample] = await samplesOf(await wallOf(metres, 0.8), shape);
        const [primitive] = (await read(sample!.glb)).getRoot().listMeshes()[0]!.listPrimitives();
        const positions = primitive!.getAttribute('POSITION')!;
        const uvs = primitive!.getAttribute('TEXCOORD_0')!;
        // Beside the middle of the picture, where a ball begins.
        const [a, b] = [0, shape === 'flat' ? 1 : 97];
        const distance = (of: typeof uvs) => {
          const [from, to] = [of.getElement(a, []), of.getElement(b, [])];
          return Math.hypot(...to.map((value, k) => value - from[k]!));
        };
        expect(distance(positions) / distance(uvs)).toBeCloseTo(metres, 2);
      }
    },
  );

  it('show something behind a pane of glass, and nothing behind other materials', async () => {
    const [glass, oak] = await samplesOf(await boxesOf([GLASS, OAK]), 'flat');
    expect(await materialsOf(glass!.glb)).toHaveLength(2);
    expect(await materialsOf(oak!.glb)).toHaveLength(1);
  });

  it('need a GLB', async () => {
    const refused = samplesOf(new Uint8Array(100), 'flat');
    await expect(refused).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  });
});
