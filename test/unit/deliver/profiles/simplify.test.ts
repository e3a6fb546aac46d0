/** Simpler surfaces, measured by the heights of waves over a floor, which need no other measure. */
import { NodeIO } from '@gltf-transform/core';
import { describe, expect, it } from 'vitest';
import { writeGlb } from '../../../../src/convert/write/glb.ts';
import { createOnce, type Once } from '../../../../src/deliver/making/once.ts';
import { createProfileMaker } from '../../../../src/deliver/profiles/profile-maker.ts';
import { PROFILES } from '../../../../src/deliver/profiles/profiles.ts';
import { sceneOf } from '../../../helpers/snapshot.ts';

const COUNT = 60;
const side = Array.from({ length: COUNT + 1 }, (_, i) => i / COUNT);
const height = (x: number, z: number) => 0.004 * Math.sin(40 * x) * Math.sin(40 * z);

/** Waves over a floor of one metre. */
async function wavesIn(finish: string): Promise<Uint8Array> {
  const points = side.flatMap((x) => side.map((z) => [x, height(x, z), z]));
  const corners = Array.from({ length: COUNT ** 2 }, (_, i) => {
    const a = Math.floor(i / COUNT) * (COUNT + 1) + (i % COUNT);
    return [a, a + 1, a + COUNT + 1, a + 1, a + COUNT + 2, a + COUNT + 1];
  });
  return writeGlb(
    await sceneOf({
      btg: [{ type: 'imp', btgname: 'A::B::WAVES', mat: finish }],
      mats: [{ mname: finish }],
      blocks: { 'A::B::WAVES': { V: points.flat(), A: [{ F: corners.flat() }] } },
    }),
  );
}

describe('a budget', () => {
  it('of triangles moves no surface farther than the bound, and how far is stated', async () => {
    const waves = await wavesIn('OAK');
    const profile = { ...PROFILES.planner, triangles: 2_000 };
    const [made] = await createProfileMaker('planner', profile).make(waves, ['model.glb']);
    const { triangles, movedMillimetres } = made!.facts;
    expect(triangles).toBeGreaterThan(1_000);
    expect(triangles).toBeLessThanOrEqual(2_000);
    const document = await new NodeIO().readBinary(made!.bytes);
    const [primitive] = document.getRoot().listMeshes()[0]!.listPrimitives();
    const positions = primitive!.getAttribute('POSITION')!;
    const vertex = (i: number) => positions.getElement(i, [0, 0, 0]) as [number, number, number];
    const indices = primitive!.getIndices()!.getArray()!;
    let farthest = 0;
    for (let i = 0; i < indices.length; i += 3) {
      const [a, b, c] = [vertex(indices[i]!), vertex(indices[i + 1]!), vertex(indices[i + 2]!)];
      const area = (b[0]! - a[0]!) * (c[2]! - a[2]!) - (c[0]! - a[0]!) * (b[2]! - a[2]!);
      if (area === 0) continue;
      const inPlan = (k: 0 | 2, value: number) =>
        value >= Math.min(a[k], b[k], c[k]) && value <= Math.max(a[k], b[k], c[k]);
      for (const x of side.filter((value) => inPlan(0, value))) {
        for (const z of side.filter((value) => inPlan(2, value))) {
          const v = ((x - a[0]!) * (c[2]! - a[2]!) - (c[0]! - a[0]!) * (z - a[2]!)) / area;
          const w = ((b[0]! - a[0]!) * (z - a[2]!) - (x - a[0]!) * (b[2]! - a[2]!)) / area;
          if (Math.min(v, w, 1 - v - w) < 0) continue;
          const y = a[1]! + v * (b[1]! - a[1]!) + w * (c[1]! - a[1]!);
          farthest = Math.max(farthest, Math.abs(y - height(x, z)));
        }
      }
    }
    // In plan: along the normal of a slope it is less.
    expect(1000 * farthest).toBeLessThan(1.02 * profile.simplifyMillimetres);
    expect(movedMillimetres).toBeLessThanOrEqual(profile.simplifyMillimetres);
    expect(1000 * farthest).toBeGreaterThan(0.9 * Number(movedMillimetres));
  });

  it('measures the surface of an article once for all its finishes', async () => {
    const distances: string[] = [];
    const kept = createOnce();
    const once: Once = (key, work) =>
      kept(key, () => {
        if (key.startsWith('distance')) distances.push(key);
        return work();
      });
    const profile = { ...PROFILES.planner, triangles: 2_000 };
    const make = async (finish: string) => {
      const maker = createProfileMaker('planner', profile, { once });
      const [made] = await maker.make(await wavesIn(finish), ['model.glb']);
      return made!.facts;
    };
    const oak = await make('OAK');
    const measured = distances.length;
    expect(measured).toBeGreaterThan(0);
    expect(await make('ASH')).toEqual(oak);
    expect(distances).toHaveLength(measured);
  });
});
