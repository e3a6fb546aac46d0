import { Document } from '@gltf-transform/core';
import { describe, expect, it } from 'vitest';
import { textureScaleOf } from '../../../../src/deliver/swatches/texture-scale.ts';

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] as const;

/** A rectangle in metres whose texture coordinates end at u and v. */
function rectangle(width: number, height: number, u: number, v: number) {
  const document = new Document();
  const accessor = (type: 'VEC2' | 'VEC3', values: number[]) =>
    document.createAccessor().setType(type).setArray(Float32Array.from(values));
  const [a, b] = [
    [0, 0, 0, width, 0, 0, width, height, 0],
    [0, 0, u, 0, u, v],
  ];
  const primitive = document
    .createPrimitive()
    .setAttribute('POSITION', accessor('VEC3', [...a, 0, 0, 0, width, height, 0, 0, height, 0]))
    .setAttribute('TEXCOORD_0', accessor('VEC2', [...b, 0, 0, u, v, 0, v]));
  return {
    primitive,
    worldMatrix: [...IDENTITY] as Parameters<typeof textureScaleOf>[0][number]['worldMatrix'],
  };
}

describe('the scale of a texture on a model', () => {
  it('is the metres of a unit across and down', () => {
    expect(textureScaleOf([rectangle(1.2, 0.6, 2, 0.5)], 0)).toEqual({ u: 0.6, v: 1.2 });
  });

  it('follows the size of the part in the scene', () => {
    const part = rectangle(1, 1, 1, 1);
    part.worldMatrix[0] = 2;
    part.worldMatrix[5] = 0.5;
    expect(textureScaleOf([part], 0)).toEqual({ u: 2, v: 0.5 });
  });

  it('is that of flat parts, not of those on which a projected texture is stretched', () => {
    const stretched = rectangle(3, 1, 1, 1);
    expect(textureScaleOf([stretched, rectangle(1, 1, 1, 1)], 0)).toEqual({ u: 1, v: 1 });
  });

  it('does not follow the distortion of a small part', () => {
    const crumb = rectangle(0.01, 0.01, 2, 2);
    expect(textureScaleOf([crumb, rectangle(1, 1, 2, 2)], 0)).toEqual({ u: 0.5, v: 0.5 });
  });

  it('is a metre without usable coordinates', () => {
    const metre = { u: 1, v: 1 };
    expect(textureScaleOf([rectangle(1, 1, 1, 1)], 1)).toEqual(metre);
    expect(textureScaleOf([rectangle(1, 1, 0, 1)], 0)).toEqual(metre);
    expect(textureScaleOf([rectangle(0, 1, 1, 1)], 0)).toEqual(metre);
    expect(textureScaleOf([], 0)).toEqual(metre);
  });
});
