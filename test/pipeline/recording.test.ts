/**
 * Real furniture: a recording with figures taken from the models that it was made of.
 */
import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ManifestLine } from '../../src/run/lists/manifest-line.ts';
import { readManifest } from '../../src/run/output/manifest.ts';
import { exists } from '../../src/support/files.ts';
import { complaintsAbout, readGlb } from '../helpers/check-glb.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const RECORDING = resolve('../shared/data/cc0-furniture');

interface Truth {
  program: string;
  basearticlenumber: string;
  triangles: number;
  /** Triangles so thin that a converter may drop them. */
  slivers: number;
  boundsMetres: { min: number[]; max: number[] };
  configurations: {
    finalarticlenumber: string;
    reinitstring: string;
    metareinitstring: string;
  }[];
}

describe.skipIf(!(await exists(RECORDING)))('the recording of real furniture', () => {
  let folder: string;
  let truth: Truth[];
  let converted: Truth[];
  let lines: ManifestLine[];
  beforeAll(async () => {
    folder = await temporaryFolder();
    const text = await readFile(join(RECORDING, 'truth.json'), 'utf8');
    truth = (JSON.parse(text) as { articles: Truth[] }).articles;
    // In the short form the three smallest, one of them in several configurations.
    const bySize = truth.toSorted((one, other) => one.triangles - other.triangles);
    converted = IS_LONG ? truth : bySize.slice(0, 3);
    const articles = converted.flatMap(({ program, basearticlenumber, configurations }) =>
      configurations.map((configuration) => ({
        article: { manufacturer: 'SH3D', program, basearticlenumber, ...keyOf(configuration) },
      })),
    );
    const service = { recording: RECORDING };
    const file = await writePipeline(folder, { service, articles });
    const { exit, stdout, stderr } = await command(['run', file]);
    expect({ exit, stdout, stderr }).toMatchObject({ exit: 0 });
    lines = await readManifest(join(folder, 'out'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('is converted completely: every configuration of every article', () => {
    expect(lines).toHaveLength(converted.flatMap(({ configurations }) => configurations).length);
    expect(lines.map(({ status }) => status)).not.toContain('failed');
  });

  test('every article has the triangles and the bounds of its model', async () => {
    for (const line of lines) {
      const model = truth.find((t) => t.basearticlenumber === line.basearticlenumber)!;
      const bytes = await readFile(join(folder, 'out', line.glb!));
      const { triangles, boundsMetres } = await readGlb(bytes);
      expect(triangles).toBe(line.triangles);
      expect(triangles).toBeLessThanOrEqual(model.triangles);
      expect(triangles).toBeGreaterThanOrEqual(model.triangles - model.slivers);
      for (const side of ['min', 'max'] as const) {
        for (const [axis, value] of model.boundsMetres[side].entries()) {
          const distance = Math.abs(boundsMetres[side][axis]! - value);
          expect({
            article: line.basearticlenumber,
            near: distance < 1e-5,
            distance,
          }).toMatchObject({
            near: true,
          });
        }
      }
    }
  });

  test('every file passes the validator', async () => {
    for (const line of lines) {
      const bytes = await readFile(join(folder, 'out', line.glb!));
      expect(await complaintsAbout(bytes)).toEqual([]);
    }
  });

  test('its catalogue selects every article', async () => {
    const file = await writePipeline(folder, { service: { recording: RECORDING } });
    const { exit, stdout } = await command(['run', file, '--dry-run']);
    expect(exit).toBe(0);
    for (const { basearticlenumber } of truth) expect(stdout).toContain(basearticlenumber);
  });
});

function keyOf({ finalarticlenumber, reinitstring, metareinitstring }: Truth['configurations'][0]) {
  return { finalarticlenumber, reinitstring, metareinitstring };
}
