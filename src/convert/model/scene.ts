/**
 * A scene: one article in glTF terms, from transform to write. Right-handed, +X right, +Y up, +Z front,
 * metres. Lists are in the order of first use, without unused or equal entries.
 */

import type { Bounds, GeometryCounts, Loss } from '../../model/asset.ts';
import type { Warning } from '../../model/warning.ts';
import type { Vec3 } from './graphics.ts';

/** Vertices and indices of a primitive: n vertices, m triangles. */
export interface Geometry {
  /** Positions: n × 3 float32, metres, part frame. */
  positions: Float32Array;
  /** Normals: n × 3 float32, unit length. */
  normals: Float32Array;
  /** UVs: n × 2 float32 per set, top-left origin (V down); one set or two. */
  uvs: Float32Array[];
  /** Tangents: n × 4 float32, or undefined. */
  tangents: Float32Array | undefined;
  /** Indices: m × 3; 16 bits up to 65,535 vertices. */
  indices: Uint16Array | Uint32Array;
}

/**
 * Generates MikkTSpace tangents of unindexed triangles from n × 3 positions, n × 3 unit normals and n × 2 UVs
 * of the normal map. Returns n × 4: unit tangent and the sign of the bitangent.
 */
export type TangentGenerator = (
  positions: Float32Array,
  normals: Float32Array,
  uvs: Float32Array,
) => Float32Array;

/** One draw: a geometry with a material. */
export interface ScenePrimitive {
  /** Index into {@link Scene.geometries}. */
  geometry: number;
  /** Index into {@link Scene.materials}. */
  material: number;
}

interface SceneMesh {
  name: string;
  primitives: ScenePrimitive[];
}

/** A node of the glTF tree; parents are before their children. */
export interface SceneNode {
  name: string;
  /** Index of the parent node, or -1 for a child of the scene. */
  parent: number;
  /** Index into {@link Scene.meshes}, or -1. */
  mesh: number;
  translationMetres: readonly [number, number, number];
  /** Unit quaternion x y z w. */
  rotation: readonly [number, number, number, number];
  scale: readonly [number, number, number];
  extras: Record<string, unknown> | undefined;
}

/** Linear RGB. */
export type LinearRgb = readonly [number, number, number];

/** KHR_texture_transform, evaluated as scale, then rotation, then offset, V down. */
export interface TextureTransform {
  offset: readonly [number, number];
  rotationRadians: number;
  scale: readonly [number, number];
}

/** A texture as a material uses it. */
export interface TextureUse {
  /** Index into {@link Scene.images}. */
  image: number;
  /** Index of the UV set of the geometry. */
  uvSet: number;
  transform: TextureTransform | undefined;
}

/** A material in glTF terms. */
export interface SceneMaterial {
  name: string;
  doubleSided: boolean;
  baseColorLinear: LinearRgb;
  alpha: number;
  alphaMode: 'OPAQUE' | 'BLEND';
  baseColorTexture: TextureUse | undefined;
  metallic: number;
  roughness: number;
  metallicRoughnessTexture: TextureUse | undefined;
  normalTexture: TextureUse | undefined;
  emissiveLinear: LinearRgb;
  /** KHR_materials_emissive_strength; not written if 1. */
  emissiveStrength: number;
  emissiveTexture: TextureUse | undefined;
  /** KHR_materials_transmission; not written if 0. */
  transmission: number;
  /** KHR_materials_ior; not written if undefined. */
  ior: number | undefined;
  /** KHR_materials_specular; not written if undefined. */
  specular: number | undefined;
  clearcoat: { factor: number; roughness: number } | undefined;
  sheen: { colorLinear: LinearRgb; roughness: number } | undefined;
  extras: Record<string, unknown> | undefined;
}

/** Bytes of one image. */
export interface SceneImage {
  name: string;
  mimeType: 'image/jpeg' | 'image/png';
  bytes: Uint8Array;
}

/** An article in glTF terms. */
export interface Scene {
  nodes: SceneNode[];
  meshes: SceneMesh[];
  geometries: Geometry[];
  materials: SceneMaterial[];
  images: SceneImage[];
  /** Bounds of all drawn vertices; zero-sized at the origin if nothing is drawn. */
  boundsMetres: Bounds;
  /** Origins of the parts that were left out, which are in no file: D-542. */
  holesMetres: Vec3[];
  /** Drawn triangles; each instance counts, as in `drawCalls`. */
  triangles: number;
  drawCalls: number;
  losses: Loss[];
  warnings: Warning[];
  counts: GeometryCounts;
  /** Patterns of option `overrides` that changed a material; undefined without the option. */
  usedOverrides?: readonly string[];
}
