/** Resolve materials: the references of nodes become materials in glTF terms with their images. */

import type { Warning } from '../../model/warning.ts';
import { asConverterError, type ErrorCode } from '../../support/errors.ts';
import { globMatcher } from '../../support/glob.ts';
import type { ImageField, MaterialValues, PartsList, ServiceMaterial } from '../model/graphics.ts';
import type { ConversionInput } from '../model/input.ts';
import type { SceneImage, SceneMaterial, TextureUse } from '../model/scene.ts';
import {
  IMAGE_FIELDS,
  isMaterialField,
  materialLookup,
  readFields,
  unusedOf,
} from '../wire/material.ts';
import { CONVERT_DEFAULTS, type ConvertOptions } from './convert-options.ts';
import { type Losses, missingError } from './losses.ts';
import type { MaterialContext, MaterialShading } from './material-context.ts';
import { isShownAsMetal, type MaterialExplanation, shadingOf } from './material-table.ts';
import type { SourceImage, TexturePacker } from './texture-pack.ts';
import { placementsOf, placeUvs, type UvMap } from './uv.ts';
import type { VertexPlan } from './vertex-data.ts';

/** An image in its place on a material. */
export type PlacedImage = Omit<TextureUse, 'image'> & { image: SceneImage };

/** A material of an article, not yet split by sidedness. */
export interface ResolvedMaterial {
  shading: MaterialShading;
  images: Record<Extract<keyof SceneMaterial, `${string}Texture`>, PlacedImage | undefined>;
  /** What the material requires of the vertex data of its parts. */
  uvs: Pick<VertexPlan, 'useStoredUvs' | 'swapProjected' | 'uvSets'>;
  extras: Record<string, unknown> | undefined;
}

interface MaterialInput {
  snapshot: ConversionInput;
  explain?: ((explanation: MaterialExplanation) => void) | undefined;
  packer: TexturePacker;
  options: ConvertOptions;
  losses: Losses;
}

/**
 * Resolves every material that an article's parts refer to (D-110, D-110b, D-500, D-541).
 *
 * @param references - Effective references of the parts, repeats allowed; an empty one is the default.
 * @returns A function that finds the material of a reference.
 * @throws {@link ConverterError} `IMAGE_UNREADABLE`, or the error of fetching an existing image.
 */
export async function resolveMaterials(
  references: Iterable<string>,
  partsList: PartsList,
  input: MaterialInput,
): Promise<(reference: string) => ResolvedMaterial> {
  const { losses, options } = input;
  const warn = ({ code, message }: Warning) => losses.warn(code, message);
  const lookup = materialLookup(partsList.materials, warn, options.writtenMaterials);
  const otherwise = defaultMaterial(input);
  const byReference = new Map<string, ResolvedMaterial>();
  const byMaterial = new Map<ServiceMaterial, ResolvedMaterial>();
  for (const reference of new Set(references)) {
    const found = reference === '' ? undefined : lookup(reference);
    if (!found) reportDefault(reference, input);
    const material = found ?? otherwise;
    const known = byMaterial.get(material);
    const resolved = known ?? (await resolveMaterial(withOverrides(material, input), input));
    byMaterial.set(material, resolved);
    byReference.set(reference, resolved);
  }
  return (reference) => byReference.get(reference)!;
}

/** The material of a part that has none: matt, neutral grey by default. */
function defaultMaterial({ options, losses }: MaterialInput): ServiceMaterial {
  const color = readFields({ dif: options.defaultColorSrgb }, (message) =>
    losses.warn('OPTION_INVALID', `defaultColorSrgb: ${message}`),
  );
  return { mname: 'default', ...color, roughness: 1, source: {} };
}

function reportDefault(reference: string, { options, losses }: MaterialInput): void {
  const { defaultColorSrgb } = options;
  const isGrey = defaultColorSrgb === CONVERT_DEFAULTS.defaultColorSrgb;
  const color = isGrey ? 'neutral grey' : `colour ${defaultColorSrgb}`;
  const what = reference === '' ? 'a part without material' : `unknown material "${reference}"`;
  losses.warn('MATERIAL_UNKNOWN', `${what} is shown in ${color}`);
  losses.add({ where: reference || 'default', field: 'mat', value: reference, done: color });
}

function withOverrides(
  material: ServiceMaterial,
  { options, losses }: MaterialInput,
): ServiceMaterial {
  let changed = material;
  for (const [pattern, values] of Object.entries(options.overrides)) {
    if (!globMatcher(pattern)(material.mname)) continue;
    losses.usedOverrides.add(pattern);
    const complain = (message: string) =>
      losses.warn('OVERRIDE_INVALID', `overrides ${pattern}: ${message}`);
    const overridden = { ...changed.overridden, ...values };
    const { unreadable: _, ...fields } = readFields(values, complain);
    changed = { ...changed, ...fields, overridden, ...unusedOf(changed, fields) };
  }
  return changed;
}

async function resolveMaterial(
  material: ServiceMaterial,
  input: MaterialInput,
): Promise<ResolvedMaterial> {
  const { options, losses, explain } = input;
  reportUnused(material, losses);
  const images = await obtainImages(material, input);
  const { mname, source, overridden, ...read } = material;
  const lose = (field: string, done: string) => {
    const value = overridden?.[field] ?? source[field] ?? read[field as keyof MaterialValues];
    losses.add({ where: mname, field, value, done });
  };
  const shading = shadingOf({ material, images, options, lose }, explain);
  const placed = placeTextures(material, shading, options);
  return {
    shading,
    images: await packImages(shading, images, placed, input.packer),
    uvs: placed.uvs,
    extras: extrasOf(material, shading, input),
  };
}

/** Reports unreadable or ambiguous values once per material, and unknown keys once per article. */
function reportUnused(material: ServiceMaterial, losses: Losses): void {
  const { mname, source, unreadable = {}, otherValues = {} } = material;
  for (const [field, value] of Object.entries(unreadable))
    losses.add({ where: mname, field, value, done: 'cannot be read: left out' });
  for (const [field, value] of Object.entries(otherValues))
    losses.add({ where: mname, field, value, done: 'in a second entry: the first is used' });
  for (const [field, value] of Object.entries(source)) {
    if (isMaterialField(field)) continue;
    losses.add({ where: mname, field, value, done: 'unknown: kept in extras' }, `key ${field}`);
  }
}

type KnownImage = NonNullable<MaterialContext['images'][ImageField]>;
type Images = Partial<Record<ImageField, SourceImage & KnownImage>>;

/** Codes of an image that does not exist, must not be requested, or is of an unused kind: such an image is a loss. */
const ABSENT: ReadonlySet<string> = new Set<ErrorCode>([
  'IMAGE_MISSING',
  'IMAGE_REFUSED',
  'IMAGE_UNSUPPORTED',
]);

/** An image that exists and cannot be fetched or read fails the article, so that its last good file stays: D-865. */
async function obtainImages(material: ServiceMaterial, input: MaterialInput): Promise<Images> {
  const { options, losses, packer } = input;
  const images: Images = {};
  for (const field of IMAGE_FIELDS) {
    const reference = material[field];
    if (!reference) continue;
    try {
      const source = sourceOf(reference, input.snapshot);
      await packer.check(source);
      // Only properties that the table uses are computed: most images are not decoded for them.
      const known: KnownImage = {};
      if (field === 'bump') known.grey = await packer.isGrey(source);
      const profile = field === 'pic' ? await packer.profile(source) : undefined;
      if (profile !== undefined && options.colourProfiles === 'ignore') {
        const done = `its samples are used as they are: glTF has no colour profile, here ${profile}`;
        losses.add({ where: material.mname, field, value: reference, done });
      }
      if (field === 'pic' && isShownAsMetal(material, options))
        known.meanLinear = await packer.meanLinear(source);
      images[field] = { ...source, ...known };
    } catch (error) {
      const { code, message } = asConverterError(error);
      const isLoss = ABSENT.has(code) || options.allowMissingParts;
      if (!isLoss || code === 'INTERNAL' || code === 'SCENE_TOO_LARGE') throw error;
      losses.warn(code, `material ${material.mname}, ${field} "${reference}": ${message}`);
      const done = 'not available: the value or colour is used instead';
      losses.add({ where: material.mname, field, value: reference, done });
    }
  }
  return images;
}

/** The source image, named by the last segment of the reference, without a known extension. */
function sourceOf(reference: string, { images }: ConversionInput): SourceImage {
  const fetched = images.get(reference);
  if (!fetched || 'missing' in fetched)
    throw missingError(fetched, 'IMAGE_MISSING', `image ${reference}`);
  const name = reference
    .split(/::|[/\\]/)
    .at(-1)!
    .replace(/\.(jpe?g|png|bmp|tga)$/i, '');
  return { name, digest: fetched.digest };
}

type UvPlace = Omit<PlacedImage, 'image'>;

/** Sets which UV set each texture reads, and with which transform. */
function placeTextures(
  material: ServiceMaterial,
  { images: { normal, ...ofBase } }: MaterialShading,
  options: ConvertOptions,
): { uvs: ResolvedMaterial['uvs']; base: UvPlace; bump: UvPlace } {
  const uvSets: (UvMap | undefined)[] = [];
  const place = (isUsed: boolean, placement: Parameters<typeof placeUvs>[0]): UvPlace => {
    const { baked, transform } = placeUvs(placement, options);
    if (!isUsed) return { uvSet: 0, transform };
    const at = uvSets.findIndex((other) => String(other) === String(baked));
    return { uvSet: at >= 0 ? at : uvSets.push(baked) - 1, transform };
  };
  const placements = placementsOf(material, options);
  const base = place(Object.values(ofBase).includes(true), placements.base);
  const bump = place(normal, placements.bump);
  if (uvSets.length === 0 && options.unusedUvs === 'keep') uvSets.push(undefined);
  const map = material.map?.toLowerCase();
  const uvs = {
    useStoredUvs: options.preferStoredUvs || (map !== 'auto' && map !== 'rauto'),
    swapProjected: map === 'rauto' && options.rauto === 'exchange',
    uvSets,
  };
  return { uvs, base, bump };
}

async function packImages(
  shading: MaterialShading,
  { pic, bump: normals, roughness_image, metallic_image }: Images,
  { base, bump }: { base: UvPlace; bump: UvPlace },
  packer: TexturePacker,
): Promise<ResolvedMaterial['images']> {
  const { baseColor, emissive, normal, roughness, metallic } = shading.images;
  const packed = async () => {
    // A grey roughness picture has the same value in every channel, and metallic 0 hides the blue one.
    const isAlone = roughness_image && !metallic && shading.metallic === 0;
    return isAlone && (await packer.isGrey(roughness_image))
      ? packer.passThrough(roughness_image)
      : packer.metallicRoughness(roughness_image, metallic_image);
  };
  const picture = baseColor || emissive ? { ...base, image: await packer.colour(pic!) } : undefined;
  return {
    baseColorTexture: baseColor ? picture : undefined,
    emissiveTexture: emissive ? picture : undefined,
    normalTexture: normal ? { ...bump, image: await packer.normalMap(normals!) } : undefined,
    metallicRoughnessTexture:
      roughness || metallic ? { ...base, image: await packed() } : undefined,
  };
}

/** The extras: dropped fields and unknown keys, which viewers cannot show. */
function extrasOf(
  material: ServiceMaterial,
  shading: MaterialShading,
  { options, losses }: MaterialInput,
): Record<string, unknown> | undefined {
  const kept: Record<string, unknown> = options.keepSourceExtras
    ? shallow(material.source, losses)
    : { ...shading.kept };
  for (const [key, value] of Object.entries(material.source)) {
    if (isMaterialField(key)) continue;
    losses.warn('MATERIAL_KEY_UNKNOWN', `material key "${key}" is kept in extras`);
    Object.assign(kept, shallow({ [key]: value }, losses));
  }
  return Object.keys(kept).length > 0 ? { service: kept } : undefined;
}

/** Depth of kept values. Deeper values do not belong to a material, and writing them would recurse as deep. */
const DEEPEST_KEPT = 8;

/** Values as received, without those that are nested too deep to write. */
function shallow(
  record: Readonly<Record<string, unknown>>,
  losses: Losses,
): Record<string, unknown> {
  const entries = Object.entries(record).filter(([key, value]) => {
    const fits = nestsAtMost(value, DEEPEST_KEPT);
    if (!fits)
      losses.warn('MATERIAL_KEY_LEFT_OUT', `material key "${key}" is nested too deep to keep`);
    return fits;
  });
  return Object.fromEntries(entries);
}

function nestsAtMost(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((entry) => nestsAtMost(entry, depth - 1));
}
