import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUsdzMaker } from '../../../../src/deliver/usd/usdz-maker.ts';
import { convert } from '../../../../src/library.ts';
import { readGlb } from '../../../helpers/check-glb.ts';
import { temporaryFolder } from '../../../helpers/temporary.ts';
import { judgeUsdz } from '../../../helpers/usdz-judge.ts';

/** With images and their transforms, and with glass. */
const ARTICLES = [
  { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' },
  { manufacturer: 'AULI', program: 'LUMO', basearticlenumber: 'LM-DOM 16"' },
];

describe('the delivery of USDZ', () => {
  let folder: string;
  const masters: Uint8Array[] = [];
  beforeAll(async () => {
    folder = await temporaryFolder();
    for (const [i, article] of ARTICLES.entries()) {
      const output = join(folder, `${i}.glb`);
      await convert({ service: { emulator: true }, article, output });
      masters.push(new Uint8Array(await readFile(output)));
    }
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('makes a valid file with all triangles in the size of the master', async () => {
    const maker = createUsdzMaker();
    for (const master of masters) {
      const [file] = await maker.make(master, ['model.usdz']);
      const { problems, meshes, images } = judgeUsdz(file!.bytes);
      expect(problems).toEqual([]);
      const { triangles, boundsMetres } = await readGlb(master);
      const corners = meshes.reduce((sum, { indices }) => sum + indices.length, 0);
      // A double-sided surface is there twice.
      expect(corners / 3).toBeGreaterThanOrEqual(triangles);
      expect(corners / 3).toBeLessThanOrEqual(2 * triangles);
      const textureBytes = [...images.values()].reduce((sum, { length }) => sum + length, 0);
      const facts = { triangles: corners / 3, textures: images.size, textureBytes };
      expect(file!.facts).toMatchObject(facts);
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

  it('refuses what is no GLB', async () => {
    const refused = createUsdzMaker().make(new Uint8Array(100), ['model.usdz']);
    await expect(refused).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  });
});
