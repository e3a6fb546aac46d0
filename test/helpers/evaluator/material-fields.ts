/**
 * Material fields: which definition a node's `mat` means, as typed fields.
 *
 * @see D-110, D-110b, D-111, D-541.
 */
import { colorOf } from './colors.ts';
import { canonical, isObject, type Json, matchesGlob, numberOf } from './json.ts';
import type { Vec3 } from './vectors.ts';

const COLORS = ['dif', 'spe', 'amb', 'sheen_color', 'emission'];
const TEXTS = ['pic', 'bump', 'roughness_image', 'metallic_image', 'map'];
const ROTATIONS = ['rot', 'bump_rot'];
const PAIRS: Record<string, readonly [string, string]> = {
  scale: ['scaleu', 'scalev'],
  offset: ['offsetx', 'offsety'],
  nscale: ['bump_scaleu', 'bump_scalev'],
  noffset: ['bump_offsetx', 'bump_offsety'],
};
/** OMATS 4 against the fields of `mats[]`. */
const OMATS: Record<string, string> = {
  'tex image': 'pic',
  bumps: 'bump',
  'roughness image': 'roughness_image',
  'metallic image': 'metallic_image',
  rotate: 'rot',
  rotation: 'rot',
  nrotate: 'bump_rot',
  nrotation: 'bump_rot',
  reflection: 'refl',
  refraction: 'refr',
  ref: 'refr',
  phong_level: 'pho',
};
const PICTURE_TYPES = ['jpg', 'jpeg', 'png', 'bmp', 'tga', 'gif', 'tif', 'tiff', 'webp'];

/** A definition: colours in sRGB 0..1, numbers, texts. */
export interface MaterialFields {
  name: string;
  colors: Map<string, Vec3>;
  numbers: Map<string, number>;
  texts: Map<string, string>;
  /** Fields whose values cannot be read. */
  unreadable: Set<string>;
}

type Overrides = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Finds what a `mat` means; undefined where it is the default. */
export function findMaterial(
  reference: string,
  partsList: Json,
  overrides: Overrides,
): MaterialFields | undefined {
  const mats = (Array.isArray(partsList.mats) ? partsList.mats : [])
    .filter(isObject)
    .map(lowerCase);
  const entry = (name: string) =>
    mats.find((mat) => canonical(String(mat.mname ?? '')) === canonical(name));
  const fields = lookUp(reference, entry);
  if (!fields) return undefined;
  for (const [glob, values] of Object.entries(overrides))
    if (matchesGlob(glob, fields.name)) readRecord(values, fields);
  return fields;
}

/** Keys count in any letter case. */
const lowerCase = (record: Json): Json =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key.toLowerCase(), value]));

function lookUp(reference: string, entry: (name: string) => Json | undefined) {
  const whole = entry(reference);
  if (whole) return readRecord(whole, empty(String(whole.mname)));
  if (reference.startsWith('$')) return readDefinition(reference.slice(1), empty(reference));
  const cut = reference.indexOf(';');
  const base = cut > 0 ? entry(reference.slice(0, cut)) : undefined;
  if (!base) return undefined;
  return readDefinition(reference.slice(cut + 1), readRecord(base, empty(reference)));
}

const empty = (name: string): MaterialFields => {
  return {
    ...{ name, colors: new Map(), numbers: new Map(), texts: new Map() },
    unreadable: new Set(),
  };
};

function readRecord(record: Json, fields: MaterialFields): MaterialFields {
  for (const [key, value] of Object.entries(record)) {
    const color = COLORS.includes(key) ? colorOf(value) : undefined;
    fields.unreadable.delete(key);
    if (color) fields.colors.set(key, color);
    else if (TEXTS.includes(key) && typeof value === 'string') fields.texts.set(key, value);
    else if (!COLORS.includes(key) && numberOf(value) !== undefined)
      fields.numbers.set(key, numberOf(value)!);
    else if (key !== 'mname' && value !== '') fields.unreadable.add(key);
  }
  return fields;
}

/** `key args;key args…` over what is there. */
function readDefinition(text: string, fields: MaterialFields): MaterialFields {
  for (const part of text.split(';')) {
    const words = part.trim().split(/\s+/);
    const hasImage = /^\S+\s+image\b/i.test(part.trim());
    const spelled = (hasImage ? `${words[0]} image` : words[0]!).toLowerCase();
    const args = words.slice(hasImage ? 2 : 1);
    const key = OMATS[spelled] ?? spelled;
    const numbers = args.map((arg) => numberOf(arg) ?? Number.NaN);
    const pair = PAIRS[key];
    fields.unreadable.delete(key);
    if (['auto', 'rauto', 'import'].includes(key)) fields.texts.set('map', key);
    else if (COLORS.includes(key))
      fields.colors.set(key, colorOf(args[0]) ?? [numbers[0]!, numbers[1]!, numbers[2]!]);
    else if (TEXTS.includes(key)) fields.texts.set(key, fileOf(args));
    else if (pair) {
      fields.numbers.set(pair[0], numbers[0]!);
      fields.numbers.set(pair[1], numbers[1]!);
    } else if (ROTATIONS.includes(key)) fields.numbers.set(key, numbers.at(-1)!);
    else if (args.length > 0) fields.numbers.set(key, numbers[0]!);
  }
  return fields;
}

/** A file name, perhaps behind its type. */
function fileOf([first = '', ...rest]: readonly string[]): string {
  const isTyped = rest.length > 0 && PICTURE_TYPES.includes(first.toLowerCase());
  return (isTyped ? rest : [first, ...rest]).join(' ');
}
