/**
 * Match triangles: pairs expected triangles with read ones, whatever their order.
 *
 * A triangle is looked for near its centre; of several candidates the closest in corners, texels
 * and normals is taken, each once.
 */

import type { ExpectedTriangle } from '../helpers/evaluator/evaluate.ts';
import { type TexturePlacement, texelOf, type Uvs } from '../helpers/evaluator/projection.ts';
import { length, minus, type Vec2, type Vec3 } from '../helpers/evaluator/vectors.ts';
import type { ReadTriangle } from '../helpers/glb-reader/read-glb.ts';
import { count, differ, type Findings, measure } from './findings.ts';
import { type movableMatcher, roundingMetres, ulp } from './match-movables.ts';

/** The least size of a cell, of which half is more than a corner may be off. */
const CELL_METRES = 0.002;
const POSITION_LIMIT = 1e-5;
const TEXEL_LIMIT = 1e-4;
/** Radians; float32 normals and slivers. */
const NORMAL_LIMIT = 1e-3;
const NEAR_TILES = 500;

type Corners = readonly [Vec3, Vec3, Vec3];

/** Indices of triangles by the cell of their centre. */
interface Cells {
  metres: number;
  indices: Map<number, number[]>;
}

interface Fit {
  position: number;
  base: number;
  bump: number;
  cost: number;
  rotation: number;
}

/** Pairs the triangles of the same movables; returns the read ones that no expected one took. */
export function matchTriangles(
  expected: ExpectedTriangle[],
  read: ReadTriangle[],
  isSameMovable: ReturnType<typeof movableMatcher>,
  findings: Findings,
): ReadTriangle[] {
  const most = expected.reduce((most, one) => Math.max(most, positionLimit(one)), 0);
  const cells: Cells = { metres: Math.max(CELL_METRES, 2 * most), indices: new Map() };
  read.forEach((triangle, index) => {
    const key = cellsOf(centreOf(triangle.corners), cells.metres)[0]!;
    const list = cells.indices.get(key);
    if (list) list.push(index);
    else cells.indices.set(key, [index]);
  });
  const taken = new Uint8Array(read.length);
  const missed: ExpectedTriangle[] = [];
  for (const triangle of expected) {
    const near = candidates(triangle, cells, taken).filter((index) =>
      isSameMovable(triangle.movable, read[index]!.node.movable),
    );
    const best = bestOf(triangle, read, near);
    if (!best) {
      missed.push(triangle);
      continue;
    }
    taken[best.index] = 1;
    accept(triangle, read[best.index]!, best.fit, findings);
  }
  count(findings, 'triangles matched', expected.length - missed.length);
  explain(missed, read, taken, cells, findings);
  return read.filter((_, index) => !taken[index]);
}

function candidates({ corners }: { corners: Corners }, cells: Cells, taken: Uint8Array): number[] {
  const near: number[] = [];
  for (const key of cellsOf(centreOf(corners), cells.metres)) {
    for (const index of cells.indices.get(key) ?? []) if (!taken[index]) near.push(index);
  }
  return near;
}

function bestOf(triangle: ExpectedTriangle, read: ReadTriangle[], among: number[]) {
  let best: { index: number; fit: Fit } | undefined;
  const reach = 10 * positionLimit(triangle);
  for (const index of among) {
    const other = read[index]!;
    if (other.material.name !== triangle.material.name) continue;
    if (other.material.doubleSided !== triangle.doubleSided) continue;
    for (let rotation = 0; rotation < 3; rotation++) {
      const position = positionError(triangle.corners, other, rotation, reach);
      if (!(position <= reach)) continue;
      const fit = fitOf(triangle, other, rotation, position);
      if (!(best && best.fit.cost <= fit.cost)) best = { index, fit };
    }
  }
  return best;
}

const positionLimit = ({ reach }: ExpectedTriangle): number =>
  Math.max(POSITION_LIMIT, roundingMetres(reach));

const at = <T>(list: readonly [T, T, T], k: number): T => list[(k % 3) as 0 | 1 | 2];

/** The largest distance of a corner from its counterpart, in metres; infinite where it is beyond the reach. */
function positionError(
  corners: Corners,
  other: ReadTriangle,
  rotation: number,
  reach = Number.POSITIVE_INFINITY,
): number {
  let most = 0;
  for (let k = 0; k < 3; k++) {
    const p = at(corners, k);
    const q = at(other.corners, k + rotation);
    const [x, y, z] = [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
    const off = Math.sqrt(x * x + y * y + z * z);
    if (!(off <= reach)) return Number.POSITIVE_INFINITY;
    most = Math.max(most, off);
  }
  return most;
}

function fitOf(
  triangle: ExpectedTriangle,
  other: ReadTriangle,
  rotation: number,
  position: number,
): Fit {
  const { basePlacement, normalPlacement } = triangle.material;
  const base = texelError(triangle.uvs, basePlacement, other.baseTexels, rotation);
  const bump = texelError(triangle.uvs, normalPlacement, other.normalTexels, rotation);
  const turn = normalError(triangle, other, rotation);
  const cost = position / POSITION_LIMIT + Math.min(base, 1e4) + Math.min(bump, 1e4) + turn;
  return { position, base, bump, cost, rotation };
}

/** In limits: 1 is just allowed. Tiles repeat, but all corners of a triangle by the same ones. */
function texelError(
  uvs: Uvs[],
  placement: TexturePlacement,
  texels: readonly [Vec2, Vec2, Vec2] | undefined,
  rotation: number,
): number {
  if (!texels) return 0;
  const errors = uvs.map((candidate) => {
    const wanted = [0, 1, 2].map((k) => texelOf(placement, at(candidate, k)));
    const found = [0, 1, 2].map((k) => at(texels, k + rotation));
    return Math.max(axisError(wanted, found, 0), axisError(wanted, found, 1));
  });
  return Math.min(...errors);
}

function axisError(wanted: Vec2[], found: Vec2[], axis: 0 | 1): number {
  const tiles = Math.round(found[0]![axis] - wanted[0]![axis]);
  const reach = Math.max(...wanted.map((p) => Math.max(Math.abs(p[0]), Math.abs(p[1]))));
  const limit = reach <= NEAR_TILES ? TEXEL_LIMIT : 2 * ulp(reach);
  const off = wanted.map((p, k) => Math.abs(found[k]![axis] - p[axis] - tiles));
  return Math.max(...off) / limit;
}

function normalError(triangle: ExpectedTriangle, other: ReadTriangle, rotation: number): number {
  const errors = [0, 1, 2].map((k) => {
    const { normal, sure } = at(triangle.normals, k);
    if (!sure) return 0;
    const found = at(other.normals, k + rotation);
    return length(minus(normal, found));
  });
  return Math.max(...errors);
}

function accept(triangle: ExpectedTriangle, other: ReadTriangle, fit: Fit, findings: Findings) {
  const where = () => described(triangle);
  const limit = positionLimit(triangle);
  const far = limit > POSITION_LIMIT;
  const name = far ? 'position of far parts, in limits' : 'position, metres';
  const value = far ? fit.position / limit : fit.position;
  measure(findings, { name, value, limit: far ? 1 : limit, where });
  const texels = (side: string, error: number) =>
    measure(findings, { name: `${side}, 1e-4 tiles or 2 ulp`, value: error, limit: 1, where });
  if (other.baseTexels) count(findings, 'triangles with base texels');
  if (other.normalTexels) count(findings, 'triangles with normal map texels');
  if (triangle.doubleSided) count(findings, 'triangles double-sided');
  if (triangle.normals.some(({ sure }) => !sure)) count(findings, 'triangles with an open crease');
  if (triangle.uvs.length > 1) count(findings, 'triangles with an open box face');
  if (other.baseTexels) texels('base texel', fit.base);
  if (other.normalTexels) texels('normal map texel', fit.bump);
  const turn = normalError(triangle, other, fit.rotation);
  measure(findings, { name: 'normal, radians', value: turn, limit: NORMAL_LIMIT, where });
}

function explain(
  missed: ExpectedTriangle[],
  read: ReadTriangle[],
  taken: Uint8Array,
  cells: Cells,
  findings: Findings,
): void {
  for (const triangle of missed.slice(0, 3)) {
    const near = candidates(triangle, cells, taken).map((index) => read[index]!);
    const [a, b, c] = triangle.corners;
    const turned = [a, c, b] as const;
    const others = near.map((other) => {
      const reversed = [0, 1, 2].some((r) => positionError(turned, other, r) < 1e-4);
      const { name, doubleSided } = other.material;
      return `${reversed ? 'reversed ' : ''}${name}${doubleSided ? ' double-sided' : ''}`;
    });
    differ(
      findings,
      `not found: ${described(triangle)}; near it: ${others.join(', ') || 'nothing'}`,
    );
  }
  if (missed.length > 0) differ(findings, `${missed.length} expected triangles not found`);
}

function described({ corners, material, doubleSided, part, uvs }: ExpectedTriangle): string {
  const points = corners.map((c) => `(${c.map((x) => x.toFixed(5)).join(' ')})`).join(' ');
  const path = part();
  const short = path.length > 60 ? `…${path.slice(-60)}` : path;
  const side = doubleSided ? ' double-sided' : '';
  return `part ${short} ${material.name}${side} ${points} uv ${JSON.stringify(uvs[0])}`;
}

const centreOf = ([a, b, c]: Corners): Vec3 => [
  (a[0] + b[0] + c[0]) / 3,
  (a[1] + b[1] + c[1]) / 3,
  (a[2] + b[2] + c[2]) / 3,
];

/** The cell of a point first, then the neighbours on the sides that it is nearer to. */
function cellsOf(point: Vec3, metres: number): number[] {
  const axes = point.map((x) => {
    const cell = Math.floor(x / metres);
    const rest = x / metres - cell;
    return [cell, rest < 0.5 ? cell - 1 : cell + 1] as const;
  });
  const keys: number[] = [];
  for (const x of axes[0]!)
    for (const y of axes[1]!) for (const z of axes[2]!) keys.push(cellKey(x, y, z));
  return keys;
}

/** Cells that share a key only add candidates. */
function cellKey(x: number, y: number, z: number): number {
  return Math.imul(x, 73_856_093) ^ Math.imul(y, 19_349_663) ^ Math.imul(z, 83_492_791);
}
