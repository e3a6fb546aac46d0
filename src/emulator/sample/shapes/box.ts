/** Boards with chamfered edges, boxes with round edges, cushions. One corner at the origin. */
import { hypot, tan } from '../../../support/elementary.ts';
import {
  addGrid,
  addTriangles,
  cross,
  dot,
  emptySurface,
  minus,
  outward,
  type Point,
  type Shape,
} from './surface.ts';

/**
 * A box with chamfered edges: the shape of boards, panels and profiles.
 *
 * A single 45° chamfer keeps the large faces flat under crease normals: 44 triangles.
 */
export function chamferedBox(w: number, h: number, d: number, chamfer: number): Shape {
  const size = [w, h, d] as const;
  const c = Math.min(chamfer, w / 3, h / 3, d / 3);
  const corner = (signs: readonly number[], face: number): Point =>
    [0, 1, 2].map((axis) => {
      const inset = axis === face ? 0 : c;
      return signs[axis]! < 0 ? inset : size[axis]! - inset;
    }) as unknown as Point;
  const surface = emptySurface(true);
  const polygon = (points: Point[]): void => {
    const triangles = points.length === 4 ? [0, 1, 2, 0, 2, 3] : [0, 1, 2];
    const faces = facesAway(points, [w / 2, h / 2, d / 2]);
    const ordered = faces ? points : points.slice().reverse();
    addTriangles(
      surface,
      ordered.map((point) => ({ point })),
      triangles,
    );
  };
  const signs = [-1, 1];
  for (const face of [0, 1, 2]) {
    const [u, v] = [(face + 1) % 3, (face + 2) % 3];
    for (const side of signs) {
      const at = (su: number, sv: number): Point => {
        const s = [0, 0, 0];
        [s[face], s[u], s[v]] = [side, su, sv];
        return corner(s, face);
      };
      polygon([at(-1, -1), at(1, -1), at(1, 1), at(-1, 1)]);
      // the chamfer between this face and the next one round
      for (const other of signs) {
        const s = (along: number): number[] => {
          const out = [0, 0, 0];
          [out[face], out[u], out[v]] = [side, other, along];
          return out;
        };
        polygon([corner(s(-1), face), corner(s(1), face), corner(s(1), u), corner(s(-1), u)]);
      }
    }
  }
  for (const x of signs)
    for (const y of signs)
      for (const z of signs) polygon([0, 1, 2].map((face) => corner([x, y, z], face)));
  return [outward(surface)];
}

function facesAway(points: readonly Point[], centre: Point): boolean {
  const [a, b, c] = [points[0]!, points[1]!, points[2]!];
  return dot(cross(minus(b, a), minus(c, a)), minus(a, centre)) > 0;
}

/** A grid line of a rounded box: the end of the flat part, and the angle around the edge. */
interface Line {
  base: number;
  tangent: number;
}

/** Grid lines along an axis: half an edge, flat cells, half an edge. */
function lines(length: number, radius: number, steps: number, cells: number): Line[] {
  const edge = Array.from({ length: steps }, (_, i) => tan(((i - steps) / steps) * (Math.PI / 4)));
  const out: Line[] = edge.map((tangent) => ({ base: radius, tangent }));
  const flat = length - 2 * radius;
  // A narrow cell beside each round edge keeps the shading of the flat part flat.
  const border = Math.min(radius * 0.6, flat / 4);
  out.push({ base: radius, tangent: 0 }, { base: radius + border, tangent: 0 });
  for (let i = 1; i < cells; i++) {
    out.push({ base: radius + border + ((flat - 2 * border) * i) / cells, tangent: 0 });
  }
  out.push({ base: length - radius - border, tangent: 0 }, { base: length - radius, tangent: 0 });
  for (const tangent of edge.reverse()) out.push({ base: length - radius, tangent: -tangent });
  return out;
}

/**
 * A box with round edges and corners.
 *
 * @param steps - Segments of half an edge (45°); 2 is enough for radii below 20 mm.
 * @param cells - Cells of the flat part in each direction; more than 1 is for {@link cushion}.
 */
export function roundedBox(
  w: number,
  h: number,
  d: number,
  radius: number,
  steps = 2,
  cells = 1,
): Shape {
  const size = [w, h, d] as const;
  const r = Math.min(radius, w * 0.49, h * 0.49, d * 0.49);
  const grid = size.map((length) => lines(length, r, steps, cells));
  const surface = emptySurface(true);
  for (const face of [0, 1, 2]) {
    const [u, v] = [(face + 1) % 3, (face + 2) % 3] as [number, number];
    for (const side of [-1, 1]) {
      const [ua, va] = side > 0 ? [u, v] : [v, u];
      const [ul, vl] = [grid[ua]!, grid[va]!];
      addGrid(surface, ul.length - 1, vl.length - 1, (i, j) => {
        const base: [number, number, number] = [0, 0, 0];
        const dir: [number, number, number] = [0, 0, 0];
        [base[face], dir[face]] = [side < 0 ? r : size[face]! - r, side];
        [base[ua], dir[ua]] = [ul[i]!.base, ul[i]!.tangent];
        [base[va], dir[va]] = [vl[j]!.base, vl[j]!.tangent];
        const scale = r / hypot(...dir);
        return { point: base.map((b, axis) => b + dir[axis]! * scale) as unknown as Point };
      });
    }
  }
  return [outward(surface)];
}

interface CushionOptions {
  /** Radius of its edges, metres. */
  radius: number;
  /** Rise of the middle of its top, metres. */
  crown: number;
  /** Bulge of the middle of its sides, metres. */
  bulge: number;
  /** Sag of the middle of its bottom, metres. */
  belly?: number;
}

/** A cushion: a round-edged box whose faces bulge. */
export function cushion(w: number, h: number, d: number, options: CushionOptions): Shape {
  const { radius, crown, bulge, belly = 0 } = options;
  const [box] = roundedBox(w, h, d, radius, 3, 4);
  const p = box!.positions;
  for (let i = 0; i < p.length; i += 3) {
    const [x, y, z] = [(2 * p[i]!) / w - 1, (2 * p[i + 1]!) / h - 1, (2 * p[i + 2]!) / d - 1];
    const [fx, fy, fz] = [1 - x * x, 1 - y * y, 1 - z * z];
    const rise = y > 0 ? crown : belly;
    p[i] = p[i]! + bulge * x * fy * fz;
    p[i + 1] = p[i + 1]! + rise * y * Math.sqrt(Math.max(0, fx * fz));
    p[i + 2] = p[i + 2]! + bulge * z * fy * fx;
  }
  return [box!];
}
