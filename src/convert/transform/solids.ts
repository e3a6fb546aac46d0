/** Solids: closed meshes made from the parameters of a node, with normals; their UVs are projected. */

import { acos, cos, sin } from '../../support/elementary.ts';
import { cross, IDENTITY3, normalize } from '../math/vec.ts';
import type { PartsListNode, Vec3 } from '../model/graphics.ts';
import { isRecord, LARGEST_NUMBER, readNumber } from '../wire/value.ts';
import type { PreparedMesh } from './block-mesh.ts';
import type { ConvertOptions } from './convert-options.ts';

const WIDTH = ['w', 'width', 'x'];
const HEIGHT = ['h', 'height', 'y'];
const DEPTH = ['d', 'depth', 'z'];
const THICKNESS = ['t', 'th', 'thick', 'thickness'];
const LENGTH = ['l', 'len', 'length'];
const RADIUS = ['r', 'rad', 'radius'];

type SolidMaker = (lengths: number[], toleranceMetres: number) => PreparedMesh | undefined;

/** Parameters in the order of the array form, with the names of the object form, and the maker of the mesh. */
const SOLIDS: Record<string, { parameters: string[][]; make: SolidMaker }> = {
  block: {
    parameters: [WIDTH, HEIGHT, DEPTH],
    make: ([w, h, d]) => polyhedron(cuboidFaces(w!, h!, d!)),
  },
  frame: {
    parameters: [WIDTH, HEIGHT, DEPTH, THICKNESS],
    make: ([w, h, d, t]) =>
      w! > 2 * t! && h! > 2 * t! ? polyhedron(frameFaces(w!, h!, d!, t!)) : undefined,
  },
  cyl: {
    parameters: [LENGTH, RADIUS],
    make: ([length, r], tolerance) => cylinder(length!, r!, segmentsOf(r!, tolerance)),
  },
  sphere: {
    parameters: [RADIUS],
    make: ([r], tolerance) => ellipsoid([r!, r!, r!], segmentsOf(r!, tolerance)),
  },
  ellipsoid: {
    parameters: [['rx'], ['ry'], ['rz']],
    make: ([x, y, z], tolerance) =>
      ellipsoid([x!, y!, z!], segmentsOf(Math.max(x!, y!, z!), tolerance)),
  },
};

/** Whether a node type is a solid, made from its own parameters. */
export function isSolidType(type: string): boolean {
  return Object.hasOwn(SOLIDS, type);
}

/**
 * Reads the parameters of a solid. Their form is not specified: an array, flat, nested once or of
 * `{name, value}`; an object; or a text of numbers, of `name=value` pairs or of JSON (D-202).
 *
 * @returns Positive lengths in metres, in the order of the array form; undefined if a length cannot be read.
 *
 * @example
 * ```ts
 * solidLengths('cyl', '0.7; 0.03'); // → [0.7, 0.03]
 * solidLengths('cyl', { Radius: 0.03, L: 0.7 }); // → [0.7, 0.03]
 * ```
 */
export function solidLengths(type: string, params: unknown): number[] | undefined {
  const { parameters } = SOLIDS[type]!;
  const values = valuesOf(params, parameters);
  const lengths = parameters.map((_, i) => readNumber(values[i]) ?? 0);
  const isUsable = (length: number) => length > 0 && length <= LARGEST_NUMBER;
  return lengths.every(isUsable) ? lengths : undefined;
}

function valuesOf(params: unknown, names: readonly string[][]): unknown[] {
  const sent = typeof params === 'string' ? fromText(params, names.length) : params;
  if (isRecord(sent)) return byName(Object.entries(sent), names);
  if (!Array.isArray(sent)) return [];
  const list: unknown[] = sent.flat();
  return list.some(isRecord) ? byName(list.flatMap(entriesOf), names) : list;
}

/** The entries of `{name, value}`, or of an object of one parameter. */
function entriesOf(value: unknown): [string, unknown][] {
  if (!isRecord(value)) return [];
  const fields = new Map(Object.entries(value).map(([key, entry]) => [key.toLowerCase(), entry]));
  const name = fields.get('name');
  return typeof name === 'string' ? [[name, fields.get('value')]] : [...fields];
}

// Both patterns match only from the start of a word or blanks: else each position of a long one would take its length.
const NAMED_NUMBER = /(?<![a-z])([a-z]+)\s*=\s*([^\s;,=]+(?:,\d+)?)/gi;
const SEPARATOR = /(?:(?<![\s,])[\s,]+)?[\s;][\s,]*/;

/** Parses JSON, `name=value` pairs, or numbers; a comma is decimal if there would be too many numbers otherwise. */
function fromText(text: string, count: number): unknown {
  const json = /^\s*[[{]/.test(text) ? parsed(text) : undefined;
  if (json !== undefined) return json;
  const pairs = [...text.matchAll(NAMED_NUMBER)];
  if (pairs.length > 0) return Object.fromEntries(pairs.map(([, name, value]) => [name, value]));
  const numbers = text.split(/[\s,;]+/).filter((part) => part !== '');
  const decimal = text.split(SEPARATOR).filter((part) => part !== '');
  const isDecimal =
    numbers.length > count && decimal.every((part) => readNumber(part) !== undefined);
  return isDecimal ? decimal : numbers;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function byName(entries: readonly [string, unknown][], names: readonly string[][]): unknown[] {
  const values = new Map(entries.map(([name, value]) => [name.trim().toLowerCase(), value]));
  return names.map((aliases) => values.get(aliases.find((alias) => values.has(alias)) ?? ''));
}

/** Makes the mesh of a solid node, in metres (D-200); undefined if the parameters cannot be read. */
export function makeSolid(
  { type, params }: Pick<PartsListNode, 'type' | 'params'>,
  { curveToleranceMetres }: Pick<ConvertOptions, 'curveToleranceMetres'>,
): PreparedMesh | undefined {
  const lengths = solidLengths(type, params);
  return lengths && SOLIDS[type]!.make(lengths, curveToleranceMetres);
}

/** Number of sides of a circle that stay within the tolerance: at least 16, at most 96. */
function segmentsOf(radiusMetres: number, toleranceMetres: number): number {
  const needed = Math.ceil(Math.PI / acos(Math.max(-1, 1 - toleranceMetres / radiusMetres)));
  return Math.min(96, Math.max(16, Number.isFinite(needed) ? needed : 96));
}

function meshOf(
  positions: readonly number[],
  normals: readonly number[],
  corners: { points: Uint32Array; normals: Uint32Array },
): PreparedMesh {
  const surface = {
    localPoints: corners.points,
    points: Uint32Array.from({ length: positions.length / 3 }, (_, point) => point),
    normals: corners.normals,
    firstNormal: 0,
    uvOffsets: undefined,
    doubleSided: false,
  };
  return {
    positions: Float32Array.from(positions),
    normals: Float32Array.from(normals),
    uvs: new Float64Array(0),
    surfaces: [surface],
    rotation: IDENTITY3,
    positionMetres: [0, 0, 0],
    counts: { droppedTriangles: 0, duplicateTriangles: 0, flippedSurfaces: 0, unusableUvs: 0 },
    needsProjection: true,
  };
}

function packed({ points, normals }: { points: readonly number[]; normals: readonly number[] }) {
  return { points: Uint32Array.from(points), normals: Uint32Array.from(normals) };
}

/** Four corners, counter-clockwise from outside. */
type Quad = readonly [Vec3, Vec3, Vec3, Vec3];

/** Makes flat faces: points are shared, each quad has its own normal. */
function polyhedron(quads: readonly Quad[]): PreparedMesh {
  const points: Vec3[] = [];
  const index = new Map<string, number>();
  const corners = { points: [] as number[], normals: [] as number[] };
  quads.forEach((quad, face) => {
    for (const k of [0, 1, 2, 0, 2, 3]) {
      const point = quad[k]!;
      const key = point.join();
      if (!index.has(key)) index.set(key, points.push(point) - 1);
      corners.points.push(index.get(key)!);
      corners.normals.push(face);
    }
  });
  return meshOf(points.flat(), quads.flatMap(normalOf), packed(corners));
}

/** The normal of a quad, which is exact because quads are axis-aligned. */
function normalOf([a, b, c]: Quad): number[] {
  const u: Vec3 = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
  const v: Vec3 = [c[0] - b[0], c[1] - b[1], c[2] - b[2]];
  return cross(u, v).map(Math.sign);
}

type Corner = readonly [number, number];
type Rectangle = readonly [Corner, Corner, Corner, Corner];

function rectangle(x0: number, y0: number, x1: number, y1: number): Rectangle {
  return [
    [x0, y0],
    [x1, y0],
    [x1, y1],
    [x0, y1],
  ];
}

function flat([a, b, c, e]: Rectangle, z: number): Quad {
  return [
    [...a, z],
    [...b, z],
    [...c, z],
    [...e, z],
  ];
}

/** The four faces around z, from 0 to d. */
function walls(corners: Rectangle, d: number): Quad[] {
  return corners.map(([x, y], k) => {
    const [nextX, nextY] = corners[(k + 1) % 4]!;
    return [
      [x, y, 0],
      [nextX, nextY, 0],
      [nextX, nextY, d],
      [x, y, d],
    ] as const;
  });
}

function cuboidFaces(w: number, h: number, d: number): Quad[] {
  const corners = rectangle(0, 0, w, h);
  const [a, b, c, e] = corners;
  return [...walls(corners, d), flat(corners, d), flat([b, a, e, c], 0)];
}

/** The faces of a frame. Its ends are mitred: four trapezia each, corner to corner, so that the mesh has no T-joint. */
function frameFaces(w: number, h: number, d: number, t: number): Quad[] {
  const outer = rectangle(0, 0, w, h);
  const inner = rectangle(t, t, w - t, h - t);
  const trapezia = outer.flatMap((a, k) => {
    const [b, innerB, innerA] = [outer[(k + 1) % 4]!, inner[(k + 1) % 4]!, inner[k]!];
    return [flat([a, b, innerB, innerA], d), flat([b, a, innerA, innerB], 0)];
  });
  const insides = walls(inner, d).map(([a, b, c, e]): Quad => [a, e, c, b]);
  return [...walls(outer, d), ...insides, ...trapezia];
}

/** Cosine and sine of each step around +Y: from +x towards +z. */
function circle(segments: number): [number, number][] {
  return Array.from({ length: segments }, (_, i) => {
    const angle = (2 * Math.PI * i) / segments;
    return [cos(angle), sin(angle)];
  });
}

/** A cylinder with axis +Y and base centre at the origin; a smooth mantle and two flat caps. */
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
  return meshOf(positions, normals, packed(corners));
}

/** Triangles of ellipsoids by their segments. All ellipsoids share these few lists, which take most of their memory. */
const ELLIPSOID_TRIANGLES = new Map<number, Uint32Array>();

/** An ellipsoid centred at the origin, poles on Y, with half as many rings as segments. */
function ellipsoid([rx, ry, rz]: Vec3, segments: number): PreparedMesh {
  const rings = Math.floor(segments / 2);
  const around = circle(segments);
  const units: [number, number, number][] = [[0, -1, 0]];
  for (let ring = 1; ring < rings; ring++) {
    const latitude = Math.PI * (ring / rings - 0.5);
    const y = sin(latitude);
    for (const [c, s] of around) units.push([cos(latitude) * c, y, cos(latitude) * s]);
  }
  units.push([0, 1, 0]);
  const make = () => Uint32Array.from(ellipsoidTriangles(rings, segments, units.length - 1));
  const points = ELLIPSOID_TRIANGLES.get(segments) ?? make();
  ELLIPSOID_TRIANGLES.set(segments, points);
  return meshOf(
    units.flatMap(([x, y, z]) => [rx * x, ry * y, rz * z]),
    units.flatMap(([x, y, z]) => normalize([x / rx, y / ry, z / rz])!),
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
