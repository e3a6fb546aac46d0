/**
 * Ledger: which fields of a definition glTF does not carry over exactly.
 *
 * @see D-540.
 */
import type { ExpectedMaterial, Images } from './material.ts';
import type { MaterialFields } from './material-fields.ts';

const FROM_0_TO_1 = ['tra', 'roughness', 'metallic', 'refl', 'clearcoat', 'clearcoat_roughness'];
const SHEEN = ['sheen', 'sheen_roughness'];
const FROM_0 = ['luminance', 'shi'];
const PICTURES = ['pic', 'bump', 'roughness_image', 'metallic_image'];
const SCALES = ['scaleu', 'scalev', 'bump_scaleu', 'bump_scalev'];
const MAPS = ['', 'auto', 'rauto', 'import'];

/**
 * The fields with a loss.
 *
 * @param gloss - The roughness that `shi` and `spe` make.
 */
export function lostFields(
  { unreadable, numbers, colors, texts }: MaterialFields,
  images: Images,
  made: Omit<ExpectedMaterial, 'lost'>,
  gloss: number,
): Set<string> {
  const number = (key: string) => numbers.get(key) ?? 0;
  const shines = (key: string) => (colors.get(key) ?? []).some((channel) => channel !== 0);
  const tinted = new Set(made.baseColor).size > 1;
  const isMetal = made.metallicTexture !== undefined || made.metallic >= 0.5;
  const guessed =
    !numbers.has('roughness') && !made.roughnessTexture && !(gloss === 1 && made.roughness === 1);
  const rules: [boolean, string[]][] = [
    [true, [...unreadable]],
    [true, [...FROM_0_TO_1, ...SHEEN].filter((key) => number(key) < 0 || number(key) > 1)],
    [true, FROM_0.filter((key) => number(key) < 0)],
    // No medium is thinner than a vacuum; 0 means that there is none.
    [number('refr') < 1 && number('refr') !== 0, ['refr']],
    [true, PICTURES.filter((key) => texts.has(key) && !images.has(texts.get(key)!))],
    [images.get(texts.get('pic') ?? '')?.otherSpace === true, ['pic']],
    [true, SCALES.filter((key) => numbers.get(key) === 0)],
    [made.normalFromHeights, ['bump']],
    [!MAPS.includes(texts.get('map') ?? ''), ['map']],
    [made.transmission > 0 && (made.baseTexture !== undefined || tinted), ['tra']],
    [numbers.has('refl') && number('refl') < 1 && (isMetal || shines('spe')), ['refl']],
    [guessed && numbers.has('shi'), ['shi']],
    [guessed && colors.has('spe'), ['spe']],
    [shines('amb'), ['amb']],
    [true, ['mirror', 'pho'].filter((key) => number(key) !== 0)],
  ];
  return new Set(rules.flatMap(([isLost, fields]) => (isLost ? fields : [])));
}
