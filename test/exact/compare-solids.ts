/**
 * Compare solids: bounds, area, volume, closedness, distance to the ideal body, outward normals.
 *
 * A mesh on a node is one solid; it is brought back into the solid's own frame.
 */
import type { ExpectedSolid } from '../helpers/evaluator/evaluate.ts';
import { boxProjections, texelOf } from '../helpers/evaluator/projection.ts';
import {
  add,
  apply,
  cross,
  dot,
  type Frame,
  facing,
  largest,
  length,
  minus,
  times,
  transposed,
  unplace,
  type Vec3,
} from '../helpers/evaluator/vectors.ts';
import type { ReadTriangle } from '../helpers/glb-reader/read-glb.ts';
import { count, differ, type Findings, measure } from './findings.ts';
import { type movableMatcher, roundingMetres } from './match-movables.ts';

type Three = readonly [Vec3, Vec3, Vec3];
const AXES = [0, 1, 2] as const;

interface Group {
  triangles: ReadTriangle[];
  min: Vec3;
  max: Vec3;
}

/** Pairs the triangles that no block explains with the solids. */
export function compareSolids(
  expected: ExpectedSolid[],
  rest: ReadTriangle[],
  isSameMovable: ReturnType<typeof movableMatcher>,
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
    const scores = open.map((group) =>
      isSameMovable(solid.movable, group[0]!.node.movable) ? scoreOf(solid, group) : Infinity,
    );
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
  const { min, max } = bounded(triangles.map(({ corners }) => unplaced(frame, corners)));
  const size = length(minus(max, min));
  const off = (a: Vec3, b: Vec3) => largest(minus(a, b).map((x) => x || 0) as unknown as Vec3);
  return (Math.max(off(min, solid.boundsMin), off(max, solid.boundsMax)) / size) * 20;
}

function unplaced(frame: Frame, [a, b, c]: Three): Three {
  return [unplace(frame, a), unplace(frame, b), unplace(frame, c)];
}

function bounded(triangles: Three[]): Omit<Group, 'triangles'> {
  const min: [number, number, number] = [Infinity, Infinity, Infinity];
  const max: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  for (const corners of triangles) {
    for (const corner of corners) {
      for (const k of AXES) {
        min[k] = Math.min(min[k], corner[k]);
        max[k] = Math.max(max[k], corner[k]);
      }
    }
  }
  return { min, max };
}

function compareSolid(
  expected: ExpectedSolid,
  triangles: ReadTriangle[],
  findings: Findings,
): void {
  const { solid, frame, material, part } = expected;
  const where = () => `${solid.type} ${part().slice(-60)}`;
  const local = triangles.map(({ corners }) => unplaced(frame, corners));
  const reach = Math.max(largest(frame.move), ...solid.boundsMax.map((x) => x || 0));
  const limit = roundingMetres(reach);
  const near = (name: string, value: number, max = limit) =>
    measure(findings, { name: `solid ${name}`, value, limit: max, where });
  const { min, max } = bounded(local);
  for (const k of AXES) {
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
  const toLocal = transposed(frame.turn);
  const worst = { distance: 0, normal: 0, sag: 0 };
  triangles.forEach((triangle, index) => {
    const corners = local[index]!;
    const face = facing(...corners);
    let outward = true;
    for (const k of AXES) {
      const normal = apply(toLocal, triangle.normals[k]);
      outward &&= dot(normal, face) > 0;
      worst.distance = Math.max(worst.distance, solid.distance(corners[k]));
      worst.normal = Math.max(
        worst.normal,
        distanceToNearest(solid.normals(corners[k], limit), normal),
      );
    }
    if (!outward) differ(findings, `${where()}: a facet faces away from its normals`);
    const [a, b, c] = corners;
    const middle = times(add(add(a, b), c), 1 / 3);
    worst.sag = Math.max(worst.sag, solid.distance(middle) / (solid.sag + limit));
    compareTexels(corners, triangle, near, material, limit);
  });
  near('vertex off the ideal surface, metres', worst.distance);
  near('normal, radians', worst.normal, 1e-4 + limit * solid.curvature);
  near('sag of a facet, in allowed sags', worst.sag, 1);
}

function distanceToNearest(ideals: Vec3[], normal: Vec3): number {
  let least = Infinity;
  for (const ideal of ideals) least = Math.min(least, length(minus(ideal, normal)));
  return least;
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
    near(`${name} texel, tiles`, Math.min(...errors), 1e-4 + noise * scale);
  }
}

const sum = <T>(list: readonly T[], of: (entry: T) => number): number =>
  list.reduce((total, entry) => total + of(entry), 0);

/** Every edge is run through once each way. Copies of a vertex come out bit-equal in the world. */
function closed(triangles: ReadTriangle[]): boolean {
  const vertices = new Map<string, number>();
  const vertexOf = (corner: Vec3): number => {
    const key = corner.join(' ');
    const vertex = vertices.get(key) ?? vertices.size;
    vertices.set(key, vertex);
    return vertex;
  };
  const balances = new Map<number, number>();
  for (const { corners } of triangles) {
    const ends = corners.map(vertexOf);
    for (let k = 0; k < 3; k++) {
      const [from, to] = [ends[k]!, ends[(k + 1) % 3]!];
      const edge = Math.min(from, to) * 2 ** 26 + Math.max(from, to);
      balances.set(edge, (balances.get(edge) ?? 0) + (from < to ? 1 : -1));
    }
  }
  return [...balances.values()].every((balance) => balance === 0);
}
