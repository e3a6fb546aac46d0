/**
 * Block: what the JSON of one single part means, before any part uses it.
 *
 * @see D-105, D-301 to D-305.
 */
import { isObject, type Json, threeOf } from './json.ts';
import { apply, cross, facing, length, minus, turnOf, type Vec2, type Vec3 } from './vectors.ts';

/** A triangle that stays, in the order in which its corners run around its front. */
export interface BlockTriangle {
  /** Rounded to float32, before P and R. */
  corners: readonly [Vec3, Vec3, Vec3];
  /** Stored texture coordinates, bottom-left origin, where its surface has usable ones. */
  uvs: readonly [Vec2, Vec2, Vec2] | undefined;
}

export interface BlockSurface {
  triangles: BlockTriangle[];
  closed: boolean;
  flipped: boolean;
}

export interface EvaluatedBlock {
  surfaces: BlockSurface[];
  /** Places a corner inside the part. */
  place: (corner: Vec3) => Vec3;
  placed: boolean;
  dropped: number;
}

type Winding = 'auto' | 'keep' | 'flip';

/** Evaluates the parsed JSON of GET block. */
export function evaluateBlock(json: Json, winding: Winding): EvaluatedBlock {
  const points = pointsOf(json.V);
  const raw = (Array.isArray(json.A) ? json.A : []).filter(isObject);
  const firstPoint = pointBase(
    raw.flatMap((surface) => numbers(surface.F)),
    points.length,
  );
  const uvAt = storedUvs(
    json.T,
    raw.flatMap((surface) => numbers(surface.TI)),
  );
  let dropped = 0;
  const surfaces = raw.map((surface) => {
    const { kept, all } = trianglesOf(surface, points, firstPoint, uvAt);
    dropped += all - kept.length;
    const closed = typeof surface.C === 'boolean' ? surface.C : closedByEdges(kept);
    return { triangles: kept, closed, flipped: false };
  });
  const turn = turnOf(threeOf(json.R, 0));
  const [px, py, pz] = threeOf(json.P, 0);
  const place = (corner: Vec3): Vec3 => {
    const [x, y, z] = apply(turn, corner);
    return [x + px, y + py, z + pz];
  };
  const placed = [...threeOf(json.P, 0), ...threeOf(json.R, 0)].some((value) => value !== 0);
  return { surfaces: wound(surfaces, winding), place, placed, dropped };
}

/** Every value of a list or of a list of lists; what is no number is NaN. */
function numbers(value: unknown): number[] {
  if (!Array.isArray(value)) return [];
  return value.flat().map((entry) => (typeof entry === 'number' ? entry : Number.NaN));
}

function pointsOf(value: unknown): Vec3[] {
  const flat = numbers(value).map(Math.fround);
  const points: Vec3[] = [];
  for (let i = 0; i + 2 < flat.length; i += 3) points.push([flat[i]!, flat[i + 1]!, flat[i + 2]!]);
  return points;
}

/** What is no integer is no index, and takes no part in judging. */
function pointBase(indices: number[], points: number): 0 | 1 {
  const { smallest, biggest } = span(indices.filter(Number.isInteger));
  return smallest === 1 && biggest === points ? 1 : 0;
}

function span(values: number[]): { smallest: number; biggest: number } {
  let smallest = Infinity;
  let biggest = -Infinity;
  for (const value of values) {
    if (value < smallest) smallest = value;
    if (value > biggest) biggest = value;
  }
  return { smallest, biggest };
}

/** How a texture index becomes U and V; undefined for an index out of range. */
function storedUvs(value: unknown, indices: number[]): (index: number) => Vec2 | undefined {
  const flat = numbers(value);
  const n = flat.length;
  const { smallest: a, biggest: b } = span(indices.filter(Number.isInteger));
  const nested = Array.isArray(value) && Array.isArray(value[0]) ? value[0].length : 0;
  const [floats, first] = nested > 0 ? [nested, nestedBase()] : flatLayout();
  return (index) => {
    const entry = index - first;
    const inRange = Number.isInteger(entry) && entry >= 0 && floats * (entry + 1) <= n;
    return inRange ? [flat[floats * entry]!, flat[floats * entry + 1]!] : undefined;
  };

  function nestedBase(): number {
    return nested * (b + 1) !== n && a === 1 && nested * b === n ? 1 : 0;
  }
  function flatLayout(): [number, number] {
    if (2 * (b + 1) === n) return [2, 0];
    if (3 * (b + 1) === n) return [3, 0];
    if (a === 1 && 2 * b === n) return [2, 1];
    if (a === 1 && 3 * b === n) return [3, 1];
    return n % 2 === 0 && 2 * (b + 1) < n ? [2, 0] : [3, 0];
  }
}

function trianglesOf(
  surface: Json,
  points: Vec3[],
  firstPoint: number,
  uvAt: (index: number) => Vec2 | undefined,
): { kept: BlockTriangle[]; all: number } {
  const f = numbers(surface.F);
  const uvs = numbers(surface.TI).map(uvAt);
  const usable = uvs.length === f.length && uvs.every((uv) => uv !== undefined);
  const kept: BlockTriangle[] = [];
  const all = Math.floor(f.length / 3);
  for (let i = 0; i < 3 * all; i += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => points[f[i + k]! - firstPoint]);
    if (!a || !b || !c) continue;
    if (![...a, ...b, ...c].every(Number.isFinite)) continue;
    const repeated = f[i] === f[i + 1] || f[i + 1] === f[i + 2] || f[i] === f[i + 2];
    if (repeated || length(facing(a, b, c)) === 0) continue;
    kept.push({
      corners: [a, b, c],
      uvs: usable ? [uvs[i]!, uvs[i + 1]!, uvs[i + 2]!] : undefined,
    });
  }
  return { kept, all };
}

/** Text that is equal for equal positions; −0 is 0. */
export const pointKey = ([x, y, z]: Vec3): string => `${x},${y},${z}`;

/** Every edge is run through as often one way as the other. */
function closedByEdges(triangles: BlockTriangle[]): boolean {
  const balance = new Map<string, number>();
  for (const { corners } of triangles) {
    const keys = corners.map(pointKey);
    for (let i = 0; i < 3; i++) {
      const from = keys[i]!;
      const to = keys[(i + 1) % 3]!;
      const edge = from < to ? `${from}|${to}` : `${to}|${from}`;
      balance.set(edge, (balance.get(edge) ?? 0) + (from < to ? 1 : -1));
    }
  }
  return triangles.length > 0 && [...balance.values()].every((sum) => sum === 0);
}

function wound(surfaces: BlockSurface[], winding: Winding): BlockSurface[] {
  if (winding === 'keep') return surfaces;
  if (winding === 'flip') return surfaces.map(flip);
  const closed = surfaces.map((s) => (s.closed && signedVolume(s.triangles) < 0 ? flip(s) : s));
  let vote = 0;
  for (const s of closed)
    if (s.closed) vote += s.flipped ? s.triangles.length : -s.triangles.length;
  return closed.map((s) => (!s.closed && vote > 0 ? flip(s) : s));
}

function flip(surface: BlockSurface): BlockSurface {
  const triangles = surface.triangles.map(({ corners: [a, b, c], uvs }): BlockTriangle => {
    return { corners: [a, c, b], uvs: uvs && [uvs[0], uvs[2], uvs[1]] };
  });
  return { ...surface, triangles, flipped: true };
}

/** About the centre of the bounds. */
function signedVolume(triangles: BlockTriangle[]): number {
  const axis = (k: 0 | 1 | 2): number => {
    const { smallest, biggest } = span(
      triangles.flatMap(({ corners }) => corners.map((c) => c[k])),
    );
    return (smallest + biggest) / 2;
  };
  const centre: Vec3 = [axis(0), axis(1), axis(2)];
  let six = 0;
  for (const { corners } of triangles) {
    const [a, b, c] = corners.map((corner) => minus(corner, centre)) as [Vec3, Vec3, Vec3];
    const [x, y, z] = cross(b, c);
    six += a[0] * x + a[1] * y + a[2] * z;
  }
  return six / 6;
}
