/** Makes the file of a profile from a master, within the budget of the profile. */
import type { Document, Texture } from '@gltf-transform/core';
import { ConverterError } from '../../support/errors.ts';
import { blendGlass } from '../making/glass.ts';
import {
  type GlbFigures,
  modelUnreadable,
  readFigures,
  readSeparateFigures,
} from '../making/glb-figures.ts';
import { SHARED_ADDRESS, type SharedFile } from '../making/maker.ts';
import { createOnce, type Once } from '../making/once.ts';
import {
  bakeIrregularParts,
  bakeTextureTransforms,
  moveOriginToFloor,
  removeTangents,
} from './bake.ts';
import { compareGeometry, type Geometry, geometryOf, largestErrorOf } from './check-back.ts';
import { compareLooks, type Look, lookOf } from './check-look.ts';
import { compareTextures, isTransparent } from './check-texture.ts';
import type { TextureMeaning } from './ktx2-encoder.ts';
import { type Libraries, loadLibraries } from './libraries.ts';
import {
  type Breach,
  breachesOf,
  breachHelp,
  breachText,
  type GeometryFormat,
  type Profile,
} from './profiles.ts';
import { separateMeshes, writeSeparateFiles } from './shared-files.ts';
import { extentOf, Simplifier, scaleOf } from './simplify.ts';
import type { EncodeTexture } from './texture-encoder.ts';

export interface Optimized {
  /** A GLB, or a `.gltf`. */
  bytes: Uint8Array;
  /** Files to which the `.gltf` refers; a GLB refers to none. */
  shared: SharedFile[];
  figures: GlbFigures;
  /** Number of textures whose transform was replaced by that of another texture of their material. */
  changedTransforms: number;
  /** Largest distance of a simplified surface from that of the master. */
  movedMillimetres: number;
  /** Reads the file again, as a GLB whose geometry is not compressed. */
  decoded(): Promise<Uint8Array>;
}

interface Detail {
  /** Ratio of the triangles, as far as the bound on the distance allows. */
  ratio: number;
  /** Longest side of a texture, pixels. */
  textureSide: number;
}

/** Smallest side of a texture that is reduced to save bytes. */
const SMALLEST_SIDE = 256;

/** Fewest bits of a coordinate, over the longest side of its mesh; bits of a normal; bits of a UV from 0 to 1. */
export const QUANTIZATION_BITS = { position: 14, normal: 12, uv: 14 } as const;

/** Bits for UVs with Draco, which divides their whole range: on long boards, that is many textures wide. */
const DRACO_UV_BITS = 16;

/** Most bits of a coordinate, by KHR_mesh_quantization: large meshes get more bits, to keep the size of the step. */
const MOST_POSITION_BITS = 16;
const LARGEST_STEP_METRES = 0.0003;

/**
 * Makes the file of a profile.
 *
 * A file beyond the budget gets simpler surfaces, within the profile's bound, or smaller textures. What is compressed is
 * decoded again and compared with the master.
 *
 * @param once - Measures textures and surfaces once: other models have the same ones.
 * @throws {@link ConverterError} `BUDGET_EXCEEDED` if that is not enough, with each limit; `MODEL_UNREADABLE`;
 * `IMAGE_UNREADABLE`; `COMPRESSION_FAILED` if decoding does not restore what the master looks like.
 * @example
 * ```ts
 * const { bytes, figures } = await optimize(master, PROFILES.planner, encodeTexture);
 * figures.triangles;   // → at most 40000
 * ```
 */
export async function optimize(
  master: Uint8Array,
  profile: Profile,
  encodeTexture: EncodeTexture,
  once: Once = createOnce(),
): Promise<Optimized> {
  const given = await readFigures(master);
  const libraries = await loadLibraries(profile.geometry);
  const prepared = () => prepare(master, profile, given, libraries);
  const attempt = async (detail: Detail, simplifier?: Simplifier): Promise<Attempt> => {
    const { document, changedTransforms } = await prepared();
    const movedMillimetres = (await simplifier?.simplify(document, detail.ratio)) ?? 0;
    if (given.drawCalls > profile.drawCalls) await joinParts(document, libraries);
    if (profile.origin === 'floor') await moveOriginToFloor(document, libraries);
    const textures = new Map(
      document
        .getRoot()
        .listTextures()
        .map((one) => [one, one.getImage()!]),
    );
    await encodeTextures(document, profile, detail, libraries, encodeTexture);
    if (profile.geometry !== 'plain') await compareTextures(textures, once);
    const stored = await store(document, profile, libraries);
    const written = await write(document, profile, libraries);
    const breaches = breachesOf(written.figures, profile);
    return { ...written, changedTransforms, movedMillimetres, stored, breaches };
  };

  const largest = Math.max(1, ...given.images.map(({ width, height }) => Math.max(width, height)));
  const full: Detail = { ratio: 1, textureSide: Math.min(profile.textures.largest, largest) };
  let made = await attempt(full);
  if (isReducible(made)) {
    const { document } = await prepared();
    const simplifier = new Simplifier(document, profile.simplifyMillimetres, libraries, once);
    const detail = { ...full, ratio: await simplifier.ratioFor(profile.triangles) };
    made = await withMostDetail(made, detail, (one) => attempt(one, simplifier));
  }
  const { stored, breaches, readBack, ...optimized } = made;
  const decompressed = async () => withoutCompression(await readBack());
  if (breaches.length > 0) {
    const help = breachHelp(breaches);
    const context = help === undefined ? {} : { help };
    throw new ConverterError('BUDGET_EXCEEDED', breaches.map(breachText), context);
  }
  if (stored !== undefined) {
    const decoded = await (await decompressed()).transform(libraries.functions.uninstance());
    const found = geometryOf(decoded, libraries);
    compareGeometry(stored.geometry, found);
    compareLooks(stored.look, await lookOf(decoded, libraries), largestErrorOf(stored.geometry));
  }
  return { ...optimized, decoded: async () => libraries.io.writeBinary(await decompressed()) };
}

/** The attempt with the most detail within the budget, else with the least. @param full - It exceeds the budget. */
async function withMostDetail(
  full: Attempt,
  detail: Detail,
  attempt: (detail: Detail) => Promise<Attempt>,
): Promise<Attempt> {
  const first = detail.ratio < 1 ? await attempt(detail) : full;
  if (!isReducible(first)) return first;
  const levels = lessDetail(detail, first.figures);
  const last = levels.at(-1);
  if (last === undefined) return first;
  let best = await attempt(last);
  let [tooLarge, fitting] = [-1, levels.length - 1];
  while (best.breaches.length === 0 && fitting - tooLarge > 1) {
    const middle = (tooLarge + fitting) >> 1;
    const tried = await attempt(levels[middle]!);
    if (tried.breaches.length > 0) tooLarge = middle;
    else [best, fitting] = [tried, middle];
  }
  return best;
}

interface Attempt extends Omit<Optimized, 'decoded'> {
  /** The model before its geometry was converted to another form. */
  stored: { geometry: Geometry; look: Look } | undefined;
  breaches: Breach[];
  readBack(): Promise<Document>;
}

function isReducible({ breaches }: Attempt): boolean {
  const limits = breaches.map(({ limit }) => limit);
  return limits.length > 0 && limits.every((limit) => limit === 'triangles' || limit === 'bytes');
}

/** Factor from one level of detail to the next: textures lose a third of their bytes, and surfaces a sixth. */
const LEVEL = 2 ** -0.25;
/** Smallest ratio; a smaller one means: as simple as the bound allows. */
const SMALLEST_RATIO = 1 / 128;

/** Levels of decreasing detail: each reduces what probably takes more bytes, textures or surfaces. */
function lessDetail({ ratio, textureSide }: Detail, { bytes, images }: GlbFigures): Detail[] {
  const levels: Detail[] = [];
  const sides = images.map(({ width, height }) => Math.max(width, height));
  let side = Math.min(textureSide, Math.max(0, ...sides));
  let textureBytes = images.reduce((sum, image) => sum + image.bytes, 0);
  let surfaceBytes = bytes - textureBytes;
  let share = ratio;
  while (side > SMALLEST_SIDE || share > 0) {
    if (side > SMALLEST_SIDE && (textureBytes >= surfaceBytes || share === 0)) {
      side = Math.max(SMALLEST_SIDE, Math.floor(side * LEVEL));
      textureBytes *= LEVEL ** 2;
    } else {
      share = share > SMALLEST_RATIO ? share * LEVEL : 0;
      surfaceBytes *= LEVEL;
    }
    levels.push({ ratio: share, textureSide: side });
  }
  return levels;
}

/** The model with geometry that is not compressed. */
function withoutCompression(document: Document): Document {
  for (const extension of document.getRoot().listExtensionsUsed()) {
    if (/_compression$/.test(extension.extensionName)) extension.dispose();
  }
  inOneBuffer(document);
  return document;
}

async function write(
  document: Document,
  { files }: Profile,
  libraries: Libraries,
): Promise<Pick<Attempt, 'bytes' | 'shared' | 'figures' | 'readBack'>> {
  const { io } = libraries;
  if (files === 'one') {
    const bytes = await io.writeBinary(document);
    const figures = await readFigures(bytes);
    return { bytes, shared: [], figures, readBack: () => io.readBinary(bytes) };
  }
  const { gltf, shared } = await writeSeparateFiles(document, libraries);
  const resources = Object.fromEntries(
    shared.map(({ name, bytes }) => [`${SHARED_ADDRESS}${name}`, new Uint8Array(bytes)]),
  );
  const figures = await readSeparateFigures(gltf, (uri) => resources[uri]!);
  const readBack = () =>
    io.readJSON({ json: JSON.parse(new TextDecoder().decode(gltf)), resources });
  return { bytes: gltf, shared, figures, readBack };
}

async function prepare(
  master: Uint8Array,
  profile: Profile,
  given: GlbFigures,
  libraries: Libraries,
): Promise<{ document: Document; changedTransforms: number }> {
  const { core, io } = libraries;
  const document = await io.readBinary(master).catch((cause: unknown) => {
    throw modelUnreadable(cause);
  });
  document.setLogger(new core.Logger(core.Logger.Verbosity.SILENT));
  const root = document.getRoot();
  root.getAsset().generator = 'btg2gltf';
  if (profile.glass === 'blend') blendGlass(document);
  const areBaked = profile.transforms === 'baked';
  const changedTransforms = areBaked ? bakeTextureTransforms(document, libraries) : 0;
  const known: readonly string[] = [...profile.mayUse, ...profile.mayRequire];
  for (const extension of root.listExtensionsUsed()) {
    if (!known.includes(extension.extensionName)) extension.dispose();
  }
  await unite(document, profile, libraries);
  // An instance can neither be mirrored nor sheared.
  if (areBaked || profile.instancing || given.drawCalls > profile.drawCalls) {
    removeTangents(document);
    bakeIrregularParts(document, libraries);
  }
  return { document, changedTransforms };
}

async function joinParts(document: Document, { functions }: Libraries): Promise<void> {
  await document.transform(
    // Unused UVs would keep parts of one material separate.
    functions.prune({ keepSolidTextures: true }),
    functions.flatten(),
    functions.join(),
  );
}

async function encodeTextures(
  document: Document,
  { format, normalScale }: Profile,
  { textureSide }: Detail,
  { functions, extensions }: Libraries,
  encodeTexture: EncodeTexture,
): Promise<void> {
  if (format === 'kept') return;
  for (const texture of document.getRoot().listTextures()) {
    const [bytes, mimeType] = [texture.getImage()!, texture.getMimeType()];
    const meaning = meaningOf(texture, functions);
    const largest = meaning === 'normal' ? textureSide * normalScale : textureSide;
    const request = {
      ...{ bytes, mimeType, meaning, format, largest },
      isTransparent: isTransparent(texture),
    };
    const encoded = await encodeTexture(request);
    if (encoded !== undefined) texture.setImage(encoded.bytes).setMimeType(encoded.mimeType);
    if (texture.getMimeType() === 'image/webp')
      document.createExtension(extensions.EXTTextureWebP).setRequired(true);
    if (texture.getMimeType() === 'image/ktx2')
      document.createExtension(extensions.KHRTextureBasisu).setRequired(true);
  }
}

/** The meaning of a texture; of several meanings, the more delicate one determines how it is stored. */
function meaningOf(texture: Texture, functions: Libraries['functions']): TextureMeaning {
  const slots = functions.listTextureSlots(texture);
  if (slots.some((slot) => /normaltexture/i.test(slot))) return 'normal';
  return functions.getTextureColorSpace(texture) === 'srgb' ? 'colour' : 'data';
}

/** Converts the geometry, and returns the model before that if it changes. */
async function store(
  document: Document,
  profile: Profile,
  libraries: Libraries,
): Promise<Attempt['stored']> {
  const { functions } = libraries;
  await document.transform(
    // Solid textures are kept: to find them, each texture would be decoded.
    functions.prune({ keepSolidTextures: true }),
  );
  await unite(document, profile, libraries);
  const before =
    profile.geometry === 'plain'
      ? undefined
      : { geometry: geometryOf(document, libraries), look: await lookOf(document, libraries) };
  if (profile.instancing) await instantiate(document, libraries);
  if (profile.files === 'shared') separateMeshes(document);
  await GEOMETRY[profile.geometry](document, libraries);
  // Quantizing merges equal lists of several meshes again, and makes lists without a buffer.
  if (profile.files === 'shared') separateMeshes(document);
  else inOneBuffer(document);
  return before;
}

async function unite(
  document: Document,
  { keepsMaterialNames = false }: Profile,
  { core: { PropertyType }, functions }: Libraries,
): Promise<void> {
  const { ACCESSOR, MESH, TEXTURE, MATERIAL, SKIN } = PropertyType;
  await document.transform(
    // The comparison of meshes includes their materials.
    functions.dedup({ propertyTypes: [TEXTURE] }),
    functions.dedup({ propertyTypes: [MATERIAL], keepUniqueNames: keepsMaterialNames }),
    functions.dedup({ propertyTypes: [ACCESSOR, MESH, SKIN] }),
  );
}

function inOneBuffer(document: Document): void {
  const root = document.getRoot();
  const [buffer, ...others] = root.listBuffers();
  for (const accessor of root.listAccessors()) accessor.setBuffer(buffer!);
  for (const other of others) other.dispose();
}

async function instantiate(document: Document, { functions, extensions }: Libraries) {
  await document.transform(functions.instance({ min: 2 }));
  // A reader that does not support the extension would show only one of several parts.
  if (document.hasExtension('EXT_mesh_gpu_instancing'))
    document.createExtension(extensions.EXTMeshGPUInstancing).setRequired(true);
}

/** How geometry is converted; compression follows when the file is written. */
const GEOMETRY = {
  plain: async () => {},
  meshopt: async (document, { functions, extensions, encoder }) => {
    await document.transform(
      functions.reorder({ encoder, target: 'size' }),
      functions.quantize({
        quantizePosition: positionBits(document),
        quantizeNormal: QUANTIZATION_BITS.normal,
        quantizeTexcoord: QUANTIZATION_BITS.uv,
      }),
    );
    document
      .createExtension(extensions.EXTMeshoptCompression)
      .setRequired(true)
      .setEncoderOptions({ method: extensions.EXTMeshoptCompression.EncoderMethod.QUANTIZE });
  },
  draco: async (document, { functions }) => {
    await document.transform(
      functions.draco({
        quantizePosition: positionBits(document),
        quantizeNormal: QUANTIZATION_BITS.normal,
        quantizeTexcoord: DRACO_UV_BITS,
      }),
    );
  },
} as const satisfies Record<
  GeometryFormat,
  (document: Document, libraries: Libraries) => Promise<void>
>;

function positionBits(document: Document): number {
  const extents = document
    .getRoot()
    .listMeshes()
    .flatMap((mesh) => {
      const scale = scaleOf(mesh);
      return mesh.listPrimitives().map((primitive) => extentOf(primitive) * scale);
    });
  const bits = Math.ceil(
    Math.log2(Math.max(LARGEST_STEP_METRES, ...extents) / LARGEST_STEP_METRES),
  );
  return Math.min(MOST_POSITION_BITS, Math.max(QUANTIZATION_BITS.position, bits));
}
