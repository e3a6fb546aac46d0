/** What a person sees of the furniture: grain, joints, names, and that parts touch. */
import { describe, expect, it } from 'vitest';
import { createSampleRange } from '../../../../src/emulator/sample/sample-range.ts';
import { type Point, pointMover } from '../../../../src/emulator/sample/shapes/surface.ts';
import {
  allBlocks,
  allNodes,
  allRequests,
  articleOf,
  type Wire,
} from '../../../helpers/sample-range.ts';

const range = createSampleRange();
const requests = allRequests(range);
const blocks = await allBlocks(range, requests);

/** The parts lists of every configuration of an article. */
const listsOf = (number: string): Wire[] =>
  requests.filter(({ query }) => query.basearticlenumber === number).map((one) => one.partsList);

/** The nodes whose block is of a family. */
const ofFamily = (partsList: Wire, family: string): Wire[] =>
  allNodes(partsList).filter(({ prop }) => prop.btgname?.includes(`::${family}_`));

const materialOf = (partsList: Wire, name: string): Wire =>
  partsList.mats.find(({ mname }: Wire) => mname === name);

/** Points of a node's block, in the node's parent. */
function pointsOf({ prop: { btgname, offs, rot, scale } }: Wire): Point[] {
  const { V } = blocks.get(btgname);
  const move = pointMover({ at: offs, rot, scale });
  return Array.from({ length: V.length / 3 }, (_, i) => move(V.slice(3 * i, 3 * i + 3)));
}

const extent = (points: Point[], axis: number): [number, number] => {
  const values = points.map((point) => point[axis]!);
  return [Math.min(...values), Math.max(...values)];
};

describe('the furniture of the sample range', () => {
  it('has one root for each article, named by its German text', () => {
    for (const { article, partsList } of requests) {
      const [root, ...others] = partsList.btg;
      expect(others).toEqual([]);
      expect(root.prop.lay.split('_D3_')[1]).toBe(article.ocd.shorttext);
    }
  });

  it('has the grain along the boards of the wooden armchair, which runs along x of a block', () => {
    for (const partsList of listsOf('SL-HOLZSESSEL')) {
      const boards = ['KASTEN', 'PLATTE'].flatMap((family) => ofFamily(partsList, family));
      expect(boards).toHaveLength(4);
      for (const { prop } of boards) {
        expect(materialOf(partsList, prop.mat)).toMatchObject({ map: 'auto' });
        expect(materialOf(partsList, prop.mat).rot).toBeUndefined();
        const { V } = blocks.get(prop.btgname);
        const points = Array.from({ length: V.length / 3 }, (_, i) => V.slice(3 * i, 3 * i + 3));
        const [x, y, z] = [0, 1, 2].map((axis) => extent(points, axis)).map(([a, b]) => b - a);
        expect(x).toBeGreaterThan(5 * Math.max(y!, z!));
      }
    }
  });

  it.each(['KV40/4', 'KV40/K'])('%s: each leg touches the shell', (number) => {
    const [partsList] = listsOf(number);
    const [shell] = ofFamily(partsList, 'SCHALE');
    const [frame] = [...ofFamily(partsList, 'VIERFUSS'), ...ofFamily(partsList, 'KUFENGESTELL')];
    const seat = allNodes(partsList).find(({ prop }) => prop.childs?.includes(shell));
    const above = pointsOf(shell).map(pointMover({ at: seat.prop.offs }));
    const { F } = blocks.get(shell.prop.btgname).A[0];
    const signs = [1, -1];
    for (const [sx, sz] of signs.flatMap((sx) => signs.map((sz) => [sx, sz] as const))) {
      const upper = pointsOf(frame).filter(
        ([x, y, z]) => x * sx > 0.11 && z * sz > 0.05 && y > 0.4,
      );
      expect(Math.min(...upper.map((point) => gapAbove(point, above, F)))).toBeLessThan(1e-3);
    }
  });

  it.each(["FM-B200 'Boot'", "FM-B240 'Boot'"])('%s: no veneer repeats on its top', (number) => {
    for (const partsList of listsOf(number)) {
      const [board] = ofFamily(partsList, 'BOOTPLATTE');
      const { pic, scaleu, scalev } = materialOf(partsList, board.prop.mat);
      expect(pic).toBeDefined();
      const [left, right] = extent(pointsOf(board), 0);
      const [back, front] = extent(pointsOf(board), 2);
      expect([scaleu * (right - left) <= 1, scalev * (front - back) <= 1]).toEqual([true, true]);
    }
  });

  it('joins the top of the corner desk from two boards, each with its grain along its length', () => {
    const [partsList] = listsOf('LN-E180/160 L');
    const [long] = ofFamily(partsList, 'ECKPLATTE');
    const [short] = ofFamily(partsList, 'ANSATZPLATTE');
    expect([long.prop.rot, short.prop.rot]).toEqual([undefined, [0, 90, 0]]);
    const [, joint] = extent(pointsOf(long), 2);
    const [begin, end] = extent(pointsOf(short), 2);
    expect([joint, begin, end]).toEqual([0.8, expect.closeTo(0.8, 6), expect.closeTo(1.6, 6)]);
    expect(extent(pointsOf(short), 1)).toEqual(extent(pointsOf(long), 1));
  });

  it('has the chosen handle at the edge of each hinged door that opens', () => {
    const key = { manufacturer: 'FJEL', program: 'DEPOT', basearticlenumber: 'DP-F2' };
    const ocdreinitstring = "@DP-F2+DEKOR='EI':GRIFF='LEISTE'::";
    const { ocd } = articleOf(range, { ...key, ocdreinitstring });
    const { finalarticlenumber, reinitstring } = ocd;
    const partsList = range.partsList({ ...key, finalarticlenumber, reinitstring });
    expect(ofFamily(partsList, 'BÜGELGRIFF')).toEqual([]);
    const [left, right] = ofFamily(partsList, 'GRIFFLEISTE').map(pointsOf) as [Point[], Point[]];
    // A door is 396 mm wide and 19 mm thick; the strip is bent around its edge by 22 mm.
    expect(extent(left, 0)).toEqual([expect.closeTo(0.382, 3), expect.closeTo(0.398, 3)]);
    expect(extent(right, 0)).toEqual([expect.closeTo(-0.398, 3), expect.closeTo(-0.382, 3)]);
    for (const points of [left, right]) {
      expect(extent(points, 1)).toEqual([expect.closeTo(0.3, 3), expect.closeTo(0.46, 3)]);
      expect(extent(points, 2)).toEqual([expect.closeTo(0, 3), expect.closeTo(0.022, 3)]);
    }
  });
});

/** How far a triangle is above a point; negative where the point is above all of them. */
function gapAbove([x, y, z]: Point, points: Point[], triangles: number[]): number {
  let gap = Infinity;
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => points[triangles[t + k]!]!) as [Point, Point, Point];
    const area = (b[0] - a[0]) * (c[2] - a[2]) - (c[0] - a[0]) * (b[2] - a[2]);
    const u = ((x - a[0]) * (c[2] - a[2]) - (c[0] - a[0]) * (z - a[2])) / area;
    const v = ((b[0] - a[0]) * (z - a[2]) - (x - a[0]) * (b[2] - a[2])) / area;
    if (u >= 0 && v >= 0 && u + v <= 1) {
      gap = Math.min(gap, a[1] + u * (b[1] - a[1]) + v * (c[1] - a[1]) - y);
    }
  }
  return gap;
}
