/**
 * Resolve materials: the references of nodes become materials in glTF terms.
 *
 * In: references as nodes spell them. Out: for each, its look, its images and what its UVs need.
 */

import type { ImageField, PartsList, ServiceMaterial } from '../model/graphics.ts';
import type { SceneImage, SceneMaterial, TextureTransform } from '../model/scene.ts';
import type { ArticleSnapshot } from '../model/snapshot.ts';
import {
  IMAGE_FIELDS,
  isMaterialField,
  materialLookup,
  readFields,
} from '../service/wire-material.ts';
import { asConverterError, type ErrorCode } from '../support/errors.ts';
import { globMatcher } from '../support/glob.ts';
import { CONVERT_DEFAULTS, type ConvertOptions } from './convert-options.ts';
import type { Ledger } from './ledger.ts';
import type { KnownImage, MaterialContext, MaterialLook } from './material-look.ts';
import { isMetalLook } from './material-rules.ts';
import { lookOf } from './material-table.ts';
import { type MaterialExplanation, traceLook } from './material-trace.ts';
import type { SourceImage, TexturePacker } from './texture-pack.ts';
import { basePlacement, bumpPlacement, placeUvs, samePlacement } from './texture-transform.ts';
import type { UvMap, VertexPlan } from './vertex-data.ts';
import { whyMissing } from './why-missing.ts';

/** An image in its place on a material. */
export interface PlacedImage {
  image: SceneImage;
  uvSet: number;
  transform: TextureTransform | undefined;
}

/** A material of an article, not yet split by sidedness. */
export interface ResolvedMaterial {
  look: MaterialLook;
  images: Partial<Record<TextureSlot, PlacedImage>>;
  /** What the material asks of the vertex data of parts that wear it. */
  uvs: Pick<VertexPlan, 'useStoredUvs' | 'swapProjected' | 'uvSets'>;
  extras: Record<string, unknown> | undefined;
}

/** Where glTF has a texture. */
export type TextureSlot = Extract<keyof SceneMaterial, `${string}Texture`>;

/** Finds the material for a node's effective reference; an empty one is the default. */
export type MaterialFinder = (reference: string) => ResolvedMaterial;

interface Workbench {
  snapshot: ArticleSnapshot;
  /** Told how each material came to look as it does. */
  explain: ((explanation: MaterialExplanation) => void) | undefined;
  packer: TexturePacker;
  options: ConvertOptions;
  ledger: Ledger;
}

/**
 * Resolves every material that an article's parts refer to.
 *
 * @param references - Effective references of the parts, repeats allowed.
 *
 * @see D-110, D-110b, D-500, D-541.
 */
export async function resolveMaterials(
  references: Iterable<string>,
  partsList: PartsList,
  bench: Workbench,
): Promise<MaterialFinder> {
  const { ledger, options } = bench;
  const lookup = materialLookup(
    partsList.materials,
    ({ code, message }) => ledger.warn(code, message),
    options.writtenMaterials,
  );
  const otherwise = defaultMaterial(options, ledger);
  const byReference = new Map<string, ResolvedMaterial>();
  const byMaterial = new Map<ServiceMaterial, ResolvedMaterial>();
  for (const reference of new Set(references)) {
    const found = reference === '' ? undefined : lookup(reference);
    if (!found) reportDefault(reference, options, ledger);
    const material = found ?? otherwise;
    const known = byMaterial.get(material);
    const resolved = known ?? (await resolveMaterial(withOverrides(material, bench), bench));
    byMaterial.set(material, resolved);
    byReference.set(reference, resolved);
  }
  return (reference) => byReference.get(reference)!;
}

/** A part without any material: matt, neutral grey unless the option says otherwise. */
function defaultMaterial({ defaultColorSrgb }: ConvertOptions, ledger: Ledger): ServiceMaterial {
  const color = readFields({ dif: defaultColorSrgb }, (message) =>
    ledger.warn('OPTION_INVALID', `defaultColorSrgb: ${message}`),
  );
  return { mname: 'default', ...color, roughness: 1, source: {} };
}

function reportDefault(reference: string, options: ConvertOptions, ledger: Ledger): void {
  const { defaultColorSrgb } = options;
  const isGrey = defaultColorSrgb === CONVERT_DEFAULTS.defaultColorSrgb;
  const color = isGrey ? 'neutral grey' : `colour ${defaultColorSrgb}`;
  const what = reference === '' ? 'a part without material' : `unknown material "${reference}"`;
  ledger.warn('MATERIAL_UNKNOWN', `${what} is shown in ${color}`);
  ledger.lose({
    where: reference || 'default',
    field: 'mat',
    value: reference,
    done: color,
  });
}

/** Later patterns win. */
function withOverrides(material: ServiceMaterial, { options, ledger }: Workbench): ServiceMaterial {
  let changed = material;
  for (const [pattern, values] of Object.entries(options.overrides)) {
    if (!globMatcher(pattern)(material.mname)) continue;
    const complain = (message: string) =>
      ledger.warn('OVERRIDE_INVALID', `overrides ${pattern}: ${message}`);
    const overridden = { ...changed.overridden, ...values };
    changed = { ...changed, ...readFields(values, complain), overridden };
  }
  return changed;
}

async function resolveMaterial(
  material: ServiceMaterial,
  bench: Workbench,
): Promise<ResolvedMaterial> {
  const sources = await obtainImages(material, bench);
  const known = await knowImages(material, sources, bench);
  const lose = (field: string, done: string) =>
    bench.ledger.lose({ where: material.mname, field, value: sentValue(material, field), done });
  const look = explainedLook({ material, images: known, options: bench.options, lose }, bench);
  const placed = placeTextures(material, look, bench.options);
  return {
    look,
    images: await packImages(look, sources, known, placed, bench.packer),
    uvs: uvNeeds(material, placed.uvSets, bench.options),
    extras: extrasOf(material, look, bench),
  };
}

/** The trace costs a few dozen copies a material: only where somebody asks. */
function explainedLook(
  context: Omit<MaterialContext, 'look'>,
  { explain }: Workbench,
): MaterialLook {
  if (!explain) return lookOf(context);
  const { look, explanation } = traceLook(context);
  explain(explanation);
  return look;
}

function sentValue(material: ServiceMaterial, field: string): unknown {
  const used = material.overridden?.[field] ?? material.source[field];
  return used ?? material[field as keyof ServiceMaterial];
}

type Sources = Partial<Record<ImageField, SourceImage>>;
type Known = Partial<Record<ImageField, KnownImage>>;

/** What a picture lacks that nobody has, or may be asked for: a loss. */
const ABSENT: ReadonlySet<string> = new Set<ErrorCode>(['IMAGE_MISSING', 'IMAGE_REFUSED']);

/**
 * The images that are there.
 *
 * One that does not exist is a loss. One that exists and cannot be had or read fails the article, so
 * that what was published before stays, and no night of a bad line takes its looks: D-865.
 */
async function obtainImages(material: ServiceMaterial, bench: Workbench): Promise<Sources> {
  const sources: Sources = {};
  for (const field of IMAGE_FIELDS) {
    const reference = material[field];
    if (!reference) continue;
    try {
      sources[field] = await obtainImage(reference, bench);
    } catch (error) {
      const { code, message } = asConverterError(error);
      const isLoss = ABSENT.has(code) || bench.options.allowMissingParts;
      if (!isLoss || code === 'INTERNAL') throw error;
      reportImage(material, field, code, message, bench.ledger);
    }
  }
  return sources;
}

async function obtainImage(
  reference: string,
  { packer, snapshot }: Workbench,
): Promise<SourceImage> {
  const fetched = snapshot.images.get(reference);
  if (!fetched || 'missing' in fetched) {
    throw whyMissing(fetched, 'IMAGE_MISSING', `image ${reference}`);
  }
  const source = { name: nameOf(reference), digest: fetched.digest };
  await packer.check(source);
  return source;
}

function reportImage(
  material: ServiceMaterial,
  field: ImageField,
  code: string,
  message: string,
  ledger: Ledger,
): void {
  ledger.warn(code, `material ${material.mname}, ${field} "${material[field]}": ${message}`);
  const done = 'not available: the value or colour is used instead';
  ledger.lose({ where: material.mname, field, value: material[field], done });
}

/** Last segment of a reference, without a known extension. */
function nameOf(reference: string): string {
  const last = reference.split(/::|[/\\]/).at(-1) ?? reference;
  return last.replace(/\.(jpe?g|png|bmp|tga)$/i, '');
}

/** Decodes only where the table asks: data images, and the picture of an environment look. */
async function knowImages(
  material: ServiceMaterial,
  sources: Sources,
  { packer, options }: Workbench,
): Promise<Known> {
  const known: Known = {};
  const env = isMetalLook(material, options);
  for (const field of IMAGE_FIELDS) {
    const source = sources[field];
    if (!source) continue;
    if (field === 'pic' && !env) {
      known.pic = { grey: false, meanLinear: [1, 1, 1] };
      continue;
    }
    known[field] = await packer.know(source);
  }
  return known;
}

interface PlacedTextures {
  uvSets: (UvMap | undefined)[];
  base: Omit<PlacedImage, 'image'>;
  bump: Omit<PlacedImage, 'image'>;
}

/** Which UV set each texture reads, and with which transform. */
function placeTextures(
  material: ServiceMaterial,
  look: MaterialLook,
  options: ConvertOptions,
): PlacedTextures {
  const { images } = look;
  const usesBase = images.baseColor || images.roughness || images.metallic || images.emissive;
  const ofBase = basePlacement(material, options);
  const ofBump = bumpPlacement(material, options);
  const basePlaced = placeUvs(ofBase, options);
  const bumpPlaced = samePlacement(ofBase, ofBump) ? basePlaced : placeUvs(ofBump, options);
  const uvSets: (UvMap | undefined)[] = [];
  const setOf = (map: UvMap | undefined): number => {
    const at = uvSets.findIndex((other) => other === map || String(other) === String(map));
    return at >= 0 ? at : uvSets.push(map) - 1;
  };
  const base = { uvSet: usesBase ? setOf(basePlaced.baked) : 0, transform: basePlaced.transform };
  const bump = {
    uvSet: images.normal ? setOf(bumpPlaced.baked) : 0,
    transform: bumpPlaced.transform,
  };
  if (uvSets.length === 0 && options.unusedUvs === 'keep') uvSets.push(undefined);
  return { uvSets, base, bump };
}

function uvNeeds(
  material: ServiceMaterial,
  uvSets: (UvMap | undefined)[],
  options: ConvertOptions,
): ResolvedMaterial['uvs'] {
  const map = material.map?.toLowerCase();
  const projects = (map === 'auto' || map === 'rauto') && !options.preferStoredUvs;
  const swaps = options.rauto === 'exchange';
  return { useStoredUvs: !projects, swapProjected: map === 'rauto' && swaps, uvSets };
}

async function packImages(
  look: MaterialLook,
  sources: Sources,
  known: Known,
  placed: PlacedTextures,
  packer: TexturePacker,
): Promise<ResolvedMaterial['images']> {
  const images: ResolvedMaterial['images'] = {};
  const { baseColor, emissive, normal, roughness, metallic } = look.images;
  if (baseColor || emissive) {
    const picture = { ...placed.base, image: await packer.passThrough(sources.pic!) };
    if (baseColor) images.baseColorTexture = picture;
    if (emissive) images.emissiveTexture = picture;
  }
  if (normal) {
    const image = await packer.normalMap(sources.bump!, known.bump!);
    images.normalTexture = { ...placed.bump, image };
  }
  if (roughness || metallic) {
    // A grey roughness picture says the same in every channel, and metallic 0 hides the blue one.
    const alone = roughness && !metallic && look.metallic === 0 && known.roughness_image!.grey;
    const image = alone
      ? await packer.passThrough(sources.roughness_image!)
      : await packer.metallicRoughness(
          roughness ? sources.roughness_image : undefined,
          metallic ? sources.metallic_image : undefined,
        );
    images.metallicRoughnessTexture = { ...placed.base, image };
  }
  return images;
}

/** What viewers cannot show but people may want back: dropped fields, unknown keys. */
function extrasOf(
  material: ServiceMaterial,
  look: MaterialLook,
  { options, ledger }: Workbench,
): Record<string, unknown> | undefined {
  const kept: Record<string, unknown> = options.keepSourceExtras
    ? shallow(material.source, ledger)
    : { ...look.kept };
  const unknown = Object.entries(material.source).filter(([key]) => !isMaterialField(key));
  for (const [key, value] of unknown) {
    ledger.warn('MATERIAL_KEY_UNKNOWN', `material key "${key}" is kept in extras`);
    Object.assign(kept, shallow({ [key]: value }, ledger));
  }
  return Object.keys(kept).length > 0 ? { service: kept } : undefined;
}

/** Values nested deeper are no material: writing them would recurse as deep. */
const DEEPEST_KEPT = 8;

/** Values as they were received, but for what is nested too deep to write, which is told. */
function shallow(
  record: Readonly<Record<string, unknown>>,
  ledger: Ledger,
): Record<string, unknown> {
  const entries = Object.entries(record).filter(([key, value]) => {
    const fits = nestsAtMost(value, DEEPEST_KEPT);
    if (!fits)
      ledger.warn('MATERIAL_KEY_LEFT_OUT', `material key "${key}" is nested too deep to keep`);
    return fits;
  });
  return Object.fromEntries(entries);
}

function nestsAtMost(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((entry) => nestsAtMost(entry, depth - 1));
}
