/**
 * Solids: cuboids, frames, cylinders, spheres and ellipsoids drawn from their own parameters.
 *
 * In: lengths in metres. Out: a prepared mesh with its normals, closed, counter-clockwise from
 * outside. Its UVs are projected like those of any part without its own.
 */
import type { PartsListNode, Vec3 } from '../model/graphics.ts';
import type { ConvertOptions } from './convert-options.ts';
import { type PreparedMesh, preparedFrom } from './prepared-mesh.ts';
import { type SolidType, solidLengths } from './solid-params.ts';

type SolidMaker = (lengths: number[], toleranceMetres: number) => PreparedMesh | undefined;

const MAKERS = {
  block: ([w, h, d]) => polyhedron(cuboidFaces(w!, h!, d!)),
  frame: ([w, h, d, t]) =>
    w! > 2 * t! && h! > 2 * t! ? polyhedron(frameFaces(w!, h!, d!, t!)) : undefined,
  cyl: ([length, radius], tolerance) => cylinder(length!, radius!, segmentsOf(radius!, tolerance)),
  sphere: ([r], tolerance) => ellipsoid([r!, r!, r!], segmentsOf(r!, tolerance)),
  ellipsoid: ([x, y, z], tolerance) =>
    ellipsoid([x!, y!, z!], segmentsOf(Math.max(x!, y!, z!), tolerance)),
} as const satisfies Record<SolidType, SolidMaker>;

/**
 * Makes the mesh of a solid node.
 *
 * @returns Part frame, metres; undefined where the parameters cannot be read.
 *
 * @example
 * ```ts
 * makeSolid({ ...node, type: 'block', params: [1, 2, 3] }, CONVERT_DEFAULTS)?.surfaces[0]?.points.length;
 * // → 36
 * ```
 *
 * @see D-200.
 */
export function makeSolid(
  node: Pick<PartsListNode, 'type' | 'params'>,
  options: Pick<ConvertOptions, 'curveToleranceMetres'>,
): PreparedMesh | undefined {
  const type = node.type as SolidType;
  const lengths = solidLengths(type, node.params);
  return lengths && MAKERS[type](lengths, options.curveToleranceMetres);
}

/** Sides of a circle that stay within the tolerance of it: 16 at least, 96 at most. */
export function segmentsOf(radiusMetres: number, toleranceMetres: number): number {
  const wanted = Math.ceil(Math.PI / Math.acos(Math.max(-1, 1 - toleranceMetres / radiusMetres)));
  return Math.min(96, Math.max(16, Number.isFinite(wanted) ? wanted : 96));
}

/** Four corners, counter-clockwise from outside. */
type Quad = readonly [Vec3, Vec3, Vec3, Vec3];

/** Flat faces: each quad has points and a normal of its own. */
function polyhedron(quads: readonly Quad[]): PreparedMesh {
  const points: Vec3[] = [];
  const index = new Map<string, number>();
  const corners = { points: [] as number[], normals: [] as number[] };
  const normals: number[] = [];
  quads.forEach((quad, face) => {
    normals.push(...normalOf(quad));
    for (const k of [0, 1, 2, 0, 2, 3]) {
      const point = quad[k]!;
      const key = point.join();
      if (!index.has(key)) index.set(key, points.push(point) - 1);
      corners.points.push(index.get(key)!);
      corners.normals.push(face);
    }
  });
  return preparedFrom(Float32Array.from(points.flat()), Float32Array.from(normals), {
    points: Uint32Array.from(corners.points),
    normals: Uint32Array.from(corners.normals),
  });
}

/** Quads are axis-aligned, so their normals are exact. */
function normalOf([a, b, c]: Quad): number[] {
  const u = [b[0] - a[0], b[1] - a[1], b[2] - a[2]] as const;
  const v = [c[0] - b[0], c[1] - b[1], c[2] - b[2]] as const;
  return [
    Math.sign(u[1] * v[2] - u[2] * v[1]),
    Math.sign(u[2] * v[0] - u[0] * v[2]),
    Math.sign(u[0] * v[1] - u[1] * v[0]),
  ];
}

/** The four sides around z of a rectangle from (x0, y0) to (x1, y1), and its two ends. */
function sides(x0: number, y0: number, x1: number, y1: number, d: number): Quad[] {
  return [
    [
      [x0, y0, 0],
      [x1, y0, 0],
      [x1, y0, d],
      [x0, y0, d],
    ],
    [
      [x1, y0, 0],
      [x1, y1, 0],
      [x1, y1, d],
      [x1, y0, d],
    ],
    [
      [x1, y1, 0],
      [x0, y1, 0],
      [x0, y1, d],
      [x1, y1, d],
    ],
    [
      [x0, y1, 0],
      [x0, y0, 0],
      [x0, y0, d],
      [x0, y1, d],
    ],
  ];
}

function ends(x0: number, y0: number, x1: number, y1: number, d: number): Quad[] {
  return [
    [
      [x0, y0, d],
      [x1, y0, d],
      [x1, y1, d],
      [x0, y1, d],
    ],
    [
      [x1, y0, 0],
      [x0, y0, 0],
      [x0, y1, 0],
      [x1, y1, 0],
    ],
  ];
}

function cuboidFaces(w: number, h: number, d: number): Quad[] {
  return [...sides(0, 0, w, h, d), ...ends(0, 0, w, h, d)];
}

/** The ends are mitred: four trapezia each, corner to corner, so that the mesh has no T-joint. */
function frameFaces(w: number, h: number, d: number, t: number): Quad[] {
  const inner = sides(t, t, w - t, h - t, d).map(turnOver);
  const outerCorners = [
    [0, 0],
    [w, 0],
    [w, h],
    [0, h],
  ] as const;
  const innerCorners = [
    [t, t],
    [w - t, t],
    [w - t, h - t],
    [t, h - t],
  ] as const;
  const trapezia = outerCorners.flatMap((corner, k): Quad[] => {
    const next = outerCorners[(k + 1) % 4]!;
    const innerNext = innerCorners[(k + 1) % 4]!;
    const inside = innerCorners[k]!;
    const front: Quad = [
      [...corner, d],
      [...next, d],
      [...innerNext, d],
      [...inside, d],
    ];
    const back: Quad = [
      [...next, 0],
      [...corner, 0],
      [...inside, 0],
      [...innerNext, 0],
    ];
    return [front, back];
  });
  return [...sides(0, 0, w, h, d), ...inner, ...trapezia];
}

function turnOver([a, b, c, d]: Quad): Quad {
  return [a, d, c, b];
}

/** Cosine and sine of each step around +Y: from +x towards +z. */
function circle(segments: number): [number, number][] {
  return Array.from({ length: segments }, (_, i) => {
    const angle = (2 * Math.PI * i) / segments;
    return [Math.cos(angle), Math.sin(angle)];
  });
}

/** Axis +Y, base centre at the origin; a smooth mantle and two flat caps. */
function cylinder(length: number, radius: number, segments: number): PreparedMesh {
  const ring = circle(segments);
  const positions = [0, length].flatMap((y) =>
    ring.flatMap(([c, s]) => [radius * c, y, radius * s]),
  );
  positions.push(0, 0, 0, 0, length, 0);
  const normals = [...ring.flatMap(([c, s]) => [c, 0, s]), 0, -1, 0, 0, 1, 0];
  const [bottom, top] = [2 * segments, 2 * segments + 1];
  const corners = { points: [] as number[], normals: [] as number[] };
  for (let i = 0; i < segments; i++) {
    const j = (i + 1) % segments;
    corners.points.push(i, segments + i, segments + j, i, segments + j, j);
    corners.normals.push(i, i, j, i, j, j);
    corners.points.push(bottom, i, j, top, segments + j, segments + i);
    corners.normals.push(segments, segments, segments, segments + 1, segments + 1, segments + 1);
  }
  return preparedFrom(Float32Array.from(positions), Float32Array.from(normals), {
    points: Uint32Array.from(corners.points),
    normals: Uint32Array.from(corners.normals),
  });
}

/** Centred at the origin, poles on Y, half as many rings as segments. */
function ellipsoid([rx, ry, rz]: Vec3, segments: number): PreparedMesh {
  const rings = Math.floor(segments / 2);
  const around = circle(segments);
  const units: [number, number, number][] = [[0, -1, 0]];
  for (let ring = 1; ring < rings; ring++) {
    const latitude = Math.PI * (ring / rings - 0.5);
    const y = Math.sin(latitude);
    for (const [c, s] of around) units.push([Math.cos(latitude) * c, y, Math.cos(latitude) * s]);
  }
  units.push([0, 1, 0]);
  const points = Uint32Array.from(ellipsoidTriangles(rings, segments, units.length - 1));
  return preparedFrom(
    Float32Array.from(units.flatMap(([x, y, z]) => [rx * x, ry * y, rz * z])),
    Float32Array.from(units.flatMap(([x, y, z]) => unitOf(x / rx, y / ry, z / rz))),
    { points, normals: points },
  );
}

function ellipsoidTriangles(rings: number, segments: number, northPole: number): number[] {
  const at = (ring: number, i: number) => 1 + (ring - 1) * segments + (i % segments);
  const points: number[] = [];
  for (let i = 0; i < segments; i++) {
    points.push(0, at(1, i), at(1, i + 1));
    for (let ring = 1; ring < rings - 1; ring++) {
      const [a, b] = [at(ring, i), at(ring, i + 1)];
      const [c, d] = [at(ring + 1, i), at(ring + 1, i + 1)];
      points.push(a, c, d, a, d, b);
    }
    points.push(northPole, at(rings - 1, i + 1), at(rings - 1, i));
  }
  return points;
}

function unitOf(x: number, y: number, z: number): number[] {
  const length = Math.hypot(x, y, z);
  return [x / length, y / length, z / length];
}
