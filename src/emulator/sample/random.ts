/** Pseudo-random numbers and identifiers, the same on every machine. */
/** Mixes the bits of a 32-bit integer; every input bit reaches every output bit. */
export function mix32(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A 32-bit hash of a text. */
export function hashText(text: string, seed = 0): number {
  let h = mix32(seed + 0x9e3779b9);
  for (let i = 0; i < text.length; i++) h = mix32(h ^ (text.charCodeAt(i) + i * 0x10001));
  return h;
}

/**
 * 32 upper-case hex digits for a text: an identifier as the service makes them.
 *
 * @example
 * ```ts
 * identifier('FJEL/LINEA/LN-D120').length;
 * // → 32
 * ```
 */
export function identifier(text: string): string {
  const words = [1, 2, 3, 4].map((seed) => hashText(text, seed).toString(16).padStart(8, '0'));
  return words.join('').toUpperCase();
}
