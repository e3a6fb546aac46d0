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
};

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
  const mats = (Array.isArray(partsList.mats) ? partsList.mats : []).filter(isObject);
  const entry = (name: string) =>
    mats.find((mat) => typeof mat.mname === 'string' && canonical(mat.mname) === canonical(name));
  const fields = lookUp(reference, entry);
  if (!fields) return undefined;
  for (const [glob, values] of Object.entries(overrides))
    if (matchesGlob(glob, fields.name)) readRecord(values, fields);
  return fields;
}

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
    const [key = '', ...args] = part.trim().split(/\s+/);
    const numbers = args.map(Number);
    const pair = PAIRS[key];
    fields.unreadable.delete(key);
    if (COLORS.includes(key))
      fields.colors.set(key, colorOf(args[0]) ?? [numbers[0]!, numbers[1]!, numbers[2]!]);
    else if (TEXTS.includes(key)) fields.texts.set(key, args.join(' '));
    else if (pair) {
      fields.numbers.set(pair[0], numbers[0]!);
      fields.numbers.set(pair[1], numbers[1]!);
    } else if (ROTATIONS.includes(key)) fields.numbers.set(key, numbers.at(-1)!);
    else if (args.length > 0) fields.numbers.set(key, numbers[0]!);
  }
  return fields;
}
