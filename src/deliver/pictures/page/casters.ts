/** The mesh that casts shadows: all opaque parts of a model in few triangles, since it is drawn once for each light. */
import { MeshoptSimplifier } from 'meshoptimizer';
import {
  BufferAttribute,
  type BufferGeometry,
  DoubleSide,
  FrontSide,
  InstancedBufferGeometry,
  type Matrix4,
  type Mesh,
  Vector3,
} from 'three';

/** Above this number of triangles, a simpler model casts the shadows: all maps of 500,000 take seconds. */
const MOST_TRIANGLES = 60_000;

/** Error of a simplified shadow, by the size of its mesh: below a pixel of a depth map. */
const SHADOW_ERROR = 0.01;

/** Which sides of faces cast shadows. Depth maps without the back sides of closed surfaces take a quarter less time. */
export const CASTER_SIDES = [FrontSide, DoubleSide] as const;

interface Triangles {
  points: Float32Array;
  corners: Uint32Array;
}

/** The triangles of a mesh, in world coordinates, metres. */
export function trianglesOf({ geometry, matrixWorld }: Mesh): Triangles {
  const { points, corners } = surfaceOf(geometry, 1);
  placePoints(points, matrixWorld, points, 0);
  return { points, corners };
}

/**
 * Makes one mesh of several, in world coordinates, metres: a group for each of {@link CASTER_SIDES}. A surface whose
 * material is single-sided counts as closed, as the converter writes them: if it is open, it casts no shadow where light
 * comes from behind. Simplified surfaces may be open.
 */
export async function castersOf(meshes: readonly Mesh[]): Promise<InstancedBufferGeometry> {
  const share = MOST_TRIANGLES / meshes.reduce((sum, mesh) => sum + triangleCount(mesh), 0);
  if (share < 1) await MeshoptSimplifier.ready;
  const made = new Map<BufferGeometry, Triangles>();
  const placed = meshes.map((mesh) => {
    const { geometry, matrixWorld } = mesh;
    if (!made.has(geometry)) made.set(geometry, surfaceOf(geometry, share));
    return {
      matrixWorld,
      isSingleSided: share >= 1 && isSingleSided(mesh),
      ...made.get(geometry)!,
    };
  });
  placed.sort((a, b) => Number(b.isSingleSided) - Number(a.isSingleSided));
  const count = (of: (surface: Triangles) => number) =>
    placed.reduce((sum, surface) => sum + of(surface), 0);
  const points = new Float32Array(count((surface) => surface.points.length));
  const corners = new Uint32Array(count((surface) => surface.corners.length));
  let [at, corner] = [0, 0];
  let singleSidedCorners = 0;
  for (const { matrixWorld, isSingleSided, ...surface } of placed) {
    placePoints(surface.points, matrixWorld, points, at);
    // The front of a mirrored face is its other side.
    const [second, third] = matrixWorld.determinant() < 0 ? [2, 1] : [1, 2];
    for (let i = 0; i < surface.corners.length; i += 3) {
      corners[corner++] = at / 3 + surface.corners[i]!;
      corners[corner++] = at / 3 + surface.corners[i + second]!;
      corners[corner++] = at / 3 + surface.corners[i + third]!;
    }
    at += surface.points.length;
    if (isSingleSided) singleSidedCorners = corner;
  }
  const result = new InstancedBufferGeometry();
  result.setAttribute('position', new BufferAttribute(points, 3));
  result.setIndex(new BufferAttribute(corners, 1));
  result.addGroup(0, singleSidedCorners, 0);
  result.addGroup(singleSidedCorners, corners.length - singleSidedCorners, 1);
  return result;
}

function isSingleSided({ material }: Mesh): boolean {
  return [material].flat().every(({ side }) => side === FrontSide);
}

/** Writes points at another place into an array, from an index on. */
function placePoints(points: Float32Array, place: Matrix4, into: Float32Array, at: number): void {
  const point = new Vector3();
  for (let i = 0; i < points.length; i += 3)
    point
      .fromArray(points, i)
      .applyMatrix4(place)
      .toArray(into, at + i);
}

function triangleCount({ geometry }: Mesh): number {
  return (geometry.index?.count ?? geometry.attributes.position?.count ?? 0) / 3;
}

function surfaceOf({ index, attributes }: BufferGeometry, share: number): Triangles {
  const position = attributes.position!;
  const points = new Float32Array(3 * position.count);
  for (let i = 0; i < position.count; i++) {
    for (let axis = 0; axis < 3; axis++) points[3 * i + axis] = position.getComponent(i, axis);
  }
  const corners = new Uint32Array(index?.count ?? position.count);
  for (let i = 0; i < corners.length; i++) corners[i] = index ? index.getX(i) : i;
  if (share >= 1) return { points, corners };
  const target = Math.max(12, Math.floor((corners.length * share) / 3)) * 3;
  const [kept] = MeshoptSimplifier.simplifySloppy(corners, points, 3, null, target, SHADOW_ERROR);
  return used(points, kept);
}

/** The surface without the points that no triangle uses. */
function used(points: Float32Array, corners: Uint32Array): Triangles {
  const places = new Map<number, number>();
  const kept = corners.map((index) => {
    const place = places.get(index) ?? places.size;
    places.set(index, place);
    return place;
  });
  const result = new Float32Array(3 * places.size);
  for (const [index, place] of places)
    result.set(points.subarray(3 * index, 3 * index + 3), 3 * place);
  return { points: result, corners: kept };
}
