/** Bends a plan in space and gives it thickness: seat and back shells, upholstery pads. */
import { cos, pow, sin } from '../../../support/elementary.ts';
import type { Flat, Outline } from './outline.ts';
import {
  addGrid,
  cross,
  emptySurface,
  minus,
  outward,
  type Point,
  plus,
  type Shape,
  scaled,
  unit,
} from './surface.ts';

interface ShellOptions {
  /** Plan, counter-clockwise about its own origin (star-shaped seen from there). */
  outline: Outline;
  /** Position of a plan point in space. */
  bend: (x: number, y: number) => Point;
  /** Thickness in front of and behind the bent plan at t (0 in the middle, 1 at the rim), metres. */
  front: (t: number) => number;
  back: (t: number) => number;
  /** Rings from the middle to the rim. */
  rings?: number;
  /** Overhang of the rim, metres; half the rim's thickness makes it round. */
  rim?: number;
  /** Whether to omit the back and the rim, which makes a sheet. */
  sheet?: boolean;
}

/** A closed shell (or an open sheet) over a bent plan; its front faces x × y of the plan. */
export function shell(options: ShellOptions): Shape {
  const { outline, bend, front, back, rings = 8, rim = 0, sheet = false } = options;
  const n = outline.length;
  const at = (t: number, j: number, offset: number, out = 0): Point => {
    const [ox, oy] = outline[j % n]!;
    const [x, y] = [ox * t, oy * t];
    const { point, normal, away } = frameAt(bend, x, y, ox, oy);
    return plus(plus(point, normal, offset), away, out);
  };
  const uv = (t: number, j: number): Flat => {
    const [x, y] = outline[j % n]!;
    return [x * t, y * t];
  };
  const surface = emptySurface(!sheet, true);
  // Rings are closer near the rim, where a pad curves most.
  const ringAt = (i: number): number => 1 - pow(1 - i / rings, 1.5);
  addGrid(surface, rings, n, (i, j) => ({
    point: at(ringAt(i), j, front(ringAt(i))),
    uv: uv(ringAt(i), j),
  }));
  if (!sheet) {
    addGrid(surface, n, rings, (j, i) => ({
      point: at(ringAt(i), j, -back(ringAt(i))),
      uv: uv(ringAt(i), j),
    }));
    const [f, b] = [front(1), back(1)];
    const steps = rim > 0 ? 4 : 1;
    addGrid(surface, steps, n, (i, j) => {
      const angle = (i / steps) * Math.PI;
      const offset = (f - b) / 2 + (cos(angle) * (f + b)) / 2;
      const out = i === 0 || i === steps ? 0 : sin(angle) * rim;
      const [u, v] = uv(1, j);
      const grow = 1 + (i / steps) * 0.05;
      return { point: at(1, j, offset, out), uv: [u * grow, v * grow] };
    });
  }
  return [outward(surface)];
}

interface RowShellOptions {
  /** Cells along v (0 to 1) and across u (-1 to 1). */
  rows: number;
  columns: number;
  /** Position of a point in space; its front faces `du × dv`. */
  at: (u: number, v: number) => Point;
  uv: (u: number, v: number) => Flat;
  thickness: number;
}

/** A closed shell whose quads run in rows: for bends across its length. */
export function rowShell({ rows, columns, at, uv, thickness }: RowShellOptions): Shape {
  // Rows are closer at both ends, where the outline is round.
  const vAt = (j: number): number => {
    const t = j / rows;
    return t - 0.11 * sin(2 * Math.PI * t);
  };
  const uAt = (i: number): number => (2 * i) / columns - 1;
  const side = (i: number, j: number, k: -1 | 1): Point => {
    const [u, v] = [uAt(i), vAt(j)];
    return plus(at(u, v), normalOf(at, u, v), (k * thickness) / 2);
  };
  const surface = emptySurface(true, true);
  addGrid(surface, columns, rows, (i, j) => ({ point: side(i, j, 1), uv: uv(uAt(i), vAt(j)) }));
  addGrid(surface, rows, columns, (j, i) => ({ point: side(i, j, -1), uv: uv(uAt(i), vAt(j)) }));
  const rim = rimOf(columns, rows);
  addGrid(surface, 1, rim.length - 1, (k, r) => {
    const [i, j] = rim[r]!;
    return { point: side(i, j, k === 0 ? 1 : -1), uv: uv(uAt(i), vAt(j)) };
  });
  return [outward(surface)];
}

/** Grid points round a patch, counter-clockwise, back to the first. */
function rimOf(columns: number, rows: number): Flat[] {
  const out: Flat[] = [];
  for (let i = 0; i < columns; i++) out.push([i, 0]);
  for (let j = 0; j < rows; j++) out.push([columns, j]);
  for (let i = columns; i > 0; i--) out.push([i, rows]);
  for (let j = rows; j >= 0; j--) out.push([0, j]);
  return out;
}

function normalOf(at: (u: number, v: number) => Point, u: number, v: number): Point {
  const h = 1e-3;
  const [v0, v1] = [Math.max(0, v - h), Math.min(1, v + h)];
  return unit(cross(minus(at(u + h, v), at(u - h, v)), minus(at(u, v1), at(u, v0))));
}

function frameAt(
  bend: (x: number, y: number) => Point,
  x: number,
  y: number,
  ox: number,
  oy: number,
): { point: Point; normal: Point; away: Point } {
  const h = 1e-4;
  const du = unit(minus(bend(x + h, y), bend(x - h, y)));
  const dv = unit(minus(bend(x, y + h), bend(x, y - h)));
  const normal = unit(cross(du, dv));
  return { point: bend(x, y), normal, away: unit(plus(scaled(du, ox), dv, oy)) };
}
