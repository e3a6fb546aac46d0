/**
 * Material rules: the rows of the material table that take more than a line.
 *
 * In: what a row works on. Out: a changed look. Each choice is a table of its option's values.
 */
import { linearColor, luminance, mixColors } from '../math/color.ts';
import type { ServiceMaterial, SrgbColor } from '../model/graphics.ts';
import type { ConvertOptions } from './convert-options.ts';
import { type MaterialContext, WHITE } from './material-look.ts';

type Apply = (context: MaterialContext) => void;

const BLACK: SrgbColor = [0, 0, 0];

/** Gloss where none is given; roughness 0.5. */
const DEFAULT_SHI = 30;

/** At or above this a material counts as opaque. */
const OPAQUE_ALPHA = 0.999;

/** An environment picture is a mirror: no rougher than this. */
const ENV_ROUGHNESS = 0.1;

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

/** Whether a metal stands for the picture: then only its mean colour counts. */
export function isMetalLook(
  { map }: ServiceMaterial,
  { environmentLook }: Pick<ConvertOptions, 'environmentLook'>,
): boolean {
  return environmentLook === 'metal' && map?.toLowerCase() === 'env';
}

const ENVIRONMENT_LOOKS = {
  metal: ({ material, images, look, lose }) => {
    lose('map', 'an environment look: its mean colour on a polished metal');
    look.images.baseColor = false;
    if (images.pic) look.baseColorLinear = images.pic.meanLinear;
    look.roughness = Math.min(look.roughness, ENV_ROUGHNESS);
    if (material.metallic === undefined) look.metallic = 1;
  },
  texture: ({ lose }) => lose('map', 'an environment look: its picture as an ordinary texture'),
} as const satisfies Record<ConvertOptions['environmentLook'], Apply>;

/** An environment look, or a `map` that nobody has told: D-405. */
export function applyEnvironment(context: MaterialContext): void {
  const { material, options, lose } = context;
  const map = material.map?.toLowerCase() ?? '';
  if (map === 'env') {
    ENVIRONMENT_LOOKS[options.environmentLook](context);
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

function blend({ look }: MaterialContext, tra: number): void {
  look.alpha = 1 - tra;
  if (look.alpha < OPAQUE_ALPHA) look.alphaMode = 'BLEND';
}

function transmit({ material, look, options }: MaterialContext, tra: number): void {
  look.transmission = tra;
  if (material.dif) look.kept.dif = hexOf(material.dif);
  if (options.glassTint === 'mixed')
    look.baseColorLinear = mixColors(look.baseColorLinear, WHITE, tra);
}

/** Dims the highlight of a dielectric: D-513. */
export function applyReflection(context: MaterialContext): void {
  const { refl } = context.material;
  const dielectric = context.images.metallic_image === undefined && context.look.metallic < 0.5;
  if (refl !== undefined && refl < 1 && dielectric)
    REFLECTIONS[context.options.reflection](context, clamp01(refl));
}

const REFLECTIONS = {
  specular: ({ look }, refl) => {
    look.specular = refl;
  },
  ignore: ({ lose }) => lose('refl', 'dropped by option: the highlight is not dimmed'),
} as const satisfies Record<
  ConvertOptions['reflection'],
  (context: MaterialContext, refl: number) => void
>;

/** Under an image the image glows, else the colour: D-514. */
export function applyLuminance({ material, images, look, options }: MaterialContext): void {
  const { luminance: candela = 0 } = material;
  if (!(candela > 0)) return;
  const glowing = look.images.baseColor && options.glowingTextures;
  look.images.emissive = glowing;
  look.emissiveLinear = glowing
    ? WHITE
    : images.pic && isMetalLook(material, options)
      ? images.pic.meanLinear
      : linearColor(material.dif ?? WHITE);
  look.emissiveStrength = candela / options.luminanceDivisor;
}

/** A texture scale of zero counts as 1: D-420. */
export function reportZero(field: 'scaleu' | 'scalev' | 'bump_scaleu' | 'bump_scalev') {
  return ({ material, lose }: MaterialContext): void => {
    if (material[field] === 0) lose(field, 'a scale of zero counts as 1');
  };
}

/** What only stands in for a missing roughness: D-512. */
export function reportApproximated(field: 'shi' | 'spe') {
  return ({ material, images, look, lose }: MaterialContext): void => {
    if (material[field] === undefined || material.roughness !== undefined) return;
    // A black highlight is matt, exactly.
    if (look.roughness === 1 && ROUGHNESS_STRATEGIES.ggx(material) === 1) return;
    if (!images.roughness_image)
      lose(field, `approximated by a roughness of ${round(look.roughness)}`);
  };
}

/** Makes the rule of a field that is dropped but kept in extras. */
export function keep(
  field: Exclude<keyof ServiceMaterial, 'source' | 'overridden'>,
  why: string,
): Apply {
  return ({ material, look, lose }) => {
    // Zero and black say that there is nothing to lose.
    if (!material[field] || isBlack(material[field])) return;
    look.kept[field] = material.source[field] ?? material[field];
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
