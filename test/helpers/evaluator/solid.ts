/**
 * Solid: the parameters of a solid node, and the ideal body that they describe.
 *
 * @see D-200.
 */
import { isObject, numberOf } from './json.ts';
import { dot, length, unit, type Vec3 } from './vectors.ts';

export interface Solid {
  type: string;
  boundsMin: Vec3;
  boundsMax: Vec3;
  /** Of the faceted body with the segments of the rule; undefined where the rule leaves it open. */
  area: number | undefined;
  volume: number | undefined;
  idealVolume: number;
  /** How far a vertex lies from the ideal surface. */
  distance: (point: Vec3) => number;
  /** The ideal outward normals at a vertex within `slack` of the faces: more than one where faces meet. */
  normals: (point: Vec3, slack: number) => Vec3[];
  /** Largest sag between the ideal surface and a facet. */
  sag: number;
  /** How fast the ideal normal turns along the surface at most, in radians a metre: 0 of planes. */
  curvature: number;
}

const SIZE = [
  ['w', 'width', 'x'],
  ['h', 'height', 'y'],
  ['d', 'depth', 'z'],
];
const RADIUS = ['r', 'rad', 'radius'];

/** The parameters of each type, in their order, as they may be spelled. */
export const SOLID_PARAMETERS: Record<string, readonly (readonly string[])[]> = {
  block: SIZE,
  frame: [...SIZE, ['t', 'th', 'thick', 'thickness']],
  cyl: [['l', 'len', 'length'], RADIUS],
  sphere: [RADIUS],
  ellipsoid: [['rx'], ['ry'], ['rz']],
};

/** Reads a solid; undefined where its parameters cannot be read. */
export function solidOf(type: string, params: unknown, toleranceMetres: number): Solid | undefined {
  const names = SOLID_PARAMETERS[type] ?? [];
  const values = names.map((spellings, index) => parameter(params, spellings, index));
  if (values.some((value) => value === undefined || value <= 0)) return undefined;
  const numbers = values as number[];
  if (type === 'block') return cuboid(numbers as [number, number, number]);
  if (type === 'frame') return frame(numbers as [number, number, number, number]);
  if (type === 'cyl') return cylinder(numbers as [number, number], toleranceMetres);
  const radii = type === 'sphere' ? [numbers[0]!, numbers[0]!, numbers[0]!] : numbers;
  return ellipsoid(type, radii as unknown as Vec3, toleranceMetres);
}

function parameter(params: unknown, spellings: readonly string[], index: number) {
  if (Array.isArray(params)) return numberOf(params[index]);
  if (typeof params === 'string') return numberOf(params.trim().split(/[\s,;]+/)[index]);
  if (!isObject(params)) return undefined;
  const found = Object.entries(params).find(([key]) => spellings.includes(key.toLowerCase()));
  return numberOf(found?.[1]);
}

/** Segments around: D-200. */
export function segmentsOf(radius: number, tolerance: number): number {
  const needed = Math.ceil(Math.PI / Math.acos(1 - tolerance / radius));
  return Math.min(96, Math.max(16, Number.isNaN(needed) ? 16 : needed));
}

function cuboid([w, h, d]: Vec3): Solid {
  return {
    ...{ type: 'block', boundsMin: [0, 0, 0], boundsMax: [w, h, d], sag: 0, curvature: 0 },
    area: 2 * (w * h + h * d + w * d),
    volume: w * h * d,
    idealVolume: w * h * d,
    ...planes([
      [0, 0, w],
      [1, 0, h],
      [2, 0, d],
    ]),
  };
}

function frame([w, h, d, t]: readonly [number, number, number, number]): Solid | undefined {
  if (w <= 2 * t || h <= 2 * t) return undefined;
  const face = w * h - (w - 2 * t) * (h - 2 * t);
  const around = 2 * d * (w + h) + 2 * d * (w - 2 * t + (h - 2 * t));
  const outer = cuboid([w, h, d]);
  const hole = planes([
    [0, w - t, t],
    [1, h - t, t],
  ]);
  return {
    ...outer,
    type: 'frame',
    area: 2 * face + around,
    volume: face * d,
    idealVolume: face * d,
    distance: (p) => Math.min(outer.distance(p), hole.distance(p)),
    normals: (p, slack) => [...outer.normals(p, slack), ...hole.normals(p, slack)],
  };
}

/** Pairs of planes: axis, where the normal points down the axis, where it points up. */
function planes(pairs: readonly (readonly [0 | 1 | 2, number, number])[]) {
  const all = pairs.flatMap(([axis, low, high]) => [
    { axis, at: low, sign: -1 },
    { axis, at: high, sign: 1 },
  ]);
  const off = (p: Vec3, plane: { axis: 0 | 1 | 2; at: number }) =>
    Math.abs(p[plane.axis] - plane.at);
  const normalOf = ({ axis, sign }: { axis: number; sign: number }): Vec3 => {
    const n = [0, 0, 0];
    n[axis] = sign;
    return n as unknown as Vec3;
  };
  return {
    distance: (p: Vec3) => Math.min(...all.map((plane) => off(p, plane))),
    normals: (p: Vec3, slack: number) => all.filter((plane) => off(p, plane) < slack).map(normalOf),
  };
}

function cylinder([l, r]: readonly [number, number], tolerance: number): Solid {
  const n = segmentsOf(r, tolerance);
  const polygon = (n / 2) * r * r * Math.sin((2 * Math.PI) / n);
  const { min, max } = ringBounds(n);
  const side = (p: Vec3) => Math.abs(Math.hypot(p[0], p[2]) - r);
  const caps = planes([[1, 0, l]]);
  return {
    type: 'cyl',
    boundsMin: [min[0] * r, 0, min[1] * r],
    boundsMax: [max[0] * r, l, max[1] * r],
    area: 2 * polygon + n * 2 * r * Math.sin(Math.PI / n) * l,
    volume: polygon * l,
    idealVolume: Math.PI * r * r * l,
    sag: r * (1 - Math.cos(Math.PI / n)),
    curvature: 1 / r,
    distance: (p) => Math.min(caps.distance(p), side(p)),
    normals: (p, slack) => {
      const around: Vec3[] = side(p) < slack ? [unit([p[0], 0, p[2]])] : [];
      return [...around, ...caps.normals(p, slack)];
    },
  };
}

/** Bounds of a ring of radius 1 in x and z whose first vertex lies on +x. */
function ringBounds(n: number) {
  const angles = Array.from({ length: n }, (_, k) => (2 * Math.PI * k) / n);
  const x = angles.map(Math.cos);
  const z = angles.map(Math.sin);
  return {
    min: [Math.min(...x), Math.min(...z)] as const,
    max: [Math.max(...x), Math.max(...z)] as const,
  };
}

function ellipsoid(type: string, radii: Vec3, tolerance: number): Solid {
  const n = segmentsOf(Math.max(...radii), tolerance);
  const rings = n / 2;
  const { min, max } = ringBounds(n);
  // With an odd number of rings no ring lies on the equator.
  const widest = rings % 2 === 0 ? 1 : undefined;
  const [rx, ry, rz] = radii;
  const onUnit = (p: Vec3): Vec3 => [p[0] / rx, p[1] / ry, p[2] / rz];
  return {
    type,
    boundsMin: [widest ? min[0] * rx : Number.NaN, -ry, widest ? min[1] * rz : Number.NaN],
    boundsMax: [widest ? max[0] * rx : Number.NaN, ry, widest ? max[1] * rz : Number.NaN],
    area: undefined,
    volume: Number.isInteger(rings) ? rx * ry * rz * facetedBall(n, rings) : undefined,
    idealVolume: (4 / 3) * Math.PI * rx * ry * rz,
    sag: 2 * Math.max(...radii) * (1 - Math.cos(Math.PI / n)),
    curvature: Math.max(...radii) / Math.min(...radii) ** 2,
    // Along the gradient: the point in the direction of the centre is much farther where radii differ.
    distance: (p) => {
      const q = onUnit(p);
      return Math.abs(dot(q, q) - 1) / (2 * length(onUnit(q)));
    },
    normals: (p) => [unit([p[0] / rx ** 2, p[1] / ry ** 2, p[2] / rz ** 2])],
  };
}

/** Volume of a ball of radius 1 made of bands of trapezia: frusta of regular polygons. */
function facetedBall(segments: number, bands: number): number {
  const polygon = (segments / 2) * Math.sin((2 * Math.PI) / segments);
  let volume = 0;
  for (let band = 0; band < bands; band++) {
    const [low, high] = [band, band + 1].map((k) => (Math.PI * k) / bands) as [number, number];
    const [a, b] = [Math.sin(low), Math.sin(high)];
    const height = Math.cos(low) - Math.cos(high);
    volume += (polygon * height * (a * a + a * b + b * b)) / 3;
  }
  return volume;
}
