import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Block, ServiceMaterial } from '../../../../src/convert/model/graphics.ts';
import {
  CONVERT_DEFAULTS,
  type ConvertOptions,
} from '../../../../src/convert/transform/convert-options.ts';
import { placementsOf, placeUvs, uvLayoutOf } from '../../../../src/convert/transform/uv.ts';
import { meshBlock, serviceMaterial } from '../../../helpers/graphics.ts';
import { boxFace, boxU, boxV } from '../../../helpers/kernels.ts';
import { expectNear } from '../../../helpers/numbers.ts';
import { samples } from '../../../helpers/samples.ts';

/** A block of one triangle with so many UV floats and these UV indices. */
function withUvs(floats: number, indices: number[], fields: Partial<Block> = {}): Block {
  const triangles = Int32Array.of(0, 1, 2);
  const surface = { triangles, uvIndices: Int32Array.from(indices) };
  const uvs = Float64Array.from({ length: floats }, (_, i) => i);
  return meshBlock([0, 0, 0, 1, 0, 0, 0, 1, 0], [surface], { uvs, ...fields });
}

describe('uvLayoutOf', () => {
  const ofTwo = { uvStride: 2 } as const;
  const ofThree = { uvStride: 3 } as const;

  it.each<[string, Partial<Block>, Partial<ConvertOptions>, number, number[], number, number]>([
    ['2(b+1) = n', {}, {}, 8, [0, 1, 3], 2, 0],
    ['2(b+1) = n before 3b = n from 1', {}, {}, 12, [1, 4, 5], 2, 0],
    ['3(b+1) = n', {}, {}, 12, [0, 1, 3], 3, 0],
    ['a = 1 and 2b = n', {}, {}, 8, [1, 2, 4], 2, 1],
    ['a = 1 and 3b = n', {}, {}, 15, [1, 2, 5], 3, 1],
    ['n even and 2(b+1) < n', {}, {}, 20, [0, 1, 3], 2, 0],
    ['else three from 0: n odd', {}, {}, 21, [0, 1, 3], 3, 0],
    ['else three from 0: n too small', {}, {}, 6, [0, 1, 7], 3, 0],
    ['by option stride 3 where 2 fits', {}, ofThree, 8, [0, 1, 3], 3, 0],
    ['by option stride 2 where 3 fits', {}, ofTwo, 12, [0, 1, 3], 2, 0],
    ['by option stride 2 where nothing fits', {}, ofTwo, 21, [0, 1, 3], 2, 0],
    ['by option stride 2, so that indices begin at 1', {}, ofTwo, 12, [1, 4, 6], 2, 1],
    ['by option stride 3, so that indices begin at 1', {}, ofThree, 12, [1, 2, 4], 3, 1],
    ['by option first index 0 where 1 fits', {}, { uvIndexBase: 0 }, 8, [1, 2, 4], 3, 0],
    ['by option first index 1 where 0 fits', {}, { uvIndexBase: 1 }, 12, [1, 4, 5], 2, 1],
    ['by option first index 1, unused', {}, { uvIndexBase: 1 }, 8, [2, 3, 4], 2, 1],
    ['by option first index 1, hence stride 3', {}, { uvIndexBase: 1 }, 12, [2, 3, 4], 3, 1],
    ['by option first index 1: nothing fits', {}, { uvIndexBase: 1 }, 21, [1, 2, 4], 3, 1],
    ['by option both', {}, { ...ofTwo, uvIndexBase: 1 }, 21, [0, 1, 3], 2, 1],
    ['by option both otherwise', {}, { ...ofThree, uvIndexBase: 0 }, 8, [1, 2, 4], 3, 0],
    ['nested in threes, from 0', ofThree, {}, 12, [0, 1, 2], 3, 0],
    ['nested in threes, from 1', ofThree, {}, 12, [1, 2, 4], 3, 1],
    ['nested in twos', ofTwo, {}, 12, [0, 2, 3], 2, 0],
    ['nested in twos, that all use', ofTwo, {}, 8, [0, 1, 3], 2, 0],
    ['nested in twos, whatever the option', ofTwo, ofThree, 8, [0, 1, 4], 2, 0],
  ])('%s', (_rule, fields, options, floats, indices, stride, firstIndex) => {
    const block = withUvs(floats, indices, fields);
    const layout = uvLayoutOf(block, { ...CONVERT_DEFAULTS, ...options });
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
});

describe('isUsable', () => {
  const isUsable = (block: Block) =>
    uvLayoutOf(block, CONVERT_DEFAULTS).isUsable(block.surfaces[0]!);

  it.each([
    [true, 'from 0', 8, [0, 1, 3]],
    [true, 'from 1', 8, [1, 2, 4]],
    [true, 'to entries of three', 12, [0, 1, 3]],
    [false, 'of which there is none', 8, []],
    [false, 'of which there are too few', 8, [0, 1]],
    [false, 'with one below the first', 8, [0, -1, 3]],
    [false, 'with one behind the last', 8, [0, 1, 9]],
    [false, 'with one that was no integer', 8, [0, -(2 ** 31), 3]],
  ])('is %s for UV indices %s', (wanted, _name, floats, indices) => {
    expect(isUsable(withUvs(floats, indices))).toBe(wanted);
  });

  it('fails where a UV is no number; other surfaces are not concerned', () => {
    const block = withUvs(8, [0, 1, 3]);
    block.uvs[7] = Number.NaN;
    const good = { ...block.surfaces[0]!, uvIndices: Int32Array.of(0, 1, 2) };
    expect(isUsable(block)).toBe(false);
    expect(uvLayoutOf(block, CONVERT_DEFAULTS).isUsable(good)).toBe(true);
  });
});

/** Sides of the box; a mirrored opposite side is 3 more. */
const [FRONT, SIDE, TOP, MIRRORED] = [0, 1, 2, 3];

const half = Math.SQRT1_2;
const third = Math.sqrt(1 / 3);

describe('boxFace', () => {
  it.each([
    [0, 0, 1, FRONT],
    [0, 0, -1, FRONT],
    [1, 0, 0, SIDE],
    [-1, 0, 0, SIDE],
    [0, 1, 0, TOP],
    [0, -1, 0, TOP],
    [0.6, 0.5, -0.62, FRONT],
    [-0.8, 0.5, 0.33, SIDE],
    [half, 0, half, FRONT],
    [0, half, -half, FRONT],
    [half, -half, 0, SIDE],
    [third, third, third, FRONT],
    [half + 4e-7, 0, half - 4e-7, FRONT],
    [half + 1e-6, 0, half - 1e-6, SIDE],
    [half - 4e-7, half + 4e-7, 0, SIDE],
    [half - 1e-6, half + 1e-6, 0, TOP],
  ])(
    'takes the largest component, in a tie within 1e-6 front, side, top: (%s, %s, %s)',
    (x, y, z, face) => {
      expect(boxFace(x, y, z, false)).toBe(face);
    },
  );

  it('does not mind the side: opposite normals share a face', () => {
    const number = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(number, number, number, (x, y, z) => {
        expect(boxFace(-x, -y, -z, false)).toBe(boxFace(x, y, z, false));
      }),
      { seed: 250 },
    );
  });
});

describe('boxU and boxV', () => {
  const uvOf = (face: number) => [boxU(face, 1, 3), boxV(face, 2, 3)];

  it('front takes x and y, side z and y, top x and z', () => {
    expect(uvOf(FRONT)).toEqual([1, 2]);
    expect(uvOf(SIDE)).toEqual([3, 2]);
    expect(uvOf(TOP)).toEqual([1, 3]);
  });

  it.each([
    [0, 0, 1, FRONT],
    [1, 0, 0, SIDE],
    [0, 1, 0, TOP],
  ])(
    'U runs the other way on the side opposite to (%s, %s, %s), where it is mirrored',
    (x, y, z, face) => {
      expect(boxFace(x, y, z, true)).toBe(face);
      const opposite = boxFace(-x, -y, -z, true);
      expect(opposite).toBe(face + MIRRORED);
      const [u, v] = uvOf(face);
      expect(uvOf(opposite)).toEqual([-u!, v]);
    },
  );
});

type Uv = [number, number];
type Placement = Parameters<typeof placeUvs>[0];

const basePlacement = (...given: Parameters<typeof placementsOf>) => placementsOf(...given).base;
const bumpPlacement = (...given: Parameters<typeof placementsOf>) => placementsOf(...given).bump;

/** The service's own formula, V up: p' = S·(R(W)·p + o), W counter-clockwise. */
function serviceSide({ scale, offset, rotationDegrees }: Placement, [u, v]: Uv): Uv {
  const w = (rotationDegrees * Math.PI) / 180;
  const [c, s] = [Math.cos(w), Math.sin(w)];
  return [scale[0] * (c * u - s * v + offset[0]), scale[1] * (s * u + c * v + offset[1])];
}

/** What a viewer shows, with V up again: the attribute, baked or not, then the extension. */
function gltfSide({ baked, transform }: ReturnType<typeof placeUvs>, [u, v]: Uv): Uv {
  const p = baked
    ? [baked[0] * u + baked[1] * v + baked[2], baked[3] * u + baked[4] * v + baked[5]]
    : [u, v];
  const q: Uv = [p[0]!, 1 - p[1]!];
  if (!transform) return [q[0], 1 - q[1]];
  const { offset, rotationRadians, scale } = transform;
  const [c, s] = [Math.cos(rotationRadians), Math.sin(rotationRadians)];
  return [
    c * scale[0] * q[0] + s * scale[1] * q[1] + offset[0],
    1 - (-s * scale[0] * q[0] + c * scale[1] * q[1] + offset[1]),
  ];
}

/** Rotation first, then scale: viewers of before mid-2026. */
function olderViewer({ transform }: ReturnType<typeof placeUvs>, [u, v]: Uv): Uv {
  const { offset, rotationRadians, scale } = transform!;
  const [c, s] = [Math.cos(rotationRadians), Math.sin(rotationRadians)];
  const q = [u, 1 - v] as const;
  return [
    scale[0] * (c * q[0] + s * q[1]) + offset[0],
    1 - (scale[1] * (-s * q[0] + c * q[1]) + offset[1]),
  ];
}

const number = fc.double({ min: -5, max: 5, noNaN: true });
const size = number.filter((value) => Math.abs(value) > 0.01);
const pair = fc.tuple(number, number);
const degrees = fc.oneof(
  fc.constantFrom(0, 90, 180, 270, 360, -90, 45, 30),
  fc.double({ min: -400, max: 400, noNaN: true }),
);
const uniform = fc.record({
  scale: size.map((s): Uv => [s, s]),
  offset: pair,
  rotationDegrees: degrees,
});
const halfTurns = fc.record({
  scale: fc.tuple(size, size),
  offset: pair,
  rotationDegrees: fc.integer({ min: -4, max: 4 }).map((n) => n * 180),
});
const any = fc.record({ scale: fc.tuple(size, size), offset: pair, rotationDegrees: degrees });

describe('placeUvs', () => {
  it('addresses the same texel as the service, whatever the placement', () => {
    fc.assert(
      fc.property(fc.oneof(any, uniform, halfTurns), pair, (placement, p) => {
        const wanted = serviceSide(placement, p);
        const auto = placeUvs(placement, CONVERT_DEFAULTS);
        expectNear(gltfSide(auto, p), wanted);
        expect(auto.baked === undefined || auto.transform === undefined).toBe(true);
        const baked = placeUvs(placement, { ...CONVERT_DEFAULTS, textureTransform: 'bake' });
        expect(baked.transform).toBeUndefined();
        expectNear(gltfSide(baked, p), wanted);
      }),
      { seed: 420, numRuns: samples(1_000) },
    );
  });

  it('uses the extension for equal scales and for multiples of 180°, in every viewer alike', () => {
    fc.assert(
      fc.property(fc.oneof(uniform, halfTurns), pair, (placement, p) => {
        const placed = placeUvs(placement, CONVERT_DEFAULTS);
        expect(placed.baked).toBeUndefined();
        if (!placed.transform) return;
        expect(placed.transform.scale).toEqual(placement.scale);
        expectNear(olderViewer(placed, p), serviceSide(placement, p));
      }),
      { seed: 421, numRuns: samples(500) },
    );
  });

  it.each([
    [[2, 3], 90],
    [[2, 3], 270],
    [[2, -2], 30],
    [[2, 3], 30],
    [[2, 2.0001], 1],
  ] as const)('bakes a scale of %j turned by %s°', (scale, rotationDegrees) => {
    const placed = placeUvs({ scale, offset: [0, 0], rotationDegrees }, CONVERT_DEFAULTS);
    expect(placed).toEqual({ baked: expect.anything(), transform: undefined });
  });

  it('turns the other way round by option', () => {
    const placement: Placement = { scale: [2, 2], offset: [0.1, 0.2], rotationDegrees: 30 };
    const clockwise = placeUvs(placement, { ...CONVERT_DEFAULTS, textureRotation: 'clockwise' });
    const back = serviceSide({ ...placement, rotationDegrees: -30 }, [0.3, 0.7]);
    expectNear(gltfSide(clockwise, [0.3, 0.7]), back);
  });

  it('says nothing for the identity, nor for a full turn', () => {
    for (const rotationDegrees of [0, 360, -720])
      for (const textureTransform of ['auto', 'bake'] as const) {
        const identity = { scale: [1, 1], offset: [0, 0], rotationDegrees } as const;
        const placed = placeUvs(identity, { ...CONVERT_DEFAULTS, textureTransform });
        expect(placed).toEqual({ baked: undefined, transform: undefined });
      }
  });
});

describe('placements', () => {
  const all = serviceMaterial({ scaleu: 2, scalev: 3, offsetx: 4, offsety: 5, rot: 6 });
  const placed = { scale: [2, 3], offset: [4, 5], rotationDegrees: 6 };

  it('a missing scale is 1, a scale of zero counts as 1, all else is 0', () => {
    const neutral = { scale: [1, 1], offset: [0, 0], rotationDegrees: 0 };
    for (const fields of [{}, { scaleu: 0, scalev: 0 }])
      expect(basePlacement(serviceMaterial(fields), CONVERT_DEFAULTS)).toEqual(neutral);
    expect(basePlacement(all, CONVERT_DEFAULTS)).toEqual(placed);
  });

  it('base scales are repetitions a metre, or by option metres a repetition', () => {
    const metres = { ...CONVERT_DEFAULTS, textureScale: 'metres' } as const;
    const base = serviceMaterial({ scaleu: 4, scalev: 0.5, bump_scaleu: 8 });
    expect(basePlacement(base, CONVERT_DEFAULTS).scale).toEqual([4, 0.5]);
    expect(basePlacement(base, metres).scale).toEqual([0.25, 2]);
    expect(basePlacement(serviceMaterial({ scaleu: 0 }), metres).scale).toEqual([1, 1]);
    // bump_* stay repetitions; what is missing is the base's.
    expect(bumpPlacement(base, metres).scale).toEqual([8, 2]);
  });

  it.each<[Partial<ServiceMaterial>, Partial<Placement>]>([
    [{}, {}],
    [{ bump_scaleu: 9 }, { scale: [9, 3] }],
    [{ bump_scalev: 9 }, { scale: [2, 9] }],
    [{ bump_offsetx: 9 }, { offset: [9, 5] }],
    [{ bump_offsety: 9 }, { offset: [4, 9] }],
    [{ bump_rot: 9 }, { rotationDegrees: 9 }],
    [
      { bump_scaleu: 0, bump_rot: 0 },
      { scale: [1, 3], rotationDegrees: 0 },
    ],
  ])('each missing bump value falls back to the base, each for itself: %j', (fields, wanted) => {
    const bump = bumpPlacement({ ...all, ...fields }, CONVERT_DEFAULTS);
    expect(bump).toEqual({ ...placed, ...wanted });
  });
});
