/** Triangles of a surface as indices of points. A corner is `3 * triangle + 0…2`. */
import { get, set } from './arena';

/**
 * Keeps the triangles whose points exist, differ, and span an area that is not zero.
 *
 * @param triangles - i32 a corner: an index as received.
 * @param uvIndices - i32 a corner, or 0 where the surface has no stored UVs.
 * @param corners - Of whole triangles.
 * @param remap - u32 a point as received: its welded point.
 * @param positions - x y z a welded point, f32.
 * @param points - u32 a kept corner: its welded point.
 * @param uvOffsets - u32 a kept corner: where its U is in the list of UVs.
 * @returns The number of kept corners.
 */
export function keepValid(
  triangles: usize,
  uvIndices: usize,
  corners: i32,
  firstIndex: i32,
  remap: usize,
  pointCount: u32,
  positions: usize,
  firstUv: i32,
  uvStride: i32,
  points: usize,
  uvOffsets: usize,
): i32 {
  let kept = 0;
  for (let t = 0; t < corners; t += 3) {
    const first = <u32>(get<i32>(triangles, t) - firstIndex);
    const second = <u32>(get<i32>(triangles, t + 1) - firstIndex);
    const third = <u32>(get<i32>(triangles, t + 2) - firstIndex);
    if (first >= pointCount || second >= pointCount || third >= pointCount) continue;
    const a = get<u32>(remap, first);
    const b = get<u32>(remap, second);
    const c = get<u32>(remap, third);
    if (a === b || b === c || c === a || !hasArea(positions, a, b, c)) continue;
    set<u32>(points, kept, a);
    set<u32>(points, kept + 1, b);
    set<u32>(points, kept + 2, c);
    if (uvIndices !== 0) {
      for (let k = 0; k < 3; k++)
        set<i32>(uvOffsets, kept + k, (get<i32>(uvIndices, t + k) - firstUv) * uvStride);
    }
    kept += 3;
  }
  return kept;
}

/** Finite corners and a cross product other than zero, in double precision. */
function hasArea(positions: usize, a: i32, b: i32, c: i32): bool {
  triangleNormal(positions, a, b, c);
  const sum = abs(normalX) + abs(normalY) + abs(normalZ);
  // A corner that is not finite makes the sum NaN or infinite; finite float32 cannot.
  return sum > 0 && sum < Infinity;
}

/** X of {@link triangleNormal}. */
export let normalX: f64 = 0;
/** Y of {@link triangleNormal}. */
export let normalY: f64 = 0;
/** Z of {@link triangleNormal}. */
export let normalZ: f64 = 0;

/** Computes the normal of a triangle, twice its area long. */
export function triangleNormal(positions: usize, a: i32, b: i32, c: i32): void {
  const ax = <f64>get<f32>(positions, 3 * a);
  const ay = <f64>get<f32>(positions, 3 * a + 1);
  const az = <f64>get<f32>(positions, 3 * a + 2);
  const ux = <f64>get<f32>(positions, 3 * b) - ax;
  const uy = <f64>get<f32>(positions, 3 * b + 1) - ay;
  const uz = <f64>get<f32>(positions, 3 * b + 2) - az;
  const vx = <f64>get<f32>(positions, 3 * c) - ax;
  const vy = <f64>get<f32>(positions, 3 * c + 1) - ay;
  const vz = <f64>get<f32>(positions, 3 * c + 2) - az;
  normalX = uy * vz - uz * vy;
  normalY = uz * vx - ux * vz;
  normalZ = ux * vy - uy * vx;
}

/**
 * Six times the volume that a surface encloses, about the centre of its bounds; negative where it faces inwards.
 *
 * @param points - u32 a corner.
 * @param positions - x y z a point, f32 metres.
 */
export function signedVolume(points: usize, corners: i32, positions: usize): f64 {
  let minX: f32 = Infinity;
  let minY: f32 = Infinity;
  let minZ: f32 = Infinity;
  let maxX: f32 = -Infinity;
  let maxY: f32 = -Infinity;
  let maxZ: f32 = -Infinity;
  for (let i = 0; i < corners; i++) {
    const at = 3 * get<u32>(points, i);
    const x = get<f32>(positions, at);
    const y = get<f32>(positions, at + 1);
    const z = get<f32>(positions, at + 2);
    if (x < minX) minX = x;
    if (x > maxX) maxX = x;
    if (y < minY) minY = y;
    if (y > maxY) maxY = y;
    if (z < minZ) minZ = z;
    if (z > maxZ) maxZ = z;
  }
  const cx = (<f64>minX + <f64>maxX) / 2;
  const cy = (<f64>minY + <f64>maxY) / 2;
  const cz = (<f64>minZ + <f64>maxZ) / 2;
  let volume: f64 = 0;
  for (let t = 0; t < corners; t += 3) {
    const a = 3 * get<u32>(points, t);
    const b = 3 * get<u32>(points, t + 1);
    const c = 3 * get<u32>(points, t + 2);
    const ax = <f64>get<f32>(positions, a) - cx;
    const ay = <f64>get<f32>(positions, a + 1) - cy;
    const az = <f64>get<f32>(positions, a + 2) - cz;
    const bx = <f64>get<f32>(positions, b) - cx;
    const by = <f64>get<f32>(positions, b + 1) - cy;
    const bz = <f64>get<f32>(positions, b + 2) - cz;
    const dx = <f64>get<f32>(positions, c) - cx;
    const dy = <f64>get<f32>(positions, c + 1) - cy;
    const dz = <f64>get<f32>(positions, c + 2) - cz;
    volume += ax * (by * dz - bz * dy) + ay * (bz * dx - bx * dz) + az * (bx * dy - by * dx);
  }
  return volume;
}
