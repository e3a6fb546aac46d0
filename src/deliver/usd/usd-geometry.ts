/** The triangles of a scene in its frame: one mesh for each material, and one for each use of a large shape. */
import type { Document, Material, mat4, Primitive } from '@gltf-transform/core';
import {
  cross,
  determinant3,
  type Mat3,
  normalize,
  normalMatrix3,
  transformVec3,
} from '../../convert/math/vec.ts';
import type { Vec3 } from '../../convert/model/graphics.ts';
import { ConverterError } from '../../support/errors.ts';
import { boundsOf } from '../making/bounds.ts';
import type { UsdMaterial } from './usd-material.ts';

/** Points with their triangles: numbers in a row, metres. */
export interface UsdShape {
  points: Float32Array;
  normals: Float32Array;
  /** Two numbers for each point, in the sense of USD; empty if the material needs none. */
  st: Float32Array;
  /** Three indices for each triangle, counter-clockwise from outside. */
  indices: Int32Array;
}

/** A shape of one material, and where it is. */
export interface UsdMesh {
  material: Material | null;
  shape: UsdShape;
  /** Column by column; undefined: the shape is in the frame of the scene. */
  matrix: mat4 | undefined;
}

interface MeshContext {
  materialOf(material: Material): Pick<UsdMaterial, 'st'>;
  lose(sentence: string): void;
}

/** A primitive at a node: the matrix leads to the frame of the scene. */
interface Use {
  primitive: Primitive;
  matrix: mat4;
}

const TRIANGLES = 4;

/** Most triangles: with points of their own, their numbers have 100 MB. AR shows far fewer. */
const MOST_TRIANGLES = 1_000_000;

/** A shape of fewer points is not worth meshes of its own, each of which has a kilobyte and is drawn by itself. */
const LEAST_SHARED_POINTS = 100;

/** How far a component of a matrix may be from that of a rotation. */
const ROTATION_TOLERANCE = 1e-6;

const IDENTITY: mat4 = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/**
 * Collects the meshes, in the order in which the scene first uses their material. The origin is in the middle of the
 * floor: Quick Look puts it where the user points.
 *
 * A shape that is there more than once, moved and turned, is a mesh for each use, with the same lists; everything else
 * of a material is one mesh. A double-sided surface is there twice, once for each side: Quick Look draws no back faces
 * (github.com/google/usd_from_gltf, README).
 *
 * @throws {@link ConverterError} `NOTHING_TO_DRAW`, `SCENE_TOO_LARGE`
 */
export function collectMeshes(document: Document, context: MeshContext): UsdMesh[] {
  const uses = centredOnFloor(usesOf(document, context.lose));
  const movable = new Map<Primitive, number>();
  for (const { primitive, matrix } of uses)
    if (isRotation(linearOf(matrix))) movable.set(primitive, (movable.get(primitive) ?? 0) + 1);
  const isShared = ({ primitive, matrix }: Use) =>
    (movable.get(primitive) ?? 0) > 1 &&
    primitive.getAttribute('POSITION')!.getCount() >= LEAST_SHARED_POINTS &&
    isRotation(linearOf(matrix));

  const byMaterial = new Map<Material | null, Use[]>();
  for (const use of uses) {
    const material = use.primitive.getMaterial();
    const known = byMaterial.get(material);
    if (known) known.push(use);
    else byMaterial.set(material, [use]);
  }
  return [...byMaterial].flatMap(([material, own]): UsdMesh[] => {
    const st = material ? context.materialOf(material).st : undefined;
    const [shared, single] = [own.filter(isShared), own.filter((use) => !isShared(use))];
    const shapes = new Map<Primitive, UsdShape>();
    for (const { primitive } of shared)
      if (!shapes.has(primitive))
        shapes.set(primitive, shapeOf([{ primitive, matrix: IDENTITY }], st));
    const meshes = shared.map(({ primitive, matrix }): UsdMesh => {
      return { material, shape: shapes.get(primitive)!, matrix };
    });
    if (single.length === 0) return meshes;
    return [{ material, shape: shapeOf(single, st), matrix: undefined }, ...meshes];
  });
}

/** The triangles of a scene. */
function usesOf(document: Document, lose: MeshContext['lose']): Use[] {
  const root = document.getRoot();
  if (root.listAnimations().length > 0) lose('animations are left out');
  if (root.listSkins().length > 0) lose('skins are left out');
  const uses: Use[] = [];
  let triangles = 0;
  const scene = root.getDefaultScene() ?? root.listScenes()[0];
  scene?.traverse((node) => {
    const matrix = node.getWorldMatrix();
    for (const primitive of node.getMesh()?.listPrimitives() ?? []) {
      if (primitive.getMode() !== TRIANGLES) {
        lose('lines, points, and triangles in strips are left out');
        continue;
      }
      if (primitive.getAttribute('COLOR_0')) lose('colours of vertices are left out');
      if (primitive.listTargets().length > 0) lose('morph targets are left out');
      const { corners, sides } = sizeOf(primitive);
      triangles += (corners / 3) * sides;
      if (triangles > MOST_TRIANGLES) {
        const message = `the scene: expected at most ${MOST_TRIANGLES} triangles, received more`;
        throw new ConverterError('SCENE_TOO_LARGE', message, { help: 'AR needs a simpler model' });
      }
      if (corners > 0) uses.push({ primitive, matrix });
    }
  });
  if (uses.length === 0) {
    const message = 'the scene: expected a triangle at least, received none';
    throw new ConverterError('NOTHING_TO_DRAW', message);
  }
  return uses;
}

/** Corners of triangles, without an incomplete last one; points, which a surface without normals has for each corner. */
function sizeOf(primitive: Primitive): { corners: number; points: number; sides: 1 | 2 } {
  const position = primitive.getAttribute('POSITION');
  const count = position?.getCount() ?? 0;
  const all = position === null ? 0 : (primitive.getIndices()?.getCount() ?? count);
  const corners = all - (all % 3);
  const points = primitive.getAttribute('NORMAL') === null ? corners : count;
  return { corners, points, sides: primitive.getMaterial()?.getDoubleSided() ? 2 : 1 };
}

/** Moves all, so that the origin is in the middle of the floor. */
function centredOnFloor(uses: readonly Use[]): Use[] {
  const { min, max } = boundsOf(
    uses.map(({ primitive, matrix }) => {
      const position = primitive.getAttribute('POSITION')!;
      const points = new Float64Array(3 * position.getCount());
      const place = placer(matrix);
      for (let i = 0; i < position.getCount(); i++)
        points.set(place(position.getElement(i, [0, 0, 0])), 3 * i);
      return points;
    }),
  );
  const [x, y, z] = [(min[0] + max[0]) / 2, min[1], (min[2] + max[2]) / 2];
  return uses.map(({ primitive, matrix }) => {
    const moved: mat4 = [...matrix];
    moved[12] -= x;
    moved[13] -= y;
    moved[14] -= z;
    return { primitive, matrix: moved };
  });
}

/** Puts some primitives together. */
function shapeOf(uses: readonly Use[], st: UsdMaterial['st']): UsdShape {
  let [points, corners] = [0, 0];
  for (const { primitive } of uses) {
    const size = sizeOf(primitive);
    points += size.points * size.sides;
    corners += size.corners * size.sides;
  }
  const shape: UsdShape = {
    points: new Float32Array(3 * points),
    normals: new Float32Array(3 * points),
    st: new Float32Array(st === undefined ? 0 : 2 * points),
    indices: new Int32Array(corners),
  };
  const next = { point: 0, corner: 0 };
  for (const use of uses) {
    addUse(shape, next, use, st);
    if (sizeOf(use.primitive).sides === 2) addUse(shape, next, use, st, true);
  }
  return shape;
}

/** @param isBack - Adds the other side of each triangle. */
function addUse(
  shape: UsdShape,
  next: { point: number; corner: number },
  { primitive, matrix }: Use,
  st: UsdMaterial['st'],
  isBack = false,
): void {
  const position = primitive.getAttribute('POSITION')!;
  const given = primitive.getAttribute('NORMAL');
  const uvs = st && primitive.getAttribute(`TEXCOORD_${st.uvSet}`);
  const corners = primitive.getIndices()?.getArray();
  const linear = linearOf(matrix);
  const cofactors = normalMatrix3(linear);
  const place = placer(matrix);
  const isTurned = determinant3(linear) < 0 !== isBack;
  const outward = isTurned ? -1 : 1;
  const first = next.point;
  const pointAt = (index: number) => position.getElement(index, [0, 0, 0]) as unknown as Vec3;

  const addPoint = (index: number, ownNormal: Vec3 | undefined) => {
    const at = next.point++;
    shape.points.set(place(pointAt(index)), 3 * at);
    const normal = ownNormal ?? (given!.getElement(index, [0, 0, 0]) as unknown as Vec3);
    const [x, y, z] = normalize(transformVec3(cofactors, normal)) ?? [0, 1, 0];
    shape.normals.set([x * outward, y * outward, z * outward], 3 * at);
    if (st === undefined) return;
    const [u, v] = uvs ? uvs.getElement(index, [0, 0]) : [0, 0];
    st.write(u!, v!, shape.st, 2 * at);
  };
  // Without normals, a surface has an edge at each side of a triangle.
  if (given) for (let i = 0; i < position.getCount(); i++) addPoint(i, undefined);
  const { corners: count } = sizeOf(primitive);
  for (let at = 0; at < count; at += 3) {
    const triangle = [at, at + 1, at + 2].map((i) => corners?.[i] ?? i);
    if (!given) {
      const [a, b, c] = triangle.map(pointAt);
      const normal = flatNormal(a!, b!, c!);
      for (const index of triangle) addPoint(index, normal);
    }
    const [a, b, c] = given ? triangle : [at, at + 1, at + 2];
    const order = isTurned ? [a!, c!, b!] : [a!, b!, c!];
    for (const index of order) shape.indices[next.corner++] = first + index;
  }
}

function linearOf(m: mat4): Mat3 {
  return [m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]];
}

/** A rotation is its own cofactor matrix, and no other matrix is. */
function isRotation(linear: Mat3): boolean {
  const cofactors = normalMatrix3(linear);
  return cofactors.every((value, i) => Math.abs(value - linear[i]!) < ROTATION_TOLERANCE);
}

function placer(matrix: mat4): (point: readonly number[]) => Vec3 {
  const linear = linearOf(matrix);
  const [tx, ty, tz] = [matrix[12], matrix[13], matrix[14]];
  return (point) => {
    const [x, y, z] = transformVec3(linear, point as unknown as Vec3);
    return [x + tx, y + ty, z + tz];
  };
}

function flatNormal(a: Vec3, b: Vec3, c: Vec3): Vec3 {
  const side = (to: Vec3): Vec3 => [to[0] - a[0], to[1] - a[1], to[2] - a[2]];
  return normalize(cross(side(b), side(c))) ?? [0, 1, 0];
}
