/** Refusal: what the reader throws when a file is not strictly right. */

export class GlbRefused extends Error {
  override name = 'GlbRefused';
}

/** Throws unless the condition holds. */
export function must(condition: unknown, sentence: string): asserts condition {
  if (!condition) throw new GlbRefused(sentence);
}

/** The entry of a list that an index names. */
export function entry<T>(list: readonly T[] | undefined, index: unknown, what: string): T {
  must(Number.isInteger(index), `${what}: expected an index, received ${String(index)}`);
  const found = list?.[index as number];
  must(found !== undefined, `${what}: ${String(index)} is out of range`);
  return found;
}
