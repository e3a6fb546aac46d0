/**
 * Convert options: every rule of the conversion that is a choice, with its default.
 *
 * Defaults stand here and nowhere else; the pipeline file's schema and the documentation read them.
 */

/** What a converted article depends on beside the service's answers. */
export interface ConvertOptions {
  /** Children inherit the scale of an `imp` too: D-104. */
  inheritScale: boolean;
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
  /** Which side of a triangle is its front: D-304. */
  winding: 'auto' | 'keep' | 'flip';
  /** Faces that meet at a smaller angle share a normal, degrees: D-306. */
  creaseAngleDegrees: number;
  /** Whether tangents are written: D-309. */
  tangents: 'none' | 'mikktspace';
  /** Stored V runs up, as the service has it: D-401. */
  flipV: boolean;
  /** Stored UVs win over a `map` that asks for projection: D-404. */
  preferStoredUvs: boolean;
  /** UVs of materials without any texture: D-752. */
  unusedUvs: 'keep' | 'drop';
  /** Texture transforms as an extension where it can say them, or always in the UVs: D-420. */
  textureTransform: 'auto' | 'bake';
  /** Sign of a texture's rotation in V-up space: D-420. */
  textureRotation: 'counter-clockwise' | 'clockwise';
  /** `dif` tints the image instead of being replaced by it: D-502. */
  tintTextures: boolean;
  /** Which way green points in the service's normal maps: D-504. */
  normalMap: 'opengl' | 'directx';
  /** What becomes of a grey `bump` image, which is a height map: D-504. */
  heightMaps: 'drop' | 'normals';
  /** How roughness follows from `shi`, `spe` and `refl`: D-512. */
  roughnessStrategy: 'ggx' | 'matt';
  /** cd/m² that become an emissive strength of 1: D-514. */
  luminanceDivisor: number;
  /** Base colour of glass: lightened by its transparency, or exactly `dif`: D-510. */
  glassTint: 'mixed' | 'exact';
  /** Format of packed roughness and metallic images: D-507. */
  packedTextureFormat: 'png' | 'jpeg';
  /** Larger images are scaled down to this many pixels a side. */
  maxTextureSize: number;
  /** Keeps each material's service record in the material's extras. */
  keepSourceExtras: boolean;
  /** A loss fails its article: D-540. */
  strict: boolean;
  /** A missing block leaves a hole instead of failing its article. */
  allowMissingParts: boolean;
  /** Values that replace the service's, by a glob on the material's name: D-541. */
  overrides: Record<string, Record<string, unknown>>;
}

/** The default of every option. */
export const CONVERT_DEFAULTS: Readonly<ConvertOptions> = {
  inheritScale: false,
  maxNestingDepth: 200_000,
  origin: 'keep',
  dropLayers: ['ACOUSTICS*', 'ATTACH*', 'ORIGIN*', 'D2*', 'DIMENSIONS*', 'TEXT*', 'ARTICLE_INFO*'],
  curveToleranceMetres: 0.00025,
  weldToleranceMetres: 0,
  winding: 'auto',
  creaseAngleDegrees: 30,
  tangents: 'none',
  flipV: true,
  preferStoredUvs: false,
  unusedUvs: 'keep',
  textureTransform: 'auto',
  textureRotation: 'counter-clockwise',
  tintTextures: false,
  normalMap: 'opengl',
  heightMaps: 'drop',
  roughnessStrategy: 'ggx',
  luminanceDivisor: 100,
  glassTint: 'mixed',
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
