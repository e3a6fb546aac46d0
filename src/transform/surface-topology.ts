/** Surface topology: what follows from the triangles of a surface alone. */
/**
 * Whether a surface is closed by its edges: each runs as often one way as the other (D-304, D-305).
 *
 * Two pieces that touch along an edge are closed as they are apart: four triangles meet there.
 *
 * @param points - m × 3 welded point indices.
 */
export function closedByEdges(points: Uint32Array): boolean {
  const edges = sortedEdges(points);
  // Equal keys are neighbours: lower point, upper point, direction in the last bit.
  for (let i = 0; i < edges.length; ) {
    const forward = edges[i]! - (edges[i]! % 2);
    let balance = 0;
    for (; i < edges.length && edges[i]! - (edges[i]! % 2) === forward; i++) {
      balance += edges[i] === forward ? 1 : -1;
    }
    if (balance !== 0) return false;
  }
  return edges.length > 0;
}

/** One number an edge: (lower · 2^26 + upper) · 2 + direction, sorted; exact below 2^26 points. */
function sortedEdges(points: Uint32Array): Float64Array {
  const edges = new Float64Array(points.length);
  for (let t = 0; t < points.length; t += 3) {
    for (let k = 0; k < 3; k++) {
      const from = points[t + k]!;
      const to = points[t + ((k + 1) % 3)]!;
      const low = Math.min(from, to);
      const high = Math.max(from, to);
      edges[t + k] = (low * 0x4000000 + high) * 2 + (from < to ? 0 : 1);
    }
  }
  return edges.sort();
}

/**
 * Six times the volume that a surface encloses, about the centre of its bounds; negative where it faces
 * inwards (D-304).
 *
 * @param positions - x y z a welded point, metres.
 */
export function signedVolume(points: Uint32Array, positions: Float32Array): number {
  const [cx, cy, cz] = centreOf(points, positions);
  let volume = 0;
  for (let t = 0; t < points.length; t += 3) {
    const a = 3 * points[t]!;
    const b = 3 * points[t + 1]!;
    const c = 3 * points[t + 2]!;
    const ax = positions[a]! - cx;
    const ay = positions[a + 1]! - cy;
    const az = positions[a + 2]! - cz;
    const bx = positions[b]! - cx;
    const by = positions[b + 1]! - cy;
    const bz = positions[b + 2]! - cz;
    const dx = positions[c]! - cx;
    const dy = positions[c + 1]! - cy;
    const dz = positions[c + 2]! - cz;
    volume += ax * (by * dz - bz * dy) + ay * (bz * dx - bx * dz) + az * (bx * dy - by * dx);
  }
  return volume;
}

/** The middle of the bounds of some points. */
function centreOf(points: Uint32Array, positions: Float32Array): [number, number, number] {
  let [minX, minY, minZ] = [Infinity, Infinity, Infinity];
  let [maxX, maxY, maxZ] = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i++) {
    const at = 3 * points[i]!;
    const x = positions[at]!;
    const y = positions[at + 1]!;
    const z = positions[at + 2]!;
    if (x < minX) minX = x;
    if (x > maxX) maxX = x;
    if (y < minY) minY = y;
    if (y > maxY) maxY = y;
    if (z < minZ) minZ = z;
    if (z > maxZ) maxZ = z;
  }
  return [(minX + maxX) / 2, (minY + maxY) / 2, (minZ + maxZ) / 2];
}
