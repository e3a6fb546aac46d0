/**
 * Tangent work that transform needs but does not do itself: handed in, so that it stays pure.
 */

/**
 * MikkTSpace tangents of separate triangles.
 *
 * Takes three corners a triangle, unindexed: n × 3 positions, n × 3 unit normals, n × 2 UVs of the
 * normal map. Returns n × 4: unit tangent and the sign of the bitangent, in MikkTSpace's convention.
 */
export type TangentGenerator = (
  positions: Float32Array,
  normals: Float32Array,
  uvs: Float32Array,
) => Float32Array;
