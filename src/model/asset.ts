/** A built GLB, and why it was built. */
import type { Digest } from './snapshot.ts';
import type { Warning } from './warning.ts';

/** Axis-aligned box in metres. */
export interface Bounds {
  min: [number, number, number];
  max: [number, number, number];
}

/** A value of the service that glTF cannot express exactly. */
export interface Loss {
  /** Name of a material or block, or path of a node. */
  where: string;
  /** Field of the service, such as `amb` or `map`. */
  field: string;
  value: unknown;
  /** What was done instead. */
  done: string;
  /** Whether option `expectedLosses` names the loss: it is neither summed up nor a reason for `strict`. */
  expected?: true;
}

/** Counts of what the geometry lost or changed during the conversion. */
export interface GeometryCounts {
  droppedTriangles: number;
  /** Triangles that repeat another triangle of their surface; they are kept. */
  duplicateTriangles: number;
  flippedSurfaces: number;
  splitVertices: number;
  droppedLayers: number;
  skippedNodes: number;
}

/** The figures of one GLB. They are kept for unchanged articles too. */
export interface AssetFigures {
  /** Path of the hard link below the output folder, with `/`. */
  glb: string;
  sha256: Digest;
  bytes: number;
  triangles: number;
  drawCalls: number;
  materials: number;
  textures: number;
  boundsMetres: Bounds;
}

/** The counts of geometry that lost and changed nothing, in the order of the report. */
export const NO_GEOMETRY_COUNTS: Readonly<GeometryCounts> = {
  droppedTriangles: 0,
  duplicateTriangles: 0,
  flippedSurfaces: 0,
  splitVertices: 0,
  droppedLayers: 0,
  skippedNodes: 0,
};

/** A built GLB: all values of a line that depend on its content alone. */
export interface Built extends Omit<AssetFigures, 'glb'> {
  losses: Loss[];
  warnings: Warning[];
  /** Counts for the report, not for a line; undefined if the cache does not have them. */
  counts?: GeometryCounts | undefined;
  /** Used overrides as in its scene; for the report, too. */
  usedOverrides?: readonly string[] | undefined;
}

/** Why a configuration was or was not built. */
export interface Decision {
  /**
   * The check that decided, the cheapest first: nothing was requested (`kept`); the parts list was, or blocks and
   * images too, and they are unchanged. The values are stored in the database.
   */
  tier: 'kept' | 'parts-list' | 'digest' | 'built' | 'skipped' | 'failed';
  /** Reasons in words if the configuration was built; else empty. */
  why: string[];
}
