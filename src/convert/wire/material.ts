/**
 * Materials: a record of `mats[]`, or a definition written out in a node's `mat`. A field that cannot be
 * read is left out and reported; it never fails the article.
 */

import type { Warning } from '../../model/warning.ts';
import {
  type ImageField,
  MATERIAL_FIELDS,
  type MaterialValues,
  type PartsList,
  type PartsListNode,
  type ServiceMaterial,
  type SrgbColor,
} from '../model/graphics.ts';
import type { NoteDrift } from './fields.ts';
import {
  canonicalName,
  describe,
  isMissing,
  type JsonRecord,
  LARGEST_NUMBER,
  readNumber,
} from './value.ts';

type Field = keyof MaterialValues;
type FieldKind = (typeof MATERIAL_FIELDS)[Field];

/** The fields as a list, since a parts list may have a hundred thousand materials. */
const FIELDS = Object.entries(MATERIAL_FIELDS);

/** Fields that are not in the specification, so that their values cannot drift from it. */
const UNSPECIFIED = /^(?:clearcoat|sheen|emission)/;

/** The fields of a material that name an image, in the order in which they are fetched. */
export const IMAGE_FIELDS = FIELDS.flatMap(([field, kind]) =>
  kind === 'image' ? [field as ImageField] : [],
);

/** How the words after a key of a written-out definition become the values of fields. */
const ARGUMENTS = {
  all: (args) => args.join(' '),
  /** A file name, possibly after its type. */
  image: (args) =>
    (FILE_TYPE.test(args[0] ?? '') && args.length > 1 ? args.slice(1) : args).join(' '),
  last: (args) => args.at(-1) ?? '',
  first: (args) => args[0] ?? '',
  second: (args) => args[1] ?? args[0] ?? '',
} as const satisfies Record<string, (args: readonly string[]) => string>;

const FILE_TYPE = /^(?:jpe?g|png|bmp|tga|gif|tiff?|webp)$/i;

type FieldArguments = { readonly [Name in Field]?: keyof typeof ARGUMENTS };

/** Keys of a written-out definition that are not in `mats[]`, or whose arguments are no single value (D-110b). */
const DEFINITION_KEYS: ReadonlyMap<string, FieldArguments> = byKey([
  [['tex', 'tex image', 'pic'], { pic: 'image' }],
  [['bumps', 'bump'], { bump: 'image' }],
  [['roughness image', 'roughness_image'], { roughness_image: 'image' }],
  [['metallic image', 'metallic_image'], { metallic_image: 'image' }],
  [['scale'], { scaleu: 'first', scalev: 'second' }],
  [['offset'], { offsetx: 'first', offsety: 'second' }],
  [['nscale'], { bump_scaleu: 'first', bump_scalev: 'second' }],
  [['noffset'], { bump_offsetx: 'first', bump_offsety: 'second' }],
  [['rotate', 'rotation', 'rot'], { rot: 'last' }],
  [['nrotate', 'nrotation', 'bump_rot'], { bump_rot: 'last' }],
  [['refraction', 'ref'], { refr: 'all' }],
  [['reflection'], { refl: 'all' }],
  [['phong_level'], { pho: 'all' }],
]);

function byKey(rows: readonly (readonly [keys: readonly string[], FieldArguments])[]) {
  return new Map(rows.flatMap(([keys, fields]) => keys.map((key) => [key, fields])));
}

/** Mappings, which are keys without arguments: `import` uses the stored UVs. */
const MAPPINGS: ReadonlySet<string> = new Set(['auto', 'rauto', 'import']);

/** Reads one record of `mats[]` (spec 2.3; D-500). A field that cannot be read is left out, with a warning. */
export function decodeMaterial(
  record: JsonRecord,
  warn: (warning: Warning) => void,
  note?: NoteDrift,
): ServiceMaterial {
  const source = withFieldKeys(record, note);
  const mname = readName(source.mname);
  if (!isText(source.mname)) note?.('partsList.mats[].mname', 'a text', source.mname);
  const complain = (message: string) =>
    warn({ code: 'MATERIAL_FIELD_INVALID', message: `material ${mname}: ${message}` });
  const fields = readFields(source, complain, note);
  return { ...fields, mname, source };
}

/** Decodes the records of `mats[]`; the first of equal names counts and gets {@link ServiceMaterial.otherValues}. */
export function decodeMaterials(
  records: readonly JsonRecord[],
  warn: (warning: Warning) => void,
  note: NoteDrift,
): ServiceMaterial[] {
  const materials = records.map((record) => decodeMaterial(record, warn, note));
  const firstByName = new Map<string, ServiceMaterial>();
  for (const material of materials) {
    const name = canonicalName(material.mname);
    const first = firstByName.get(name);
    if (first) addOtherValues(first, material);
    else firstByName.set(name, material);
  }
  return materials;
}

function addOtherValues(first: ServiceMaterial, later: ServiceMaterial): void {
  const keys = Object.keys({ ...first.source, ...later.source });
  const differing = keys.filter((key) => comparable(first, key) !== comparable(later, key));
  const values = differing
    .filter((key) => key !== 'mname')
    .map((key) => [key, later.source[key] ?? null]);
  if (values.length > 0)
    first.otherValues = { ...first.otherValues, ...Object.fromEntries(values) };
}

/** A text that is equal for equal values; a nested value counts by its kind only, as it may be very deep. */
function comparable(material: ServiceMaterial, key: string): string {
  const value = isMaterialField(key) ? material[key] : undefined;
  if (value !== undefined) return String(value);
  const received = material.source[key] ?? '';
  return typeof received === 'object' ? describe(received) : String(received);
}

/** The record with the keys of fields as the specification spells them, if the keys have another spelling. */
function withFieldKeys(record: JsonRecord, note: NoteDrift | undefined): JsonRecord {
  const isOdd = (key: string) => !isMaterialField(key) && isMaterialField(key.toLowerCase());
  const odd = Object.keys(record).filter(isOdd);
  if (odd.length === 0) return record;
  const entries = Object.entries(record).filter(([key]) => !odd.includes(key));
  for (const key of odd) {
    const field = key.toLowerCase();
    note?.('partsList.mats[]', `the key ${field}`, key);
    if (isMissing(record[field])) entries.push([field, record[key]]);
  }
  return Object.fromEntries(entries);
}

/** Whether a key is a field of {@link ServiceMaterial}. */
export function isMaterialField(key: string): key is Field | 'mname' {
  return key === 'mname' || Object.hasOwn(MATERIAL_FIELDS, key);
}

/** Reads known fields of any record; the overrides of a pipeline file are read here too. */
export function readFields(
  record: JsonRecord,
  complain: (message: string) => void,
  note?: NoteDrift,
): MaterialValues & Pick<ServiceMaterial, 'unreadable'> {
  const out: Record<string, unknown> = {};
  const unreadable: Record<string, unknown> = {};
  for (const [key, kind] of FIELDS) {
    const value = record[key];
    if (isMissing(value)) continue;
    const { name, expected, fits, read: readKind } = KINDS[kind];
    if (!fits(value) && !UNSPECIFIED.test(key)) note?.(`partsList.mats[].${key}`, expected, value);
    if (value === '') continue;
    const read = readKind(value);
    if (read === undefined) {
      complain(`${key}: expected a ${name}, received ${describe(value)}`);
      unreadable[key] = value;
    } else out[key] = read;
    if (kind === 'number' && typeof value === 'string' && value.includes(',') && read !== undefined)
      complain(`${key}: expected a number, received string "${value}", read as ${read}`);
  }
  return Object.keys(unreadable).length > 0 ? { ...out, unreadable } : out;
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** A name; a name that was sent as a number is its text. */
export function readName(value: unknown): string {
  return typeof value === 'number' ? String(value) : (readText(value) ?? '');
}

const isHexColor = (value: unknown) => isText(value) && /^0x[\da-f]{6}$/i.test(value);
const readText = (value: unknown) => (isText(value) ? value : undefined);

const TEXT = { name: 'text', expected: 'a text', fits: isText, read: readText } as const;

/** The specification of each kind, and how a value of it is read; undefined if it cannot be read. */
const KINDS = {
  text: TEXT,
  image: TEXT,
  number: { name: 'number', expected: 'a finite number', fits: Number.isFinite, read: readMeasure },
  color: { name: 'color', expected: 'a colour 0xRRGGBB', fits: isHexColor, read: readColor },
} as const satisfies Record<FieldKind, unknown>;

function readMeasure(value: unknown): number | undefined {
  const read = readNumber(value);
  return read === undefined || Math.abs(read) > LARGEST_NUMBER ? undefined : read;
}

/** `0xRRGGBB`, `#RRGGBB`, `RRGGBB`, an integer, or three numbers, which may be out of range; all sRGB. */
function readColor(value: unknown): SrgbColor | undefined {
  if (typeof value === 'number') return fromInteger(value);
  const trimmed = readText(value)?.trim();
  const hex = /^(?:0x|#)?([0-9a-f]{6})$/i.exec(trimmed ?? '');
  if (hex) return fromInteger(Number.parseInt(hex[1]!, 16));
  return fromComponents(Array.isArray(value) ? value : (trimmed?.split(/\s+/) ?? []));
}

function fromInteger(rgb: number): SrgbColor | undefined {
  if (!Number.isInteger(rgb) || rgb < 0 || rgb > 0xffffff) return undefined;
  return [((rgb >> 16) & 255) / 255, ((rgb >> 8) & 255) / 255, (rgb & 255) / 255];
}

function fromComponents(components: unknown[]): SrgbColor | undefined {
  const parts = components.map(readNumber);
  const isColor = parts.length === 3 && !parts.includes(undefined);
  return isColor ? (parts as unknown as SrgbColor) : undefined;
}

/**
 * Creates a function that finds the material of a node's `mat`: an entry of `mats[]`, and if `written`, an entry with
 * overrides after its first `;`, or a whole definition after `$`, both named by the whole reference (D-110b, D-111).
 *
 * @example `materialLookup([oak], warn, true)('::oak;tra 0.5')?.tra; // → 0.5`
 */
export function materialLookup(
  materials: readonly ServiceMaterial[],
  warn: (warning: Warning) => void,
  written: boolean,
): (reference: string) => ServiceMaterial | undefined {
  const byName = new Map<string, ServiceMaterial>();
  for (const material of materials) {
    const name = canonicalName(material.mname);
    if (!byName.has(name)) byName.set(name, material);
  }
  const found = new Map<string, ServiceMaterial | undefined>();
  return (reference) => {
    if (!found.has(reference)) {
      const listed = byName.get(canonicalName(reference));
      const isListed = listed !== undefined || !written;
      found.set(reference, isListed ? listed : readWritten(reference, byName, warn));
    }
    return found.get(reference);
  };
}

/** Reads a definition after `$`, or an entry with overrides after `;`. */
function readWritten(
  reference: string,
  byName: ReadonlyMap<string, ServiceMaterial>,
  warn: (warning: Warning) => void,
): ServiceMaterial | undefined {
  const inline = reference.startsWith('$');
  const end = inline ? 0 : reference.indexOf(';');
  if (end < 0) return undefined;
  const base = inline ? undefined : byName.get(canonicalName(reference.slice(0, end).trim()));
  if (!inline && !base) return undefined;
  const record = readDefinition(reference.slice(end + 1));
  const own = decodeMaterial({ ...record, mname: reference }, warn);
  return { ...base, ...own, source: { ...base?.source, ...record }, ...unusedOf(base, own) };
}

/** The unused values of two definitions; `own` replaces fields of `base`. */
export function unusedOf(
  base: ServiceMaterial | undefined,
  own: Readonly<MaterialValues> & Pick<ServiceMaterial, 'unreadable'>,
): Pick<ServiceMaterial, 'unreadable' | 'otherValues'> {
  const notReplaced = (values: JsonRecord = {}) =>
    Object.fromEntries(Object.entries(values).filter(([field]) => !(field in own)));
  const unreadable = { ...notReplaced(base?.unreadable), ...own.unreadable };
  return {
    unreadable: Object.keys(unreadable).length > 0 ? unreadable : undefined,
    otherValues: base?.otherValues && notReplaced(base.otherValues),
  };
}

/** The fields of a definition; its other entries keep their own keys, in lower case. */
function readDefinition(text: string): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const entry of text.split(';')) {
    const [first = '', ...args] = entry.trim().split(/\s+/);
    if (first === '') continue;
    const isImage = args[0]?.toLowerCase() === 'image';
    const key = isImage ? `${first} image`.toLowerCase() : first.toLowerCase();
    Object.assign(record, readEntry(key, isImage ? args.slice(1) : args));
  }
  return record;
}

function readEntry(key: string, args: readonly string[]): Record<string, unknown> {
  if (MAPPINGS.has(key)) return { map: key, ...(args.length > 0 && { [key]: args.join(' ') }) };
  const fields: FieldArguments = DEFINITION_KEYS.get(key) ?? { [key]: 'all' };
  const values = Object.entries(fields).map(([field, kind]) => [field, ARGUMENTS[kind](args)]);
  return Object.fromEntries(values);
}

/** Every image that a material of some node refers to, each spelling (D-550) once, in order of first use. */
export function imageReferences(partsList: PartsList): string[] {
  const lookup = materialLookup(partsList.materials, () => {}, true);
  const references = new Set<string>();
  const stack: PartsListNode[] = partsList.nodes.toReversed();
  for (let node = stack.pop(); node; node = stack.pop()) {
    for (let i = node.children.length - 1; i >= 0; i--) stack.push(node.children[i]!);
    const material = node.material === '' ? undefined : lookup(node.material);
    for (const field of IMAGE_FIELDS) {
      const reference = material?.[field];
      if (reference) references.add(reference);
    }
  }
  return [...references];
}
