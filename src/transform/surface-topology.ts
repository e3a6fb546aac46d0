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
