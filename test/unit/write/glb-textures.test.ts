import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { writeGlb } from '../../../src/write/glb.ts';
import { BOX_BODY, sceneOf } from '../../helpers/snapshot.ts';

interface Written {
  materials: {
    name: string;
    pbrMetallicRoughness: {
      baseColorTexture?: { index: number };
      metallicRoughnessTexture?: { index: number };
    };
  }[];
  textures: { source: number }[];
  images: unknown[];
}

const written = (glb: Uint8Array): Written => {
  const length = new DataView(glb.buffer, glb.byteOffset).getUint32(12, true);
  return JSON.parse(new TextDecoder().decode(glb.subarray(20, 20 + length)));
};

const grey = async () =>
  new Uint8Array(
    await sharp({ create: { width: 8, height: 8, channels: 3, background: '#808080' } })
      .jpeg()
      .toBuffer(),
  );

describe('textures of a GLB', () => {
  it('an image seen as colour and read as data is two textures over one image', async () => {
    const scene = await sceneOf({
      btg: [{ type: 'imp', btgname: 'A::B::BOX', mat: 'M' }],
      blocks: { 'A::B::BOX': BOX_BODY },
      mats: [{ mname: 'M', pic: 'GREY', roughness_image: 'GREY' }],
      images: { GREY: await grey() },
    });
    const { materials, textures, images } = written(writeGlb(scene));
    const { baseColorTexture, metallicRoughnessTexture } = materials[0]!.pbrMetallicRoughness;
    expect(baseColorTexture!.index).not.toBe(metallicRoughnessTexture!.index);
    expect(textures.map(({ source }) => source)).toEqual([0, 0]);
    expect(images).toHaveLength(1);
  });

  it('materials of equal values and different names stay apart', async () => {
    const scene = await sceneOf({
      btg: [
        { type: 'imp', btgname: 'A::B::BOX', mat: 'OAK' },
        { type: 'imp', btgname: 'A::B::BOX', mat: 'ASH', offs: [2, 0, 0] },
      ],
      blocks: { 'A::B::BOX': BOX_BODY },
      mats: [
        { mname: 'OAK', dif: '0x808080' },
        { mname: 'ASH', dif: '0x808080' },
      ],
    });
    expect(written(writeGlb(scene)).materials.map(({ name }) => name)).toEqual(['OAK', 'ASH']);
  });
});
