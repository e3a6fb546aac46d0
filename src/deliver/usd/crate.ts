/** Writes USD as a crate file, the binary format: AOUSD Core Specification 1.0.1, section 16.3. */
import type { ByteSink } from './byte-sink.ts';
import { compressed, compressedIntegers } from './compression.ts';
import { attributeValue, CrateValues, Numbering, TYPES } from './crate-values.ts';
import type { Layer, Prim, Property } from './usd-layer.ts';

const MAGIC = 'PXR-USDC';
/** The oldest version with this form of lists: readers read all versions up to their own. */
const VERSION = [0, 7, 0] as const;
/** Magic, version, position of the table of contents, and eight reserved numbers. */
const BOOTSTRAP_BYTES = 88;
const CONTENTS_POSITION = 16;
const SECTION_NAME_BYTES = 16;
const END_OF_SET = 0xffffffff;

const SPECS = { attribute: 1, prim: 6, root: 7, relationship: 8 } as const;
const DEF = 0;
const UNIFORM = 1;

/** A field of an item: its name, and what represents its value. */
type Field = [name: string, value: bigint];

/** A field, or one that the item does not have. */
type PossibleField = [name: string, value: bigint | undefined];

/** An item of the layer. The fields need the numbers of all paths. */
interface Item {
  path: string;
  /** The last part of the path. */
  name: string;
  spec: number;
  isProperty: boolean;
  /** How far the next item of the same parent is: 0 if it follows, -1 if a child follows but no sibling, -2 if neither. */
  jump: number;
  fields(values: CrateValues): PossibleField[];
}

/**
 * Writes a layer. Equal values are stored once, such as the points of equal meshes.
 *
 * @returns Bytes that depend only on the layer.
 * @example
 * ```ts
 * const root = { type: 'Xform', name: 'Model', properties: [] } as const;
 * writeCrate({ root, upAxis: 'Y', metersPerUnit: 1, creator: 'btg2gltf' }).length; // → 717
 * ```
 */
export function writeCrate(layer: Layer): Uint8Array<ArrayBuffer> {
  const items = itemsOf(layer);
  const paths = new Map(items.map(({ path }, index) => [path, index]));
  const values = new CrateValues(paths, BOOTSTRAP_BYTES);
  const { sink, tokens } = values;
  const { fields, sets, setOf } = fieldsOf(items, values);
  // All tokens are numbered before they are written.
  const names = items.map(({ name, isProperty }) => (isProperty ? -1 : 1) * tokens.of(name));
  const fieldNames = fields.map(([name]) => tokens.of(name));
  const strings = values.strings.texts.map((text) => tokens.of(text));

  const starts: [section: string, start: number][] = [];
  const begin = (section: string, count: number) => {
    starts.push([section, sink.length]);
    sink.uint64(count);
  };
  const text = new TextEncoder().encode(tokens.texts.map((token) => `${token}\0`).join(''));
  begin('TOKENS', tokens.texts.length);
  sink.uint64(text.length);
  writeSized(sink, compressed(text));
  begin('STRINGS', strings.length);
  for (const token of strings) sink.uint32(token);
  begin('FIELDS', fields.length);
  writeSized(sink, compressedIntegers(fieldNames));
  const reps = BigUint64Array.from(fields, ([, value]) => value);
  writeSized(sink, compressed(new Uint8Array(reps.buffer)));
  begin('FIELDSETS', sets.length);
  writeSized(sink, compressedIntegers(sets));
  begin('PATHS', items.length);
  sink.uint64(items.length);
  writeSized(sink, compressedIntegers([...items.keys()]));
  writeSized(sink, compressedIntegers(names));
  writeSized(sink, compressedIntegers(items.map(({ jump }) => jump)));
  begin('SPECS', items.length);
  writeSized(sink, compressedIntegers([...items.keys()]));
  writeSized(sink, compressedIntegers(setOf));
  writeSized(sink, compressedIntegers(items.map(({ spec }) => spec)));
  return withContents(sink, starts);
}

/** Writes the table of contents, and its position at the beginning. A section ends where the next one begins. */
function withContents(
  sink: ByteSink,
  starts: readonly (readonly [section: string, start: number])[],
): Uint8Array<ArrayBuffer> {
  const contents = sink.length;
  sink.uint64(starts.length);
  starts.forEach(([section, start], i) => {
    sink.bytes(new TextEncoder().encode(section.padEnd(SECTION_NAME_BYTES, '\0')));
    sink.uint64(start);
    sink.uint64((starts[i + 1]?.[1] ?? contents) - start);
  });
  const file = sink.written();
  file.set(new TextEncoder().encode(MAGIC));
  file.set(VERSION, MAGIC.length);
  new DataView(file.buffer).setUint32(CONTENTS_POSITION, contents, true);
  return file;
}

function writeSized(sink: ByteSink, bytes: Uint8Array): void {
  sink.uint64(bytes.length);
  sink.bytes(bytes);
}

/** All fields, equal ones once; the sets of fields in a row, each with its end; and where the set of each item begins. */
function fieldsOf(items: readonly Item[], values: CrateValues) {
  const fields: Field[] = [];
  const known = new Numbering();
  const sets: number[] = [];
  const starts = new Map<string, number>();
  const setOf = items.map((item) => {
    const set = item.fields(values).flatMap(([name, value]) => {
      if (value === undefined) return [];
      const index = known.of(`${name} ${value}`);
      fields[index] = [name, value];
      return [index];
    });
    const key = set.join(' ');
    const start = starts.get(key) ?? sets.length;
    if (!starts.has(key)) sets.push(...set, END_OF_SET);
    starts.set(key, start);
    return start;
  });
  return { fields, sets, setOf };
}

/** The items in the order of their paths: each before its properties, and these before its children. */
function itemsOf({ root, upAxis, metersPerUnit, creator }: Layer): Item[] {
  const items: Item[] = [
    {
      ...{ path: '/', name: '', isProperty: false, spec: SPECS.root },
      jump: jumpOf(true, false, 0),
      fields: (values) => [
        ['customLayerData', values.dictionary('creator', creator)],
        ['defaultPrim', values.token(root.name)],
        ['metersPerUnit', values.float(TYPES.double, metersPerUnit)],
        ['upAxis', values.token(upAxis)],
        ['primChildren', values.tokenVector([root.name])],
      ],
    },
  ];
  addPrim(root, '', false, items);
  return items;
}

function addPrim(prim: Prim, parent: string, hasSibling: boolean, items: Item[]): void {
  const { name, properties, children = [] } = prim;
  const path = `${parent}/${name}`;
  const item: Item = {
    ...{ path, name, isProperty: false, spec: SPECS.prim, jump: 0 },
    fields: primFields(prim),
  };
  const index = items.push(item) - 1;
  properties.forEach((property, i) => {
    const isLast = i === properties.length - 1 && children.length === 0;
    items.push({
      ...{ path: `${path}.${property.name}`, name: property.name, isProperty: true },
      jump: jumpOf(false, !isLast, 0),
      ...('target' in property
        ? { spec: SPECS.relationship, fields: relationshipFields(property) }
        : { spec: SPECS.attribute, fields: attributeFields(property) }),
    });
  });
  for (const child of children) addPrim(child, path, child !== children.at(-1), items);
  const count = items.length - index;
  item.jump = jumpOf(count > 1, hasSibling, count);
}

function jumpOf(hasChild: boolean, hasSibling: boolean, count: number): number {
  if (hasChild) return hasSibling ? count : -1;
  return hasSibling ? 0 : -2;
}

function primFields({ type, kind, apiSchemas, properties, children = [] }: Prim): Item['fields'] {
  const names = (named: readonly { name: string }[]) => named.map(({ name }) => name);
  return (values) => [
    ['specifier', values.inlined(TYPES.specifier, DEF)],
    ['typeName', values.token(type)],
    ['kind', kind && values.token(kind)],
    ['apiSchemas', apiSchemas && values.prependedTokens(apiSchemas)],
    ['properties', properties.length > 0 ? values.tokenVector(names(properties)) : undefined],
    ['primChildren', children.length > 0 ? values.tokenVector(names(children)) : undefined],
  ];
}

function relationshipFields({ target }: Extract<Property, { target: string }>): Item['fields'] {
  return (values) => [
    ['variability', values.inlined(TYPES.variability, UNIFORM)],
    ['targetPaths', values.path(target)],
  ];
}

function attributeFields(attribute: Exclude<Property, { target: string }>): Item['fields'] {
  const { type, connect, isUniform, interpolation } = attribute;
  return (values) => [
    ['typeName', values.token(type)],
    ['variability', isUniform && values.inlined(TYPES.variability, UNIFORM)],
    ['interpolation', interpolation && values.token(interpolation)],
    ['default', attributeValue(attribute, values)],
    ['connectionPaths', connect === undefined ? undefined : values.path(connect)],
  ];
}
