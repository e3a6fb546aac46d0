/**
 * Material rules: the values that the material table computes, and its rows that take more than a line.
 * Each choice is a table of its option's values.
 */
import { linearColor, luminance, mixColors } from '../math/color.ts';
import type { ImageField, ServiceMaterial, SrgbColor } from '../model/graphics.ts';
import type { LinearRgb, SceneMaterial } from '../model/scene.ts';
import type { ConvertOptions } from './convert-options.ts';

/** White, in sRGB as in linear light. */
export const WHITE: LinearRgb = [1, 1, 1];
const BLACK: SrgbColor = [0, 0, 0];

/** Gloss where none is given; roughness 0.5. */
const DEFAULT_SHI = 30;

/** At or above this a material counts as opaque. */
const OPAQUE_ALPHA = 0.999;

/** An environment picture is a mirror: no rougher than this. */
const ENV_ROUGHNESS = 0.1;

/** What is known of an image that a material refers to and that could be read. */
export interface KnownImage {
  /** Red, green and blue are alike: a picture without colour. */
  grey: boolean;
  /** Mean colour, averaged in linear light. */
  meanLinear: LinearRgb;
}

/** A material's values in glTF's terms, and which images it uses; they are not yet packed. */
export type MaterialShading = Pick<
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
  images: Record<'baseColor' | 'normal' | 'roughness' | 'metallic' | 'emissive', boolean>;
  /** Fields without a counterpart in glTF, for the extras. */
  kept: Record<string, unknown>;
};

/** The shading before any row: white, opaque, matt, not metallic. */
export function neutralShading(): MaterialShading {
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

/** What a row works on. */
export interface MaterialContext {
  material: ServiceMaterial;
  /** Readable images only. */
  images: Partial<Record<ImageField, KnownImage>>;
  options: ConvertOptions;
  shading: MaterialShading;
  /** Reports that a field is not carried over exactly. */
  lose(field: string, done: string): void;
}

type Apply = (context: MaterialContext) => void;

/** How roughness follows where none is given: D-512. */
export const ROUGHNESS_STRATEGIES = {
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

/** Whether a picture of the environment is shown as metal: then only its mean colour is used. */
export function isShownAsMetal(
  { map }: ServiceMaterial,
  { environmentLook }: Pick<ConvertOptions, 'environmentLook'>,
): boolean {
  return environmentLook === 'metal' && map?.toLowerCase() === 'env';
}

const ENVIRONMENTS = {
  metal: ({ material, images, shading, lose }) => {
    lose('map', 'an environment look: its mean colour on a polished metal');
    shading.images.baseColor = false;
    if (images.pic) shading.baseColorLinear = images.pic.meanLinear;
    shading.roughness = Math.min(shading.roughness, ENV_ROUGHNESS);
    if (material.metallic === undefined) shading.metallic = 1;
  },
  texture: ({ lose }) => lose('map', 'an environment look: its picture as an ordinary texture'),
} as const satisfies Record<ConvertOptions['environmentLook'], Apply>;

/** An environment shading, or an unknown `map`: D-405. */
export function applyEnvironment(context: MaterialContext): void {
  const { material, options, lose } = context;
  const map = material.map?.toLowerCase() ?? '';
  if (map === 'env') {
    ENVIRONMENTS[options.environmentLook](context);
  } else if (map !== '' && map !== 'auto' && map !== 'rauto') {
    lose('map', 'unknown: stored UVs are used');
  }
}

/** Glass lets light through in the way of the option, all else blends: D-510. */
export function applyTransparency(context: MaterialContext): void {
  const { material, options } = context;
  const tra = clamp01(material.tra ?? 0);
  if (tra === 0) return;
  const glass = (material.refr ?? 0) > 1 || !material.pic;
  TRANSPARENCIES[glass ? options.glass : 'blend'](context, tra);
}

const TRANSPARENCIES = { transmission: transmit, blend } as const satisfies Record<
  ConvertOptions['glass'],
  (context: MaterialContext, tra: number) => void
>;

function blend({ shading }: MaterialContext, tra: number): void {
  shading.alpha = 1 - tra;
  if (shading.alpha < OPAQUE_ALPHA) shading.alphaMode = 'BLEND';
}

function transmit({ material, shading, options }: MaterialContext, tra: number): void {
  shading.transmission = tra;
  if (material.dif) shading.kept.dif = hexOf(material.dif);
  if (options.glassTint === 'mixed')
    shading.baseColorLinear = mixColors(shading.baseColorLinear, WHITE, tra);
}

/** Dims the highlight of a dielectric: D-513. */
export function applyReflection(context: MaterialContext): void {
  const { refl } = context.material;
  const dielectric = context.images.metallic_image === undefined && context.shading.metallic < 0.5;
  if (refl !== undefined && refl < 1 && dielectric)
    REFLECTIONS[context.options.reflection](context, clamp01(refl));
}

const REFLECTIONS = {
  specular: ({ shading }, refl) => {
    shading.specular = refl;
  },
  ignore: ({ lose }) => lose('refl', 'dropped by option: the highlight is not dimmed'),
} as const satisfies Record<
  ConvertOptions['reflection'],
  (context: MaterialContext, refl: number) => void
>;

/** Under an image the image glows, else the colour: D-514. */
export function applyLuminance({ material, images, shading, options }: MaterialContext): void {
  const { luminance: candela = 0 } = material;
  if (!(candela > 0)) return;
  const glowing = shading.images.baseColor && options.glowingTextures;
  shading.images.emissive = glowing;
  shading.emissiveLinear = glowing
    ? WHITE
    : images.pic && isShownAsMetal(material, options)
      ? images.pic.meanLinear
      : linearColor(material.dif ?? WHITE);
  shading.emissiveStrength = candela / options.luminanceDivisor;
}

/** A texture scale of zero counts as 1: D-420. */
export function reportZero(field: 'scaleu' | 'scalev' | 'bump_scaleu' | 'bump_scalev') {
  return ({ material, lose }: MaterialContext): void => {
    if (material[field] === 0) lose(field, 'a scale of zero counts as 1');
  };
}

/** A field that only approximates a missing roughness: D-512. */
export function reportApproximated(field: 'shi' | 'spe') {
  return ({ material, images, shading, lose }: MaterialContext): void => {
    if (material[field] === undefined || material.roughness !== undefined) return;
    // A black highlight is matt, exactly.
    if (shading.roughness === 1 && ROUGHNESS_STRATEGIES.ggx(material) === 1) return;
    if (!images.roughness_image)
      lose(field, `approximated by a roughness of ${round(shading.roughness)}`);
  };
}

/** Makes the rule of a field that is dropped but kept in extras. */
export function keep(
  field: Exclude<keyof ServiceMaterial, 'source' | 'overridden'>,
  why: string,
): Apply {
  return ({ material, shading, lose }) => {
    // Zero and black have no effect.
    if (!material[field] || isBlack(material[field])) return;
    shading.kept[field] = material.source[field] ?? material[field];
    lose(field, `dropped: ${why}; kept in extras`);
  };
}

/** Whether a value is a colour without any light in it. */
export function isBlack(value: unknown): boolean {
  return Array.isArray(value) && value.every((component) => component === 0);
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

/** The nearest value from 0 to 1. */
export function clamp01(value: number): number {
  return Math.min(1, Math.max(0, value));
}

function smoothstep(from: number, to: number, value: number): number {
  const t = clamp01((value - from) / (to - from));
  return t * t * (3 - 2 * t);
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
