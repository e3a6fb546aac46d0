import { describe, expect, it } from 'vitest';
import { writeGlb } from '../../../../src/convert/write/glb.ts';
import { readGlb } from '../../../../src/deliver/making/glb-container.ts';
import { digestOfLook } from '../../../../src/deliver/pictures/pictures.ts';
import { BOX_TRIANGLES, boxPoints } from '../../../helpers/graphics.ts';
import { sceneOf } from '../../../helpers/snapshot.ts';

/** A GLB of a box. */
async function boxOf({ name = 'A::B::BOX', mname = 'OAK', width = 1, dif = '0x8C6E46', lay = '' }) {
  const block = { V: boxPoints(width, 1, 1), A: [{ F: BOX_TRIANGLES }] };
  const btg = [{ type: 'imp', btgname: name, mat: mname, lay }];
  return writeGlb(await sceneOf({ btg, mats: [{ mname, dif }], blocks: { [name]: block } }));
}

describe('the digest of what a picture shows', () => {
  it('is the same for other names', async () => {
    const digest = digestOfLook(await boxOf({}));
    expect(digestOfLook(await boxOf({ name: 'C::D::OTHER', mname: 'EICHE' }))).toBe(digest);
    expect(readGlb(await boxOf({ mname: 'EICHE' })).json.materials?.[0]?.name).toBe('EICHE');
  });

  it.each([
    ['vertices', { width: 2 }],
    ['a material', { dif: '0x8C6E47' }],
    ['a layer, which says whether there is a floor', { lay: '72_A_B_D3_CEILING' }],
  ])('is another one for %s', async (_, other) => {
    expect(digestOfLook(await boxOf(other))).not.toBe(digestOfLook(await boxOf({})));
  });
});
