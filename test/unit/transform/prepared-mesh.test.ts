import { describe, expect, it } from 'vitest';
import { rotationFromDegrees } from '../../../src/math/ofml-frame.ts';
import { CONVERT_DEFAULTS, type ConvertOptions } from '../../../src/transform/convert-options.ts';
import {
  meshOptionsKey,
  prepareBlock,
  preparedBytes,
} from '../../../src/transform/prepared-mesh.ts';
import { BOX_TRIANGLES, boxPoints, meshBlock, turnedOver } from '../../helpers/graphics.ts';

describe('prepareBlock', () => {
  it('judges the mesh before the P and R of its block, which it hands on', () => {
    const mesh = prepareBlock(
      meshBlock(boxPoints(), [[...BOX_TRIANGLES]], {
        positionMetres: [1, 2, 3],
        rotationDegrees: [30, 20, 10],
      }),
      CONVERT_DEFAULTS,
    );
    expect([...mesh.positions]).toEqual(boxPoints());
    expect(mesh.rotation).toEqual(rotationFromDegrees([30, 20, 10]));
    expect(mesh.positionMetres).toEqual([1, 2, 3]);
    expect(mesh.normals).toHaveLength(3 * 6 * 4);
  });

  it('leaves P and R aside by option, and turns by R as nodes are turned', () => {
    const prepared = (options: Partial<ConvertOptions>) =>
      prepareBlock(
        meshBlock(boxPoints(), [[...BOX_TRIANGLES]], {
          positionMetres: [1, 2, 3],
          rotationDegrees: [30, 20, 10],
        }),
        { ...CONVERT_DEFAULTS, ...options },
      );
    expect(prepared({ blockPlacement: 'ignore' })).toMatchObject({
      rotation: rotationFromDegrees([0, 0, 0]),
      positionMetres: [0, 0, 0],
    });
    const rule = { rotationOrder: 'zyx', rotationDirection: 'clockwise' } as const;
    expect(prepared(rule).rotation).toEqual(rotationFromDegrees([30, 20, 10], rule));
  });

  it('keeps surfaces apart: two that share an edge do not share its normals', () => {
    const flat = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 2, 0, 0.1, 2, 1, 0.1];
    const together = meshBlock(flat, [[0, 1, 2, 0, 2, 3, 1, 4, 5, 1, 5, 2]]);
    const apart = meshBlock(flat, [
      [0, 1, 2, 0, 2, 3],
      [1, 4, 5, 1, 5, 2],
    ]);
    const normalAt1 = (block: typeof apart, surface: number) => {
      const { surfaces, normals } = prepareBlock(block, CONVERT_DEFAULTS);
      const { points, normals: at } = surfaces[surface]!;
      const normal = at[points.indexOf(1)]!;
      return [...normals.subarray(3 * normal, 3 * normal + 3)];
    };
    expect(normalAt1(together, 0)[0]).not.toBe(0);
    expect(normalAt1(apart, 0)).toEqual([0, 0, 1]);
    expect(normalAt1(apart, 1)[0]).toBeCloseTo(-0.0995, 4);
  });

  it('smooths only after inward surfaces are turned', () => {
    const mesh = prepareBlock(
      meshBlock(boxPoints(), [turnedOver(BOX_TRIANGLES)]),
      CONVERT_DEFAULTS,
    );
    expect(mesh.counts.flippedSurfaces).toBe(1);
    const [first] = mesh.surfaces[0]!.normals;
    expect([...mesh.normals.subarray(3 * first!, 3 * first! + 3)]).toEqual([0, 0, -1]);
  });

  it('counts triangles that repeat another of their surface, and keeps them', () => {
    const mesh = prepareBlock(
      meshBlock(boxPoints(), [
        [0, 1, 2, 1, 2, 0],
        [0, 1, 2],
      ]),
      CONVERT_DEFAULTS,
    );
    expect(mesh.counts.duplicateTriangles).toBe(1);
    expect(mesh.surfaces.map(({ points }) => points.length)).toEqual([6, 3]);
  });

  it('says whether some surface has to be projected', () => {
    const uvIndices = Int32Array.of(0, 1, 2);
    const stored = { triangles: Int32Array.of(0, 1, 2), uvIndices };
    const uvs = new Float64Array(6);
    const needs = (surfaces: Parameters<typeof meshBlock>[1]) =>
      prepareBlock(meshBlock(boxPoints(), surfaces, { uvs }), CONVERT_DEFAULTS).needsProjection;
    expect(needs([stored])).toBe(false);
    expect(needs([stored, [0, 2, 3]])).toBe(true);
  });

  it('has a key of its own for each option that it depends on', () => {
    const changes: Partial<ConvertOptions>[] = [
      { weldToleranceMetres: 1 },
      { winding: 'keep' },
      { creaseAngleDegrees: 31 },
      { rotationOrder: 'zyx' },
      { rotationDirection: 'clockwise' },
      { blockPlacement: 'ignore' },
      { pointIndexBase: 0 },
      { uvIndexBase: 0 },
      { uvStride: 2 },
    ];
    const keys = [{}, ...changes].map((change) =>
      meshOptionsKey({ ...CONVERT_DEFAULTS, ...change }),
    );
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('has no surfaces where no triangle is left, and weighs what it holds', () => {
    const empty = prepareBlock(meshBlock([0, 0, 0], [[0, 0, 0]]), CONVERT_DEFAULTS);
    expect(empty.surfaces).toEqual([]);
    const mesh = prepareBlock(meshBlock(boxPoints(), [[...BOX_TRIANGLES]]), CONVERT_DEFAULTS);
    expect(preparedBytes(mesh)).toBe(
      mesh.positions.byteLength + mesh.normals.byteLength + 3 * 4 * BOX_TRIANGLES.length,
    );
  });
});
