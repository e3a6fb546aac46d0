/**
 * Convert schema: what the `convert:` section of a pipeline file may say, one row an option.
 *
 * The rows are total over {@link ConvertOptions}; each default comes from `CONVERT_DEFAULTS`.
 */
import { z } from 'zod';
import { IMAGE_FIELDS, readFields } from '../../service/wire-material.ts';
import { CONVERT_DEFAULTS, type ConvertOptions } from '../../transform/convert-options.ts';
import { MATERIAL_TABLE } from '../../transform/material-table.ts';

const positive = z.number().positive();
const indexBase = z.literal(['auto', 0, 1]);
/** What the material decoder reads as a colour. */
const color = z
  .string()
  .regex(
    /^(?:(?:0x|#)[0-9A-Fa-f]{6}|(?:0(?:\.\d+)?|1(?:\.0+)?)(?: (?:0(?:\.\d+)?|1(?:\.0+)?)){2})$/,
    'expected 0xRRGGBB or three numbers 0..1',
  );
const COLOR_SPELLINGS = 'expected a colour: 0xRRGGBB or three numbers 0..1';

/** A value of a material, as the material decoder reads it. */
function materialValue(field: string) {
  return z
    .union([z.number(), z.string()], 'expected a number or a text')
    .superRefine((value, context) => {
      const { read, complaint } = readValue(field, value);
      if (read !== undefined || complaint === undefined) return;
      const expected = /expected an? \w+/.exec(complaint)?.[0] ?? complaint;
      const message = expected === 'expected a color' ? COLOR_SPELLINGS : expected;
      context.addIssue({ code: 'custom', message });
    });
}

function readValue(field: string, value: unknown): { read: unknown; complaint?: string } {
  let first: string | undefined;
  const fields = readFields({ [field]: value }, (complaint) => {
    first ??= complaint;
  });
  const read = (fields as Record<string, unknown>)[field];
  return first === undefined ? { read } : { read, complaint: first };
}

/** Overrides with numbers for texts that hold one, such as `"0,5"`: people write decimal commas. */
export function plainOverrides(
  overrides: ConvertOptions['overrides'],
): ConvertOptions['overrides'] {
  const plain = ([field, value]: [string, unknown]) => {
    const { read } = readValue(field, value);
    return [field, typeof read === 'number' ? read : value];
  };
  return Object.fromEntries(
    Object.entries(overrides).map(([pattern, values]) => [
      pattern,
      Object.fromEntries(Object.entries(values).map(plain)),
    ]),
  );
}

const IMAGES: ReadonlySet<string> = new Set(IMAGE_FIELDS);

/** A material's values, by the fields that the material table knows; images are fetched, not said. */
const materialValues = z.strictObject(
  Object.fromEntries(
    Object.keys(MATERIAL_TABLE)
      .filter((field) => field !== 'mname' && !IMAGES.has(field))
      .map((field) => [field, materialValue(field).optional()]),
  ),
);

const ROWS = {
  rotationOrder: z
    .enum(['xyz', 'xzy', 'yxz', 'yzx', 'zxy', 'zyx'])
    .describe('axes of a rotation, each in the frame turned so far'),
  rotationDirection: z
    .enum(['counter-clockwise', 'clockwise'])
    .describe('sense of a rotation seen from the tip of its axis'),
  inheritScale: z.boolean().describe('children inherit the scale of a part too'),
  blockPlacement: z.enum(['apply', 'ignore']).describe("a block's own place and turn"),
  unknownNodes: z.enum(['group', 'fail']).describe('nodes of an unknown type'),
  inheritMaterial: z.boolean().describe('a node without material has that of its ancestor'),
  defaultColorSrgb: color.describe('colour of what has no material'),
  writtenMaterials: z.boolean().describe('a node may define or change a material itself'),
  inheritLayers: z.boolean().describe('a node without layer has that of its ancestor'),
  origin: z.enum(['keep', 'floor-centre']).describe('where the origin of an article is'),
  dropLayers: z.array(z.string()).describe('layer modes that are not drawn; * stands for anything'),
  curveToleranceMetres: positive.describe('distance of round solids to the ideal surface'),
  weldToleranceMetres: z.number().min(0).describe('positions closer than this are one'),
  pointIndexBase: indexBase.describe('index of the first point of a block'),
  uvIndexBase: indexBase.describe('index of the first stored UV of a block'),
  uvStride: z.literal(['auto', 2, 3]).describe('numbers a stored UV has'),
  winding: z.enum(['auto', 'keep', 'flip']).describe('which side of a triangle is its front'),
  doubleSided: z.enum(['open', 'all', 'none']).describe('surfaces that show their back sides'),
  creaseAngleDegrees: z.number().min(0).max(180).describe('below it faces share a normal'),
  tangents: z.enum(['none', 'mikktspace']).describe('whether tangents are written'),
  flipV: z.boolean().describe('V of the service runs up'),
  boxProjection: z
    .enum(['scaled', 'unscaled'])
    .describe('size of a part when its UVs are projected'),
  mirrorOppositeSides: z.boolean().describe('projected U runs back on back, left and bottom sides'),
  rauto: z.enum(['exchange', 'auto']).describe('UVs of rauto: exchanged, or those of auto'),
  preferStoredUvs: z.boolean().describe('stored UVs win over a material that asks for projection'),
  environmentLook: z.enum(['metal', 'texture']).describe('what stands for map env'),
  unusedUvs: z.enum(['keep', 'drop']).describe('UVs of materials without any texture'),
  textureTransform: z
    .enum(['auto', 'bake'])
    .describe('extension where it can say it, or in the UVs'),
  textureRotation: z
    .enum(['counter-clockwise', 'clockwise'])
    .describe('sign of a texture rotation in V-up space'),
  textureScale: z
    .enum(['repetitions', 'metres'])
    .describe('scaleu and scalev: repetitions a metre, or metres a repetition'),
  tintTextures: z.boolean().describe('the diffuse colour tints the image'),
  normalMap: z.enum(['opengl', 'directx']).describe('where green points in normal maps'),
  heightMaps: z.enum(['drop', 'normals']).describe('what becomes of grey bump images'),
  roughnessStrategy: z.enum(['ggx', 'matt']).describe('roughness where none is given'),
  reflection: z.enum(['specular', 'ignore']).describe('whether refl dims the highlight'),
  glowingTextures: z.boolean().describe('the image of a luminous material glows'),
  luminanceDivisor: positive.describe('cd/m² that become an emissive strength of 1'),
  glass: z.enum(['transmission', 'blend']).describe('how glass lets light through'),
  glassTint: z.enum(['mixed', 'exact']).describe('base colour of glass'),
  extendedFields: z.boolean().describe('clearcoat, sheen and emission count'),
  packedTextureFormat: z.enum(['png', 'jpeg']).describe('format of packed images'),
  maxTextureSize: z.int().min(16).max(16_384).describe('larger images are scaled down to this'),
  keepSourceExtras: z.boolean().describe('keeps the material record of the service in extras'),
  strict: z.boolean().describe('a loss fails its article'),
  maxNestingDepth: z.int().min(1).describe('nested nodes that a parts list may have'),
  allowMissingParts: z
    .boolean()
    .describe('a missing block leaves a hole, an unreadable image its colour'),
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
