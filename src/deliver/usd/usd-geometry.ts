/** The triangles of a scene in its frame: one mesh for each material, as a reader draws them. */
import type { Document, Material, mat4, Primitive } from '@gltf-transform/core';
import {
  cross,
  determinant3,
  normalize,
  normalMatrix3,
  transformVec3,
} from '../../convert/math/vec.ts';
import type { Vec3 } from '../../convert/model/graphics.ts';
import { ConverterError } from '../../support/errors.ts';
import { boundsOf } from '../making/bounds.ts';
import type { UsdMaterial } from './usd-material.ts';

/** The triangles of one material: numbers in a row, metres. */
export interface UsdMesh {
  points: number[];
  normals: number[];
  /** Two numbers for each point, in the sense of USD; empty if the material needs none. */
  st: number[];
  /** Three indices for each triangle, counter-clockwise from outside. */
  indices: number[];
}

interface MeshContext {
  materialOf(material: Material): Pick<UsdMaterial, 'st'>;
  lose(sentence: string): void;
}

const TRIANGLES = 4;

/** Most triangles: their text has 80 MB, or 250 MB if no points are shared; a string has up to 512 MB, AR far less. */
const MOST_TRIANGLES = 1_000_000;

/**
 * Collects the meshes by material, in the order in which the scene first uses one.
 *
 * A double-sided surface is there twice, once for each side: Quick Look draws no back faces
 * (github.com/google/usd_from_gltf, README).
 *
 * @throws {@link ConverterError} `SCENE_TOO_LARGE`
 */
export function collectMeshes(
  document: Document,
  context: MeshContext,
): Map<Material | null, UsdMesh> {
  const meshes = new Map<Material | null, UsdMesh>();
  let triangles = 0;
  const root = document.getRoot();
  if (root.listAnimations().length > 0) context.lose('animations are left out');
  if (root.listSkins().length > 0) context.lose('skins are left out');
  const scene = root.getDefaultScene() ?? root.listScenes()[0];
  scene?.traverse((node) => {
    const matrix = node.getWorldMatrix();
    for (const primitive of node.getMesh()?.listPrimitives() ?? []) {
      const material = primitive.getMaterial();
      if (primitive.getMode() !== TRIANGLES) {
        context.lose('lines, points, and triangles in strips are left out');
        continue;
      }
      if (primitive.getAttribute('COLOR_0')) context.lose('colours of vertices are left out');
      if (primitive.listTargets().length > 0) context.lose('morph targets are left out');
      const mesh = meshes.get(material) ?? { points: [], normals: [], st: [], indices: [] };
      meshes.set(material, mesh);
      const sides = material?.getDoubleSided() ? 2 : 1;
      const corners = primitive.getIndices() ?? primitive.getAttribute('POSITION');
      triangles += ((corners?.getCount() ?? 0) / 3) * sides;
      if (triangles > MOST_TRIANGLES) {
        const message = `the scene: expected at most ${MOST_TRIANGLES} triangles, received more`;
        throw new ConverterError('SCENE_TOO_LARGE', message, { help: 'AR needs a simpler model' });
      }
      const st = material ? context.materialOf(material).st : undefined;
      addPrimitive(mesh, primitive, matrix, st);
      if (sides === 2) addPrimitive(mesh, primitive, matrix, st, true);
    }
  });
  return meshes;
}

/** @param isBack - Adds the other side of each triangle. */
function addPrimitive(
  mesh: UsdMesh,
  primitive: Primitive,
  matrix: mat4,
  st: UsdMaterial['st'],
  isBack = false,
): void {
  const position = primitive.getAttribute('POSITION');
  if (position === null) return;
  const given = primitive.getAttribute('NORMAL');
  const uvs = st && primitive.getAttribute(`TEXCOORD_${st.uvSet}`);
  const corners =
    primitive.getIndices()?.getArray() ?? Array.from({ length: position.getCount() }, (_, i) => i);
  const linear = [...triple(matrix, 0), ...triple(matrix, 4), ...triple(matrix, 8)] as const;
  const translation = triple(matrix, 12);
  const isMirrored = determinant3(linear) < 0;
  const cofactors = normalMatrix3(linear);
  const outward = isMirrored === isBack ? 1 : -1;
  const first = mesh.points.length / 3;

  const addVertex = (index: number, ownNormal: Vec3 | undefined) => {
    const [x, y, z] = transformVec3(
      linear,
      position.getElement(index, [0, 0, 0]) as unknown as Vec3,
    );
    mesh.points.push(x + translation[0], y + translation[1], z + translation[2]);
    const normal = ownNormal ?? (given!.getElement(index, [0, 0, 0]) as unknown as Vec3);
    const [nx, ny, nz] = normalize(transformVec3(cofactors, normal)) ?? [0, 1, 0];
    mesh.normals.push(nx * outward, ny * outward, nz * outward);
    if (st === undefined) return;
    const [u, v] = uvs ? uvs.getElement(index, [0, 0]) : [0, 0];
    st.write(u!, v!, mesh.st);
  };
  // Without normals, a surface has an edge at each side of a triangle.
  if (given) for (let i = 0; i < position.getCount(); i++) addVertex(i, undefined);
  for (let at = 0; at + 2 < corners.length; at += 3) {
    const triangle = [corners[at]!, corners[at + 1]!, corners[at + 2]!] as const;
    if (!given) {
      const points = triangle.map(
        (index) => position.getElement(index, [0, 0, 0]) as unknown as Vec3,
      );
      const normal = flatNormal(points as [Vec3, Vec3, Vec3]);
      for (const index of triangle) addVertex(index, normal);
    }
    const [a, b, c] = given ? triangle : [at, at + 1, at + 2];
    if (isMirrored === isBack) mesh.indices.push(first + a, first + b, first + c);
    else mesh.indices.push(first + a, first + c, first + b);
  }
}

function triple(matrix: mat4, at: number): [number, number, number] {
  return [matrix[at]!, matrix[at + 1]!, matrix[at + 2]!];
}

function flatNormal([a, b, c]: [Vec3, Vec3, Vec3]): Vec3 {
  const side = (to: Vec3): Vec3 => [to[0] - a[0], to[1] - a[1], to[2] - a[2]];
  return normalize(cross(side(b), side(c))) ?? [0, 1, 0];
}

/** Moves meshes so that the origin is in the middle of the floor: Quick Look puts it where the user points. */
export function standOnOrigin(meshes: Iterable<UsdMesh>): void {
  const lists = Array.from(meshes, ({ points }) => points);
  const { min, max } = boundsOf(lists);
  const origin = [(min[0] + max[0]) / 2, min[1], (min[2] + max[2]) / 2];
  for (const points of lists) {
    for (let at = 0; at < points.length; at++) points[at]! -= origin[at % 3]!;
  }
}
