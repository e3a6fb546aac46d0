/** What a model consists of, for people: parts, materials, textures, and what a validator says of it. */
import { asConverterError } from '../../support/errors.ts';
import { readGlb, viewBytes } from '../making/glb-container.ts';
import type { GlbFigures } from '../making/glb-figures.ts';
import { plainModel } from '../models/plain-model.ts';
import { imageSizeOf } from '../pictures/image-size.ts';
import { loadLibraries } from '../profiles/libraries.ts';
import { type Parts, partsOf } from './parts.ts';

/** Most messages of the validator that are listed; it counts the others. */
const MOST_MESSAGES = 300;
/** Longest side of the small picture of a texture, pixels. */
const THUMBNAIL_PIXELS = 192;
/** A larger model would make a page that a browser opens slowly, or not at all. */
const MOST_SHOWN_BYTES = 128e6;

/** A model that was looked at. */
export interface Inspection {
  figures: GlbFigures;
  materials: readonly MaterialFacts[];
  textures: readonly TextureFacts[];
  validation: Validation;
  /** The parts as they are drawn; or why they are not known. */
  parts: Parts | { unknown: string };
  /** What a browser draws without a decoder; or why nothing can be drawn. */
  view: { glb: Uint8Array; isWithoutKtx2: boolean } | { unknown: string };
}

/** What a material has, by the names of glTF. */
export interface MaterialFacts {
  name: string;
  /** Its base colour, linear, each part from 0 to 1. */
  baseColor: readonly number[];
  /** Every other factor, such as `roughnessFactor` and `0.5`. */
  factors: readonly (readonly [name: string, value: string])[];
  /** The places of the images of its textures, by their names. */
  textures: readonly (readonly [slot: string, image: number])[];
}

export interface TextureFacts extends Readonly<GlbFigures['images'][number]> {
  /** A small picture as an address; undefined if it cannot be read. */
  thumbnail: string | undefined;
}

interface Validation {
  errors: number;
  warnings: number;
  /** Information and hints. */
  notes: number;
  messages: readonly { kind: string; code: string; message: string; pointer: string }[];
}

/**
 * Looks at a model.
 *
 * @param glb - As `readModel` returns it.
 * @param figures - As `readFigures` returns them.
 */
export async function inspectModel(glb: Uint8Array, figures: GlbFigures): Promise<Inspection> {
  const [validation, textures, seen] = [
    await validate(glb),
    await texturesOf(glb, figures),
    await see(glb),
  ];
  return { figures, materials: materialsOf(glb), textures, validation, ...seen };
}

const KINDS = ['error', 'warning', 'information', 'hint'];

async function validate(glb: Uint8Array): Promise<Validation> {
  const { validateBytes } = await import('gltf-validator');
  const { issues } = await validateBytes(new Uint8Array(glb), { maxIssues: MOST_MESSAGES });
  const { numErrors: errors, numWarnings: warnings, numInfos, numHints } = issues;
  const messages = issues.messages.map(({ severity, code, message, pointer = '' }) => {
    return { kind: KINDS[severity] ?? '', code, message, pointer };
  });
  return { errors, warnings, notes: numInfos + numHints, messages };
}

/** Reads parts, and makes what is drawn: the model without what a decoder would need. */
async function see(glb: Uint8Array): Promise<Pick<Inspection, 'parts' | 'view'>> {
  try {
    const plain = await plainModel(glb);
    const { io } = await loadLibraries();
    const document = await io.readBinary(plain);
    const parts = partsOf(document);
    const encoded = document.getRoot().listTextures().filter(isKtx2);
    if (encoded.length === 0) return { parts, view: shown(plain, false) };
    for (const texture of encoded) texture.dispose();
    document.disposeExtension('KHR_texture_basisu');
    return { parts, view: shown(await io.writeBinary(document), true) };
  } catch (thrown) {
    const unknown = asConverterError(thrown).message.replace(/^model: expected a GLB file: /, '');
    return { parts: { unknown }, view: { unknown } };
  }
}

const isKtx2 = (texture: { getMimeType(): string }) => texture.getMimeType() === 'image/ktx2';

function shown(glb: Uint8Array, isWithoutKtx2: boolean): Inspection['view'] {
  if (glb.length <= MOST_SHOWN_BYTES) return { glb, isWithoutKtx2 };
  return { unknown: `it has ${glb.length} bytes, and a page shows at most ${MOST_SHOWN_BYTES}` };
}

async function texturesOf(glb: Uint8Array, { images }: GlbFigures): Promise<TextureFacts[]> {
  const parts = readGlb(glb);
  const { default: sharp } = await import('sharp');
  const made: TextureFacts[] = [];
  for (const [at, image] of images.entries()) {
    const bytes = viewBytes(parts, parts.json.images![at]!.bufferView);
    // Only what it certainly is: an image library reads many formats, some of which name other files.
    const isKnown = imageSizeOf(bytes) !== undefined;
    const size = { width: THUMBNAIL_PIXELS, height: THUMBNAIL_PIXELS, fit: 'inside' } as const;
    const small = sharp(bytes)
      .resize({ ...size, withoutEnlargement: true })
      .webp({ quality: 82 });
    const thumbnail = isKnown ? await small.toBuffer().catch(() => undefined) : undefined;
    const address = thumbnail && `data:image/webp;base64,${thumbnail.toString('base64')}`;
    made.push({ ...image, thumbnail: address });
  }
  return made;
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function materialsOf(glb: Uint8Array): MaterialFacts[] {
  const json: Json = readGlb(glb).json;
  const textures = listOf(json.textures);
  return listOf(json.materials).map((material, at) => {
    const facts = { factors: new Map<string, string>(), textures: new Map<string, number>() };
    if (isObject(material)) collect(material, textures, facts, 0);
    const { name, pbrMetallicRoughness } = isObject(material) ? material : ({} as Json);
    const color = isObject(pbrMetallicRoughness) ? pbrMetallicRoughness.baseColorFactor : undefined;
    const baseColor = listOf(color).map(Number);
    facts.factors.delete('baseColorFactor');
    return {
      name: typeof name === 'string' && name !== '' ? name : `material ${at}`,
      baseColor: baseColor.length === 4 ? baseColor : [1, 1, 1, 1],
      factors: [...facts.factors],
      textures: [...facts.textures],
    };
  });
}

/** Groups of a material whose names say nothing. */
const TRANSPARENT_GROUPS = ['pbrMetallicRoughness', 'extensions'];
/** Groups within groups: glTF has three. */
const MOST_DEPTH = 6;

/** Collects factors and textures of a material, and of its extensions, by their own names. */
function collect(
  group: Json,
  textures: readonly unknown[],
  into: { factors: Map<string, string>; textures: Map<string, number> },
  depth: number,
): void {
  for (const [name, value] of Object.entries(group)) {
    if (name === 'name' || name === 'extras' || depth > MOST_DEPTH) continue;
    if (isObject(value) && typeof value.index === 'number') {
      const image = imageOf(textures[value.index]);
      if (image !== undefined) into.textures.set(name, image);
    } else if (isObject(value)) {
      const isNamed = !TRANSPARENT_GROUPS.includes(name) && Object.keys(value).length === 0;
      if (isNamed) into.factors.set(name, 'yes');
      collect(value, textures, into, depth + 1);
    } else {
      const text = Array.isArray(value) ? value.map(rounded).join(', ') : rounded(value);
      into.factors.set(name, text);
    }
  }
}

const rounded = (value: unknown) =>
  typeof value === 'number' ? String(Number(value.toPrecision(4))) : String(value);

/** The image of a texture; one in a newer format takes the place of the other. */
function imageOf(texture: unknown): number | undefined {
  if (!isObject(texture)) return undefined;
  const extensions = isObject(texture.extensions) ? Object.values(texture.extensions) : [];
  const newer = extensions.flatMap((one) => (isObject(one) ? one.source : []));
  const [source] = [...newer, texture.source];
  return typeof source === 'number' ? source : undefined;
}
