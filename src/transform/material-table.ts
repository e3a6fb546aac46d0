/**
 * Material table: one row for every field of `mats[]`, total by type, in the order of application.
 *
 * In: a service material, and what is known of its images. Out: a look in glTF's values. A field
 * that is dropped is a row that says why. It must not know pixels, UV sets or files.
 */
import { linearColor, luminance, mixColors, type Rgb } from '../math/color.ts';
import type { ImageField, ServiceMaterial, SrgbColor } from '../model/graphics.ts';
import type { SceneMaterial } from '../model/scene.ts';
import type { ConvertOptions } from './convert-options.ts';

/** What is known of an image that a material refers to and that was obtained. */
export interface KnownImage {
  /** Red, green and blue are alike: a picture without colour. */
  grey: boolean;
  /** Mean colour, averaged in linear light. */
  meanLinear: Rgb;
}

/** A material's values in glTF's terms; which image goes where is said, not yet how it is packed. */
export type MaterialLook = Pick<
  SceneMaterial,
  | 'name'
  | 'baseColorLinear'
  | 'alpha'
  | 'alphaMode'
  | 'metallic'
  | 'roughness'
  | 'emissiveLinear'
  | 'emissiveStrength'
  | 'transmission'
  | 'ior'
  | 'specular'
  | 'clearcoat'
  | 'sheen'
> & {
  images: {
    baseColor: boolean;
    normal: boolean;
    roughness: boolean;
    metallic: boolean;
    emissive: boolean;
  };
  /** What viewers cannot show but people may want back. */
  kept: Record<string, unknown>;
};

/** What a row works on. */
export interface MaterialContext {
  material: ServiceMaterial;
  /** Obtained and readable images only. */
  images: Partial<Record<ImageField, KnownImage>>;
  options: ConvertOptions;
  look: MaterialLook;
  /** Notes that a field is not carried over exactly. */
  lose(field: string, done: string): void;
}

/** One row: where a field goes, why, and how. */
export interface MaterialRule {
  /** glTF target; null for a field that is dropped. */
  target: string | null;
  why: string;
  /** Changes the look; called whether or not the field was sent, so that defaults are rules too. */
  apply?(context: MaterialContext): void;
}

/** The fields that have a row each. */
export type MaterialField = Exclude<keyof ServiceMaterial, 'source'>;

const WHITE: Rgb = [1, 1, 1];
const BLACK: SrgbColor = [0, 0, 0];

/** Gloss where none is given; roughness 0.5. */
const DEFAULT_SHI = 30;

/** At or above this a material counts as opaque. */
const OPAQUE_ALPHA = 0.999;

/** An environment picture is a mirror: no rougher than this. */
const ENV_ROUGHNESS = 0.1;

/** The table. Rows are applied from top to bottom. */
export const MATERIAL_TABLE = {
  mname: {
    target: 'name',
    why: 'names are how people and overrides find a material: D-501',
    apply: ({ material, look }) => {
      look.name = material.mname;
    },
  },
  dif: {
    target: 'baseColorFactor',
    why: 'sRGB to linear; white under an image, which replaces the colour: D-502',
    apply: ({ material, images, look, options }) => {
      const color = linearColor(material.dif ?? WHITE);
      const replaced = images.pic && material.map?.toLowerCase() !== 'env' && !options.tintTextures;
      look.baseColorLinear = replaced ? WHITE : color;
    },
  },
  pic: {
    target: 'baseColorTexture',
    why: 'sRGB, repeated both ways: D-503',
    apply: ({ images, look }) => {
      look.images.baseColor = images.pic !== undefined;
    },
  },
  bump: {
    target: 'normalTexture',
    why: 'a tangent-space normal map; a grey one is a height map: D-504',
    apply: ({ images, look, options, lose }) => {
      if (!images.bump) return;
      look.images.normal = !images.bump.grey || options.heightMaps === 'normals';
      if (images.bump.grey)
        lose(
          'bump',
          look.images.normal
            ? 'a height map, turned into normals'
            : 'a height map, which glTF does not have: dropped',
        );
    },
  },
  roughness: {
    target: 'roughnessFactor',
    why: 'as given, else from shi, spe and refl: D-505, D-512',
    apply: ({ material, look, options }) => {
      look.roughness =
        material.roughness === undefined
          ? ROUGHNESS_STRATEGIES[options.roughnessStrategy](material)
          : clamp01(material.roughness);
    },
  },
  metallic: {
    target: 'metallicFactor',
    why: 'as given, else 0, never left at the default of glTF, which is 1: D-506',
    apply: ({ material, look }) => {
      look.metallic = clamp01(material.metallic ?? 0);
    },
  },
  roughness_image: {
    target: 'metallicRoughnessTexture.G',
    why: 'bright is dull; the image replaces the value: D-507',
    apply: ({ images, look }) => {
      look.images.roughness = images.roughness_image !== undefined;
      if (images.roughness_image) look.roughness = 1;
    },
  },
  metallic_image: {
    target: 'metallicRoughnessTexture.B',
    why: 'bright is metal; the image replaces the value: D-507',
    apply: ({ images, look }) => {
      look.images.metallic = images.metallic_image !== undefined;
      if (images.metallic_image) look.metallic = 1;
    },
  },
  scaleu: { target: 'KHR_texture_transform', why: 'D-420', apply: reportZero('scaleu') },
  scalev: { target: 'KHR_texture_transform', why: 'D-420', apply: reportZero('scalev') },
  offsetx: { target: 'KHR_texture_transform', why: 'D-420' },
  offsety: { target: 'KHR_texture_transform', why: 'D-420' },
  rot: { target: 'KHR_texture_transform', why: 'D-420' },
  bump_scaleu: {
    target: 'KHR_texture_transform of the normal map',
    why: 'D-420',
    apply: reportZero('bump_scaleu'),
  },
  bump_scalev: {
    target: 'KHR_texture_transform of the normal map',
    why: 'D-420',
    apply: reportZero('bump_scalev'),
  },
  bump_offsetx: { target: 'KHR_texture_transform of the normal map', why: 'D-420' },
  bump_offsety: { target: 'KHR_texture_transform of the normal map', why: 'D-420' },
  bump_rot: { target: 'KHR_texture_transform of the normal map', why: 'D-420' },
  map: {
    target: 'TEXCOORD_0',
    why: 'auto and rauto project; env is a look without a counterpart: D-402, D-403, D-405',
    apply: applyEnvironment,
  },
  tra: {
    target: 'KHR_materials_transmission, or baseColorFactor.a with BLEND',
    why: 'glass refracts or has no image; anything else blends; never both: D-510',
    apply: applyTransparency,
  },
  refr: {
    target: 'KHR_materials_ior',
    why: 'only above 1: an index of 1 would remove all reflection: D-511',
    apply: ({ material, look }) => {
      if (material.refr !== undefined && material.refr > 1) look.ior = material.refr;
    },
  },
  shi: {
    target: 'roughnessFactor',
    why: 'stands in for a missing roughness: D-512',
    apply: reportApproximated('shi'),
  },
  spe: {
    target: 'roughnessFactor',
    why: 'a black highlight is matt: D-512',
    apply: reportApproximated('spe'),
  },
  refl: {
    target: 'KHR_materials_specular',
    why: 'below 1 on a dielectric: D-513',
    apply: ({ material, look, images }) => {
      const { refl } = material;
      const dielectric = images.metallic_image === undefined && look.metallic < 0.5;
      if (refl !== undefined && refl < 1 && dielectric) look.specular = clamp01(refl);
    },
  },
  luminance: {
    target: 'emissiveFactor, KHR_materials_emissive_strength',
    why: 'cd/m²; under an image the image glows: D-514',
    apply: applyLuminance,
  },
  emission: {
    target: 'emissiveFactor',
    why: 'a colour of its own, from the later material format: D-517',
    apply: ({ material, look }) => {
      if (!material.emission) return;
      look.emissiveLinear = linearColor(material.emission);
      look.images.emissive = false;
      if (material.luminance === undefined) look.emissiveStrength = 1;
    },
  },
  clearcoat: {
    target: 'KHR_materials_clearcoat',
    why: 'the later material format has it: D-517',
    apply: ({ material, look }) => {
      if (!material.clearcoat) return;
      const roughness = clamp01(material.clearcoat_roughness ?? 0);
      look.clearcoat = { factor: clamp01(material.clearcoat), roughness };
    },
  },
  clearcoat_roughness: { target: 'KHR_materials_clearcoat', why: 'applied with clearcoat: D-517' },
  sheen: {
    target: 'KHR_materials_sheen',
    why: 'the later material format has it: D-517',
    apply: ({ material, look }) => {
      if (!material.sheen) return;
      const strength = clamp01(material.sheen);
      const [r, g, b] = linearColor(material.sheen_color ?? WHITE);
      look.sheen = {
        colorLinear: [r * strength, g * strength, b * strength],
        roughness: clamp01(material.sheen_roughness ?? 0.5),
      };
    },
  },
  sheen_color: { target: 'KHR_materials_sheen', why: 'applied with sheen: D-517' },
  sheen_roughness: { target: 'KHR_materials_sheen', why: 'applied with sheen: D-517' },
  amb: {
    target: null,
    why: "ambient light is the viewer's: D-515",
    apply: ({ material, lose }) => {
      if (material.amb) lose('amb', "dropped: ambient light is the viewer's");
    },
  },
  mirror: { target: null, why: 'undocumented: D-516', apply: keep('mirror') },
  pho: { target: null, why: 'undocumented: D-516', apply: keep('pho') },
} as const satisfies Record<MaterialField, MaterialRule>;

/** How roughness follows where none is given. */
const ROUGHNESS_STRATEGIES = {
  /** Blinn-Phong exponent to GGX, and matt where the highlight is black. */
  ggx: ({ shi = DEFAULT_SHI, spe = BLACK, refl = 1 }: ServiceMaterial): number => {
    const glossy = clamp01((2 / (Math.max(0, shi) + 2)) ** 0.25);
    const highlight = luminance(linearColor(spe)) * refl;
    return 1 + (glossy - 1) * smoothstep(0, 0.1, highlight);
  },
  matt: (): number => 1,
} as const satisfies Record<
  ConvertOptions['roughnessStrategy'],
  (material: ServiceMaterial) => number
>;

/**
 * Applies the table to a material.
 *
 * @param watch - Told after each row; what explains a material looks on here.
 * @returns Factors linear, 0..1.
 *
 * @example
 * ```ts
 * lookOf(context({ mname: 'CHROME', dif: [0.8, 0.8, 0.8], metallic: 1, roughness: 0.1 })).metallic;
 * // → 1
 * ```
 *
 * @see D-500.
 */
export function lookOf(
  context: Omit<MaterialContext, 'look'>,
  watch?: (field: MaterialField, rule: MaterialRule, look: MaterialLook) => void,
): MaterialLook {
  const look = neutralLook();
  for (const [field, rule] of Object.entries<MaterialRule>(MATERIAL_TABLE)) {
    rule.apply?.({ ...context, look });
    watch?.(field as MaterialField, rule, look);
  }
  return look;
}

/** The look before any row: white, opaque, matt, not metallic. */
export function neutralLook(): MaterialLook {
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

function applyEnvironment({ material, images, look, lose }: MaterialContext): void {
  const map = material.map?.toLowerCase() ?? '';
  if (map === 'env') {
    lose('map', 'an environment look: its mean colour on a polished metal');
    look.images.baseColor = false;
    if (images.pic) look.baseColorLinear = images.pic.meanLinear;
    look.roughness = Math.min(look.roughness, ENV_ROUGHNESS);
    if (material.metallic === undefined) look.metallic = 1;
  } else if (map !== '' && map !== 'auto' && map !== 'rauto') {
    lose('map', 'unknown: stored UVs are used');
  }
}

function applyTransparency({ material, look, options }: MaterialContext): void {
  const tra = clamp01(material.tra ?? 0);
  if (tra === 0) return;
  const glass = (material.refr ?? 0) > 1 || !material.pic;
  if (!glass) {
    look.alpha = 1 - tra;
    if (look.alpha < OPAQUE_ALPHA) look.alphaMode = 'BLEND';
    return;
  }
  look.transmission = tra;
  if (material.dif) look.kept.dif = hexOf(material.dif);
  if (options.glassTint === 'mixed')
    look.baseColorLinear = mixColors(look.baseColorLinear, WHITE, tra);
}

function applyLuminance({ material, images, look, options }: MaterialContext): void {
  const { luminance: candela = 0 } = material;
  if (!(candela > 0)) return;
  const glowing = look.images.baseColor;
  look.images.emissive = glowing;
  look.emissiveLinear = glowing
    ? WHITE
    : images.pic
      ? images.pic.meanLinear
      : linearColor(material.dif ?? WHITE);
  look.emissiveStrength = candela / options.luminanceDivisor;
}

function reportZero(field: 'scaleu' | 'scalev' | 'bump_scaleu' | 'bump_scalev') {
  return ({ material, lose }: MaterialContext): void => {
    if (material[field] === 0) lose(field, 'a scale of zero counts as 1');
  };
}

function reportApproximated(field: 'shi' | 'spe') {
  return ({ material, images, look, lose }: MaterialContext): void => {
    if (material[field] === undefined || material.roughness !== undefined) return;
    if (!images.roughness_image)
      lose(field, `approximated by a roughness of ${round(look.roughness)}`);
  };
}

function keep(field: 'mirror' | 'pho') {
  return ({ material, look, lose }: MaterialContext): void => {
    if (material[field] === undefined) return;
    look.kept[field] = material.source[field] ?? material[field];
    lose(field, 'dropped: undocumented; kept in extras');
  };
}

/** `0xRRGGBB`, as the service writes colours. */
function hexOf(color: SrgbColor): string {
  const digits = color.map((value) =>
    Math.round(value * 255)
      .toString(16)
      .padStart(2, '0'),
  );
  return `0x${digits.join('').toUpperCase()}`;
}

function clamp01(value: number): number {
  return Math.min(1, Math.max(0, value));
}

function smoothstep(from: number, to: number, value: number): number {
  const t = clamp01((value - from) / (to - from));
  return t * t * (3 - 2 * t);
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
