import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closedByEdges, type PreparedMesh } from '../../../../src/convert/transform/block-mesh.ts';
import { CONVERT_DEFAULTS } from '../../../../src/convert/transform/convert-options.ts';
import { makeSolid, solidLengths } from '../../../../src/convert/transform/solids.ts';
import { facing, length, times, type Vec3 } from '../../../helpers/evaluator/vectors.ts';
import { expectLinear } from '../../../helpers/growth.ts';
import { signedVolume } from '../../../helpers/kernels.ts';
import { elementAt } from '../../../helpers/numbers.ts';
import { IS_LONG, samples } from '../../../helpers/samples.ts';

const make = (type: string, params: unknown) => makeSolid({ type, params }, CONVERT_DEFAULTS);
const tolerance = CONVERT_DEFAULTS.curveToleranceMetres;

interface Measure {
  min: number[];
  max: number[];
  area: number;
  volume: number;
  corners: { p: number[]; n: number[]; face: number[] }[];
}

/** Bounds, area, volume, and each corner with its own and its triangle's normal. */
function measure({ positions, normals, surfaces }: PreparedMesh): Measure {
  const { localPoints: points, normals: at } = surfaces[0]!;
  expect(surfaces).toHaveLength(1);
  expect(surfaces[0]!.doubleSided).toBe(false);
  expect(closedByEdges(points)).toBe(true);
  const p = Array.from(points, (i) => elementAt(positions, i) as unknown as Vec3);
  const n = Array.from(at, (i) => elementAt(normals, i));
  const corners: Measure['corners'] = [];
  let area = 0;
  let smallest = Number.POSITIVE_INFINITY;
  for (let t = 0; t < p.length; t += 3) {
    const across = facing(p[t]!, p[t + 1]!, p[t + 2]!);
    const twice = length(across);
    smallest = Math.min(smallest, twice);
    area += twice / 2;
    const face = [...times(across, 1 / twice)];
    for (let k = 0; k < 3; k++) corners.push({ p: [...p[t + k]!], n: n[t + k]!, face });
  }
  expect(smallest).toBeGreaterThan(0);
  const bound = (pick: (...values: number[]) => number) =>
    [0, 1, 2].map((k) => pick(...p.map((point) => point[k]!)));
  const volume = signedVolume(points, positions) / 6;
  return { min: bound(Math.min), max: bound(Math.max), area, volume, corners };
}

function expectNear(actual: readonly number[], wanted: readonly number[], distance: number): void {
  expect(apart(actual, wanted)).toBeLessThanOrEqual(distance);
}

/** The largest difference of any component. */
function apart(actual: readonly number[], wanted: readonly number[]): number {
  return Math.max(...wanted.map((value, i) => Math.abs(actual[i]! - value)));
}

/** The largest difference of any corner's normal from what it should be. */
function normalsApart(
  corners: Measure['corners'],
  wanted: (corner: Measure['corners'][number]) => number[],
): number {
  return corners.reduce((most, corner) => Math.max(most, apart(corner.n, wanted(corner))), 0);
}

const size = fc.double({ min: 0.01, max: 3, noNaN: true });
/** A larger ellipsoid has more corners, all of them by the same rule. */
const radius = fc.double({ min: 0.01, max: IS_LONG ? 3 : 0.2, noNaN: true });

describe('block', () => {
  it('is a cuboid along +x +y +z from the origin, with flat normals', () => {
    fc.assert(
      fc.property(size, size, size, (w, h, d) => {
        const { min, max, area, volume, corners } = measure(make('block', [w, h, d])!);
        expectNear([...min, ...max], [0, 0, 0, w, h, d], 1e-6);
        expect(volume).toBeCloseTo(w * h * d, 4);
        expect(area).toBeCloseTo(2 * (w * h + h * d + d * w), 4);
        expect(normalsApart(corners, ({ face }) => face)).toBeLessThan(1e-6);
      }),
      { seed: 290, numRuns: samples(30) },
    );
  });
});

describe('frame', () => {
  it('is that cuboid less a hole along z, equally thick in x and y', () => {
    fc.assert(
      fc.property(
        size,
        size,
        size,
        fc.double({ min: 0.05, max: 0.45, noNaN: true }),
        (w, h, d, part) => {
          const t = Math.min(w, h) * part;
          const [iw, ih] = [w - 2 * t, h - 2 * t];
          const { min, max, area, volume, corners } = measure(make('frame', [w, h, d, t])!);
          expectNear([...min, ...max], [0, 0, 0, w, h, d], 1e-6);
          expect(volume).toBeCloseTo((w * h - iw * ih) * d, 4);
          expect(area).toBeCloseTo(2 * (w * h - iw * ih) + 2 * d * (w + h + iw + ih), 4);
          expect(normalsApart(corners, ({ face }) => face)).toBeLessThan(1e-5);
          const inHole = corners.filter(
            ({ p }) =>
              p[0]! > t + 1e-6 && p[0]! < w - t - 1e-6 && p[1]! > t + 1e-6 && p[1]! < h - t - 1e-6,
          );
          expect(inHole).toEqual([]);
        },
      ),
      { seed: 291, numRuns: samples(30) },
    );
  });

  it('needs a hole', () => {
    expect(make('frame', [1, 1, 1, 0.5])).toBeUndefined();
    expect(make('frame', [2, 1, 1, 0.5])).toBeUndefined();
    expect(make('frame', [1, 1, 1, 0.49])).toBeDefined();
  });
});

it('spheres of one roundness share their triangles, which take most of their memory', () => {
  const [small, large] = [make('sphere', [1])!, make('sphere', [1.5])!];
  expect(small.positions).not.toEqual(large.positions);
  expect(small.surfaces[0]!.localPoints).toBe(large.surfaces[0]!.localPoints);
  expect(small.surfaces[0]!.localPoints).toBe(small.surfaces[0]!.normals);
});

describe('cyl', () => {
  it('stands on the origin along +Y, within tolerance of the ideal, smooth but for flat caps', () => {
    fc.assert(
      fc.property(size, fc.double({ min: 0.005, max: 0.2, noNaN: true }), (length, radius) => {
        const { min, max, volume, corners } = measure(make('cyl', [length, radius])!);
        expectNear([min[1]!, max[1]!], [0, length], 1e-6);
        expectNear(
          [max[0]!, -min[0]!, max[2]!, -min[2]!],
          [radius, radius, radius, radius],
          tolerance,
        );
        const ideal = Math.PI * radius ** 2 * length;
        expect(volume).toBeLessThanOrEqual(ideal * 1.0001);
        expect(volume).toBeGreaterThan(ideal * (1 - (2 * tolerance) / radius - 1e-4));
        const wanted = ({ p, face }: Measure['corners'][number]) =>
          Math.abs(face[1]!) > 0.5
            ? [0, Math.sign(face[1]!), 0]
            : [p[0]! / radius, 0, p[2]! / radius];
        expect(normalsApart(corners, wanted)).toBeLessThan(1e-4);
      }),
      { seed: 292, numRuns: samples(20) },
    );
  });

  it('has its first vertex on +x and the next one towards +z', () => {
    const { positions } = make('cyl', [1, 0.1])!;
    expectNear([...positions.subarray(0, 3)], [0.1, 0, 0], 1e-8);
    expect(positions[5]).toBeGreaterThan(0);
  });
});

describe('sphere and ellipsoid', () => {
  it('are centred at the origin, and every corner lies on the ideal surface with its normal', () => {
    fc.assert(
      fc.property(radius, radius, radius, (rx, ry, rz) => {
        const { min, max, volume, corners } = measure(make('ellipsoid', [rx, ry, rz])!);
        expect(max[1]).toBeCloseTo(ry, 5);
        expect(min[1]).toBeCloseTo(-ry, 5);
        // Of an odd number of rings, none is at the equator.
        expect(rx - max[0]!).toBeGreaterThan(-1e-6);
        expect(rx - max[0]!).toBeLessThanOrEqual(tolerance);
        expect(volume / ((4 / 3) * Math.PI * rx * ry * rz)).toBeGreaterThan(0.93);
        const unit = ({ p }: Measure['corners'][number]) => [p[0]! / rx, p[1]! / ry, p[2]! / rz];
        const off = corners.map((corner) => Math.abs(Math.hypot(...unit(corner)) - 1));
        expect(off.reduce((a, b) => Math.max(a, b))).toBeLessThan(1e-5);
        const wanted = (corner: Measure['corners'][number]) => {
          const gradient = unit(corner).map((value, k) => value / [rx, ry, rz][k]!);
          return gradient.map((value) => value / Math.hypot(...gradient));
        };
        expect(normalsApart(corners, wanted)).toBeLessThan(1e-4);
      }),
      { seed: 293, numRuns: samples(16) },
    );
    const sphere = make('sphere', [0.1])!;
    const round = make('ellipsoid', [0.1, 0.1, 0.1])!;
    // As a text: to compare thousands of corners one by one takes long.
    expect(JSON.stringify(sphere)).toBe(JSON.stringify(round));
  });
});

/** Sides of the circle of a cylinder: a ring of points at each end, and two centres. */
const segmentsOf = (radius: number, curveToleranceMetres: number) =>
  (makeSolid({ type: 'cyl', params: [1, radius] }, { curveToleranceMetres })!.positions.length / 3 -
    2) /
  2;

describe('the number of segments', () => {
  it('is 16 at least and 96 at most, and in between keeps to the tolerance', () => {
    expect([segmentsOf(0.001, tolerance), segmentsOf(100, tolerance)]).toEqual([16, 96]);
    expect([segmentsOf(1, 0), segmentsOf(1e-9, 1)]).toEqual([96, 16]);
    fc.assert(
      fc.property(fc.double({ min: 0.02, max: 0.2, noNaN: true }), (radius) => {
        const n = segmentsOf(radius, tolerance);
        const sagitta = (count: number) => radius * (1 - Math.cos(Math.PI / count));
        expect(sagitta(n)).toBeLessThanOrEqual(tolerance * 1.000001);
        if (n > 16) expect(sagitta(n - 1)).toBeGreaterThan(tolerance * 0.999999);
      }),
      { seed: 294 },
    );
  });
});

describe('makeSolid', () => {
  it.each(['block', 'frame', 'cyl', 'sphere', 'ellipsoid'])(
    'makes no %s of unreadable parameters',
    (type) => {
      for (const params of [undefined, null, 'x', [], [-1, 1, 1, 1], [1e300, 1, 1, 1], {}])
        expect(make(type, params)).toBeUndefined();
    },
  );
});

const BOX_NAMES = ['w width x', 'h height y', 'd depth z'];
const NAMES: Record<string, string[]> = {
  block: BOX_NAMES,
  frame: [...BOX_NAMES, 't th thick thickness'],
  cyl: ['l len length', 'r rad radius'],
  sphere: ['r rad radius'],
  ellipsoid: ['rx', 'ry', 'rz'],
};
const types = Object.keys(NAMES);

describe('solidLengths', () => {
  it.each(types)(
    'reads %s as array, as text with any separator, and as object in any case',
    (type) => {
      const names = NAMES[type]!.map((aliases) => aliases.split(' '));
      const lengths = names.map((_, i) => (i + 1) / 8);
      expect(solidLengths(type, lengths)).toEqual(lengths);
      for (const separator of [' ', ', ', ';', ' ; ', '\t', ','])
        expect(solidLengths(type, lengths.join(separator))).toEqual(lengths);
      const spellings = Math.max(...names.map((aliases) => aliases.length));
      for (let k = 0; k < spellings; k++) {
        const entries = names.map((aliases, i) => {
          const alias = aliases[k % aliases.length]!;
          return [k % 2 === 0 ? alias : alias.toUpperCase(), lengths[i]] as const;
        });
        expect(solidLengths(type, Object.fromEntries(entries.toReversed()))).toEqual(lengths);
      }
    },
  );

  it.each<[string, unknown, number[]]>([
    ['block', [[1, 2, 3]], [1, 2, 3]],
    ['block', [[1], [2], [3]], [1, 2, 3]],
    ['cyl', ['0.7', '0,03'], [0.7, 0.03]],
    ['cyl', { L: '0.7', Radius: ' 3e-2 ' }, [0.7, 0.03]],
    [
      'cyl',
      [
        { name: 'R', value: '0,03' },
        { Name: 'length', Value: 0.7 },
      ],
      [0.7, 0.03],
    ],
    ['block', [{ w: 1 }, { h: 2 }, { d: 3 }], [1, 2, 3]],
    ['block', 'w=0.8,h=0.5,d=0.02', [0.8, 0.5, 0.02]],
    ['block', 'W = 0,8; Height = 0,5; D = 0,02', [0.8, 0.5, 0.02]],
    ['cyl', 'r=.03 l=7e-1', [0.7, 0.03]],
    ['cyl', '0,7 0,03', [0.7, 0.03]],
    ['cyl', '0,7; 0,03;', [0.7, 0.03]],
    ['cyl', '0.7, 0.03, 16', [0.7, 0.03]],
    ['sphere', '0,5', [0.5]],
    ['block', '1,2;3', [1, 2, 3]],
    ['block', ' 1 , 2 , 3 ', [1, 2, 3]],
    ['block', '[1, 2, 3]', [1, 2, 3]],
    ['block', ' [[1, "2", 3]]', [1, 2, 3]],
    ['block', '{"w": 1, "h": 2, "d": 3}', [1, 2, 3]],
    ['cyl', '[{"name":"r","value":0.03},{"name":"l","value":0.7}]', [0.7, 0.03]],
  ])('reads a %s of %j', (type, params, lengths) => {
    expect(solidLengths(type, params)).toEqual(lengths);
  });

  it.each([
    ...[undefined, null, 7, true, '', 'wide', '1 2', '[1, 2', 'w=1 h=2'],
    ...[[[[1, 2, 3]]], [{ name: 'w', value: 1 }], [], [1, 2]],
    ...[0, -3, null, Number.NaN, '1e999'].map((depth) => [1, 2, depth]),
    ...[{}, { w: 1, h: 2 }, { w: 1, h: 2, d: {} }],
  ])('gives up on %j', (params) => {
    expect(solidLengths('block', params)).toBeUndefined();
  });

  it('never gives anything but positive finite lengths', () => {
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.anything(), (type, params) => {
        const lengths = solidLengths(type, params);
        if (lengths === undefined) return;
        expect(lengths).toHaveLength(NAMES[type]!.length);
        expect(lengths.every((value) => value > 0 && Number.isFinite(value))).toBe(true);
      }),
      { seed: 280, numRuns: samples(500) },
    );
  });

  it.each([
    ['letters', 'a'],
    ['commas', ','],
    ['words', 'a '],
    ['blanks', ' '],
  ])('gives up on %s in linear time', async (_, part) => {
    const text = (size: number) => `x${part.repeat(size)}!`;
    await expectLinear(50_000, text, (params) => {
      expect(solidLengths('block', params)).toBeUndefined();
    });
  });
});
