/**
 * A reader of binary USD of its own, by AOUSD Core Specification 1.0.1, section 16.3: the values that a USDZ of this program may
 * contain, and nothing more.
 */

/** A value: text and numbers as they are, vectors and matrices as tuples, lists of vectors as numbers in a row. */
export type UsdValue =
  | number
  | string
  | { path: string }
  | { tuple: number[] }
  | readonly string[]
  | Float32Array
  | Int32Array
  | { [name: string]: UsdValue };

export interface UsdProperty {
  /** With `[]` for a list; `rel` for a relationship. */
  type: string;
  value: UsdValue | undefined;
  /** Where the value is in the file; undefined of one that is not there. */
  place: bigint | undefined;
  /** Target of a connection. */
  connect: string | undefined;
  metadata: Record<string, UsdValue>;
}

export interface UsdPrim {
  path: string;
  type: string;
  metadata: Record<string, UsdValue>;
  properties: Map<string, UsdProperty>;
  children: UsdPrim[];
}

export interface UsdLayer {
  metadata: Record<string, UsdValue>;
  prims: UsdPrim[];
}

/** A position in the file. */
class Cursor {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.at = at;
  }

  #next(count: number): number {
    this.at += count;
    return this.at - count;
  }

  uint8 = () => this.#view.getUint8(this.#next(1));
  uint32 = () => this.#view.getUint32(this.#next(4), true);
  uint64 = () => this.#view.getBigUint64(this.#next(8), true);
  count = () => Number(this.uint64());
  float32 = () => this.#view.getFloat32(this.#next(4), true);
  float64 = () => this.#view.getFloat64(this.#next(8), true);
  take = (count: number) => this.bytes.slice(this.#next(count), this.at);
  many = <T>(count: number, read: () => T): T[] => Array.from({ length: count }, read);
  indexes = () => this.many(this.count(), this.uint32);
  /** Bytes after their number. */
  sized = () => this.take(this.count());
}

/** Decompresses one block of LZ4 after the byte that says that it is one. */
export function decompressed(block: Uint8Array): Uint8Array {
  if (block[0] !== 0) throw new Error('expected one block');
  const output: number[] = [];
  let at = 1;
  const lengthOf = (nibble: number) => {
    let length = nibble;
    for (let more = nibble === 15 ? 255 : 0; more === 255; length += more) more = block[at++]!;
    return length;
  };
  while (at < block.length) {
    const token = block[at++]!;
    const literals = lengthOf(token >> 4);
    for (const byte of block.subarray(at, at + literals)) output.push(byte);
    at += literals;
    if (at === block.length) break;
    const distance = block[at]! | (block[at + 1]! << 8);
    at += 2;
    const from = output.length - distance;
    if (distance === 0 || from < 0) throw new Error('a match before the beginning');
    const length = lengthOf(token & 15) + 4;
    for (let i = 0; i < length; i++) output.push(output[from + i]!);
  }
  if (at !== block.length) throw new Error('the block is cut off');
  return Uint8Array.from(output);
}

/** Integers of 32 bits from their compressed differences. */
export function decompressedIntegers(block: Uint8Array, count: number): Int32Array {
  const bytes = decompressed(block);
  const view = new DataView(bytes.buffer);
  const common = view.getInt32(0, true);
  const values = new Int32Array(count);
  let at = 4 + Math.ceil(count / 4);
  let value = 0;
  for (let i = 0; i < count; i++) {
    const code = (bytes[4 + (i >> 2)]! >> (2 * (i % 4))) & 3;
    if (code === 0) value += common;
    if (code === 1) value += view.getInt8(at);
    if (code === 2) value += view.getInt16(at, true);
    if (code === 3) value += view.getInt32(at, true);
    at += [0, 1, 2, 4][code]!;
    values[i] = value;
  }
  if (at !== bytes.length) throw new Error('there are more or fewer integers');
  return values;
}

/** Types of values in the file by the types of attributes. */
const TYPES: Readonly<Record<string, number>> = {
  ...{ int: 3, float: 8, double: 9, string: 10, token: 11, asset: 12, matrix4d: 15 },
  ...{ float2: 20, texCoord2f: 20, float3: 24, color3f: 24, normal3f: 24, point3f: 24, float4: 28 },
};
const SPEC_TYPES = { attribute: 1, prim: 6, root: 7, relationship: 8 } as const;

/** The shortest number that is the same in 32 bits. */
const float = (value: number) => Number(value.toPrecision(7));
const tuple = (values: number[]) => ({ tuple: values.map(float) });

/** Everything of a file by number. */
interface Tables {
  file: Cursor;
  tokens: string[];
  strings: number[];
  fields: { name: string; rep: bigint }[];
  /** The fields of a set, by where it begins. */
  fieldsFrom(start: number): Map<string, bigint>;
  paths: string[];
  specs: { path: string; set: number; type: number }[];
}

/** Reads a layer. @throws Error where the file is not of the format. */
export function readUsdc(bytes: Uint8Array): UsdLayer {
  const tables = tablesOf(bytes);
  const prims = new Map<string, UsdPrim>();
  const properties = new Map<string, UsdProperty>();
  let layer: UsdLayer | undefined;
  for (const { path, set, type } of tables.specs) {
    const fields = tables.fieldsFrom(set);
    const read = (name: string) => {
      const rep = fields.get(name);
      return rep === undefined ? undefined : valueAt(rep, tables);
    };
    const others = (...names: string[]) =>
      Object.fromEntries(
        [...fields.keys()].flatMap((name) => (names.includes(name) ? [] : [[name, read(name)!]])),
      );
    if (type === SPEC_TYPES.root) layer = { metadata: others(), prims: [] };
    else if (type === SPEC_TYPES.prim) {
      if (read('specifier') !== 0) throw new Error(`${path} defines nothing`);
      const metadata = others('specifier', 'typeName');
      const typeName = String(read('typeName'));
      const prim = { path, type: typeName, metadata, properties: new Map(), children: [] };
      if (prims.has(path)) throw new Error(`${path} is there twice`);
      prims.set(path, prim);
    } else {
      const isRelationship = type === SPEC_TYPES.relationship;
      const property: UsdProperty = {
        type: isRelationship ? 'rel' : String(read('typeName')),
        value: read(isRelationship ? 'targetPaths' : 'default'),
        place: fields.get('default'),
        connect: (read('connectionPaths') as { path: string } | undefined)?.path,
        metadata: others('typeName', 'targetPaths', 'default', 'connectionPaths'),
      };
      checkType(path, property);
      if (properties.has(path)) throw new Error(`${path} is there twice`);
      properties.set(path, property);
    }
  }
  if (layer === undefined) throw new Error('there is no root');
  connect(layer, prims, properties);
  return layer;
}

function checkType(path: string, { type, place }: UsdProperty): void {
  if (type === 'rel' || place === undefined) return;
  const isList = type.endsWith('[]');
  const expected = TYPES[type.replace('[]', '')];
  const [found, isArray] = [Number((place >> 48n) & 0xffn), place >> 63n === 1n];
  if (found !== expected || isArray !== isList)
    throw new Error(`${path} is a ${type}, and its value of type ${found}`);
}

/** Puts prims and properties where their names are in lists of children. */
function connect(
  layer: UsdLayer,
  prims: ReadonlyMap<string, UsdPrim>,
  properties: ReadonlyMap<string, UsdProperty>,
): void {
  let found = 0;
  const childrenOf = (metadata: Record<string, UsdValue>, path: string): UsdPrim[] => {
    const names = (metadata.primChildren ?? []) as string[];
    return names.map((name) => {
      const prim = prims.get(`${path}/${name}`);
      if (prim === undefined) throw new Error(`${path} has no ${name}`);
      found++;
      prim.children = childrenOf(prim.metadata, prim.path);
      for (const own of (prim.metadata.properties ?? []) as string[]) {
        const property = properties.get(`${prim.path}.${own}`);
        if (property === undefined) throw new Error(`${prim.path} has no ${own}`);
        found++;
        prim.properties.set(own, property);
      }
      return prim;
    });
  };
  layer.prims = childrenOf(layer.metadata, '');
  if (found !== prims.size + properties.size) throw new Error('there are items of no parent');
}

function tablesOf(bytes: Uint8Array): Tables {
  const text = new TextDecoder('utf-8', { fatal: true });
  const file = new Cursor(bytes, 0);
  if (text.decode(file.take(8)) !== 'PXR-USDC') throw new Error('the file is no crate');
  const [major, minor] = file.take(8);
  if (major !== 0 || minor !== 7)
    throw new Error(`expected version 0.7, received ${major}.${minor}`);
  file.at = file.count();
  const sections = new Map(
    file.many(file.count(), () => {
      const name = text.decode(file.take(16)).replace(/\0+$/, '');
      return [name, { start: file.count(), size: file.count() }] as const;
    }),
  );
  /** Reads a section to its end. */
  const section = <T>(name: string, read: () => T): T => {
    const { start, size } = sections.get(name)!;
    file.at = start;
    const value = read();
    if (file.at !== start + size) throw new Error(`${name} has another length`);
    return value;
  };
  const integers = (count: number) => [...decompressedIntegers(file.sized(), count)];

  const tokens = section('TOKENS', () => {
    const [count, length] = [file.count(), file.count()];
    const all = decompressed(file.sized());
    if (all.length !== length) throw new Error('the tokens have another length');
    const parts = text.decode(all).split('\0');
    if (parts.pop() !== '' || parts.length !== count) throw new Error('expected other tokens');
    if (new Set(parts).size !== count) throw new Error('two tokens are equal');
    return parts;
  });
  const strings = section('STRINGS', file.indexes);
  const fields = section('FIELDS', () => {
    const names = integers(file.count());
    const reps = new Cursor(decompressed(file.sized()), 0);
    return names.map((name) => ({ name: tokens[name]!, rep: reps.uint64() }));
  });
  const sets = section('FIELDSETS', () => integers(file.count()));
  const paths = section('PATHS', () => {
    const count = file.count();
    if (file.count() !== count) throw new Error('expected the number of paths twice');
    return pathsOf(integers(count), integers(count), integers(count), tokens);
  });
  const specs = section('SPECS', () => {
    const count = file.count();
    const [path, set, type] = [integers(count), integers(count), integers(count)];
    return path.map((index, i) => ({ path: paths[index]!, set: set[i]!, type: type[i]! }));
  });
  const fieldsFrom = (start: number) => {
    const end = sets.indexOf(-1, start);
    return new Map(sets.slice(start, end).map((i) => [fields[i]!.name, fields[i]!.rep]));
  };
  return { file, tokens, strings, fields, fieldsFrom, paths, specs };
}

/** The paths by their numbers, from a tree in which an item is followed by its children, and then by its siblings. */
function pathsOf(
  indexes: readonly number[],
  elements: readonly number[],
  jumps: readonly number[],
  tokens: readonly string[],
): string[] {
  const paths: string[] = [];
  const visit = (first: number, parent: string): void => {
    for (let at = first; ; ) {
      const [element, jump] = [elements[at]!, jumps[at]!];
      const name = tokens[Math.abs(element)]!;
      const path = at === 0 ? '/' : element < 0 ? `${parent}.${name}` : `${parent}/${name}`;
      if (paths[indexes[at]!] !== undefined) throw new Error(`${path} has the number of another`);
      paths[indexes[at]!] = path;
      if (jump > 0 || jump === -1) visit(at + 1, at === 0 ? '' : path);
      if (jump < 0) return;
      at += jump || 1;
    }
  };
  visit(0, '');
  if (Object.keys(paths).length !== indexes.length) throw new Error('a path is not in the tree');
  return paths;
}

/** The value that eight bytes represent. */
function valueAt(rep: bigint, tables: Tables): UsdValue {
  const type = Number((rep >> 48n) & 0xffn);
  const payload = Number(rep & 0xffff_ffff_ffffn);
  const [isArray, isInlined, isCompressed] = [63n, 62n, 61n].map(
    (bit) => ((rep >> bit) & 1n) === 1n,
  );
  const place = new Cursor(tables.file.bytes, payload);
  if (isArray) {
    if (payload % 8 !== 0) throw new Error('a list is not aligned');
    return listOf(type, place, isCompressed!, tables);
  }
  return isInlined ? inlinedValue(type, payload, tables) : placedValue(type, place, tables);
}

function listOf(type: number, place: Cursor, isCompressed: boolean, { tokens }: Tables): UsdValue {
  const count = place.count();
  const floats = (size: number) => new Float32Array(place.take(4 * size * count).buffer);
  if (type === TYPES.int && isCompressed) return decompressedIntegers(place.sized(), count);
  if (type === TYPES.int) return new Int32Array(place.take(4 * count).buffer);
  if (type === TYPES.token) return place.many(count, () => tokens[place.uint32()]!);
  if (type === TYPES.float2) return floats(2);
  if (type === TYPES.float3) return floats(3);
  throw new Error(`a list of type ${type}`);
}

function inlinedValue(type: number, payload: number, { tokens, strings }: Tables): UsdValue {
  const [specifier, variability] = [42, 44];
  if (type === TYPES.token || type === TYPES.asset) return tokens[payload]!;
  if (type === TYPES.string) return tokens[strings[payload]!]!;
  if (type === TYPES.int) return payload | 0;
  if (type === specifier || type === variability) return payload;
  if (type === TYPES.float || type === TYPES.double)
    return float(new Float32Array(Uint32Array.of(payload).buffer)[0]!);
  throw new Error(`an inlined value of type ${type}`);
}

function placedValue(type: number, place: Cursor, tables: Tables): UsdValue {
  const { tokens, strings, paths } = tables;
  const [dictionary, tokenListOp, pathListOp, tokenVector] = [31, 32, 34, 41];
  if (type === TYPES.float2) return tuple(place.many(2, place.float32));
  if (type === TYPES.float3) return tuple(place.many(3, place.float32));
  if (type === TYPES.float4) return tuple(place.many(4, place.float32));
  if (type === TYPES.matrix4d) return { tuple: place.many(16, place.float64) };
  if (type === tokenVector) return place.indexes().map((i) => tokens[i]!);
  if (type === tokenListOp) {
    if (place.uint8() !== 0x20) throw new Error('expected items before those of the list');
    return place.indexes().map((i) => tokens[i]!);
  }
  if (type === pathListOp) {
    if (place.uint8() !== 0x03) throw new Error('expected explicit items');
    const [path, ...more] = place.indexes().map((i) => paths[i]!);
    if (path === undefined || more.length > 0) throw new Error('expected one path');
    return { path };
  }
  if (type === dictionary) {
    const entries = place.many(place.count(), () => {
      const key = tokens[strings[place.uint32()]!]!;
      const start = place.at;
      place.at = start + place.count();
      return [key, valueAt(place.uint64(), tables)] as const;
    });
    return Object.fromEntries(entries);
  }
  throw new Error(`a value of type ${type}`);
}

/** A prim and all below it. */
export function withDescendants(prim: UsdPrim): UsdPrim[] {
  return [prim, ...prim.children.flatMap(withDescendants)];
}
