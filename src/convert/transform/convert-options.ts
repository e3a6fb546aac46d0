/** Convert options: every rule of the conversion that is a choice; DECISIONS.md gives the reasons. */
import { ROTATION_CHOICES } from '../math/ofml-frame.ts';

/** Accepted values of an option; `default` is its value without an entry in the pipeline file. */
export type ConvertOption = { doc: string } & (
  | { kind: 'flag'; default: boolean }
  | { kind: 'choice'; default: string | number; choices: readonly (string | number)[] }
  | ({ kind: 'number'; default: number } & NumberLimits)
  | { kind: 'color'; default: string }
  | { kind: 'patterns'; default: string[] }
  | { kind: 'overrides'; default: Record<string, Record<string, unknown>> }
);

interface NumberLimits {
  min?: number;
  /** Exclusive lower bound. */
  above?: number;
  max?: number;
  integer?: true;
}

const flag = (standard: boolean, doc: string) =>
  ({ kind: 'flag', default: standard, doc }) as const;

/** The first choice is the default. */
const choice = <const C extends readonly [string | number, ...(string | number)[]]>(
  choices: C,
  doc: string,
) => ({ kind: 'choice' as const, default: choices[0] as C[number], choices, doc });

const number = (standard: number, limits: NumberLimits, doc: string) =>
  ({ kind: 'number', default: standard, ...limits, doc }) as const;

const { rotationOrder, rotationDirection } = ROTATION_CHOICES;
/** Layers of dimensions, texts and other helpers: D-112. */
const HELPER_LAYERS = 'ACOUSTICS* ATTACH* ORIGIN* D2* DIMENSIONS* TEXT* ARTICLE_INFO*'.split(' ');

/** One row for each option; `doc` is the description in the schema of the pipeline file. */
export const CONVERT_OPTIONS = {
  rotationOrder: choice(rotationOrder, 'axes of a rotation, each in the frame turned so far'),
  rotationDirection: choice(rotationDirection, 'sense of a rotation from the tip of its axis'),
  inheritScale: flag(false, 'children inherit the scale of a part too'),
  blockPlacement: choice(['apply', 'ignore'], "a block's own offset and rotation"),
  unknownNodes: choice(['group', 'fail'], 'nodes of an unknown type'),
  inheritMaterial: flag(true, 'a node without material has that of its nearest ancestor'),
  defaultColorSrgb: { kind: 'color', default: '0.5 0.5 0.5', doc: 'colour without a material' },
  writtenMaterials: flag(true, 'a node may define or change a material itself'),
  inheritLayers: flag(false, 'a node without layer has that of its nearest ancestor'),
  origin: choice(['keep', 'floor-centre'], 'where the origin of an article is'),
  dropLayers: { kind: 'patterns', default: HELPER_LAYERS, doc: 'globs of undrawn layer modes' },
  curveToleranceMetres: number(0.00025, { above: 0 }, 'deviation of round solids from the ideal'),
  weldToleranceMetres: number(0, { min: 0 }, 'positions closer than this are welded'),
  pointIndexBase: choice(['auto', 0, 1], 'index of the first point of a block'),
  uvIndexBase: choice(['auto', 0, 1], 'index of the first stored UV of a block'),
  uvStride: choice(['auto', 2, 3], 'numbers per stored UV'),
  winding: choice(['auto', 'keep', 'flip'], 'which side of a triangle is its front'),
  doubleSided: choice(['open', 'all', 'none'], 'surfaces whose back sides are drawn'),
  creaseAngleDegrees: number(30, { min: 0, max: 180 }, 'faces at a smaller angle share a normal'),
  tangents: choice(['none', 'mikktspace'], 'whether tangents are written'),
  flipV: flag(true, 'V of the service runs up'),
  boxProjection: choice(['scaled', 'unscaled'], 'size of a part when its UVs are projected'),
  mirrorOppositeSides: flag(false, 'projected U runs backwards on back, left and bottom sides'),
  rauto: choice(['exchange', 'auto'], 'UVs of rauto: exchanged, or those of auto'),
  preferStoredUvs: flag(false, 'stored UVs win over a material with projection'),
  environmentLook: choice(['metal', 'texture'], 'how a material with map env is shown'),
  unusedUvs: choice(['keep', 'drop'], 'UVs of materials without any texture'),
  textureTransform: choice(['auto', 'bake'], 'as an extension where possible, or in the UVs'),
  textureRotation: choice(['counter-clockwise', 'clockwise'], 'sense of a texture rotation, V up'),
  textureScale: choice(['repetitions', 'metres'], 'scaleu, scalev: per metre, or their length'),
  tintTextures: flag(false, 'the diffuse colour tints the image'),
  normalMap: choice(['opengl', 'directx'], 'where green points in normal maps'),
  heightMaps: choice(['drop', 'normals'], 'what becomes of grey bump images'),
  roughnessStrategy: choice(['ggx', 'matt'], 'roughness where none is given'),
  reflection: choice(['specular', 'ignore'], 'whether refl dims the highlight'),
  glowingTextures: flag(true, 'the image of a luminous material glows'),
  luminanceDivisor: number(100, { above: 0 }, 'cd/m² that become an emissive strength of 1'),
  glass: choice(['transmission', 'blend'], 'how glass lets light through'),
  glassTint: choice(['balanced', 'exact'], 'colour of glass: as blended, or dif as it is'),
  extendedFields: flag(true, 'clearcoat, sheen and emission are used'),
  packedTextureFormat: choice(['png', 'jpeg'], 'format of packed images'),
  colourProfiles: choice(
    ['ignore', 'convert'],
    'profiles of colour images: samples as they are, or colours in sRGB',
  ),
  maxTextureSize: number(4096, { integer: true, min: 16, max: 16_384 }, 'pixels a side at most'),
  keepSourceExtras: flag(false, 'keeps the material record of the service in extras'),
  expectedLosses: {
    kind: 'patterns',
    default: ['amb', 'pho', 'mirror'],
    doc: 'globs of fields whose losses are not summed up',
  },
  strict: flag(false, 'a loss that is not expected fails its article'),
  maxNestingDepth: number(200_000, { integer: true, min: 1 }, 'nested nodes of a parts list'),
  maxNodes: number(200_000, { integer: true, min: 1 }, 'nodes of a parts list'),
  maxTriangles: number(10_000_000, { integer: true, min: 1 }, 'triangles of an article'),
  maxSceneBytes: number(2 * 1024 ** 3, { integer: true, min: 1 }, 'bytes of distinct vertices'),
  maxPixelsInFlight: number(32 * 1024 ** 2, { integer: true, min: 1 }, 'pixels decoded at once'),
  maxListedLosses: number(500, { integer: true, min: 1, max: 10_000 }, 'losses an article lists'),
  allowMissingParts: flag(false, 'missing blocks and unreadable images are left out'),
  overrides: { kind: 'overrides', default: {}, doc: 'material values by a glob on the name' },
} as const satisfies Record<string, ConvertOption>;

type OptionTable = typeof CONVERT_OPTIONS;
type ValueOf<O> = O extends { choices: readonly (infer C)[] }
  ? C
  : Extract<ConvertOption, { kind: O[keyof O & 'kind'] }>['default'];

/** The options of a conversion: everything that a GLB depends on besides the service's data. */
export type ConvertOptions = { -readonly [K in keyof OptionTable]: ValueOf<OptionTable[K]> };

/** The default of every option. */
export const CONVERT_DEFAULTS = Object.fromEntries(
  Object.entries(CONVERT_OPTIONS).map(([name, option]) => [name, option.default]),
) as Readonly<ConvertOptions>;

/**
 * Version of the conversion; part of every source digest. Raise it with each change that alters a
 * GLB, so that the next run rebuilds the affected GLBs.
 */
export const CONVERTER_VERSION = 3;

/**
 * Everything that a GLB depends on beside the service's data, as one text: version and options (D-745).
 * The order of options does not count, but that of the patterns of `overrides` does, because later ones win (D-541).
 *
 * @param version - Version of the converter; another one only in tests.
 */
export function conversionText(
  options: ConvertOptions,
  version: number | string = CONVERTER_VERSION,
): string {
  const patterns = Object.entries(options.overrides);
  const overrides = patterns.map(([pattern, values]) => [pattern, sortedEntries(values)]);
  const entries = sortedEntries({ ...options, overrides });
  return JSON.stringify({ version, options: entries.filter(([name]) => !LIMITS.has(name)) });
}

const CONVERT_LIMITS = [
  'maxNodes',
  'maxTriangles',
  'maxSceneBytes',
  'maxPixelsInFlight',
  'maxListedLosses',
] as const;

/** An option that changes no byte, so that a changed value causes no rebuild. */
export type ConvertLimit = (typeof CONVERT_LIMITS)[number];

const LIMITS: ReadonlySet<string> = new Set(CONVERT_LIMITS);

function sortedEntries(fields: object): [key: string, value: unknown][] {
  return Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
}
