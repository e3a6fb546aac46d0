/** Material table: one row for every field of `mats[]`, including dropped fields, in the order of application. */

import { pow } from '../../support/elementary.ts';
import { linearColor, luminance } from '../math/color.ts';
import type { MaterialValues, ServiceMaterial, SrgbColor } from '../model/graphics.ts';
import type { LinearRgb } from '../model/scene.ts';
import { IMAGE_FIELDS } from '../wire/material.ts';
import type { ConvertOptions } from './convert-options.ts';
import { applyTransparency, CLEAR_ROUGHNESS, isGlass } from './glass.ts';
import type { MaterialContext, MaterialShading } from './material-context.ts';

const WHITE: LinearRgb = [1, 1, 1];
const BLACK: SrgbColor = [0, 0, 0];

/** Default gloss; results in roughness 0.5. */
const DEFAULT_SHI = 30;

type Range = readonly [least: number, most: number];
const UNIT: Range = [0, 1];
const POSITIVE: Range = [0, Infinity];

type Apply = (context: MaterialContext) => void;

type MaterialField = 'mname' | keyof MaterialValues;

interface MaterialRule {
  /** glTF target; null for a field that is dropped. */
  target: string | null;
  why: string;
  /** Changes the shading; also called for fields that were not sent, so that defaults are rules. */
  apply?: Apply;
  /** Allowed values of a number, or of each component of a colour; the nearest is used instead: D-540. */
  range?: Range;
  /** A field of the later material format, dropped without `extendedFields`. */
  extended?: true;
}

const BASE_TRANSFORM = { target: 'KHR_texture_transform', why: 'D-420' } as const;
const BUMP_TRANSFORM = {
  target: 'KHR_texture_transform of the normal map',
  why: 'D-420',
} as const;
const EXTENDED = {
  why: 'a field of the later material format: D-517',
  range: UNIT,
  extended: true,
} as const;
const CLEARCOAT = 'KHR_materials_clearcoat';
const SHEEN = 'KHR_materials_sheen';

/** The table. Rows are applied from top to bottom. */
export const MATERIAL_TABLE = {
  mname: {
    target: 'name',
    why: 'people and overrides find a material by its name: D-501',
    apply: ({ material, shading }) => {
      shading.name = material.mname;
    },
  },
  dif: {
    target: 'baseColorFactor',
    why: 'sRGB to linear; white under an image, which replaces the colour: D-502',
    range: UNIT,
    apply: ({ material, images, shading, options }) => {
      const color = linearColor(material.dif ?? WHITE);
      const replaced = images.pic && !isShownAsMetal(material, options) && !options.tintTextures;
      shading.baseColorLinear = replaced ? WHITE : color;
    },
  },
  pic: {
    target: 'baseColorTexture',
    why: 'sRGB, repeated both ways: D-503',
    apply: ({ images, shading }) => {
      shading.images.baseColor = images.pic !== undefined;
    },
  },
  bump: {
    target: 'normalTexture',
    why: 'a tangent-space normal map; a grey one is a height map: D-504',
    apply: ({ images, shading, options, lose }) => {
      if (!images.bump) return;
      shading.images.normal = !images.bump.grey || options.heightMaps === 'normals';
      const done = shading.images.normal ? 'turned into normals' : 'dropped';
      if (images.bump.grey) lose('bump', `a height map: ${done}`);
    },
  },
  roughness: {
    target: 'roughnessFactor',
    why: 'as given, else from shi and spe: D-506, D-512',
    range: UNIT,
    apply: ({ material, shading, options }) => {
      const strategy = ROUGHNESS_STRATEGIES[options.roughnessStrategy];
      shading.roughness = material.roughness ?? strategy(material);
    },
  },
  metallic: {
    target: 'metallicFactor',
    why: 'as given, else 0; the default of glTF would be 1: D-506',
    range: UNIT,
    apply: ({ material, shading }) => {
      shading.metallic = material.metallic ?? 0;
    },
  },
  roughness_image: {
    target: 'metallicRoughnessTexture.G',
    why: 'bright is dull; the image replaces the value: D-507',
    apply: ({ images, shading }) => {
      shading.images.roughness = images.roughness_image !== undefined;
      if (images.roughness_image) shading.roughness = 1;
    },
  },
  metallic_image: {
    target: 'metallicRoughnessTexture.B',
    why: 'bright is metal; the image replaces the value: D-507',
    apply: ({ images, shading }) => {
      shading.images.metallic = images.metallic_image !== undefined;
      if (images.metallic_image) shading.metallic = 1;
    },
  },
  scaleu: { ...BASE_TRANSFORM, apply: reportZero('scaleu') },
  scalev: { ...BASE_TRANSFORM, apply: reportZero('scalev') },
  offsetx: BASE_TRANSFORM,
  offsety: BASE_TRANSFORM,
  rot: BASE_TRANSFORM,
  bump_scaleu: { ...BUMP_TRANSFORM, apply: reportZero('bump_scaleu') },
  bump_scalev: { ...BUMP_TRANSFORM, apply: reportZero('bump_scalev') },
  bump_offsetx: BUMP_TRANSFORM,
  bump_offsety: BUMP_TRANSFORM,
  bump_rot: BUMP_TRANSFORM,
  map: {
    target: 'TEXCOORD_0',
    why: 'auto and rauto project; env has no counterpart in glTF: D-402, D-403, D-405',
    apply: applyEnvironment,
  },
  tra: {
    target: 'KHR_materials_transmission, or baseColorFactor.a with BLEND',
    why: 'glass refracts or has no image; anything else blends; never both: D-510',
    range: UNIT,
    apply: applyTransparency,
  },
  refr: {
    target: 'KHR_materials_ior',
    why: 'only of glass and above 1: an index of 1 would remove all reflection: D-511',
    apply: ({ material, shading, lose }) => {
      // Services send 0 for "none".
      const { refr = 0 } = material;
      if (isGlass(material) && refr > 1) shading.ior = refr;
      else if (refr !== 0 && refr < 1) lose('refr', 'out of range: not used');
    },
  },
  shi: {
    target: 'roughnessFactor',
    why: 'approximates a missing roughness: D-512',
    range: POSITIVE,
    apply: reportApproximated('shi'),
  },
  spe: {
    target: 'roughnessFactor',
    why: 'a black highlight is matt: D-512',
    range: UNIT,
    apply: reportApproximated('spe'),
  },
  refl: {
    target: 'KHR_materials_specular',
    why: 'below 1 on a dielectric without a highlight of its own: D-513',
    range: UNIT,
    apply: applyReflection,
  },
  luminance: {
    target: 'emissiveFactor, KHR_materials_emissive_strength',
    why: 'cd/m²; under an image the image glows: D-514',
    range: POSITIVE,
    apply: applyLuminance,
  },
  emission: {
    ...EXTENDED,
    target: 'emissiveFactor',
    why: 'a colour of its own, a field of the later material format: D-517',
    apply: ({ material, shading }) => {
      if (!material.emission) return;
      shading.emissiveLinear = linearColor(material.emission);
      shading.images.emissive = false;
      if (material.luminance === undefined) shading.emissiveStrength = 1;
    },
  },
  clearcoat: {
    ...EXTENDED,
    target: CLEARCOAT,
    apply: ({ material, shading }) => {
      if (!material.clearcoat) return;
      const roughness = material.clearcoat_roughness ?? 0;
      shading.clearcoat = { factor: material.clearcoat, roughness };
    },
  },
  clearcoat_roughness: {
    ...EXTENDED,
    target: CLEARCOAT,
    why: 'applied with clearcoat: D-517',
  },
  sheen: {
    ...EXTENDED,
    target: SHEEN,
    apply: ({ material, shading }) => {
      if (!material.sheen) return;
      const strength = material.sheen;
      const [r, g, b] = linearColor(material.sheen_color ?? WHITE);
      shading.sheen = {
        colorLinear: [r * strength, g * strength, b * strength],
        roughness: material.sheen_roughness ?? 0.5,
      };
    },
  },
  sheen_color: { ...EXTENDED, target: SHEEN, why: 'applied with sheen: D-517' },
  sheen_roughness: { ...EXTENDED, target: SHEEN, why: 'applied with sheen: D-517' },
  amb: {
    target: null,
    why: 'ambient light comes from the viewer: D-516',
    range: UNIT,
    apply: ({ material, lose }) => {
      if (hasEffect(material.amb)) lose('amb', "dropped: ambient light is the viewer's");
    },
  },
  mirror: { target: null, why: 'undocumented: D-516', apply: keep('mirror', 'undocumented') },
  pho: { target: null, why: 'undocumented: D-516', apply: keep('pho', 'undocumented') },
} as const satisfies Record<MaterialField, MaterialRule>;

/** How the rows of the table made one material. */
export interface MaterialExplanation {
  name: string;
  /** One step for each field, in the order of the table. */
  steps: {
    field: MaterialField;
    /** The value as the service sent it, or undefined. */
    sent: unknown;
    /** Its value in the pipeline file, or undefined. */
    overridden: unknown;
    target: string | null;
    why: string;
    changes: { name: string; before: unknown; after: unknown }[];
  }[];
}

/**
 * Applies the table to a material (D-500).
 *
 * @param explain - Called with the effect of each row; it costs a few dozen copies per material.
 * @returns Factors linear, 0..1.
 */
export function shadingOf(
  context: Omit<MaterialContext, 'shading'>,
  explain?: ((explanation: MaterialExplanation) => void) | undefined,
): MaterialShading {
  const { options } = context;
  const shading = neutralShading();
  const material = withinRanges(context);
  const steps: MaterialExplanation['steps'] = [];
  for (const [field, rule] of RULES) {
    const before = explain && valuesOf(shading);
    const isOff = rule.extended && !options.extendedFields;
    const apply = isOff ? keep(field, 'extendedFields is off') : rule.apply;
    apply?.({ ...context, material, shading });
    if (before) steps.push(stepOf(field, rule, context.material, before, valuesOf(shading)));
  }
  explain?.({ name: material.mname, steps });
  return shading;
}

const IMAGES: ReadonlySet<string> = new Set(IMAGE_FIELDS);

/** The fields that option `overrides` may set: all values of a material but its name and images. */
export const OVERRIDABLE_FIELDS = Object.keys(MATERIAL_TABLE).filter(
  (field) => field !== 'mname' && !IMAGES.has(field),
);

const RULES = Object.entries(MATERIAL_TABLE) as [MaterialField, MaterialRule][];

function withinRanges({ material, lose }: Omit<MaterialContext, 'shading'>): ServiceMaterial {
  const moved: Record<string, unknown> = {};
  for (const [field, { range }] of RULES) {
    const value = material[field];
    if (range === undefined || value === undefined) continue;
    const near = nearest(value, range);
    if (String(near) === String(value)) continue;
    moved[field] = near;
    lose(field, `out of range: ${String(near)} is used`);
  }
  return { ...material, ...moved };
}

function nearest(value: unknown, range: Range): unknown {
  if (Array.isArray(value)) return value.map((component) => nearest(component, range));
  return Math.min(range[1], Math.max(range[0], value as number));
}

function stepOf(
  field: MaterialField,
  { target, why }: MaterialRule,
  material: ServiceMaterial,
  before: Map<string, unknown>,
  after: Map<string, unknown>,
): MaterialExplanation['steps'][number] {
  const overridden = material.overridden?.[field];
  const received = overridden === undefined ? material[field] : undefined;
  const changes = [...after]
    .map(([name, value]) => ({ name, before: before.get(name), after: value }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after));
  return { field, sent: material.source[field] ?? received, overridden, target, why, changes };
}

/** Every value by a flat name, such as `images.normal`. */
function valuesOf({ images, kept, ...values }: MaterialShading): Map<string, unknown> {
  const flat = new Map<string, unknown>(Object.entries(values));
  for (const [group, members] of Object.entries({ images, kept })) {
    for (const [name, value] of Object.entries(members)) flat.set(`${group}.${name}`, value);
  }
  return flat;
}

/** The shading before any row: white, opaque, matt, not metallic. */
function neutralShading(): MaterialShading {
  return {
    name: '',
    baseColorLinear: WHITE,
    alpha: 1,
    alphaMode: 'OPAQUE',
    metallic: 0,
    roughness: 1,
    emissiveLinear: [0, 0, 0],
    emissiveStrength: 1,
    transmission: 0,
    ior: undefined,
    specular: undefined,
    clearcoat: undefined,
    sheen: undefined,
    images: { baseColor: false, normal: false, roughness: false, metallic: false, emissive: false },
    kept: {},
  };
}

/** How roughness is derived if none is given: D-512. */
const ROUGHNESS_STRATEGIES = {
  /** Converts a Blinn-Phong exponent to GGX; matt if the highlight is black. */
  ggx: ({ shi = DEFAULT_SHI, spe = BLACK }: ServiceMaterial): number => {
    const glossy = pow(2 / (shi + 2), 0.25);
    const t = Math.min(1, luminance(linearColor(spe)) / 0.1);
    return 1 + (glossy - 1) * (t * t * (3 - 2 * t));
  },
  matt: (): number => 1,
} as const satisfies Record<ConvertOptions['roughnessStrategy'], (of: ServiceMaterial) => number>;

/** Whether a picture of the environment is shown as metal, which uses its mean colour only. */
export function isShownAsMetal({ map }: ServiceMaterial, options: ConvertOptions): boolean {
  return options.environmentLook === 'metal' && map?.toLowerCase() === 'env';
}

const ENVIRONMENTS = {
  metal: ({ material, images, shading, lose }) => {
    lose('map', 'an environment look: its mean colour on a polished metal');
    shading.images.baseColor = false;
    if (images.pic?.meanLinear) shading.baseColorLinear = images.pic.meanLinear;
    shading.roughness = Math.min(shading.roughness, CLEAR_ROUGHNESS);
    if (material.metallic === undefined) shading.metallic = 1;
  },
  texture: ({ lose }) => lose('map', 'an environment look: its picture as an ordinary texture'),
} as const satisfies Record<ConvertOptions['environmentLook'], Apply>;

/** Applies a picture of the environment, or an unknown `map`: D-405. */
function applyEnvironment(context: MaterialContext): void {
  const { material, options, lose } = context;
  const map = material.map?.toLowerCase() ?? '';
  if (map === 'env') ENVIRONMENTS[options.environmentLook](context);
  else if (!['', 'auto', 'rauto', 'import'].includes(map))
    lose('map', 'unknown: stored UVs are used');
}

/** Dims the highlight of a dielectric, unless `spe` defines one: D-513. */
function applyReflection({ material, images, shading, options, lose }: MaterialContext): void {
  const { refl = 1, spe = BLACK } = material;
  if (refl === 1) return;
  const isDielectric = images.metallic_image === undefined && shading.metallic < 0.5;
  if (!isDielectric) lose('refl', 'dropped: a metal reflects in its colour');
  else if (hasEffect(spe)) lose('refl', 'dropped, since it would darken the highlight (spe)');
  else if (options.reflection === 'ignore') lose('refl', 'dropped by option');
  else shading.specular = refl;
}

/** Makes the image glow if there is one, else the colour: D-514. */
function applyLuminance({ material, images, shading, options }: MaterialContext): void {
  const { luminance: candela = 0 } = material;
  if (!(candela > 0)) return;
  const glowing = shading.images.baseColor && options.glowingTextures;
  shading.images.emissive = glowing;
  shading.emissiveLinear = glowing
    ? WHITE
    : (isShownAsMetal(material, options) && images.pic?.meanLinear) ||
      linearColor(material.dif ?? WHITE);
  shading.emissiveStrength = candela / options.luminanceDivisor;
}

/** Reports a texture scale of zero, which counts as 1: D-420. */
function reportZero(field: 'scaleu' | 'scalev' | 'bump_scaleu' | 'bump_scalev') {
  return ({ material, lose }: MaterialContext): void => {
    if (material[field] === 0) lose(field, 'a scale of zero counts as 1');
  };
}

/** Reports a field that only approximates a missing roughness: D-512. */
function reportApproximated(field: 'shi' | 'spe') {
  return ({ material, images, shading, lose }: MaterialContext): void => {
    if (material[field] === undefined || material.roughness !== undefined) return;
    // A black highlight is exactly matt.
    if (shading.roughness === 1 && ROUGHNESS_STRATEGIES.ggx(material) === 1) return;
    const rounded = Math.round(shading.roughness * 1000) / 1000;
    if (!images.roughness_image) lose(field, `approximated by a roughness of ${rounded}`);
  };
}

/** Makes the rule of a field that is dropped but kept in extras. */
function keep(field: MaterialField, why: string): Apply {
  return ({ material, shading, lose }) => {
    if (!hasEffect(material[field])) return;
    shading.kept[field] = material.source[field] ?? material[field];
    lose(field, `dropped: ${why}; kept in extras`);
  };
}

/** Whether a value has an effect. Zero and black have none. */
function hasEffect(value: unknown): boolean {
  return Array.isArray(value) ? value.some((component) => component !== 0) : !!value;
}
