/** Transparent materials: glass transmits light, everything else blends. */

import { luminance } from '../math/color.ts';
import type { ServiceMaterial, SrgbColor } from '../model/graphics.ts';
import type { LinearRgb } from '../model/scene.ts';
import type { ConvertOptions } from './convert-options.ts';
import type { MaterialContext } from './material-context.ts';

/** Largest `tra` of a material that counts as opaque. */
const OPAQUE_TRA = 0.001;
/** Largest roughness of a mirror or of glass, so that reflections and the view through it are not blurred. */
export const CLEAR_ROUGHNESS = 0.1;

type ApplyTra = (context: MaterialContext, tra: number) => void;

/** Whether the material transmits light, as opposed to an image with holes: D-510. */
export function isGlass({ tra = 0, refr = 0, pic }: ServiceMaterial): boolean {
  return tra > OPAQUE_TRA && (refr > 1 || !pic);
}

/** Makes glass transmit light as the option says; everything else blends: D-510. */
export function applyTransparency(context: MaterialContext): void {
  const { material, options } = context;
  const { tra = 0 } = material;
  if (tra > OPAQUE_TRA) TRANSPARENCIES[isGlass(material) ? options.glass : 'blend'](context, tra);
}

const TRANSPARENCIES = {
  transmission: (context, tra) => {
    const { material, images, shading, options, lose } = context;
    shading.transmission = tra;
    shading.kept.tra = tra;
    if (material.dif) shading.kept.dif = hexOf(material.dif);
    if (shading.images.baseColor)
      lose('tra', 'glass with an image: the image tints the background');
    else GLASS_TINTS[options.glassTint](context, tra);
    if (material.roughness === undefined && !images.roughness_image)
      shading.roughness = Math.min(shading.roughness, CLEAR_ROUGHNESS);
  },
  blend: ({ shading }, tra) => {
    shading.alpha = 1 - tra;
    shading.alphaMode = 'BLEND';
  },
} as const satisfies Record<ConvertOptions['glass'], ApplyTra>;

/**
 * The service blends (1 − tra)·dif with tra of an untinted background; glTF multiplies both parts by the
 * base colour.
 */
const GLASS_TINTS = {
  /** Keeps the amounts of own light and background: exactly for grey glass, else their sum. */
  balanced: ({ shading, lose }, tra) => {
    const [r, g, b] = shading.baseColorLinear;
    const base: LinearRgb = [tra + (1 - tra) * r, tra + (1 - tra) * g, tra + (1 - tra) * b];
    shading.baseColorLinear = base;
    shading.transmission = Math.min(1, tra / luminance(base));
    if (!isUniform(base)) lose('tra', 'coloured glass: its colour tints the background');
  },
  exact: ({ shading, lose }) => {
    const isWhite = isUniform(shading.baseColorLinear) && shading.baseColorLinear[0] === 1;
    if (!isWhite) lose('tra', 'tinted glass: its colour tints the background');
  },
} as const satisfies Record<ConvertOptions['glassTint'], ApplyTra>;

function isUniform([r, g, b]: LinearRgb): boolean {
  return r === g && g === b;
}

/** `0xRRGGBB`, as the service writes colours. */
function hexOf(color: SrgbColor): string {
  const rgb = color.reduce((sum, value) => sum * 256 + Math.round(value * 255), 0);
  return `0x${rgb.toString(16).padStart(6, '0').toUpperCase()}`;
}
