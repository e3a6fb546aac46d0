/**
 * Material table: one row for every field of `mats[]`, total by type, in the order of application.
 *
 * In: a service material, and what is known of its images. Out: a look in glTF's values. A field
 * that is dropped is a row that says why. It must not know pixels, UV sets or files.
 */
import { linearColor } from '../math/color.ts';
import type { ServiceMaterial } from '../model/graphics.ts';
import {
  type MaterialContext,
  type MaterialLook,
  type MaterialRule,
  neutralLook,
  WHITE,
} from './material-look.ts';
import {
  applyEnvironment,
  applyLuminance,
  applyReflection,
  applyTransparency,
  clamp01,
  isBlack,
  isMetalLook,
  keep,
  ROUGHNESS_STRATEGIES,
  reportApproximated,
  reportZero,
} from './material-rules.ts';

/** The fields that have a row each. */
export type MaterialField = Exclude<keyof ServiceMaterial, 'source' | 'overridden'>;

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
      const replaced = images.pic && !isMetalLook(material, options) && !options.tintTextures;
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
    why: 'as given, else from shi, spe and refl: D-506, D-512',
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
    apply: applyReflection,
  },
  luminance: {
    target: 'emissiveFactor, KHR_materials_emissive_strength',
    why: 'cd/m²; under an image the image glows: D-514',
    apply: applyLuminance,
  },
  emission: {
    target: 'emissiveFactor',
    why: 'a colour of its own, from the later material format: D-517',
    extended: true,
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
    extended: true,
    apply: ({ material, look }) => {
      if (!material.clearcoat) return;
      const roughness = clamp01(material.clearcoat_roughness ?? 0);
      look.clearcoat = { factor: clamp01(material.clearcoat), roughness };
    },
  },
  clearcoat_roughness: {
    target: 'KHR_materials_clearcoat',
    why: 'applied with clearcoat: D-517',
    extended: true,
  },
  sheen: {
    target: 'KHR_materials_sheen',
    why: 'the later material format has it: D-517',
    extended: true,
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
  sheen_color: {
    target: 'KHR_materials_sheen',
    why: 'applied with sheen: D-517',
    extended: true,
  },
  sheen_roughness: {
    target: 'KHR_materials_sheen',
    why: 'applied with sheen: D-517',
    extended: true,
  },
  amb: {
    target: null,
    why: "ambient light is the viewer's: D-516",
    apply: ({ material, lose }) => {
      if (material.amb && !isBlack(material.amb))
        lose('amb', "dropped: ambient light is the viewer's");
    },
  },
  mirror: { target: null, why: 'undocumented: D-516', apply: keep('mirror', 'undocumented') },
  pho: { target: null, why: 'undocumented: D-516', apply: keep('pho', 'undocumented') },
} as const satisfies Record<MaterialField, MaterialRule>;

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
  for (const [name, rule] of Object.entries<MaterialRule>(MATERIAL_TABLE)) {
    const field = name as MaterialField;
    const off = rule.extended && !context.options.extendedFields;
    const apply = off ? keep(field, 'extendedFields is off') : rule.apply;
    apply?.({ ...context, look });
    watch?.(field, rule, look);
  }
  return look;
}
