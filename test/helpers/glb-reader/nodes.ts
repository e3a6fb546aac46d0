/** Nodes: where everything the scene shows is placed, composed in double precision. */
import type { GLTF } from '@gltf-transform/core';
import type { Vec3 } from '../evaluator/vectors.ts';
import type { GlbJson } from './document.ts';
import { entry, must } from './refusal.ts';

/** Column by column. */
export type Matrix = readonly number[];

export interface PlacedNode {
  index: number;
  name: string;
  mesh: number | undefined;
  /** In the frame of `movable`; in the world without one. */
  place: Matrix;
  /** The innermost node above it that is marked as movable. */
  movable: PlacedNode | undefined;
}

const IDENTITY: Matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** Walks the one scene; refuses nodes that are used twice or not at all. */
export function placeNodes(json: GlbJson): PlacedNode[] {
  must(json.scenes?.length === 1, 'scenes: expected exactly one');
  must(json.scene === 0, 'scene: expected 0');
  const placed: PlacedNode[] = [];
  const seen = new Set<number>();
  const stack: { index: number; outer: Matrix; movable: PlacedNode | undefined }[] = [];
  for (const index of json.scenes[0]!.nodes ?? [])
    stack.push({ index, outer: IDENTITY, movable: undefined });
  for (let step = stack.pop(); step; step = stack.pop()) {
    const { index, outer, movable } = step;
    const node = entry(json.nodes, index, 'nodes');
    must(!seen.has(index), `nodes[${index}]: reached twice`);
    seen.add(index);
    const place = multiply(outer, localMatrix(node, index));
    const here = { index, name: node.name ?? '', mesh: node.mesh, place, movable };
    placed.push(here);
    must(node.children?.length !== 0, `nodes[${index}]: empty children`);
    const inside = isMovable(node) ? { outer: IDENTITY, movable: here } : { outer: place, movable };
    for (const child of node.children ?? []) stack.push({ index: child, ...inside });
  }
  must(seen.size === (json.nodes?.length ?? 0), 'nodes: one is in no scene');
  return placed;
}

const isMovable = ({ extras }: GLTF.INode): boolean => extras?.movable === true;

function localMatrix(node: GLTF.INode, index: number): Matrix {
  const { matrix, translation, rotation, scale } = node;
  const numbers = [matrix, translation, rotation, scale].flatMap((list) => list ?? []);
  must(numbers.every(Number.isFinite), `nodes[${index}]: a number is not finite`);
  if (matrix) {
    must(!translation && !rotation && !scale, `nodes[${index}]: matrix beside TRS`);
    must(matrix.length === 16, `nodes[${index}]: matrix of ${matrix.length}`);
    return matrix;
  }
  const [tx, ty, tz] = (translation ?? [0, 0, 0]) as [number, number, number];
  const [x, y, z, w] = (rotation ?? [0, 0, 0, 1]) as [number, number, number, number];
  const [sx, sy, sz] = (scale ?? [1, 1, 1]) as [number, number, number];
  must(Math.abs(Math.hypot(x, y, z, w) - 1) < 1e-6, `nodes[${index}]: rotation is not a unit`);
  return [
    (1 - 2 * (y * y + z * z)) * sx, 2 * (x * y + z * w) * sx, 2 * (x * z - y * w) * sx, 0,
    2 * (x * y - z * w) * sy, (1 - 2 * (x * x + z * z)) * sy, 2 * (y * z + x * w) * sy, 0,
    2 * (x * z + y * w) * sz, 2 * (y * z - x * w) * sz, (1 - 2 * (x * x + y * y)) * sz, 0,
    tx, ty, tz, 1,
  ]; // biome-ignore format: one column a line
}

function multiply(a: Matrix, b: Matrix): Matrix {
  const out = new Array<number>(16).fill(0);
  for (let column = 0; column < 4; column++)
    for (let row = 0; row < 4; row++)
      for (let k = 0; k < 4; k++) out[column * 4 + row]! += a[k * 4 + row]! * b[column * 4 + k]!;
  return out;
}

/** Brings a point from the frame of a node's movable into the world. */
export function toWorld({ movable }: PlacedNode, point: Vec3): Vec3 {
  let at = point;
  for (let outer = movable; outer; outer = outer.movable) at = movePoint(outer.place, at);
  return at;
}

export function movePoint(m: Matrix, [x, y, z]: Vec3): [number, number, number] {
  const row = (r: number) => m[r]! * x + m[4 + r]! * y + m[8 + r]! * z + m[12 + r]!;
  return [row(0), row(1), row(2)];
}

export function determinant(m: Matrix): number {
  return (
    m[0]! * (m[5]! * m[10]! - m[9]! * m[6]!) -
    m[4]! * (m[1]! * m[10]! - m[9]! * m[2]!) +
    m[8]! * (m[1]! * m[6]! - m[5]! * m[2]!)
  );
}

/** Moves normals by the inverse transpose, to unit length. */
export function normalMover(m: Matrix): (normal: Vec3) => [number, number, number] {
  const side = Math.sign(determinant(m));
  const cofactor = (r: number, c: number): number => {
    const [r1, r2] = [(r + 1) % 3, (r + 2) % 3];
    const [c1, c2] = [(c + 1) % 3, (c + 2) % 3];
    return side * (m[c1 * 4 + r1]! * m[c2 * 4 + r2]! - m[c2 * 4 + r1]! * m[c1 * 4 + r2]!);
  };
  const row = (r: number): Vec3 => [cofactor(r, 0), cofactor(r, 1), cofactor(r, 2)];
  const [p, q, r] = [row(0), row(1), row(2)];
  return ([x, y, z]) => {
    const a = p[0] * x + p[1] * y + p[2] * z;
    const b = q[0] * x + q[1] * y + q[2] * z;
    const c = r[0] * x + r[1] * y + r[2] * z;
    const size = Math.hypot(a, b, c);
    return [a / size, b / size, c / size];
  };
}
