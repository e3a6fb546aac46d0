import { describe, expect, it } from 'vitest';
import type { Block } from '../../../src/model/graphics.ts';
import { CONVERT_DEFAULTS, type ConvertOptions } from '../../../src/transform/convert-options.ts';
import { uvLayoutOf } from '../../../src/transform/uv-layout.ts';
import { meshBlock } from '../../helpers/graphics.ts';

/** A block of one triangle with so many UV floats and these UV indices. */
function withUvs(floats: number, indices: number[], fields: Partial<Block> = {}): Block {
  const triangles = Int32Array.of(0, 1, 2);
  const surface = { triangles, uvIndices: Int32Array.from(indices) };
  const uvs = Float64Array.from({ length: floats }, (_, i) => i);
  return meshBlock([0, 0, 0, 1, 0, 0, 0, 1, 0], [surface], { uvs, ...fields });
}

describe('uvLayoutOf', () => {
  it.each([
    ['2(b+1) = n', 8, [0, 1, 3], 2, 0],
    ['2(b+1) = n before 3b = n from 1', 12, [1, 4, 5], 2, 0],
    ['3(b+1) = n', 12, [0, 1, 3], 3, 0],
    ['a = 1 and 2b = n', 8, [1, 2, 4], 2, 1],
    ['a = 1 and 3b = n', 15, [1, 2, 5], 3, 1],
    ['n even and 2(b+1) < n', 20, [0, 1, 3], 2, 0],
    ['else three from 0: n odd', 21, [0, 1, 3], 3, 0],
    ['else three from 0: n too small', 6, [0, 1, 7], 3, 0],
  ])('%s', (_rule, floats, indices, stride, firstIndex) => {
    expect(uvLayoutOf(withUvs(floats, indices), CONVERT_DEFAULTS)).toMatchObject({
      stride,
      firstIndex,
    });
  });

  it.each<[string, Partial<ConvertOptions>, number, number[], number, number]>([
    ['stride 3 where 2 fits', { uvStride: 3 }, 8, [0, 1, 3], 3, 0],
    ['stride 2 where 3 fits', { uvStride: 2 }, 12, [0, 1, 3], 2, 0],
    ['stride 2 where nothing fits', { uvStride: 2 }, 21, [0, 1, 3], 2, 0],
    ['stride 2, which tells that indices begin at 1', { uvStride: 2 }, 12, [1, 4, 6], 2, 1],
    ['stride 3, which tells that indices begin at 1', { uvStride: 3 }, 12, [1, 2, 4], 3, 1],
    ['first index 0 where 1 fits', { uvIndexBase: 0 }, 8, [1, 2, 4], 3, 0],
    ['first index 1 where 0 fits', { uvIndexBase: 1 }, 12, [1, 4, 5], 2, 1],
    ['first index 1 that no corner uses', { uvIndexBase: 1 }, 8, [2, 3, 4], 2, 1],
    ['first index 1, which tells the stride', { uvIndexBase: 1 }, 12, [2, 3, 4], 3, 1],
    ['first index 1 where nothing fits', { uvIndexBase: 1 }, 21, [1, 2, 4], 3, 1],
    ['both', { uvStride: 2, uvIndexBase: 1 }, 21, [0, 1, 3], 2, 1],
    ['both the other way', { uvStride: 3, uvIndexBase: 0 }, 8, [1, 2, 4], 3, 0],
  ])('an option says it: %s', (_name, options, floats, indices, stride, firstIndex) => {
    const layout = uvLayoutOf(withUvs(floats, indices), { ...CONVERT_DEFAULTS, ...options });
    expect(layout).toMatchObject({ stride, firstIndex });
  });

  it('looks at all surfaces of the block for the smallest and largest index', () => {
    const block = withUvs(8, [1, 2, 2]);
    const surfaces = [
      ...block.surfaces,
      { ...block.surfaces[0]!, uvIndices: Int32Array.of(4, 4, 4) },
    ];
    expect(uvLayoutOf({ ...block, surfaces }, CONVERT_DEFAULTS)).toMatchObject({
      stride: 2,
      firstIndex: 1,
    });
  });

  it('takes the stride that nesting tells', () => {
    expect(uvLayoutOf(withUvs(12, [0, 1, 2], { uvStride: 3 }), CONVERT_DEFAULTS)).toMatchObject({
      stride: 3,
    });
    expect(uvLayoutOf(withUvs(12, [1, 2, 4], { uvStride: 3 }), CONVERT_DEFAULTS)).toMatchObject({
      stride: 3,
      firstIndex: 1,
    });
    expect(uvLayoutOf(withUvs(12, [0, 2, 3], { uvStride: 2 }), CONVERT_DEFAULTS)).toMatchObject({
      stride: 2,
      firstIndex: 0,
    });
    const said = { ...CONVERT_DEFAULTS, uvStride: 3 } as const;
    expect(uvLayoutOf(withUvs(8, [0, 1, 4], { uvStride: 2 }), said)).toMatchObject({
      stride: 2,
      firstIndex: 0,
    });
    expect(uvLayoutOf(withUvs(8, [0, 1, 3], { uvStride: 2 }), CONVERT_DEFAULTS)).toMatchObject({
      stride: 2,
      firstIndex: 0,
    });
  });
});

describe('offsetsOf', () => {
  const offsets = (block: Block) =>
    uvLayoutOf(block, CONVERT_DEFAULTS).offsetsOf(block.surfaces[0]!);

  it('tells where U of each corner stands', () => {
    expect(offsets(withUvs(8, [0, 1, 3]))).toEqual(Uint32Array.of(0, 2, 6));
    expect(offsets(withUvs(8, [1, 2, 4]))).toEqual(Uint32Array.of(0, 2, 6));
    expect(offsets(withUvs(12, [0, 1, 3]))).toEqual(Uint32Array.of(0, 3, 9));
  });

  it.each([
    ['none', []],
    ['too few', [0, 1]],
    ['one below the first', [0, -1, 3]],
    ['one behind the last', [0, 1, 9]],
    ['one that was no integer', [0, -(2 ** 31), 3]],
  ])('has nothing to offer for UV indices with %s', (_name, indices) => {
    expect(offsets(withUvs(8, indices))).toBeUndefined();
  });

  it('has nothing to offer where a UV is no number; other surfaces are not concerned', () => {
    const block = withUvs(8, [0, 1, 3]);
    block.uvs[7] = Number.NaN;
    const good = { ...block.surfaces[0]!, uvIndices: Int32Array.of(0, 1, 2) };
    expect(offsets(block)).toBeUndefined();
    expect(uvLayoutOf(block, CONVERT_DEFAULTS).offsetsOf(good)).toEqual(Uint32Array.of(0, 2, 4));
  });
});
