/** USD as text (USDA): prims, values and names. */

/** A prim with its properties, each a declaration with its value, and the prims in it. */
export interface Prim {
  type: 'Xform' | 'Scope' | 'Mesh' | 'Material' | 'Shader';
  name: string;
  metadata?: readonly string[];
  properties: readonly string[];
  children?: readonly Prim[];
}

/**
 * The text of a layer with one prim, which readers show.
 *
 * @param metadata - In addition to the name of the prim, such as `upAxis = "Y"`.
 */
export function layerText(root: Prim, metadata: readonly string[]): string {
  const own = [`defaultPrim = "${root.name}"`, ...metadata].map((line) => `    ${line}\n`);
  const lines: string[] = [];
  addPrim(root, '', lines);
  return `#usda 1.0\n(\n${own.join('')})\n\n${lines.join('\n')}\n`;
}

function addPrim(
  { type, name, metadata, properties, children }: Prim,
  indent: string,
  to: string[],
) {
  const head = `${indent}def ${type} "${name}"`;
  if (metadata === undefined) to.push(head);
  else to.push(`${head} (`, ...metadata.map((line) => `${indent}    ${line}`), `${indent})`);
  to.push(`${indent}{`);
  for (const property of properties) to.push(`${indent}    ${property}`);
  for (const child of children ?? []) addPrim(child, `${indent}    `, to);
  to.push(`${indent}}`);
}

/** A property with one value per point, such as normals, in lines. */
export function ofPoints(declaration: string): string[] {
  return [`${declaration} (`, '    interpolation = "vertex"', ')'];
}

/** A number in the notation of a material parameter, with at most this many decimals. */
export function parameter(value: number, decimals = 6): string {
  const scale = 10 ** decimals;
  return String(Math.round(value * scale) / scale);
}

/** A tuple such as `(0.5, 0.5, 0.5)`. */
export function tuple(values: readonly number[], decimals = 6): string {
  return `(${values.map((value) => parameter(value, decimals)).join(', ')})`;
}

/** A list such as `[(0, 0, 1), (0, 1, 0)]`, from consecutive numbers. */
export function tuples(values: readonly number[], size: 2 | 3, decimals: number): string {
  const texts: string[] = [];
  for (let at = 0; at < values.length; at += size) {
    const [x, y] = [parameter(values[at]!, decimals), parameter(values[at + 1]!, decimals)];
    texts.push(
      size === 2 ? `(${x}, ${y})` : `(${x}, ${y}, ${parameter(values[at + 2]!, decimals)})`,
    );
  }
  return `[${texts.join(', ')}]`;
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
