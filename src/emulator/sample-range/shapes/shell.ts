/**
 * Shell: a plan bent in space and given thickness: seat and back shells, upholstery pads.
 */
import type { Flat, Outline } from './outline.ts';
import { addGrid, emptySurface, outward, type Point, type Shape } from './surface.ts';

/** What a shell is made of. */
export interface ShellOptions {
  /** Plan, counter-clockwise about its own origin (star-shaped seen from there). */
  outline: Outline;
  /** Where a plan point lies in space. */
  bend: (x: number, y: number) => Point;
  /** Thickness in front of and behind the bent plan at t (0 in the middle, 1 at the rim), metres. */
  front: (t: number) => number;
  back: (t: number) => number;
  /** Rings from the middle to the rim. */
  rings?: number;
  /** How far the rim stands out, metres; half the rim's thickness makes it round. */
  rim?: number;
  /** Leaves out the back and the rim: a sheet. */
  sheet?: boolean;
}

/** A closed shell (or an open sheet) over a bent plan; its front is where x × y of the plan looks. */
export function shell(options: ShellOptions): Shape {
  const { outline, bend, front, back, rings = 8, rim = 0, sheet = false } = options;
  const n = outline.length;
  const at = (t: number, j: number, offset: number, out = 0): Point => {
    const [ox, oy] = outline[j % n]!;
    const [x, y] = [ox * t, oy * t];
    const { point, normal, away } = frameAt(bend, x, y, ox, oy);
    return [0, 1, 2].map(
      (k) => point[k]! + normal[k]! * offset + away[k]! * out,
    ) as unknown as Point;
  };
  const uv = (t: number, j: number): Flat => {
    const [x, y] = outline[j % n]!;
    return [x * t, y * t];
  };
  const surface = emptySurface(!sheet, true);
  // Rings stand closer towards the rim, where a pad curves most.
  const ringAt = (i: number): number => 1 - (1 - i / rings) ** 1.5;
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
      const offset = (f - b) / 2 + (Math.cos(angle) * (f + b)) / 2;
      const out = i === 0 || i === steps ? 0 : Math.sin(angle) * rim;
      const [u, v] = uv(1, j);
      const grow = 1 + (i / steps) * 0.05;
      return { point: at(1, j, offset, out), uv: [u * grow, v * grow] };
    });
  }
  return [outward(surface)];
}

function frameAt(
  bend: (x: number, y: number) => Point,
  x: number,
  y: number,
  ox: number,
  oy: number,
): { point: Point; normal: Point; away: Point } {
  const h = 1e-4;
  const [px, mx] = [bend(x + h, y), bend(x - h, y)];
  const [py, my] = [bend(x, y + h), bend(x, y - h)];
  const du = unit([px[0] - mx[0], px[1] - mx[1], px[2] - mx[2]]);
  const dv = unit([py[0] - my[0], py[1] - my[1], py[2] - my[2]]);
  const normal = unit([
    du[1] * dv[2] - du[2] * dv[1],
    du[2] * dv[0] - du[0] * dv[2],
    du[0] * dv[1] - du[1] * dv[0],
  ]);
  const away = unit([du[0] * ox + dv[0] * oy, du[1] * ox + dv[1] * oy, du[2] * ox + dv[2] * oy]);
  return { point: bend(x, y), normal, away };
}

function unit(a: Point): Point {
  const length = Math.max(1e-12, Math.hypot(...a));
  return [a[0] / length, a[1] / length, a[2] / length];
}
