import { Document } from '@gltf-transform/core';
import { KHRTextureTransform } from '@gltf-transform/extensions';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { partsOf } from '../../../../src/deliver/inspection/parts.ts';

/** A square of 1 m with a texture of 512 × 512 pixels from edge to edge. */
async function square() {
  const document = new Document();
  const buffer = document.createBuffer();
  const create = { width: 512, height: 512, channels: 3, background: '#808080' } as const;
  const image = await sharp({ create }).png().toBuffer();
  const texture = document.createTexture().setImage(image).setMimeType('image/png');
  const material = document.createMaterial('wood').setBaseColorTexture(texture);
  const list = (type: 'VEC2' | 'VEC3', values: number[]) =>
    document.createAccessor().setType(type).setArray(new Float32Array(values)).setBuffer(buffer);
  const indices = document.createAccessor().setArray(new Uint16Array([0, 1, 2, 0, 2, 3]));
  const primitive = document
    .createPrimitive()
    .setAttribute('POSITION', list('VEC3', [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]))
    .setAttribute('TEXCOORD_0', list('VEC2', [0, 0, 1, 0, 1, 1, 0, 1]))
    .setIndices(indices.setBuffer(buffer))
    .setMaterial(material);
  const node = document.createNode('top').setMesh(document.createMesh().addPrimitive(primitive));
  const group = document.createNode('table').addChild(node);
  document.createScene().addChild(group);
  return { document, material, node, group, primitive };
}

test('a part has the size and the triangles of all below it, in the space of the scene', async () => {
  const { document, group, node } = await square();
  group.setScale([2, 1, 1]);
  const leg = document.createNode('leg').setMesh(node.getMesh()).setTranslation([0, -1, 0.5]);
  group.addChild(leg);
  const { parts, sizeMillimetres } = partsOf(document);
  expect(sizeMillimetres).toEqual([2000, 2000, 500]);
  expect(parts).toEqual([
    { node: 1, name: 'table', depth: 0, sizeMillimetres, triangles: 4, materials: [] },
    {
      ...{ node: 0, name: 'top', depth: 1, triangles: 2, materials: ['wood'] },
      sizeMillimetres: [2000, 1000, 0],
    },
    {
      ...{ node: 2, name: 'leg', depth: 1, triangles: 2, materials: ['wood'] },
      sizeMillimetres: [2000, 1000, 0],
    },
  ]);
});

test('texels per metre follow from the sides of texture and surface, and the transforms of both', async () => {
  const { document, material, group } = await square();
  const density = () => partsOf(document).densities.get(0);
  const even = (value: number) => ({ smallest: value, median: value, largest: value });
  expect(density()).toEqual({ slot: 'base colour', triangles: 2, ...even(512) });
  group.setScale([2, 2, 1]);
  expect(density()).toMatchObject(even(256));
  const transforms = document.createExtension(KHRTextureTransform);
  const transform = transforms.createTransform().setScale([4, 4]);
  material.getBaseColorTextureInfo()!.setExtension('KHR_texture_transform', transform);
  expect(density()).toMatchObject(even(1024));
});

test('the median is that of the surface, not of the triangles; surfaces without coordinates have none', async () => {
  const { document, primitive } = await square();
  const uv = primitive.getAttribute('TEXCOORD_0')!;
  // The second triangle has a point in common with the first two edges: its texture is stretched.
  uv.setElement(3, [0, 0]);
  const { smallest, median, largest } = partsOf(document).densities.get(0)!;
  expect([smallest, median, largest]).toEqual([0, 0, 512]);
  primitive.setAttribute('TEXCOORD_0', null);
  expect(partsOf(document).densities.size).toBe(0);
});
