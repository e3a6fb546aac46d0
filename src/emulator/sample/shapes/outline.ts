/** Closed polygons in the plane, counter-clockwise, metres: plans of tops and seats. */
import { acos, cos, hypot, pow, sin, tan } from '../../../support/elementary.ts';
/** A point of a plan. */
export type Flat = readonly [number, number];

/** A plan, counter-clockwise, without a repeated last point. */
export type Outline = readonly Flat[];

/** A rectangle about the origin with round corners. */
export function roundedRectangle(w: number, d: number, radius: number, steps = 6): Outline {
  const r = Math.min(radius, w / 2 - 1e-4, d / 2 - 1e-4);
  const corners: readonly (readonly [number, number, number])[] = [
    [w / 2 - r, d / 2 - r, 0],
    [-(w / 2 - r), d / 2 - r, 90],
    [-(w / 2 - r), -(d / 2 - r), 180],
    [w / 2 - r, -(d / 2 - r), 270],
  ];
  return corners.flatMap(([x, y, start]) =>
    Array.from({ length: steps + 1 }, (_, i): Flat => {
      const angle = ((start + (90 * i) / steps) * Math.PI) / 180;
      return [x + r * cos(angle), y + r * sin(angle)];
    }),
  );
}

/** A superellipse about the origin: between an ellipse (2) and a rectangle (large exponent). */
export function superellipse(w: number, d: number, exponent: number, count = 64): Outline {
  const power = (value: number): number => Math.sign(value) * pow(Math.abs(value), 2 / exponent);
  return Array.from({ length: count }, (_, i): Flat => {
    const angle = (2 * Math.PI * i) / count;
    return [(w / 2) * power(cos(angle)), (d / 2) * power(sin(angle))];
  });
}

/** A boat: long sides that bulge, straight ends with round corners. */
export function boat(w: number, d: number, endDepth: number, radius: number): Outline {
  const side: Flat[] = Array.from({ length: 17 }, (_, i): Flat => {
    const t = i / 8 - 1;
    return [(-t * w) / 2, d / 2 - ((d - endDepth) / 2) * t * t];
  });
  const back = side.map(([x, y]): Flat => [-x, -y]);
  return roundCorners([...side, ...back], radius, 6, true);
}

/**
 * Rounds the corners of a plan or path.
 *
 * @param radius - Metres; reduced where the neighbouring sides are too short.
 * @param steps - Segments of an arc; corners flatter than 20° stay unchanged.
 */
export function roundCorners<P extends readonly number[]>(
  points: readonly P[],
  radius: number,
  steps: number,
  loop: boolean,
): P[] {
  const n = points.length;
  return points.flatMap((point, i) => {
    if (!loop && (i === 0 || i === n - 1)) return [point];
    return roundCorner(points[(i - 1 + n) % n]!, point, points[(i + 1) % n]!, radius, steps);
  });
}

function roundCorner<P extends readonly number[]>(
  before: P,
  point: P,
  after: P,
  radius: number,
  steps: number,
): P[] {
  const to = (other: P): number[] => other.map((value, k) => value - point[k]!);
  const [a, b] = [to(before), to(after)];
  const length = ([x = 0, y = 0, z = 0]: number[]): number => hypot(x, y, z);
  const [la, lb] = [length(a), length(b)];
  const [ua, ub] = [a.map((v) => v / la), b.map((v) => v / lb)];
  const cosine = ua.reduce((sum, value, k) => sum + value * ub[k]!, 0);
  const turn = Math.PI - acos(Math.max(-1, Math.min(1, cosine)));
  if (turn < 0.35 || turn > 3.1) return [point];
  const cut = Math.min(radius * tan(turn / 2), la * 0.49, lb * 0.49);
  const r = cut / tan(turn / 2);
  const bisector = ua.map((value, k) => value + ub[k]!);
  const lc = length(bisector);
  const centre = point.map((value, k) => value + (bisector[k]! / lc) * hypot(cut, r));
  const start = point.map((value, k) => value + ua[k]! * cut - centre[k]!);
  const end = point.map((value, k) => value + ub[k]! * cut - centre[k]!);
  return Array.from({ length: steps + 1 }, (_, i) => {
    const t = i / steps;
    const [ka, kb] = [sin((1 - t) * turn) / sin(turn), sin(t * turn) / sin(turn)];
    return centre.map((value, k) => value + ka * start[k]! + kb * end[k]!) as unknown as P;
  });
}

/** The length of a path up to each of its points. */
export function lengthsAlong(path: readonly Flat[]): number[] {
  let length = 0;
  return path.map(([x, y], i) => {
    const [px, py] = path[i - 1] ?? [x, y];
    length += hypot(x - px, y - py);
    return length;
  });
}

/** A plan with its sides moved inwards by a distance. */
export function inset(outline: Outline, distance: number): Outline {
  const n = outline.length;
  return outline.map(([x, y], i): Flat => {
    const [px, py] = outline[(i - 1 + n) % n]!;
    const [qx, qy] = outline[(i + 1) % n]!;
    const [l1, l2] = [hypot(x - px, y - py), hypot(qx - x, qy - y)];
    const [n1x, n1y] = [-(y - py) / l1, (x - px) / l1];
    const [n2x, n2y] = [-(qy - y) / l2, (qx - x) / l2];
    const k = distance / Math.max(0.2, 1 + n1x * n2x + n1y * n2y);
    return [x + (n1x + n2x) * k, y + (n1y + n2y) * k];
  });
}

/** Triangles of a simple polygon by cutting ears; indices into the outline, counter-clockwise. */
export function triangulate(outline: Outline): number[] {
  const rest = outline.map((_, i) => i);
  const out: number[] = [];
  const cross = (a: Flat, b: Flat, c: Flat): number =>
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  const isEar = (i: number): boolean => {
    const n = rest.length;
    const [ia, ib, ic] = [rest[(i - 1 + n) % n]!, rest[i]!, rest[(i + 1) % n]!];
    const [a, b, c] = [outline[ia]!, outline[ib]!, outline[ic]!];
    if (cross(a, b, c) <= 1e-14) return false;
    return !rest.some((k) => {
      if (k === ia || k === ib || k === ic) return false;
      const p = outline[k]!;
      return cross(a, b, p) > 1e-14 && cross(b, c, p) > 1e-14 && cross(c, a, p) > 1e-14;
    });
  };
  let at = 0;
  while (rest.length > 3) {
    const n = rest.length;
    // Continuing from the last ear (by two) avoids one large fan.
    let step = 0;
    while (step < n && !isEar((at + step) % n)) step++;
    const ear = step < n ? (at + step) % n : at % n;
    out.push(rest[(ear - 1 + n) % n]!, rest[ear]!, rest[(ear + 1) % n]!);
    rest.splice(ear, 1);
    at = ear + 1;
  }
  out.push(...rest);
  return out;
}
