import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rotationFromDegrees } from '../../../../src/convert/math/ofml-frame.ts';
import {
  determinant3,
  diagonal3,
  IDENTITY3,
  transformVec3,
} from '../../../../src/convert/math/vec.ts';
import type { Block, Vec3 } from '../../../../src/convert/model/graphics.ts';
import type { Geometry } from '../../../../src/convert/model/scene.ts';
import { prepareBlock } from '../../../../src/convert/transform/block-mesh.ts';
import { CONVERT_DEFAULTS } from '../../../../src/convert/transform/convert-options.ts';
import { buildVertexData, type VertexPlan } from '../../../../src/convert/transform/vertex-data.ts';
import { facing, minus, unit } from '../../../helpers/evaluator/vectors.ts';
import { BOX_TRIANGLES, boxPoints, meshBlock } from '../../../helpers/graphics.ts';
import { expectLinear } from '../../../helpers/growth.ts';
import { elementAt, expectNear } from '../../../helpers/numbers.ts';

const PLAN: VertexPlan = {
  useStoredUvs: true,
  swapProjected: false,
  uvSets: [undefined],
  flipV: true,
  doubleSided: 'open',
  mirrorOppositeSides: false,
  projectAt: IDENTITY3,
  shape: IDENTITY3,
};

const build = (block: Block, plan: Partial<VertexPlan> = {}) =>
  buildVertexData(prepareBlock(block, CONVERT_DEFAULTS), { ...PLAN, ...plan });
const box = (fields: Partial<Block> = {}) => meshBlock(boxPoints(), [[...BOX_TRIANGLES]], fields);

/** Position, normal and UV of every drawn corner. */
function corners({ positions, normals, uvs, indices }: Geometry) {
  return [...indices].map((v) => ({
    p: elementAt(positions, v) as unknown as Vec3,
    n: elementAt(normals, v) as unknown as Vec3,
    uv: uvs.map((set) => elementAt(set, v, 2)),
  }));
}

describe('vertices', () => {
  it('are in first-use order, all of them used', () => {
    const { indices, positions } = build(box()).singleSided!;
    expect([...new Set(indices)]).toEqual(Array.from({ length: 24 }, (_, i) => i));
    expect(positions).toHaveLength(3 * 24);
  });

  it('are split where the normal or the UV splits, and counted', () => {
    expect(build(box(), { uvSets: [] }).splitVertices).toBe(24 - 8);
    const flat = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0];
    const triangles = Int32Array.of(0, 1, 2, 0, 2, 3);
    const seam = { triangles, uvIndices: Int32Array.of(0, 1, 2, 3, 2, 4) };
    const uvs = Float64Array.of(0, 0, 1, 0, 1, 1, 0.5, 0.5, 0, 1);
    expect(build(meshBlock(flat, [seam], { uvs })).doubleSided!.positions).toHaveLength(3 * 5);
    const sameValues = Float64Array.of(0, 0, 1, 0, 1, 1, 0, 0, 0, 1);
    expect(build(meshBlock(flat, [seam], { uvs: sameValues })).splitVertices).toBe(0);
  });

  it('of a fan with a UV of its own at each corner take linear time', async () => {
    const fan = (size: number) => {
      const points = Array.from({ length: size + 1 }, (_, i) => [
        Math.cos(i / size),
        Math.sin(i / size),
        0,
      ]);
      const triangles = Array.from({ length: size }, (_, i) => [0, i + 1, i + 2]).flat();
      const uvIndices = Int32Array.from(triangles, (_, corner) => corner);
      const uvs = Float64Array.from({ length: 6 * size }, (_, i) => i / size);
      const surface = { triangles: Int32Array.from(triangles), uvIndices };
      return prepareBlock(
        meshBlock([0, 0, 0, ...points.flat()], [surface], { uvs }),
        CONVERT_DEFAULTS,
      );
    };
    await expectLinear(3_000, fan, (mesh) => {
      const { positions } = buildVertexData(mesh, PLAN).doubleSided!;
      expect(positions).toHaveLength(3 * mesh.surfaces[0]!.localPoints.length);
    });
  });

  it('of many surfaces of one triangle take linear time', async () => {
    const surfaces = (count: number) => {
      const points = Array.from({ length: count }, (_, i) => [i, 0, 0, i, 1, 0, i, 0, 1]).flat();
      return meshBlock(
        points,
        Array.from({ length: count }, (_, i) => [3 * i, 3 * i + 1, 3 * i + 2]),
      );
    };
    await expectLinear(2_500, surfaces, (block) => {
      expect(build(block).doubleSided!.indices).toHaveLength(3 * block.surfaces.length);
    });
  });

  it('are counted in bytes before they are made', () => {
    const mesh = prepareBlock(box(), CONVERT_DEFAULTS);
    for (const uvSets of [[], [undefined], [undefined, undefined]]) {
      const expected: number[] = [];
      const data = buildVertexData(mesh, { ...PLAN, uvSets }, (bytes) => expected.push(bytes));
      const { positions, normals, uvs, indices } = data.singleSided!;
      const made = [positions, normals, ...uvs, indices].map(({ byteLength }) => byteLength);
      expect(expected).toEqual([made.reduce((sum, bytes) => sum + bytes)]);
    }
    const { normals: _, ...unread } = mesh;
    const refuse = () => {
      throw new Error('no room');
    };
    // Without normals none can be made.
    expect(() => buildVertexData(unread as typeof mesh, PLAN, refuse)).toThrow('no room');
  });

  it('of open surfaces and closed ones are two geometries; surfaces share no vertex', () => {
    const { singleSided, doubleSided } = build(
      meshBlock(boxPoints(), [[...BOX_TRIANGLES], [0, 1, 2], [0, 1, 2]]),
    );
    expect(singleSided!.indices).toHaveLength(36);
    expect([...doubleSided!.indices]).toEqual([0, 1, 2, 3, 4, 5]);
    expect(build(box()).doubleSided).toBeUndefined();
  });

  it('by option all surfaces show their back sides, or none', () => {
    const mixed = meshBlock(boxPoints(), [[...BOX_TRIANGLES], [0, 1, 2]]);
    const counts = (['open', 'all', 'none'] as const).map((doubleSided) => {
      const data = build(mixed, { doubleSided });
      return [data.singleSided?.indices.length, data.doubleSided?.indices.length];
    });
    expect(counts).toEqual([
      [36, 3],
      [undefined, 39],
      [39, undefined],
    ]);
  });

  it.each([
    [65_535, 2],
    [65_536, 4],
  ])('%s of them take indices of %s bytes', (count, bytes) => {
    const points: number[] = [];
    for (let i = 0; i < count; i++) points.push(i >> 1, i & 1, 0);
    const strip: number[] = [];
    for (let i = 0; i < count - 2; i++) strip.push(i + (1 - (i & 1)), i + (i & 1), i + 2);
    const { doubleSided } = build(meshBlock(points, [strip]));
    expect(doubleSided!.positions).toHaveLength(3 * count);
    expect(doubleSided!.indices.BYTES_PER_ELEMENT).toBe(bytes);
    let largest = 0;
    for (const index of doubleSided!.indices) largest = Math.max(largest, index);
    expect(largest).toBe(count - 1);
  });
});

describe('the place of a block', () => {
  const placed = box({ positionMetres: [1, 2, 3], rotationDegrees: [30, 20, 10] });
  const turn = rotationFromDegrees([30, 20, 10]);

  it('turns by R and moves by P, normals with it', () => {
    const plain = corners(build(box()).singleSided!);
    corners(build(placed).singleSided!).forEach(({ p, n }, i) => {
      expectNear(minus(p, [1, 2, 3]), transformVec3(turn, plain[i]!.p), 5);
      expectNear(n, transformVec3(turn, plain[i]!.n), 5);
    });
  });

  it('a shape that mirrors turns triangles over, so that they still face outwards', () => {
    const shape = diagonal3([-1, 2, 3]);
    expect(determinant3(shape)).toBeLessThan(0);
    const turned = corners(build(placed, { shape }).singleSided!);
    for (let t = 0; t < turned.length; t += 3) {
      const [a, b, c] = [turned[t]!, turned[t + 1]!, turned[t + 2]!];
      expectNear(a.n, unit(facing(a.p, b.p, c.p)), 4);
    }
  });
});

describe('UVs', () => {
  it('that are stored run up; in glTF they run down', () => {
    const surface = { triangles: Int32Array.of(0, 1, 2), uvIndices: Int32Array.of(0, 1, 2) };
    const uvs = [0, 0, 2, 0.25, -1, 3];
    const block = meshBlock([0, 0, 0, 1, 0, 0, 0, 1, 0], [surface], {
      uvs: Float64Array.from(uvs),
    });
    const uvsOf = (plan: Partial<VertexPlan>) =>
      build(block, plan).doubleSided!.uvs.map((set) => [...set]);
    const down = [0, 1, 2, 0.75, -1, -2];
    expect(uvsOf({})).toEqual([down]);
    expect(uvsOf({ flipV: false })).toEqual([uvs]);
    const baked = uvsOf({ uvSets: [undefined, [2, 0, 1, 0, 3, 0.5]] });
    expect(baked).toEqual([down, [1, 0.5, 5, -0.25, -1, -8.5]]);
    expect(uvsOf({ uvSets: [] })).toEqual([]);
  });

  it('are projected in metres at the scale of the part, after P and R, signs kept', () => {
    const size = fc.double({ min: 0.2, max: 4, noNaN: true });
    const scale = fc.tuple(size, size, fc.constantFrom(1, -2));
    const degrees = fc.constantFrom<Vec3>([0, 0, 0], [30, 20, 10], [0, 90, 0]);
    fc.assert(
      fc.property(scale, degrees, fc.boolean(), (s, rotationDegrees, swapProjected) => {
        const block = box({ positionMetres: [0.5, -1, 2], rotationDegrees });
        const plan = { useStoredUvs: false, projectAt: diagonal3(s), swapProjected };
        for (const { p, n, uv } of corners(build(block, plan).singleSided!)) {
          const at = p.map((value, k) => value * s[k]!);
          // The normal of the scaled part: by the inverse of the scale.
          const facing = n.map((value, k) => Math.abs(value / s[k]!));
          const sorted = facing.toSorted((a, b) => b - a);
          if (sorted[0]! - sorted[1]! < 1e-3) continue;
          const axis = facing.indexOf(sorted[0]!);
          const [u, v] = [
            [at[2], at[1]],
            [at[0], at[2]],
            [at[0], at[1]],
          ][axis]!;
          expectNear(uv[0]!, swapProjected ? [v!, 1 - u!] : [u!, 1 - v!], 5);
        }
      }),
      { seed: 270 },
    );
  });

  it('run backwards on back, left and bottom by option', () => {
    const points = boxPoints(1, 2, 3);
    const block = meshBlock(points, [[...BOX_TRIANGLES]]);
    const plain = corners(build(block).singleSided!);
    const mirrored = corners(build(block, { mirrorOppositeSides: true }).singleSided!);
    expect(mirrored).toHaveLength(plain.length);
    mirrored.forEach(({ n, uv }, i) => {
      const [[u, v]] = plain[i]!.uv as [[number, number]];
      const opposite = n.some((value) => value < 0);
      expectNear(uv[0]!, [opposite ? -u : u, v], 5);
    });
  });

  it('are judged triangle by triangle: a smooth cylinder has no smeared triangle', () => {
    const ring = Array.from({ length: 12 }, (_, i) => (i * Math.PI) / 6);
    const points = ring.flatMap((a) => [Math.cos(a), 0, Math.sin(a), Math.cos(a), 1, Math.sin(a)]);
    const triangles = ring.flatMap((_, i) => {
      const j = (i + 1) % 12;
      return [2 * i, 2 * i + 1, 2 * j + 1, 2 * i, 2 * j + 1, 2 * j];
    });
    const drawn = corners(build(meshBlock(points, [triangles])).doubleSided!);
    for (let t = 0; t < drawn.length; t += 3) {
      const us = [0, 1, 2].map((k) => drawn[t + k]!.uv[0]![0]!);
      const along = us.map((u, k) =>
        [0, 2].find((axis) => Math.abs(drawn[t + k]!.p[axis]! - u) < 1e-6),
      );
      expect(along.every((axis) => axis !== undefined)).toBe(true);
      // A side of 30° seen from its own face is never narrower than cos 45° of its width.
      expect(Math.max(...us) - Math.min(...us)).toBeGreaterThan(2 * Math.sin(Math.PI / 12) * 0.7);
    }
  });

  it('of a surface without stored ones are projected, beside one that has them', () => {
    const stored = { triangles: Int32Array.of(0, 1, 2), uvIndices: Int32Array.of(0, 0, 0) };
    const block = meshBlock(boxPoints(), [stored, [0, 1, 2]], { uvs: Float64Array.of(9, 9) });
    const uv = corners(build(block).doubleSided!).map((corner) => corner.uv[0]);
    expect(uv.flat()).toEqual([9, -8, 9, -8, 9, -8, 0, 1, 1, 1, 1, 0]);
  });
});
