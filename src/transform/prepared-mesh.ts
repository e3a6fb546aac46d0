/**
 * Prepared mesh: a block or solid with its normals, before it is known how it will be used.
 *
 * It is made once per content and mesh options, however many parts, articles and nights use it.
 */
import { rotationFromDegrees } from '../math/ofml-frame.ts';
import { IDENTITY3, type Mat3 } from '../math/vec.ts';
import type { Block, Vec3 } from '../model/graphics.ts';
import { type CleanCounts, cleanBlock } from './block-mesh.ts';
import type { ConvertOptions } from './convert-options.ts';
import { bucketCorners, countDuplicates, pointNumbers } from './corner-buckets.ts';
import { creaseNormals, normalPool } from './normals.ts';

/** A surface of a prepared mesh. A corner is `3 * triangle + 0…2`. */
export interface PreparedSurface {
  /** Corner → point. */
  points: Uint32Array;
  /** Corner → point as numbered within the surface. */
  localPoints: Uint32Array;
  localCount: number;
  /** Corner → normal. */
  normals: Uint32Array;
  /** Corner → offset of U in {@link PreparedMesh.uvs}; undefined: to be projected. */
  uvOffsets: Uint32Array | undefined;
  doubleSided: boolean;
}

/** A mesh ready to become vertex data. */
export interface PreparedMesh {
  /** x y z a point, float32 metres, before {@link PreparedMesh.rotation} and `positionMetres`. */
  positions: Float32Array;
  /** x y z a normal, unit length, before the rotation. */
  normals: Float32Array;
  /** Stored UVs as received, V up. */
  uvs: Float64Array;
  surfaces: PreparedSurface[];
  /** The block's own turn and move, to be baked into its vertices: D-105. */
  rotation: Mat3;
  positionMetres: Vec3;
  counts: CleanCounts & { duplicateTriangles: number };
  /** Whether some surface has no usable stored UVs. */
  needsProjection: boolean;
}

const MESH_OPTIONS = [
  'weldToleranceMetres',
  'winding',
  'creaseAngleDegrees',
  'rotationOrder',
  'rotationDirection',
  'blockPlacement',
  'pointIndexBase',
  'uvIndexBase',
  'uvStride',
] as const satisfies readonly (keyof ConvertOptions)[];

/** The options that a prepared mesh depends on. */
export type MeshOptions = Pick<ConvertOptions, (typeof MESH_OPTIONS)[number]>;

/** A key that differs where these options do. */
export function meshOptionsKey(options: MeshOptions): string {
  return MESH_OPTIONS.map((name) => options[name]).join(' ');
}

/** The block's own place: D-105. */
const BLOCK_PLACEMENTS = {
  apply: (block, options) => ({
    rotation: rotationFromDegrees(block.rotationDegrees, options),
    positionMetres: block.positionMetres,
  }),
  ignore: () => ({ rotation: IDENTITY3, positionMetres: [0, 0, 0] }),
} as const satisfies Record<
  ConvertOptions['blockPlacement'],
  (block: Block, options: MeshOptions) => Pick<PreparedMesh, 'rotation' | 'positionMetres'>
>;

/**
 * Cleans a block and gives it normals.
 *
 * @returns No surfaces where no triangle is left.
 *
 * @see D-105, D-303 to D-308.
 */
export function prepareBlock(block: Block, options: MeshOptions): PreparedMesh {
  const clean = cleanBlock(block, options);
  const numbers = pointNumbers(clean.positions.length / 3);
  const pool = normalPool(clean.positions.length / 3);
  let duplicateTriangles = 0;
  const surfaces = clean.surfaces.map((surface, i): PreparedSurface => {
    const buckets = bucketCorners(surface.points, i, numbers);
    duplicateTriangles += countDuplicates(buckets);
    return {
      points: surface.points,
      localPoints: buckets.localPoints,
      localCount: buckets.count,
      normals: creaseNormals(
        surface.points,
        clean.positions,
        buckets,
        options.creaseAngleDegrees,
        pool,
      ),
      uvOffsets: surface.uvOffsets,
      doubleSided: surface.doubleSided,
    };
  });
  return {
    positions: clean.positions,
    normals: pool.values.slice(0, 3 * pool.count),
    uvs: clean.uvs,
    surfaces,
    ...BLOCK_PLACEMENTS[options.blockPlacement](block, options),
    counts: { ...clean.counts, duplicateTriangles },
    needsProjection: surfaces.some((surface) => surface.uvOffsets === undefined),
  };
}

/** Bytes that a prepared mesh holds; what a cache counts. */
export function preparedBytes(mesh: PreparedMesh): number {
  let bytes = mesh.positions.byteLength + mesh.normals.byteLength + mesh.uvs.byteLength;
  for (const surface of mesh.surfaces) {
    bytes += surface.points.byteLength + surface.localPoints.byteLength;
    bytes += surface.normals.byteLength + (surface.uvOffsets?.byteLength ?? 0);
  }
  return bytes;
}

/** A closed mesh whose normals are known: solids are made with theirs. */
export function preparedFrom(
  positions: Float32Array,
  normals: Float32Array,
  corners: { points: Uint32Array; normals: Uint32Array },
): PreparedMesh {
  return {
    positions,
    normals,
    uvs: new Float64Array(0),
    surfaces: [
      {
        points: corners.points,
        localPoints: corners.points,
        localCount: positions.length / 3,
        normals: corners.normals,
        uvOffsets: undefined,
        doubleSided: false,
      },
    ],
    rotation: IDENTITY3,
    positionMetres: [0, 0, 0],
    counts: { droppedTriangles: 0, duplicateTriangles: 0, flippedSurfaces: 0, unusableUvs: 0 },
    needsProjection: true,
  };
}
