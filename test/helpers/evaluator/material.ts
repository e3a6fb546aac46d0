/**
 * Material: the glTF values of a definition.
 *
 * @see D-500 to D-550.
 */
import { linearRgb, luminanceOf, mix } from './colors.ts';
import type { ImageFacts } from './image-facts.ts';
import { lostFields } from './ledger.ts';
import type { MaterialFields } from './material-fields.ts';
import type { EvaluatorOptions } from './options.ts';
import type { TexturePlacement } from './projection.ts';
import { times, type Vec3 } from './vectors.ts';

/** By image reference as a material spells it; one that is not there is missing. */
export type Images = ReadonlyMap<string, ImageFacts>;

/** Colours are linear. */
export interface ExpectedMaterial {
  name: string;
  baseColor: Vec3;
  alpha: number;
  blend: boolean;
  baseTexture: ImageFacts | undefined;
  metallic: number;
  metallicTexture: ImageFacts | undefined;
  roughness: number;
  roughnessTexture: ImageFacts | undefined;
  normalTexture: ImageFacts | undefined;
  /** Factor times strength. */
  emission: Vec3;
  emissionTexture: ImageFacts | undefined;
  transmission: number;
  ior: number | undefined;
  specular: number | undefined;
  clearcoat: { factor: number; roughness: number } | undefined;
  sheen: { color: Vec3; roughness: number } | undefined;
  uvSource: 'auto' | 'rauto' | 'stored';
  basePlacement: TexturePlacement;
  normalPlacement: TexturePlacement;
  /** Fields that are not carried over exactly. */
  lost: ReadonlySet<string>;
  /** `bump` is a picture of heights that the options turn into a normal map. */
  normalFromHeights: boolean;
}

const WHITE: Vec3 = [1, 1, 1];
const BLACK: Vec3 = [0, 0, 0];
const GREY: Vec3 = [0.5, 0.5, 0.5];
/** Glass without a roughness of its own is no rougher, and neither is an environment look. */
const CLEAR = 0.1;

/** The neutral grey of what has no material. */
export function defaultMaterial(): MaterialFields {
  return {
    name: 'default',
    colors: new Map([['dif', GREY]]),
    numbers: new Map([['roughness', 1]]),
    texts: new Map(),
    unreadable: new Set(),
  };
}

/** Evaluates section 5 for one definition. */
export function evaluateMaterial(
  fields: MaterialFields,
  images: Images,
  options: EvaluatorOptions,
): ExpectedMaterial {
  const { numbers, colors, texts } = fields;
  const amount = (key: string, missing = 0) => clamp(numbers.get(key) ?? missing);
  const image = (key: string) => images.get(texts.get(key) ?? '\0');
  const map = texts.get('map');
  const env = map === 'env';
  const pic = image('pic');
  const dif = linearRgb(colors.get('dif') ?? WHITE);
  const tra = amount('tra');
  const refr = numbers.get('refr') ?? 0;
  const opaque = tra <= 0.001;
  const glass = !opaque && (refr > 1 || !texts.get('pic'));
  const bump = image('bump');
  const heights = bump?.grey === true;
  const metallicTexture = image('metallic_image');
  const metallic = metallicTexture ? 1 : amount('metallic', env ? 1 : 0);
  const roughnessTexture = image('roughness_image');
  const clear = env || (glass && !numbers.has('roughness') && !roughnessTexture);
  const roughness = roughnessTexture ? 1 : roughnessOf(fields);
  const expected: Omit<ExpectedMaterial, 'lost'> = {
    name: fields.name,
    ...throughGlass(),
    alpha: glass ? 1 : 1 - tra,
    blend: !glass && !opaque,
    baseTexture: env ? undefined : pic,
    metallic,
    metallicTexture,
    roughness: clear ? Math.min(roughness, CLEAR) : roughness,
    roughnessTexture,
    normalTexture: heights && options.heightMaps === 'drop' ? undefined : bump,
    normalFromHeights: heights,
    ...emissionOf(),
    ior: glass && refr > 1 ? refr : undefined,
    specular: specularOf(),
    clearcoat:
      amount('clearcoat') > 0
        ? { factor: amount('clearcoat'), roughness: amount('clearcoat_roughness') }
        : undefined,
    sheen:
      amount('sheen') > 0
        ? {
            color: times(linearRgb(colors.get('sheen_color') ?? WHITE), amount('sheen')),
            roughness: amount('sheen_roughness', 0.5),
          }
        : undefined,
    uvSource: map === 'auto' || map === 'rauto' ? map : 'stored',
    basePlacement: placementOf(fields, false, options),
    normalPlacement: placementOf(fields, true, options),
  };
  const gloss = roughnessOf(fields);
  return { ...expected, lost: lostFields(fields, images, expected, gloss) };

  /** What blending would show: (1 − tra) of the own colour, and tra of what is behind. */
  function throughGlass(): { baseColor: Vec3; transmission: number } {
    const textured = pic && !options.tintTextures ? WHITE : dif;
    const colour = env ? (pic?.meanLinear ?? dif) : textured;
    if (!glass) return { baseColor: colour, transmission: 0 };
    if (options.glassTint === 'exact' || (pic && !env))
      return { baseColor: colour, transmission: tra };
    const own = times(colour, 1 - tra);
    const baseColor: Vec3 = [own[0] + tra, own[1] + tra, own[2] + tra];
    return { baseColor, transmission: tra / luminanceOf(baseColor) };
  }

  function emissionOf(): { emission: Vec3; emissionTexture: ImageFacts | undefined } {
    const strength = (numbers.get('luminance') ?? 0) / options.luminanceDivisor;
    if (strength > 0) {
      const texture = env ? undefined : pic;
      return { emission: times(texture ? WHITE : dif, strength), emissionTexture: texture };
    }
    return { emission: linearRgb(colors.get('emission') ?? BLACK), emissionTexture: undefined };
  }

  function specularOf(): number | undefined {
    const refl = numbers.get('refl');
    const dielectric = !metallicTexture && metallic < 0.5;
    const matt = (colors.get('spe') ?? BLACK).every((channel) => channel <= 0);
    return refl !== undefined && refl < 1 && dielectric && matt ? clamp(refl) : undefined;
  }
}

const clamp = (value: number): number => Math.min(1, Math.max(0, value));

/** From `roughness`, or from the gloss of older definitions. */
function roughnessOf({ numbers, colors }: MaterialFields): number {
  const given = numbers.get('roughness');
  if (given !== undefined) return clamp(given);
  const polished = (2 / (Math.max(0, numbers.get('shi') ?? 30) + 2)) ** 0.25;
  const strength = luminanceOf(linearRgb(colors.get('spe') ?? BLACK));
  const t = clamp(strength / 0.1);
  return mix(1, polished, t * t * (3 - 2 * t));
}

function placementOf(
  { numbers }: MaterialFields,
  bump: boolean,
  { textureRotation }: EvaluatorOptions,
): TexturePlacement {
  const read = (key: string) => (bump ? numbers.get(`bump_${key}`) : undefined) ?? numbers.get(key);
  const rotation = read('rot') ?? 0;
  return {
    scale: [read('scaleu') || 1, read('scalev') || 1],
    offset: [read('offsetx') ?? 0, read('offsety') ?? 0],
    rotationDegrees: textureRotation === 'clockwise' ? -rotation : rotation,
  };
}
