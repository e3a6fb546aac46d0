/**
 * Convert options: every rule of the conversion that is a choice, with its default.
 *
 * Defaults stand here and nowhere else; the pipeline file's schema and the documentation read them.
 */

import { ROTATION_DEFAULTS, type RotationRule } from '../math/ofml-frame.ts';

/**
 * What a converted article depends on beside the service's answers.
 *
 * The order and the sense of rotations are a rule of the frame: D-102.
 */
export interface ConvertOptions extends RotationRule {
  /** Children inherit the scale of an `imp` too: D-104. */
  inheritScale: boolean;
  /** Whether a block's own `P` and `R` place its vertices: D-105. */
  blockPlacement: 'apply' | 'ignore';
  /** What becomes of a node of a type that nobody has told: D-109. */
  unknownNodes: 'group' | 'fail';
  /** A node without `mat` has that of its nearest ancestor with one: D-110. */
  inheritMaterial: boolean;
  /** Colour of what has no material, as the service writes colours: D-110. */
  defaultColorSrgb: string;
  /** A `mat` may be a definition of its own, or change one: D-110b. */
  writtenMaterials: boolean;
  /** A node without `lay` has that of its nearest ancestor with one: D-112. */
  inheritLayers: boolean;
  /** Nested nodes that a parts list may have: D-113. */
  maxNestingDepth: number;
  /** Where the article's origin is: as delivered, or in the middle of its floor area: D-107. */
  origin: 'keep' | 'floor-centre';
  /** Layer modes that are not drawn; a trailing `*` stands for anything: D-112. */
  dropLayers: string[];
  /** Segments of round solids keep this distance to the ideal surface, metres: D-200. */
  curveToleranceMetres: number;
  /** Positions closer than this are one; 0 joins bit-equal ones only, metres: D-301. */
  weldToleranceMetres: number;
  /** Index of the first point in `F`: D-302. */
  pointIndexBase: 'auto' | 0 | 1;
  /** Index of the first entry of `T` in `TI`: D-302. */
  uvIndexBase: 'auto' | 0 | 1;
  /** Floats an entry of a flat `T`: D-302. */
  uvStride: 'auto' | 2 | 3;
  /** Which side of a triangle is its front: D-304. */
  winding: 'auto' | 'keep' | 'flip';
  /** Which surfaces show their back sides: D-305. */
  doubleSided: 'open' | 'all' | 'none';
  /** Faces that meet at a smaller angle share a normal, degrees: D-306. */
  creaseAngleDegrees: number;
  /** Whether tangents are written: D-309. */
  tangents: 'none' | 'mikktspace';
  /** Stored V runs up, as the service has it: D-401. */
  flipV: boolean;
  /** Whether the scale of a part stretches what is projected on it: D-402. */
  boxProjection: 'scaled' | 'unscaled';
  /** U of projected back, left and bottom sides runs the other way: D-402. */
  mirrorOppositeSides: boolean;
  /** What `rauto` does with the UVs of `auto`: D-403. */
  rauto: 'exchange' | 'auto';
  /** Stored UVs win over a `map` that asks for projection: D-404. */
  preferStoredUvs: boolean;
  /** What stands for an environment look: D-405. */
  environmentLook: 'metal' | 'texture';
  /** UVs of materials without any texture: D-752. */
  unusedUvs: 'keep' | 'drop';
  /** Texture transforms as an extension where it can say them, or always in the UVs: D-420. */
  textureTransform: 'auto' | 'bake';
  /** Sign of a texture's rotation in V-up space: D-420. */
  textureRotation: 'counter-clockwise' | 'clockwise';
  /** What `scaleu` and `scalev` count: repetitions a metre, or metres a repetition: D-420. */
  textureScale: 'repetitions' | 'metres';
  /** `dif` tints the image instead of being replaced by it: D-502. */
  tintTextures: boolean;
  /** Which way green points in the service's normal maps: D-504. */
  normalMap: 'opengl' | 'directx';
  /** What becomes of a grey `bump` image, which is a height map: D-504. */
  heightMaps: 'drop' | 'normals';
  /** How roughness follows from `shi`, `spe` and `refl`: D-512. */
  roughnessStrategy: 'ggx' | 'matt';
  /** Whether `refl` dims the highlight of a dielectric: D-513. */
  reflection: 'specular' | 'ignore';
  /** With `luminance`, the image glows instead of `dif`: D-514. */
  glowingTextures: boolean;
  /** cd/m² that become an emissive strength of 1: D-514. */
  luminanceDivisor: number;
  /** How glass lets light through: D-510. */
  glass: 'transmission' | 'blend';
  /** Base colour of glass: lightened by its transparency, or exactly `dif`: D-510. */
  glassTint: 'mixed' | 'exact';
  /** The fields of the later material format count: D-517. */
  extendedFields: boolean;
  /** Format of packed roughness and metallic images: D-507. */
  packedTextureFormat: 'png' | 'jpeg';
  /** Larger images are scaled down to this many pixels a side. */
  maxTextureSize: number;
  /** Keeps each material's service record in the material's extras. */
  keepSourceExtras: boolean;
  /** A loss fails its article: D-540. */
  strict: boolean;
  /** A missing block leaves a hole, an unreadable image its colour, instead of failing the article: D-865. */
  allowMissingParts: boolean;
  /** Values that replace the service's, by a glob on the material's name: D-541. */
  overrides: Record<string, Record<string, unknown>>;
}

/** The default of every option. */
export const CONVERT_DEFAULTS: Readonly<ConvertOptions> = {
  ...ROTATION_DEFAULTS,
  inheritScale: false,
  blockPlacement: 'apply',
  unknownNodes: 'group',
  inheritMaterial: true,
  defaultColorSrgb: '0.5 0.5 0.5',
  writtenMaterials: true,
  inheritLayers: false,
  maxNestingDepth: 200_000,
  origin: 'keep',
  dropLayers: ['ACOUSTICS*', 'ATTACH*', 'ORIGIN*', 'D2*', 'DIMENSIONS*', 'TEXT*', 'ARTICLE_INFO*'],
  curveToleranceMetres: 0.00025,
  weldToleranceMetres: 0,
  pointIndexBase: 'auto',
  uvIndexBase: 'auto',
  uvStride: 'auto',
  winding: 'auto',
  doubleSided: 'open',
  creaseAngleDegrees: 30,
  tangents: 'none',
  flipV: true,
  boxProjection: 'scaled',
  mirrorOppositeSides: false,
  rauto: 'exchange',
  preferStoredUvs: false,
  environmentLook: 'metal',
  unusedUvs: 'keep',
  textureTransform: 'auto',
  textureRotation: 'counter-clockwise',
  textureScale: 'repetitions',
  tintTextures: false,
  normalMap: 'opengl',
  heightMaps: 'drop',
  roughnessStrategy: 'ggx',
  reflection: 'specular',
  glowingTextures: true,
  luminanceDivisor: 100,
  glass: 'transmission',
  glassTint: 'mixed',
  extendedFields: true,
  packedTextureFormat: 'png',
  maxTextureSize: 4096,
  keepSourceExtras: false,
  strict: false,
  allowMissingParts: false,
  overrides: {},
};

/**
 * Part of every source digest: raise it with each change that alters a GLB, so that the next night
 * rebuilds what it touches.
 */
export const CONVERTER_VERSION = 1;
