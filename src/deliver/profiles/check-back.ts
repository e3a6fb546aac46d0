/** Compares a compressed model, after decoding, with the model before compression. */
import type { Document, Mesh, Primitive } from '@gltf-transform/core';
import { ConverterError, isConverterError } from '../../support/errors.ts';
import { boundsOf } from '../making/bounds.ts';
import { takePictures } from '../pictures/picture.ts';
import { pictureDifference } from '../pictures/picture-difference.ts';
import { PICTURE_DEFAULTS } from '../pictures/picture-options.ts';
import type { Renderer } from '../pictures/renderer.ts';
import type { Libraries } from './libraries.ts';

/** Errors that are invisible: of the longest side of a mesh, in degrees, of a texture's width. */
export const LARGEST_ERRORS = {
  position: 2 / 2 ** 14,
  normalDegrees: 0.5,
  uv: 2 / 2 ** 12,
} as const;

export interface Geometry {
  /** Bounds of the scene, metres. */
  bounds: { min: readonly number[]; max: readonly number[] };
  meshes: readonly MeshGeometry[];
}

interface MeshGeometry {
  name: string;
  /** Bounds of its vertices, in its own unit. */
  least: readonly number[];
  extent: number;
  parts: readonly Part[];
}

/** A primitive; an empty list is an attribute that it does not have. */
interface Part {
  triangles: number;
  positions: Float64Array;
  normals: Float64Array;
  uvs: Float64Array;
}

/** Copies the geometry of a model. */
export function geometryOf(document: Document, { core }: Libraries): Geometry {
  const root = document.getRoot();
  return {
    bounds: core.getBounds(root.getDefaultScene() ?? root.listScenes()[0]!),
    meshes: root.listMeshes().map(meshOf),
  };
}

/** Limits of picture differences, four times the largest of the sample range by meshopt and WebP: 0.0073 and 0.0007. */
const LARGEST_PICTURE_DIFFERENCE = { tone: 0.03, edges: 0.003 } as const;

const PICTURE = { ...PICTURE_DEFAULTS, width: 256, height: 256, format: 'png' } as const;

/**
 * Compares pictures of a master and of the file made from it, both as GLB. A master that is too large for a browser is
 * not compared.
 *
 * @param decoded - Returns the made file as a GLB without compression.
 * @returns Whether there is a browser.
 * @throws {@link ConverterError} `COMPRESSION_FAILED` with the difference and its size.
 */
export async function comparePictures(
  renderer: Pick<Renderer, 'takePictures'> | undefined,
  master: Uint8Array,
  decoded: () => Promise<Uint8Array>,
): Promise<boolean> {
  if (renderer === undefined) return false;
  const pictureOf = async (glb: Uint8Array) => (await takePictures(renderer, glb, PICTURE))[0]!;
  const before = await pictureOf(master).catch((error: Error) => error);
  if (before instanceof Error) return !isConverterError(before, 'BROWSER_MISSING');
  const made = await decoded();
  const after = await pictureOf(made).catch(({ message }: Error) => fail(`picture: ${message}`));
  const difference = await pictureDifference(before.bytes, after.bytes);
  for (const kind of ['tone', 'edges'] as const) {
    const largest = LARGEST_PICTURE_DIFFERENCE[kind];
    expectAtMost(`picture: ${kind}`, largest, difference[kind], 'of its range');
  }
  return true;
}

function meshOf(mesh: Mesh): MeshGeometry {
  const parts = mesh.listPrimitives().map(partOf);
  const { min: least, max } = boundsOf(parts.map(({ positions }) => positions));
  const extent = Math.max(...max.map((value, axis) => value - least[axis]!));
  return { name: mesh.getName(), least, extent, parts };
}

function partOf(primitive: Primitive): Part {
  const positions = valuesOf(primitive, 'POSITION', 3);
  const corners = primitive.getIndices()?.getCount() ?? positions.length / 3;
  return {
    triangles: corners / 3,
    positions,
    normals: valuesOf(primitive, 'NORMAL', 3),
    uvs: valuesOf(primitive, 'TEXCOORD_0', 2),
  };
}

/** The values of an attribute, denormalized. */
function valuesOf(primitive: Primitive, semantic: string, size: 2 | 3): Float64Array {
  const accessor = primitive.getAttribute(semantic);
  const count = accessor?.getCount() ?? 0;
  const values = new Float64Array(size * count);
  const element = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    accessor!.getElement(i, element);
    for (let k = 0; k < size; k++) values[size * i + k] = element[k]!;
  }
  return values;
}

/**
 * Compares two geometries: bounds, triangles, and each vertex with one of the geometry before: place, normal and UV.
 *
 * @throws {@link ConverterError} `COMPRESSION_FAILED` with the difference and its size.
 * @example
 * ```ts
 * const before = geometryOf(document, libraries);
 * compareGeometry(before, geometryOf(await io.readBinary(compressed), libraries));
 * ```
 */
export function compareGeometry(before: Geometry, after: Geometry): void {
  const allowed = largestErrorOf(before);
  for (const side of ['min', 'max'] as const) {
    const moved = before.bounds[side].map((value, axis) => value - after.bounds[side][axis]!);
    expectAtMost('bounds', allowed, Math.max(...moved.map(Math.abs)), 'metres');
  }
  expectEqual('meshes', before.meshes.length, after.meshes.length);
  for (const [i, mesh] of before.meshes.entries()) compareMeshes(mesh, after.meshes[i]!);
}

/** The largest distance, metres, by which a vertex of a model may move. */
export function largestErrorOf({ bounds: { min, max } }: Geometry): number {
  const sizes = max.map((value, axis) => value - min[axis]!);
  return Math.max(...sizes) * LARGEST_ERRORS.position;
}

function compareMeshes(before: MeshGeometry, after: MeshGeometry): void {
  const where = before.name || 'mesh';
  expectEqual(`${where}: parts`, before.parts.length, after.parts.length);
  for (const [i, part] of before.parts.entries()) {
    const other = after.parts[i]!;
    expectEqual(`${where}: triangles`, part.triangles, other.triangles);
    for (const list of ['normals', 'uvs'] as const)
      expectEqual(`${where}: ${list}`, part[list].length > 0, other[list].length > 0);
    const worst = worstErrors(part, inUnitOf(before, after, other), before.extent);
    expectAtMost(`${where}: position`, LARGEST_ERRORS.position, worst.position, 'of its size');
    expectAtMost(`${where}: normal`, LARGEST_ERRORS.normalDegrees, worst.normalDegrees, 'degrees');
    expectAtMost(`${where}: UV`, LARGEST_ERRORS.uv, worst.uv, 'of a texture');
  }
}

/** Quantized coordinates have their own unit and origin: those of the bounds. */
function inUnitOf(before: MeshGeometry, after: MeshGeometry, part: Part): Part {
  const scale = after.extent > 0 ? before.extent / after.extent : 1;
  const positions = part.positions.map(
    (value, i) => (value - after.least[i % 3]!) * scale + before.least[i % 3]!,
  );
  return { ...part, positions };
}

type Errors = Record<keyof typeof LARGEST_ERRORS, number>;

/** Vertices may be reordered, and several may be at one place: each is compared with the most similar vertex. */
function worstErrors(before: Part, after: Part, extent: number): Errors {
  const allowed = extent * LARGEST_ERRORS.position;
  const near = placesOf(before.positions, allowed);
  const worst: Errors = { position: 0, normalDegrees: 0, uv: 0 };
  for (let i = 0; 3 * i < after.positions.length; i++) {
    let best: Errors = { position: Infinity, normalDegrees: 180, uv: Infinity };
    near(after.positions, i, (j) => {
      const errors = errorsBetween(before, j, after, i, extent);
      if (severity(errors) < severity(best)) best = errors;
    });
    for (const kind of ['position', 'normalDegrees', 'uv'] as const)
      worst[kind] = Math.max(worst[kind], best[kind]);
  }
  return worst;
}

/** The largest error as a share of its limit: 1 is the largest that is allowed. */
function severity({ position, normalDegrees, uv }: Errors): number {
  return Math.max(
    position / LARGEST_ERRORS.position,
    normalDegrees / LARGEST_ERRORS.normalDegrees,
    uv / LARGEST_ERRORS.uv,
  );
}

function errorsBetween(a: Part, i: number, b: Part, j: number, extent: number): Errors {
  const largest = (before: Float64Array, after: Float64Array, size: number): number => {
    let most = 0;
    if (before.length === 0) return most;
    for (let k = 0; k < size; k++)
      most = Math.max(most, Math.abs(before[size * i + k]! - after[size * j + k]!));
    return most;
  };
  return {
    position: extent > 0 ? largest(a.positions, b.positions, 3) / extent : 0,
    normalDegrees: a.normals.length === 0 ? 0 : angleBetween(a.normals, i, b.normals, j),
    uv: largest(a.uvs, b.uvs, 2),
  };
}

/** Angle in degrees; vectors of length 0 have no direction, and do not differ. */
function angleBetween(a: Float64Array, i: number, b: Float64Array, j: number): number {
  const [x, y, z] = [a[3 * i]!, a[3 * i + 1]!, a[3 * i + 2]!];
  const [u, v, w] = [b[3 * j]!, b[3 * j + 1]!, b[3 * j + 2]!];
  const lengths = Math.hypot(x, y, z) * Math.hypot(u, v, w);
  if (lengths === 0) return 0;
  const cosine = (x * u + y * v + z * w) / lengths;
  return (Math.acos(Math.min(1, Math.max(-1, cosine))) * 180) / Math.PI;
}

/** Finds the vertices within a distance from a point along each axis, by a hash of cells twice as wide. */
function placesOf(positions: Float64Array, distance: number) {
  const cell = Math.max(2 * distance, Number.MIN_VALUE);
  const count = positions.length / 3;
  const next = new Int32Array(count);
  const first = new Map<number, number>();
  const hash = (x: number, y: number, z: number) =>
    (Math.imul(x, 73_856_093) ^ Math.imul(y, 19_349_663) ^ Math.imul(z, 83_492_791)) >>> 0;
  const cellAt = (list: Float64Array, at: number) => Math.floor(list[at]! / cell);
  for (let i = 0; i < count; i++) {
    const key = hash(
      ...([0, 1, 2].map((k) => cellAt(positions, 3 * i + k)) as [number, number, number]),
    );
    next[i] = first.get(key) ?? -1;
    first.set(key, i);
  }
  /** The cell of a coordinate and the nearer one beside it. */
  const cells = (value: number): [number, number] => {
    const at = Math.floor(value / cell);
    return [at, value / cell - at < 0.5 ? at - 1 : at + 1];
  };
  return (list: Float64Array, i: number, visit: (vertex: number) => void): void => {
    const [xs, ys, zs] = [cells(list[3 * i]!), cells(list[3 * i + 1]!), cells(list[3 * i + 2]!)];
    for (const x of xs)
      for (const y of ys)
        for (const z of zs) {
          let at = first.get(hash(x, y, z)) ?? -1;
          for (; at >= 0; at = next[at]!) visit(at);
        }
  };
}

function expectEqual(what: string, expected: number | boolean, received: number | boolean): void {
  if (expected === received) return;
  fail(`${what}: expected ${expected}, received ${received}`);
}

function expectAtMost(what: string, expected: number, received: number, unit: string): void {
  if (received <= expected) return;
  const [most, found] = [expected, received].map((value) => value.toPrecision(3));
  fail(`${what}: expected an error of at most ${most} ${unit}, received ${found}`);
}

function fail(message: string): never {
  throw new ConverterError('COMPRESSION_FAILED', message);
}
