/** A layer of USD: prims with their attributes, and names. */

/** Types of attributes, with the values that an attribute has here: vectors and matrices as numbers in a row. */
export interface AttributeValues {
  int: number;
  float: number;
  token: string;
  string: string;
  /** A path in the archive. */
  asset: string;
  float2: readonly number[];
  float3: readonly number[];
  float4: readonly number[];
  color3f: readonly number[];
  normal3f: readonly number[];
  matrix4d: readonly number[];
  'int[]': Int32Array;
  'token[]': readonly string[];
  'float3[]': Float32Array;
  'normal3f[]': Float32Array;
  'point3f[]': Float32Array;
  'texCoord2f[]': Float32Array;
}

export type AttributeType = keyof AttributeValues;

/** An attribute of one type. */
export interface AttributeOf<T extends AttributeType> {
  name: string;
  type: T;
  value?: AttributeValues[T];
  /** Path of the output that gives the value. */
  connect?: string;
  isUniform?: true;
  /** One value for each point. */
  interpolation?: 'vertex';
}

export type Attribute = { [T in AttributeType]: AttributeOf<T> }[AttributeType];

/** A property that refers to another prim by its path. */
export interface Relationship {
  name: string;
  target: string;
}

export type Property = Attribute | Relationship;

/** A prim with its properties, and the prims in it. */
export interface Prim {
  type: 'Xform' | 'Scope' | 'Mesh' | 'Material' | 'Shader';
  name: string;
  kind?: 'component';
  apiSchemas?: readonly string[];
  properties: readonly Property[];
  children?: readonly Prim[];
}

/** The one prim that readers show, and how they understand its numbers. */
export interface Layer {
  root: Prim;
  upAxis: 'Y';
  metersPerUnit: number;
  /** The program that writes it. */
  creator: string;
}

/** The uniform attribute that says what a shader computes. */
export function shaderId(value: string): Attribute {
  return { name: 'info:id', type: 'token', isUniform: true, value };
}

const LONGEST_NAME = 60;

/**
 * Makes names of ASCII letters, digits and `_` that differ in more than upper and lower case, as prims and file names
 * must.
 *
 * @example
 * ```ts
 * const nameOf = uniqueNames('Material');
 * nameOf('Eiche, geölt'); // → 'Eiche__ge_lt'
 * nameOf('eiche. geölt'); // → 'eiche__ge_lt_2'
 * nameOf('3D'); // → 'Material_3D'
 * ```
 */
export function uniqueNames(prefix: string): (text: string) => string {
  const taken = new Set<string>();
  return (text) => {
    const plain = text.replace(/[^A-Za-z0-9_]/g, '_').slice(0, LONGEST_NAME);
    const name = /^[A-Za-z]/.test(plain) ? plain : `${prefix}_${plain}`;
    for (let n = 1; ; n++) {
      const unique = n === 1 ? name : `${name}_${n}`;
      if (taken.has(unique.toLowerCase())) continue;
      taken.add(unique.toLowerCase());
      return unique;
    }
  };
}
