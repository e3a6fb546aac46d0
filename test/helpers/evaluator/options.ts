/** Options of the evaluator: the choices of the conversion that change what is expected. */

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
  glassTint: 'balanced' | 'exact';
  overrides: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The defaults, as the rules give them: typed in here, so that a wrong one in the converter shows. */
export const EVALUATOR_DEFAULTS: EvaluatorOptions = {
  dropLayers: ['ACOUSTICS*', 'ATTACH*', 'ORIGIN*', 'D2*', 'DIMENSIONS*', 'TEXT*', 'ARTICLE_INFO*'],
  winding: 'auto',
  creaseAngleDegrees: 30,
  curveToleranceMetres: 0.00025,
  preferStoredUvs: false,
  textureRotation: 'counter-clockwise',
  tintTextures: false,
  heightMaps: 'drop',
  luminanceDivisor: 100,
  glassTint: 'balanced',
  overrides: {},
};
