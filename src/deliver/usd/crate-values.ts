/** The values of a crate file: in the eight bytes that represent a value, or at a place of the file, equal ones once. */
import { ByteSink } from './byte-sink.ts';
import { compressedIntegers } from './compression.ts';
import type { AttributeOf, AttributeType, AttributeValues } from './usd-layer.ts';

/** Types of values: AOUSD Core Specification 1.0.1, section 16.3. */
export const TYPES = {
  ...{ int: 3, float: 8, double: 9, string: 10, token: 11, asset: 12, matrix4d: 15 },
  ...{ vec2f: 20, vec3f: 24, vec4f: 28, dictionary: 31, tokenListOp: 32, pathListOp: 34 },
  ...{ tokenVector: 41, specifier: 42, variability: 44 },
} as const;

const IS_ARRAY = 1n << 63n;
const IS_INLINED = 1n << 62n;
const IS_COMPRESSED = 1n << 61n;
const TYPE_SHIFT = 48n;

/** Shorter lists of integers are never compressed. */
const LEAST_COMPRESSED = 16;

/** A list operation that replaces a list by explicit items. */
const IS_EXPLICIT = 0b11;
/** A list operation that puts items before those of a list. */
const PREPENDS = 0b10_0000;

/** Numbers for texts, in the order in which they are first asked for. */
export class Numbering {
  readonly #numbers = new Map<string, number>();

  of(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#numbers.size);
    return this.#numbers.size - 1;
  }

  get texts(): string[] {
    return [...this.#numbers.keys()];
  }
}

/** Writes values, and returns what represents each of them. */
export class CrateValues {
  readonly sink = new ByteSink();
  readonly tokens = new Numbering();
  readonly strings = new Numbering();
  readonly #places = new Map<string, number[]>();
  readonly #paths: ReadonlyMap<string, number>;

  /** @param paths - The number of each path. @param reserved - Bytes before the values. */
  constructor(paths: ReadonlyMap<string, number>, reserved: number) {
    this.#paths = paths;
    this.sink.bytes(new Uint8Array(reserved));
    // The name of the root. The number of a property's name is negative, which 0 cannot be.
    this.tokens.of('');
  }

  inlined(type: number, payload: number): bigint {
    return IS_INLINED | (BigInt(type) << TYPE_SHIFT) | BigInt(payload >>> 0);
  }

  token(value: string): bigint {
    return this.inlined(TYPES.token, this.tokens.of(value));
  }

  string(value: string): bigint {
    return this.inlined(TYPES.string, this.strings.of(value));
  }

  /** A number of 32 bits, also for a type of 64. */
  float(type: number, value: number): bigint {
    return this.inlined(type, new Uint32Array(Float32Array.of(value).buffer)[0]!);
  }

  tokenVector(values: readonly string[]): bigint {
    return this.placed(TYPES.tokenVector, () =>
      this.#indexes(values.map((t) => this.tokens.of(t))),
    );
  }

  prependedTokens(values: readonly string[]): bigint {
    return this.placed(TYPES.tokenListOp, () => {
      this.sink.uint8(PREPENDS);
      this.#indexes(values.map((value) => this.tokens.of(value)));
    });
  }

  path(value: string): bigint {
    const index = this.#paths.get(value);
    if (index === undefined) throw new Error(`expected a path of the layer, received ${value}`);
    return this.placed(TYPES.pathListOp, () => {
      this.sink.uint8(IS_EXPLICIT);
      this.#indexes([index]);
    });
  }

  /** A dictionary of one string. */
  dictionary(key: string, value: string): bigint {
    const distanceToValue = 8;
    return this.placed(TYPES.dictionary, () => {
      this.sink.uint64(1);
      this.sink.uint32(this.strings.of(key));
      this.sink.uint64(distanceToValue);
      this.sink.uint64(this.string(value));
    });
  }

  array(type: number, count: number, write: () => void): bigint {
    return (
      IS_ARRAY |
      this.placed(type, () => {
        this.sink.uint64(count);
        write();
      })
    );
  }

  tokenArray(values: readonly string[]): bigint {
    return this.array(TYPES.token, values.length, () => {
      for (const value of values) this.sink.uint32(this.tokens.of(value));
    });
  }

  integers(values: Int32Array): bigint {
    if (values.length < LEAST_COMPRESSED)
      return this.array(TYPES.int, values.length, () => this.sink.bytes(bytesOf(values)));
    const bytes = compressedIntegers(values);
    const array = this.array(TYPES.int, values.length, () => {
      this.sink.uint64(bytes.length);
      this.sink.bytes(bytes);
    });
    return IS_COMPRESSED | array;
  }

  /** Writes a value at a place of its own, or finds the place of an equal one. */
  placed(type: number, write: () => void): bigint {
    const { sink } = this;
    sink.align();
    const start = sink.length;
    write();
    const bytes = sink.written(start);
    const key = `${bytes.length} ${checksum(bytes)}`;
    const places = this.#places.get(key) ?? [];
    this.#places.set(key, places);
    const equal = places.find((place) => isEqual(sink.written(place), bytes));
    if (equal === undefined) places.push(start);
    else sink.truncate(start);
    return (BigInt(type) << TYPE_SHIFT) | BigInt(equal ?? start);
  }

  #indexes(values: readonly number[]): void {
    this.sink.uint64(values.length);
    for (const value of values) this.sink.uint32(value);
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Int32Array | Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function checksum(bytes: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at++) sum = (Math.imul(sum, 31) + bytes[at]!) | 0;
  return sum;
}

/** Whether some bytes begin with others. */
function isEqual(longer: Uint8Array, bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) if (longer[at] !== bytes[at]) return false;
  return true;
}

type Encoder<T extends AttributeType> = (values: CrateValues, value: AttributeValues[T]) => bigint;

const vector = (type: number) => (values: CrateValues, value: readonly number[]) =>
  values.placed(type, () => values.sink.floats(value, 32));
const vectors = (type: number, size: number) => (values: CrateValues, value: Float32Array) =>
  values.array(type, value.length / size, () => values.sink.bytes(bytesOf(value)));

const ENCODERS: { [T in AttributeType]: Encoder<T> } = {
  int: (values, value) => values.inlined(TYPES.int, value),
  float: (values, value) => values.float(TYPES.float, value),
  token: (values, value) => values.token(value),
  string: (values, value) => values.string(value),
  asset: (values, value) => values.inlined(TYPES.asset, values.tokens.of(value)),
  float2: vector(TYPES.vec2f),
  float3: vector(TYPES.vec3f),
  float4: vector(TYPES.vec4f),
  color3f: vector(TYPES.vec3f),
  normal3f: vector(TYPES.vec3f),
  matrix4d: (values, value) => values.placed(TYPES.matrix4d, () => values.sink.floats(value, 64)),
  'int[]': (values, value) => values.integers(value),
  'token[]': (values, value) => values.tokenArray(value),
  'float3[]': vectors(TYPES.vec3f, 3),
  'normal3f[]': vectors(TYPES.vec3f, 3),
  'point3f[]': vectors(TYPES.vec3f, 3),
  'texCoord2f[]': vectors(TYPES.vec2f, 2),
};

/** Writes the value of an attribute, if it has one. */
export function attributeValue<T extends AttributeType>(
  { type, value }: AttributeOf<T>,
  values: CrateValues,
): bigint | undefined {
  return value === undefined ? undefined : ENCODERS[type](values, value);
}
