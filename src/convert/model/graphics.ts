/**
 * Parts lists, blocks and materials in the service's frame: metres, degrees, +Y up.
 *
 * @see Spec 2.3, 2.4; D-101 to D-113, D-301 to D-305
 */

import type { Warning } from '../../model/warning.ts';

/** Three numbers: x, y, z. */
export type Vec3 = readonly [number, number, number];

/** A node of a parts list, with checked fields and defaults filled in. */
export interface PartsListNode {
  /** Type: `top imp clsref block frame cyl sphere ellipsoid`, or an unknown one in lower case. */
  type: string;
  /** Block name of an `imp`, as the node spells it; else empty. */
  blockName: string;
  /** Position in the parent's frame; missing is 0. */
  offsetMetres: Vec3;
  /** Angles of rotation, intrinsic X, then Y, then Z, counter-clockwise; missing is 0. */
  rotationDegrees: Vec3;
  /** Scale of this node's own geometry only; missing is 1. */
  scale: Vec3;
  /** Material reference, or empty: then it is inherited. */
  material: string;
  layer: string;
  /** Parameters of a solid, as received: their shape is not specified. */
  params: unknown;
  /** Fields that were sent but cannot be read, with the names of the service and the values as received. */
  unreadable?: Readonly<Record<string, unknown>>;
  children: PartsListNode[];
}

/** A parts list: what an article is built of. */
export interface PartsList {
  nodes: PartsListNode[];
  /** Levels of nested nodes; 0 if there are none. */
  depth: number;
  nodeCount: number;
  /** Names of all needed blocks, in the spelling that GET block takes. */
  blockNames: string[];
  materials: ServiceMaterial[];
  warnings: Warning[];
}

/** A colour in sRGB: red, green, blue, 0..1; in a {@link ServiceMaterial} as sent. */
export type SrgbColor = readonly [number, number, number];

/**
 * The fields of a record of `mats[]`, spelled as the service does, and the kind of their values; images are fetched in
 * this order.
 * Rotations are in degrees, scales are repetitions per metre; `bump_*` place the normal map alone.
 */
export const MATERIAL_FIELDS = {
  /** Texture path; absent for a material of colour only. */
  pic: 'image',
  bump: 'image',
  roughness_image: 'image',
  metallic_image: 'image',
  /** Roughness: 0 is a mirror, 1 is dull. */
  roughness: 'number',
  /** Metalness: 0 is no metal, 1 is metal. */
  metallic: 'number',
  scaleu: 'number',
  scalev: 'number',
  offsetx: 'number',
  offsety: 'number',
  bump_scaleu: 'number',
  bump_scalev: 'number',
  bump_offsetx: 'number',
  bump_offsety: 'number',
  bump_rot: 'number',
  /** Ambient, diffuse and specular colour. */
  amb: 'color',
  dif: 'color',
  spe: 'color',
  /** Mapping: `auto`, `rauto` or `env`. */
  map: 'text',
  /** Gloss value. */
  shi: 'number',
  /** Transparency: 0 is opaque, 1 is clear. */
  tra: 'number',
  /** Luminance in cd/m². */
  luminance: 'number',
  /** Index of refraction. */
  refr: 'number',
  /** Rotation of the textures. */
  rot: 'number',
  /** Phong value. */
  pho: 'number',
  /** Mirror effect. */
  mirror: 'number',
  /** Reflection value. */
  refl: 'number',
  clearcoat: 'number',
  clearcoat_roughness: 'number',
  sheen: 'number',
  sheen_color: 'color',
  sheen_roughness: 'number',
  emission: 'color',
} as const;

type MaterialFields = typeof MATERIAL_FIELDS;

/** The values of a material's fields by their kind; a field that was not sent is absent. */
export type MaterialValues = {
  -readonly [K in keyof MaterialFields]?: {
    text: string;
    image: string;
    number: number;
    color: SrgbColor;
  }[MaterialFields[K]];
};

/** A material as the service defines it. */
export interface ServiceMaterial extends MaterialValues {
  mname: string;
  /** Fields that were sent but cannot be read, with the values as received. */
  unreadable?: Readonly<Record<string, unknown>> | undefined;
  /** Fields that differ in a later entry of the same name, which is not used; null if that entry lacks the field. */
  otherValues?: Readonly<Record<string, unknown>> | undefined;
  /** Values of the pipeline file that replace the service's. */
  overridden?: Readonly<Record<string, unknown>>;
  /** The record as received, unknown keys included. */
  source: Readonly<Record<string, unknown>>;
}

/** A field of a material that names an image. */
export type ImageField = {
  [K in keyof MaterialFields]: MaterialFields[K] extends 'image' ? K : never;
}[keyof MaterialFields];

/** A surface of a block, as received: its indices are not checked yet. */
export interface BlockSurface {
  /** Three point indices for each triangle; a value that was no integer is the smallest int32. */
  triangles: Int32Array;
  /** UV indices parallel to `triangles`, or empty. */
  uvIndices: Int32Array;
  /** Whether the surface is closed, if the service sends that. */
  closed: boolean | undefined;
  /** The value as received, if an unreadable value was sent for `closed`. */
  unreadableClosed?: unknown;
}

/** A block: one mesh as received, in its own frame. */
export interface Block {
  name: string;
  /** Translation of the vertices inside the part, before the node's scale. */
  positionMetres: Vec3;
  /** Rotation of the vertices inside the part, before `positionMetres`. */
  rotationDegrees: Vec3;
  /** x y z of each point, metres; a value that was no number is NaN. */
  positions: Float32Array;
  /** Texture coordinates, 2 or 3 floats per entry, bottom-left origin. */
  uvs: Float64Array;
  /** Floats per entry of `uvs` if entries arrive nested; else 0. */
  uvStride: 0 | 2 | 3;
  surfaces: BlockSurface[];
}
