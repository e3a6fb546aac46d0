/**
 * Options of the evaluator: the choices of the conversion that change what is expected.
 */

/** By the names of the conversion's own options. */
export interface EvaluatorOptions {
  dropLayers: readonly string[];
  winding: 'auto' | 'keep' | 'flip';
  creaseAngleDegrees: number;
  curveToleranceMetres: number;
  preferStoredUvs: boolean;
  textureRotation: 'counter-clockwise' | 'clockwise';
  tintTextures: boolean;
  heightMaps: 'drop' | 'normals';
  luminanceDivisor: number;
  glassTint: 'mixed' | 'exact';
  overrides: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
