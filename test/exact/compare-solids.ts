/**
 * Compare solids: bounds, area, volume, closedness, distance to the ideal body, outward normals.
 *
 * A mesh on a node is one solid; it is brought back into the solid's own frame.
 */
import type { ExpectedSolid } from '../helpers/evaluator/evaluate.ts';
import { boxProjections, texelOf } from '../helpers/evaluator/projection.ts';
import {
  apply,
  cross,
  dot,
  facing,
  largest,
  length,
  minus,
  transposed,
  unplace,
  type Vec3,
} from '../helpers/evaluator/vectors.ts';
import type { ReadTriangle } from '../helpers/glb-reader/read-glb.ts';
import { count, differ, type Findings, measure } from './findings.ts';

type Three = readonly [Vec3, Vec3, Vec3];

interface Group {
  triangles: ReadTriangle[];
  min: Vec3;
  max: Vec3;
}

/** Pairs the triangles that no block explains with the solids. */
export function compareSolids(
  expected: ExpectedSolid[],
  rest: ReadTriangle[],
  findings: Findings,
): void {
  const groups = new Map<ReadTriangle['node'], ReadTriangle[]>();
  for (const triangle of rest) {
    const group = groups.get(triangle.node);
    if (group) group.push(triangle);
    else groups.set(triangle.node, [triangle]);
  }
  const open = [...groups.values()];
  for (const solid of expected) {
    const scores = open.map((group) => scoreOf(solid, group));
    const best = scores.indexOf(Math.min(...scores));
    const [group] = best < 0 || scores[best]! > 1 ? [] : open.splice(best, 1);
    if (group) compareSolid(solid, group, findings);
    else
      differ(
        findings,
        `not found: ${solid.solid.type} ${solid.part().slice(-60)}, ${solid.material.name}`,
      );
  }
  for (const group of open) {
    const { node, material, corners } = group[0]!;
    differ(
      findings,
      `${group.length} triangles not expected: node ${node.index} ${node.name.slice(-60)}, ${material.name}, ${JSON.stringify(corners)}`,
    );
  }
  count(findings, 'solids matched', expected.length);
}

/** How far the bounds in the solid's own frame are off, relative to their size. */
function scoreOf({ solid, frame, material }: ExpectedSolid, triangles: ReadTriangle[]): number {
  if (triangles[0]!.material.name !== material.name) return Infinity;
  const { min, max } = bounded(triangles.flatMap((t) => t.corners.map((c) => unplace(frame, c))));
  const size = length(minus(max, min));
  const off = (a: Vec3, b: Vec3) => largest(minus(a, b).map((x) => x || 0) as unknown as Vec3);
  return (Math.max(off(min, solid.boundsMin), off(max, solid.boundsMax)) / size) * 20;
}

function bounded(points: Vec3[]): Omit<Group, 'triangles'> {
  const axis = (k: 0 | 1 | 2, of: (...values: number[]) => number) =>
    points.reduce((best, p) => of(best, p[k]), points[0]![k]);
  return {
    min: [axis(0, Math.min), axis(1, Math.min), axis(2, Math.min)],
    max: [axis(0, Math.max), axis(1, Math.max), axis(2, Math.max)],
  };
}

function compareSolid(
  expected: ExpectedSolid,
  triangles: ReadTriangle[],
  findings: Findings,
): void {
  const { solid, frame, material, part } = expected;
  const where = () => `${solid.type} ${part().slice(-60)}`;
  const local = triangles.map((t) => t.corners.map((c) => unplace(frame, c)) as unknown as Three);
  const reach = Math.max(largest(frame.move), ...solid.boundsMax.map((x) => x || 0));
  const limit = Math.max(1e-5, 2 * 2 ** (Math.floor(Math.log2(reach + 1)) - 23));
  const near = (name: string, value: number, max = limit) =>
    measure(findings, { name: `solid ${name}`, value, limit: max, where });
  const { min, max } = bounded(local.flat());
  for (const k of [0, 1, 2] as const) {
    if (Number.isFinite(solid.boundsMin[k]))
      near('bounds, metres', Math.abs(min[k] - solid.boundsMin[k]));
    if (Number.isFinite(solid.boundsMax[k]))
      near('bounds, metres', Math.abs(max[k] - solid.boundsMax[k]));
  }
  const area = sum(local, ([a, b, c]) => length(facing(a, b, c)) / 2);
  const volume = sum(local, ([a, b, c]) => dot(a, cross(b, c)) / 6);
  if (solid.area !== undefined) near('area, relative', Math.abs(area / solid.area - 1), 1e-4);
  if (solid.volume !== undefined)
    near('volume, relative', Math.abs(volume / solid.volume - 1), 1e-4);
  near('volume against the ideal', Math.abs(volume / solid.idealVolume - 1), 0.08);
  if (!closed(triangles)) differ(findings, `${where()}: is not closed`);
  if (triangles.some((t) => t.material.doubleSided)) differ(findings, `${where()}: double-sided`);
  triangles.forEach((triangle, index) => {
    const corners = local[index]!;
    for (const k of [0, 1, 2] as const) {
      near('vertex off the ideal surface, metres', solid.distance(corners[k]));
      const normal = apply(transposed(frame.turn), triangle.normals[k]);
      const ideal = solid.normals(corners[k]).map((n) => length(minus(n, normal)));
      near('normal, radians', Math.min(...ideal), 2e-3);
    }
    const face = facing(...corners);
    const outward = triangle.normals.every((n) => dot(apply(transposed(frame.turn), n), face) > 0);
    if (!outward) differ(findings, `${where()}: a facet faces away from its normals`);
    const middle = corners[0].map((_, k) => (corners[0][k]! + corners[1][k]! + corners[2][k]!) / 3);
    near(
      'sag of a facet, in allowed sags',
      solid.distance(middle as unknown as Vec3) / (solid.sag + limit),
      1,
    );
    compareTexels(corners, triangle, near, material, limit);
  });
}

function compareTexels(
  corners: Three,
  triangle: ReadTriangle,
  near: (name: string, value: number, max: number) => void,
  material: ExpectedSolid['material'],
  noise: number,
): void {
  const candidates = boxProjections(
    corners,
    material.uvSource === 'rauto',
    Math.max(noise / 10, 1e-7),
  );
  const sides = [
    ['base', triangle.baseTexels, material.basePlacement],
    ['normal map', triangle.normalTexels, material.normalPlacement],
  ] as const;
  for (const [name, texels, placement] of sides) {
    if (!texels) continue;
    const errors = candidates.map((uvs) => {
      const off = uvs.map((uv, k) => {
        const [u, v] = texelOf(placement, uv);
        return [texels[k as 0 | 1 | 2][0] - u, texels[k as 0 | 1 | 2][1] - v] as const;
      });
      const [du, dv] = off[0]!.map(Math.round) as [number, number];
      return Math.max(...off.map(([u, v]) => Math.max(Math.abs(u - du), Math.abs(v - dv))));
    });
    const scale = Math.max(1, ...placement.scale.map(Math.abs));
    near(`${name} texel, tiles`, Math.min(...errors), 1e-4 + (noise - 1e-5) * scale);
  }
}

const sum = <T>(list: readonly T[], of: (entry: T) => number): number =>
  list.reduce((total, entry) => total + of(entry), 0);

/** Every edge is run through once each way. Copies of a vertex come out bit-equal in the world. */
function closed(triangles: ReadTriangle[]): boolean {
  const edges = new Map<string, number>();
  for (const { corners } of triangles) {
    const keys = corners.map((corner) => corner.join(' '));
    for (let k = 0; k < 3; k++) {
      const [from, to] = [keys[k]!, keys[(k + 1) % 3]!];
      const key = from < to ? `${from} ${to}` : `${to} ${from}`;
      edges.set(key, (edges.get(key) ?? 0) + (from < to ? 1 : -1));
    }
  }
  return [...edges.values()].every((balance) => balance === 0);
}
