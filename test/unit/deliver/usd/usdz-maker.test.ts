import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MadeFile } from '../../../../src/deliver/making/maker.ts';
import { createUsdzMaker } from '../../../../src/deliver/usd/usdz-maker.ts';
import { convert } from '../../../../src/library.ts';
import { readGlb } from '../../../helpers/check-glb.ts';
import { type DrawnVertex, drawnVertices } from '../../../helpers/drawn-vertices.ts';
import { dot, length, minus, type Vec3 } from '../../../helpers/evaluator/vectors.ts';
import { temporaryFolder } from '../../../helpers/temporary.ts';
import { judgeUsdz } from '../../../helpers/usdz-judge.ts';

/** With images and their transforms, with glass, and with equal parts. */
const ARTICLES = [
  { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' },
  { manufacturer: 'AULI', program: 'LUMO', basearticlenumber: 'LM-DOM 16"' },
  { manufacturer: 'FJEL', program: 'FORUM', basearticlenumber: 'FM-P3' },
];

const LIMIT_METRES = 2e-5;
const CELL_METRES = 1e-3;

/** Finds the vertices in the cells about a point that is counted from the origin. */
function byCell(vertices: readonly DrawnVertex[], origin: Vec3): (point: Vec3) => DrawnVertex[] {
  const cells = new Map<string, DrawnVertex[]>();
  const cellOf = (value: number) => Math.floor(value / CELL_METRES);
  for (const vertex of vertices) {
    const cell = minus(vertex.position, origin).map(cellOf).join(' ');
    cells.set(cell, [...(cells.get(cell) ?? []), vertex]);
  }
  /** Nearly always one: the limit is far less than a cell. */
  const cellsOf = (value: number) => [
    ...new Set([cellOf(value - LIMIT_METRES), cellOf(value + LIMIT_METRES)]),
  ];
  return ([x, y, z]) => {
    const [ys, zs] = [cellsOf(y), cellsOf(z)];
    const near = cellsOf(x).flatMap((i) => ys.flatMap((j) => zs.map((k) => `${i} ${j} ${k}`)));
    return near.flatMap((cell) => cells.get(cell) ?? []);
  };
}

describe('the delivery of USDZ', () => {
  let folder: string;
  const masters: Uint8Array[] = [];
  const files: MadeFile[] = [];
  const judged: ReturnType<typeof judgeUsdz>[] = [];
  beforeAll(async () => {
    folder = await temporaryFolder();
    for (const [i, article] of ARTICLES.entries()) {
      const output = join(folder, `${i}.glb`);
      await convert({ service: { emulator: true }, article, output });
      const master = new Uint8Array(await readFile(output));
      masters.push(master);
      files.push(...(await createUsdzMaker().make(master, ['model.usdz'])));
    }
    judged.push(...files.map(({ bytes }) => judgeUsdz(bytes)));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('makes a valid file with all triangles in the size of the master', async () => {
    for (const [i, master] of masters.entries()) {
      const file = files[i]!;
      const { problems, meshes, images } = judged[i]!;
      expect(problems).toEqual([]);
      const { triangles, boundsMetres } = await readGlb(master);
      const corners = meshes.reduce((sum, { indices }) => sum + indices.length, 0);
      // A double-sided surface is there twice.
      expect(corners / 3).toBeGreaterThanOrEqual(triangles);
      expect(corners / 3).toBeLessThanOrEqual(2 * triangles);
      const textureBytes = [...images.values()].reduce((sum, { length }) => sum + length, 0);
      const facts = { triangles: corners / 3, textures: images.size, textureBytes };
      expect(file.facts).toMatchObject(facts);
      for (const axis of [0, 1, 2]) {
        const values = meshes.flatMap(({ points }) => points.filter((_, i) => i % 3 === axis));
        const low = values.reduce((least, value) => Math.min(least, value));
        const high = values.reduce((most, value) => Math.max(most, value));
        const size = boundsMetres.max[axis]! - boundsMetres.min[axis]!;
        expect(high - low).toBeCloseTo(size, 5);
        expect(axis === 1 ? low : low + high).toBeCloseTo(0, 5);
      }
    }
  });

  it('has every point of the master within 0.02 mm, with its normal and its place in the texture', async () => {
    for (const [i, master] of masters.entries()) {
      const { min, max } = (await readGlb(master)).boundsMetres;
      const origin: Vec3 = [(min[0] + max[0]) / 2, min[1], (min[2] + max[2]) / 2];
      const vertices = await drawnVertices(master);
      const drawn = byCell(vertices, origin);
      let points = 0;
      for (const mesh of judged[i]!.meshes) {
        for (let k = 0; k < mesh.points.length / 3; k++, points++) {
          const point = mesh.points.slice(3 * k, 3 * k + 3) as unknown as Vec3;
          const normal = mesh.normals.slice(3 * k, 3 * k + 3) as unknown as Vec3;
          const st = mesh.st?.slice(2 * k, 2 * k + 2);
          const isThere = drawn(point).some(
            ({ position, normal: own, uv }) =>
              length(minus(minus(position, origin), point)) <= LIMIT_METRES &&
              // A double-sided surface is there twice.
              Math.abs(dot(own, normal)) > 0.9999 &&
              (!st || !uv || Math.hypot(uv[0] - st[0]!, 1 - uv[1] - st[1]!) < 1e-4),
          );
          if (!isThere) expect.fail(`${mesh.path}: point ${k} is not in the master`);
        }
      }
      expect(points).toBeGreaterThanOrEqual(vertices.length);
    }
  });

  it('has at most 130 % of the bytes of the masters', () => {
    const written = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
    expect(written).toBeLessThan(1.3 * masters.reduce((sum, { length }) => sum + length, 0));
  });

  it('refuses what is no GLB', async () => {
    const refused = createUsdzMaker().make(new Uint8Array(100), ['model.usdz']);
    await expect(refused).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  });
});
