/**
 * Convert schema: what the `convert:` section of a pipeline file may say, one row an option.
 *
 * The rows are total over {@link ConvertOptions}; each default comes from `CONVERT_DEFAULTS`.
 */
import { z } from 'zod';
import { CONVERT_DEFAULTS, type ConvertOptions } from '../transform/convert-options.ts';
import { MATERIAL_TABLE } from '../transform/material-table.ts';

const positive = z.number().positive();
const numberOrText = z.union([z.number(), z.string()]);
/** A material's values, by the fields that the material table knows. */
const materialValues = z.strictObject(
  Object.fromEntries(
    Object.keys(MATERIAL_TABLE)
      .filter((field) => field !== 'mname')
      .map((field) => [field, numberOrText.optional()]),
  ),
);

const ROWS = {
  inheritScale: z.boolean().describe('children inherit the scale of a part too'),
  origin: z.enum(['keep', 'floor-centre']).describe('where the origin of an article is'),
  dropLayers: z.array(z.string()).describe('layer modes that are not drawn; * stands for anything'),
  curveToleranceMetres: positive.describe('distance of round solids to the ideal surface'),
  weldToleranceMetres: z.number().min(0).describe('positions closer than this are one'),
  winding: z.enum(['auto', 'keep', 'flip']).describe('which side of a triangle is its front'),
  creaseAngleDegrees: z.number().min(0).max(180).describe('below it faces share a normal'),
  tangents: z.enum(['none', 'mikktspace']).describe('whether tangents are written'),
  flipV: z.boolean().describe('V of the service runs up'),
  preferStoredUvs: z.boolean().describe('stored UVs win over a material that asks for projection'),
  unusedUvs: z.enum(['keep', 'drop']).describe('UVs of materials without any texture'),
  textureTransform: z
    .enum(['auto', 'bake'])
    .describe('extension where it can say it, or in the UVs'),
  textureRotation: z
    .enum(['counter-clockwise', 'clockwise'])
    .describe('sign of a texture rotation in V-up space'),
  tintTextures: z.boolean().describe('the diffuse colour tints the image'),
  normalMap: z.enum(['opengl', 'directx']).describe('where green points in normal maps'),
  heightMaps: z.enum(['drop', 'normals']).describe('what becomes of grey bump images'),
  roughnessStrategy: z.enum(['ggx', 'matt']).describe('roughness where none is given'),
  luminanceDivisor: positive.describe('cd/m² that become an emissive strength of 1'),
  glassTint: z.enum(['mixed', 'exact']).describe('base colour of glass'),
  packedTextureFormat: z.enum(['png', 'jpeg']).describe('format of packed images'),
  maxTextureSize: z.int().min(16).max(16_384).describe('larger images are scaled down to this'),
  keepSourceExtras: z.boolean().describe('keeps the material record of the service in extras'),
  strict: z.boolean().describe('a loss fails its article'),
  maxNestingDepth: z.int().min(1).describe('nested nodes that a parts list may have'),
  allowMissingParts: z.boolean().describe('a missing block leaves a hole'),
  overrides: z
    .record(z.string(), materialValues)
    .describe('material values by a glob on the material name'),
} as const satisfies { [K in keyof ConvertOptions]: z.ZodType<ConvertOptions[K]> };

/** The options of a conversion, every default filled in. */
export const convertSchema = z.strictObject(
  Object.fromEntries(
    Object.entries(ROWS).map(([name, row]) => [
      name,
      (row as z.ZodType).default(CONVERT_DEFAULTS[name as keyof ConvertOptions]),
    ]),
  ),
) as unknown as z.ZodType<ConvertOptions, Partial<ConvertOptions>>;
