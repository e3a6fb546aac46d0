import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONVERT_DEFAULTS } from '../../../src/transform/convert-options.ts';
import {
  basePlacement,
  bumpPlacement,
  type PlacedUvs,
  type Placement,
  placeUvs,
  samePlacement,
} from '../../../src/transform/texture-transform.ts';
import { serviceMaterial } from '../../helpers/graphics.ts';

type Uv = [number, number];

/** The service's own formula, V up: p' = S·(R(W)·p + o), W counter-clockwise. */
function serviceSide({ scale, offset, rotationDegrees }: Placement, [u, v]: Uv): Uv {
  const w = (rotationDegrees * Math.PI) / 180;
  const [c, s] = [Math.cos(w), Math.sin(w)];
  return [scale[0] * (c * u - s * v + offset[0]), scale[1] * (s * u + c * v + offset[1])];
}

/** What a viewer shows, told V up again: the attribute, baked or not, then the extension. */
function gltfSide({ baked, transform }: PlacedUvs, [u, v]: Uv): Uv {
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
function olderViewer({ transform }: PlacedUvs, [u, v]: Uv): Uv {
  const { offset, rotationRadians, scale } = transform!;
  const [c, s] = [Math.cos(rotationRadians), Math.sin(rotationRadians)];
  const q = [u, 1 - v] as const;
  return [
    scale[0] * (c * q[0] + s * q[1]) + offset[0],
    1 - (scale[1] * (-s * q[0] + c * q[1]) + offset[1]),
  ];
}

function expectSameTexel(actual: Uv, wanted: Uv): void {
  for (const k of [0, 1] as const) expect(Math.abs(actual[k] - wanted[k])).toBeLessThan(1e-9);
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
        expectSameTexel(gltfSide(auto, p), wanted);
        expect(auto.baked === undefined || auto.transform === undefined).toBe(true);
        const baked = placeUvs(placement, { ...CONVERT_DEFAULTS, textureTransform: 'bake' });
        expect(baked.transform).toBeUndefined();
        expectSameTexel(gltfSide(baked, p), wanted);
      }),
      { seed: 420, numRuns: 1000 },
    );
  });

  it('uses the extension for equal scales and for multiples of 180°, in every viewer alike', () => {
    fc.assert(
      fc.property(fc.oneof(uniform, halfTurns), pair, (placement, p) => {
        const placed = placeUvs(placement, CONVERT_DEFAULTS);
        expect(placed.baked).toBeUndefined();
        if (!placed.transform) return;
        expect(placed.transform.scale).toEqual(placement.scale);
        expectSameTexel(olderViewer(placed, p), serviceSide(placement, p));
      }),
      { seed: 421, numRuns: 500 },
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
    expect(placed.baked).toBeDefined();
    expect(placed.transform).toBeUndefined();
  });

  it('turns the other way round by option', () => {
    const placement: Placement = { scale: [2, 2], offset: [0.1, 0.2], rotationDegrees: 30 };
    const clockwise = placeUvs(placement, { ...CONVERT_DEFAULTS, textureRotation: 'clockwise' });
    const back = serviceSide({ ...placement, rotationDegrees: -30 }, [0.3, 0.7]);
    expectSameTexel(gltfSide(clockwise, [0.3, 0.7]), back);
  });

  it('says nothing for the identity, nor for a full turn', () => {
    for (const rotationDegrees of [0, 360, -720]) {
      const identity = { scale: [1, 1], offset: [0, 0], rotationDegrees } as const;
      expect(placeUvs(identity, CONVERT_DEFAULTS)).toEqual({
        baked: undefined,
        transform: undefined,
      });
      const bake = { ...CONVERT_DEFAULTS, textureTransform: 'bake' } as const;
      expect(placeUvs(identity, bake)).toEqual({ baked: undefined, transform: undefined });
    }
  });
});

describe('placements', () => {
  it('a missing scale is 1, a scale of zero counts as 1, all else is 0', () => {
    const neutral = { scale: [1, 1], offset: [0, 0], rotationDegrees: 0 };
    expect(basePlacement(serviceMaterial(), CONVERT_DEFAULTS)).toEqual(neutral);
    expect(basePlacement(serviceMaterial({ scaleu: 0, scalev: 0 }), CONVERT_DEFAULTS)).toEqual(
      neutral,
    );
    const all = serviceMaterial({ scaleu: 2, scalev: 3, offsetx: 4, offsety: 5, rot: 6 });
    expect(basePlacement(all, CONVERT_DEFAULTS)).toEqual({
      scale: [2, 3],
      offset: [4, 5],
      rotationDegrees: 6,
    });
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

  it('each missing bump value falls back to the base, each for itself', () => {
    const base = serviceMaterial({ scaleu: 2, scalev: 3, offsetx: 4, offsety: 5, rot: 6 });
    expect(
      samePlacement(bumpPlacement(base, CONVERT_DEFAULTS), basePlacement(base, CONVERT_DEFAULTS)),
    ).toBe(true);
    const fields = {
      bump_scaleu: ['scale', [9, 3]],
      bump_scalev: ['scale', [2, 9]],
      bump_offsetx: ['offset', [9, 5]],
      bump_offsety: ['offset', [4, 9]],
      bump_rot: ['rotationDegrees', 9],
    } as const;
    for (const [field, [key, value]] of Object.entries(fields)) {
      const placement = bumpPlacement({ ...base, [field]: 9 }, CONVERT_DEFAULTS);
      expect(placement).toEqual({ ...basePlacement(base, CONVERT_DEFAULTS), [key]: value });
      expect(samePlacement(placement, basePlacement(base, CONVERT_DEFAULTS))).toBe(false);
    }
    expect(bumpPlacement({ ...base, bump_scaleu: 0, bump_rot: 0 }, CONVERT_DEFAULTS)).toMatchObject(
      {
        scale: [1, 3],
        rotationDegrees: 0,
      },
    );
  });
});
