/**
 * Material table: one row for every field of `mats[]`, total by type, in the order of application. A
 * field that is dropped is a row with the reason.
 */
import { linearColor } from '../math/color.ts';
import type { ServiceMaterial } from '../model/graphics.ts';
import {
  applyEnvironment,
  applyLuminance,
  applyReflection,
  applyTransparency,
  clamp01,
  isBlack,
  isShownAsMetal,
  keep,
  type MaterialContext,
  type MaterialShading,
  neutralShading,
  ROUGHNESS_STRATEGIES,
  reportApproximated,
  reportZero,
  WHITE,
} from './material-rules.ts';

type MaterialField = Exclude<keyof ServiceMaterial, 'source' | 'overridden'>;

/** One row: where a field goes, why, and how. */
interface MaterialRule {
  /** glTF target; null for a field that is dropped. */
  target: string | null;
  why: string;
  /** Changes the shading; called for fields that were not sent, too, so that defaults are rules. */
  apply?(context: MaterialContext): void;
  /** A field of the later material format, dropped without `extendedFields`. */
  extended?: true;
}

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
      if (images.bump.grey)
        lose(
          'bump',
          shading.images.normal
            ? 'a height map, turned into normals'
            : 'a height map, which glTF does not have: dropped',
        );
    },
  },
  roughness: {
    target: 'roughnessFactor',
    why: 'as given, else from shi, spe and refl: D-506, D-512',
    apply: ({ material, shading, options }) => {
      shading.roughness =
        material.roughness === undefined
          ? ROUGHNESS_STRATEGIES[options.roughnessStrategy](material)
          : clamp01(material.roughness);
    },
  },
  metallic: {
    target: 'metallicFactor',
    why: 'as given, else 0; the default of glTF would be 1: D-506',
    apply: ({ material, shading }) => {
      shading.metallic = clamp01(material.metallic ?? 0);
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
    why: 'auto and rauto project; env has no counterpart in glTF: D-402, D-403, D-405',
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
    apply: ({ material, shading }) => {
      if (material.refr !== undefined && material.refr > 1) shading.ior = material.refr;
    },
  },
  shi: {
    target: 'roughnessFactor',
    why: 'approximates a missing roughness: D-512',
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
    why: 'a colour of its own, a field of the later material format: D-517',
    extended: true,
    apply: ({ material, shading }) => {
      if (!material.emission) return;
      shading.emissiveLinear = linearColor(material.emission);
      shading.images.emissive = false;
      if (material.luminance === undefined) shading.emissiveStrength = 1;
    },
  },
  clearcoat: {
    target: 'KHR_materials_clearcoat',
    why: 'a field of the later material format: D-517',
    extended: true,
    apply: ({ material, shading }) => {
      if (!material.clearcoat) return;
      const roughness = clamp01(material.clearcoat_roughness ?? 0);
      shading.clearcoat = { factor: clamp01(material.clearcoat), roughness };
    },
  },
  clearcoat_roughness: {
    target: 'KHR_materials_clearcoat',
    why: 'applied with clearcoat: D-517',
    extended: true,
  },
  sheen: {
    target: 'KHR_materials_sheen',
    why: 'a field of the later material format: D-517',
    extended: true,
    apply: ({ material, shading }) => {
      if (!material.sheen) return;
      const strength = clamp01(material.sheen);
      const [r, g, b] = linearColor(material.sheen_color ?? WHITE);
      shading.sheen = {
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
    why: 'ambient light comes from the viewer: D-516',
    apply: ({ material, lose }) => {
      if (material.amb && !isBlack(material.amb))
        lose('amb', "dropped: ambient light is the viewer's");
    },
  },
  mirror: { target: null, why: 'undocumented: D-516', apply: keep('mirror', 'undocumented') },
  pho: { target: null, why: 'undocumented: D-516', apply: keep('pho', 'undocumented') },
} as const satisfies Record<MaterialField, MaterialRule>;

/** How the rows of the table made one material; for people who ask why. */
export interface MaterialExplanation {
  name: string;
  /** One for each field, in the order of the table. */
  steps: {
    field: MaterialField;
    /** As the service sent it, or undefined. */
    sent: unknown;
    /** Its value in the pipeline file, or undefined. */
    overridden: unknown;
    target: string | null;
    why: string;
    /** glTF values that the row changed. */
    changes: { name: string; before: unknown; after: unknown }[];
  }[];
}

/**
 * Applies the table to a material.
 *
 * @param explain - Called with what each row did; it costs a few dozen copies a material.
 * @returns Factors linear, 0..1.
 *
 * @example
 * ```ts
 * shadingOf(context({ mname: 'CHROME', dif: [0.8, 0.8, 0.8], metallic: 1, roughness: 0.1 })).metallic;
 * // → 1
 * ```
 *
 * @see D-500.
 */
export function shadingOf(
  context: Omit<MaterialContext, 'shading'>,
  explain?: ((explanation: MaterialExplanation) => void) | undefined,
): MaterialShading {
  const { material, options } = context;
  const shading = neutralShading();
  const steps: MaterialExplanation['steps'] = [];
  let before = explain && valuesOf(shading);
  for (const [name, rule] of Object.entries<MaterialRule>(MATERIAL_TABLE)) {
    const field = name as MaterialField;
    const isOff = rule.extended && !options.extendedFields;
    const apply = isOff ? keep(field, 'extendedFields is off') : rule.apply;
    apply?.({ ...context, shading });
    if (!before) continue;
    const after = valuesOf(shading);
    const overridden = material.overridden?.[field];
    const received = overridden === undefined ? material[field] : undefined;
    const sent = material.source[field] ?? received;
    const { target, why } = rule;
    steps.push({ field, sent, overridden, target, why, changes: differences(before, after) });
    before = after;
  }
  explain?.({ name: material.mname, steps });
  return shading;
}

/** Every value by a flat name, such as `images.normal`. */
function valuesOf({ images, kept, ...values }: MaterialShading): Map<string, unknown> {
  const flat = new Map<string, unknown>(Object.entries(values));
  for (const [group, members] of Object.entries({ images, kept })) {
    for (const [name, value] of Object.entries(members)) flat.set(`${group}.${name}`, value);
  }
  return flat;
}

function differences(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>) {
  return [...after]
    .filter(([name, value]) => JSON.stringify(before.get(name)) !== JSON.stringify(value))
    .map(([name, value]) => ({ name, before: before.get(name), after: value }));
}
