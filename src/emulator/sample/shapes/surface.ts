/**
 * The triangles of shapes, in metres, +Y up.
 *
 * A shape is a list of surfaces; a block is a shape with a name. Points may repeat: the encoder
 * welds them, so that every shape can be built of independent patches.
 */
import { cos, hypot, sin } from '../../../support/elementary.ts';

/** x y z in metres. */
export type Point = readonly [number, number, number];

/** a · k. */
export const scaled = (a: Point, k: number): Point => [a[0] * k, a[1] * k, a[2] * k];
/** a + b · k. */
export const plus = (a: Point, b: Point, k: number): Point => [
  a[0] + b[0] * k,
  a[1] + b[1] * k,
  a[2] + b[2] * k,
];
/** a − b. */
export const minus = (a: Point, b: Point): Point => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
/** a · b. */
export const dot = (a: Point, b: Point): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
/** a × b. */
export const cross = (a: Point, b: Point): Point => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** a with length 1. */
export const unit = (a: Point): Point => scaled(a, 1 / Math.max(1e-12, hypot(...a)));

/** One surface of a block. */
export interface Surface {
  /** Coordinates x y z of each point. */
  positions: number[];
  /** Coordinates u v of each point, metres on the surface, V up; undefined without texture coordinates. */
  uvs: number[] | undefined;
  /** Three point indices for each triangle, counter-clockwise from outside. */
  triangles: number[];
  /** Whether the surface encloses a volume. */
  closed: boolean;
}

/** The surfaces of one block. */
export type Shape = Surface[];

/** An empty surface. */
export function emptySurface(closed: boolean, withUvs = false): Surface {
  return { positions: [], uvs: withUvs ? [] : undefined, triangles: [], closed };
}

/** A vertex of a {@link addGrid}: a point with its place on the surface. */
interface GridVertex {
  point: Point;
  uv?: readonly [number, number];
}

/**
 * Adds a patch of nu × nv quads; its front faces `d/di × d/dj`.
 *
 * @param at - Vertex of the grid lines i (0..nu) and j (0..nv).
 */
export function addGrid(
  surface: Surface,
  nu: number,
  nv: number,
  at: (i: number, j: number) => GridVertex,
): void {
  const first = surface.positions.length / 3;
  for (let i = 0; i <= nu; i++) {
    for (let j = 0; j <= nv; j++) {
      addVertex(surface, at(i, j));
    }
  }
  const row = nv + 1;
  for (let i = 0; i < nu; i++) {
    for (let j = 0; j < nv; j++) {
      const a = first + i * row + j;
      surface.triangles.push(a, a + row, a + row + 1, a, a + row + 1, a + 1);
    }
  }
}

/** Adds triangles with new points; `triangles` are indices into `points`. */
export function addTriangles(
  surface: Surface,
  points: readonly GridVertex[],
  triangles: readonly number[],
): void {
  const first = surface.positions.length / 3;
  for (const vertex of points) addVertex(surface, vertex);
  for (const index of triangles) surface.triangles.push(first + index);
}

function addVertex({ positions, uvs }: Surface, { point, uv = [0, 0] }: GridVertex): void {
  positions.push(point[0], point[1], point[2]);
  uvs?.push(uv[0], uv[1]);
}

/** Six times the signed volume, taken about the first point; positive for an outward surface. */
function signedVolume({ positions: p, triangles }: Surface): number {
  let sum = 0;
  const [ox, oy, oz] = [p[0] ?? 0, p[1] ?? 0, p[2] ?? 0];
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [triangles[t]! * 3, triangles[t + 1]! * 3, triangles[t + 2]! * 3];
    const [ax, ay, az] = [p[a]! - ox, p[a + 1]! - oy, p[a + 2]! - oz];
    const [bx, by, bz] = [p[b]! - ox, p[b + 1]! - oy, p[b + 2]! - oz];
    const [cx, cy, cz] = [p[c]! - ox, p[c + 1]! - oy, p[c + 2]! - oz];
    sum += ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
  }
  return sum;
}

function turnedOver(surface: Surface): Surface {
  const triangles = surface.triangles.slice();
  for (let t = 0; t < triangles.length; t += 3) {
    [triangles[t + 1], triangles[t + 2]] = [triangles[t + 2]!, triangles[t + 1]!];
  }
  return { ...surface, triangles };
}

/** A closed surface with its front outside. */
export function outward(surface: Surface): Surface {
  return surface.closed && signedVolume(surface) < 0 ? turnedOver(surface) : surface;
}

/** How {@link placed} moves a shape: scale, then rotation X, Y, Z (intrinsic), then offset. */
interface Placement {
  /** Offset in metres. */
  at?: Point;
  /** Rotation in degrees. */
  rot?: Point;
  scale?: Point;
}

/** A shape moved as a whole; a mirrored one is reversed, so that its front stays outside. */
export function placed(shape: Shape, placement: Placement): Shape {
  const move = pointMover(placement);
  const [sx, sy, sz] = placement.scale ?? [1, 1, 1];
  return shape.map((surface) => {
    const positions: number[] = [];
    for (let i = 0; i < surface.positions.length; i += 3) {
      positions.push(
        ...move([surface.positions[i]!, surface.positions[i + 1]!, surface.positions[i + 2]!]),
      );
    }
    const out = { ...surface, positions };
    return sx * sy * sz < 0 ? turnedOver(out) : out;
  });
}

/** The function that {@link placed} applies to each point. */
export function pointMover({ at, rot, scale }: Placement): (point: Point) => Point {
  const [ox, oy, oz] = at ?? [0, 0, 0];
  const [kx, ky, kz] = scale ?? [1, 1, 1];
  const [ax, ay, az] = (rot ?? [0, 0, 0]).map((degrees) => (degrees * Math.PI) / 180);
  const [cx, sx] = [cos(ax!), sin(ax!)];
  const [cy, sy] = [cos(ay!), sin(ay!)];
  const [cz, sz] = [cos(az!), sin(az!)];
  return ([px, py, pz]) => {
    let [x, y, z] = [px * kx, py * ky, pz * kz];
    [x, y] = [cz * x - sz * y, sz * x + cz * y];
    [x, z] = [cy * x + sy * z, cy * z - sy * x];
    [y, z] = [cx * y - sx * z, sx * y + cx * z];
    return [x + ox, y + oy, z + oz];
  };
}
