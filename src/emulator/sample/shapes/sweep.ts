/** Sweeps a section along a path: tubes, wires, arm rests, piping, star base arms. */
import { cos, hypot, sin } from '../../../support/elementary.ts';
import { type Flat, lengthsAlong, type Outline, roundCorners } from './outline.ts';
import {
  addGrid,
  addTriangles,
  cross,
  dot,
  emptySurface,
  minus,
  outward,
  type Point,
  plus,
  type Shape,
  scaled,
  unit,
} from './surface.ts';

interface SweepOptions {
  /** Whether the path returns to its start. */
  loop?: boolean;
  /** Scale of the section at each path point (t from 0 to 1 by number of points); width, height. */
  scaleAt?: (t: number) => Flat;
  /** Direction of the section's second axis at the start. @defaultValue up, or front on a vertical path */
  up?: Point;
  /** Chamfer of both ends, metres. */
  endChamfer?: number;
}

/** A tube with a round section along a path; corners of the path are rounded first. */
export function tube(
  path: readonly Point[],
  radius: number,
  options: SweepOptions & { segments?: number; bend?: number; bendSteps?: number } = {},
): Shape {
  const { segments = 12, bend = 0, bendSteps = 6, loop = false } = options;
  const rounded = bend > 0 ? roundCorners(path, bend, bendSteps, loop) : path;
  const section = Array.from({ length: segments }, (_, i): Flat => {
    const angle = (2 * Math.PI * i) / segments;
    return [radius * cos(angle), radius * sin(angle)];
  });
  return sweep(section, rounded, { endChamfer: loop ? 0 : radius * 0.2, ...options });
}

/** A circle about the y axis, as a path that is a loop. */
export function circle(diameter: number, y: number, count: number): Point[] {
  return Array.from({ length: count }, (_, i): Point => {
    const angle = (2 * Math.PI * i) / count;
    return [(diameter / 2) * cos(angle), y, (diameter / 2) * sin(angle)];
  });
}

/** A closed section swept along a path of at least two points, its ends capped. */
export function sweep(section: Outline, path: readonly Point[], options: SweepOptions = {}): Shape {
  const { loop = false, scaleAt = () => [1, 1] as const, endChamfer = 0 } = options;
  const frames = framesAlong(path, loop, options.up);
  const size = Math.max(...section.map(([x, y]) => hypot(x, y)));
  let rings = path.map((point, i) => ({
    point,
    frame: frames[i]!,
    scale: scaleAt(i / (path.length - 1)),
    along: 0,
  }));
  if (!loop && endChamfer > 0) rings = withChamferedEnds(rings, endChamfer, size);
  if (loop) rings.push({ ...rings[0]! });
  for (let i = 1; i < rings.length; i++) {
    rings[i]!.along = rings[i - 1]!.along + distance(rings[i - 1]!.point, rings[i]!.point);
  }
  const around = lengthsAlong([...section, section[0]!]);
  const n = section.length;
  const at = (i: number, j: number): Point => {
    const { point, frame, scale } = rings[i]!;
    const [x, y] = section[j % n]!;
    return plus(plus(point, scaled(frame.side, x), scale[0]), scaled(frame.up, y), scale[1]);
  };
  const surface = emptySurface(true, true);
  addGrid(surface, rings.length - 1, n, (i, j) => ({
    point: at(i, j),
    uv: [rings[i]!.along, around[j]!],
  }));
  if (!loop) {
    // Seen against the path the section runs clockwise; seen along the path, counter-clockwise.
    for (const [ring, ahead] of [
      [0, false],
      [rings.length - 1, true],
    ] as const) {
      const points = section.map(([x, y], j) => ({ point: at(ring, j), uv: [x, y] as const }));
      const fan: number[] = [];
      for (let j = 1; j + 1 < n; j++) fan.push(0, ahead ? j + 1 : j, ahead ? j : j + 1);
      addTriangles(surface, points, fan);
    }
  }
  return [outward(surface)];
}

interface Frame {
  tangent: Point;
  side: Point;
  up: Point;
}

interface Ring {
  point: Point;
  frame: Frame;
  scale: Flat;
  along: number;
}

function withChamferedEnds(rings: Ring[], chamfer: number, size: number): Ring[] {
  const shrink = Math.max(0.3, 1 - chamfer / size);
  const end = (ring: Ring, inward: number): Ring => ({
    ...ring,
    point: plus(ring.point, ring.frame.tangent, inward * chamfer),
  });
  const narrow = (ring: Ring): Ring => ({
    ...ring,
    scale: [ring.scale[0] * shrink, ring.scale[1] * shrink],
  });
  const [first, last] = [rings[0]!, rings.at(-1)!];
  return [narrow(first), end(first, 1), ...rings.slice(1, -1), end(last, -1), narrow(last)];
}

/** Frames that turn as little as possible from one path point to the next. */
function framesAlong(path: readonly Point[], loop: boolean, up: Point | undefined): Frame[] {
  const n = path.length;
  const tangents = path.map((_, i) => {
    const before = path[loop ? (i - 1 + n) % n : Math.max(0, i - 1)]!;
    const after = path[loop ? (i + 1) % n : Math.min(n - 1, i + 1)]!;
    return unit(minus(after, before));
  });
  const first = tangents[0]!;
  let normal = up ?? (Math.abs(first[1]) > 0.9 ? ([0, 0, 1] as const) : ([0, 1, 0] as const));
  return tangents.map((tangent) => {
    normal = unit(minus(normal, scaled(tangent, dot(normal, tangent))));
    return { tangent, side: cross(normal, tangent), up: normal };
  });
}

const distance = (a: Point, b: Point): number => hypot(...minus(a, b));
