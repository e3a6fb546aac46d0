import { Document, type Primitive, type TextureInfo } from '@gltf-transform/core';
import { KHRTextureTransform } from '@gltf-transform/extensions';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  bakeIrregularParts,
  bakeTextureTransforms,
} from '../../../../src/deliver/profiles/bake.ts';
import { type Libraries, loadLibraries } from '../../../../src/deliver/profiles/libraries.ts';

let libraries: Libraries;
beforeAll(async () => {
  libraries = await loadLibraries();
});

const number = fc.double({ min: -8, max: 8, noNaN: true });
const size = fc.double({ min: 0.1, max: 8, noNaN: true });

/** A triangle, its UVs being its x and y. */
function triangleOf(document: Document) {
  const list = (type: 'VEC2' | 'VEC3', values: number[]) =>
    document.createAccessor().setType(type).setArray(Float32Array.from(values));
  return document
    .createPrimitive()
    .setAttribute('POSITION', list('VEC3', [0, 0, 0, 1, 0, 0, 0, 1, 0]))
    .setAttribute('NORMAL', list('VEC3', [0, 0, 1, 0, 0, 1, 0, 0, 1]))
    .setAttribute('TEXCOORD_0', list('VEC2', [0, 0, 1, 0, 0, 1]))
    .setIndices(document.createAccessor().setArray(Uint16Array.from([0, 1, 2])));
}

const valuesOf = (primitive: Primitive, name: string) =>
  Array.from(primitive.getAttribute(name)!.getArray()!);

function documentWithTexture() {
  const document = new Document();
  const transforms = document.createExtension(KHRTextureTransform);
  const transformOf = (info: TextureInfo | null) => {
    const transform = transforms.createTransform();
    info!.setExtension('KHR_texture_transform', transform);
    return transform;
  };
  return { document, texture: document.createTexture().setImage(new Uint8Array(1)), transformOf };
}

describe('bakeTextureTransforms', () => {
  it('gives each vertex the place that its transform means, and leaves other materials alone', () => {
    const [offsets, scales] = [fc.tuple(number, number), fc.tuple(size, size)];
    fc.assert(
      fc.property(offsets, scales, number, (offset, scale, angle) => {
        const { document, texture, transformOf } = documentWithTexture();
        const placed = document.createMaterial().setBaseColorTexture(texture);
        transformOf(placed.getBaseColorTextureInfo())
          .setOffset(offset)
          .setScale(scale)
          .setRotation(angle);
        const plain = document.createMaterial().setBaseColorTexture(texture);
        const first = triangleOf(document).setMaterial(placed);
        const second = triangleOf(document).setMaterial(plain);
        second.setAttribute('TEXCOORD_0', first.getAttribute('TEXCOORD_0'));
        document.createMesh().addPrimitive(first).addPrimitive(second);
        expect(bakeTextureTransforms(document, libraries)).toBe(0);
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        const expected = [
          [0, 0],
          [c * scale[0], -s * scale[0]],
          [s * scale[1], c * scale[1]],
        ];
        for (const [i, [u, v]] of expected.entries()) {
          const [x, y] = first.getAttribute('TEXCOORD_0')!.getElement(i, [0, 0]);
          expect(x).toBeCloseTo(u! + offset[0], 4);
          expect(y).toBeCloseTo(v! + offset[1], 4);
        }
        expect(valuesOf(second, 'TEXCOORD_0')).toEqual([0, 0, 1, 0, 0, 1]);
        expect(document.getRoot().listExtensionsUsed()).toEqual([]);
      }),
    );
  });

  it('gives textures with another transform than the base colour the second UV set, and those with a third the first', () => {
    const { document, texture, transformOf } = documentWithTexture();
    const material = document
      .createMaterial()
      .setNormalTexture(texture)
      .setBaseColorTexture(texture)
      .setOcclusionTexture(texture)
      .setEmissiveTexture(texture);
    transformOf(material.getBaseColorTextureInfo()).setScale([3, 3]);
    transformOf(material.getEmissiveTextureInfo()).setScale([3, 3]);
    transformOf(material.getOcclusionTextureInfo()).setScale([5, 5]);
    const primitive = triangleOf(document).setMaterial(material);
    document.createMesh().addPrimitive(primitive);
    expect(bakeTextureTransforms(document, libraries)).toBe(1);
    expect(valuesOf(primitive, 'TEXCOORD_0')).toEqual([0, 0, 3, 0, 0, 3]);
    expect(valuesOf(primitive, 'TEXCOORD_1')).toEqual([0, 0, 1, 0, 0, 1]);
    expect(material.getBaseColorTextureInfo()!.getTexCoord()).toBe(0);
    expect(material.getEmissiveTextureInfo()!.getTexCoord()).toBe(0);
    expect(material.getNormalTextureInfo()!.getTexCoord()).toBe(1);
    expect(material.getOcclusionTextureInfo()!.getTexCoord()).toBe(0);
  });
});

describe('bakeIrregularParts', () => {
  it('keeps the outside of a mirrored part outside, and what shares its mesh unchanged', () => {
    const document = new Document();
    const mesh = document.createMesh().addPrimitive(triangleOf(document));
    const mirrored = document.createNode('mirrored').setMesh(mesh).setScale([-2, 1, 1]);
    const regular = document.createNode('regular').setMesh(mesh);
    document.createScene().addChild(mirrored).addChild(regular);
    expect(bakeIrregularParts(document, libraries)).toBe(1);
    expect(mirrored.getMesh()).toBeNull();
    const baked = document.getRoot().listNodes().at(-1)!.getMesh()!.listPrimitives()[0]!;
    const positions = baked.getAttribute('POSITION')!;
    const [a, b, c] = [0, 1, 2].map((corner) =>
      positions.getElement<number[]>(baked.getIndices()!.getScalar(corner), []),
    ) as [number[], number[], number[]];
    const area = (b[0]! - a[0]!) * (c[1]! - a[1]!) - (b[1]! - a[1]!) * (c[0]! - a[0]!);
    // It still faces +Z, where its normals point.
    expect(area).toBe(2);
    expect(Math.min(a[0]!, b[0]!, c[0]!)).toBe(-2);
    const kept = regular.getMesh()!.listPrimitives()[0]!;
    expect(valuesOf(kept, 'POSITION')).toEqual([0, 0, 0, 1, 0, 0, 0, 1, 0]);
  });
});
