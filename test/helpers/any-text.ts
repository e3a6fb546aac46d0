/** Texts of any characters, for properties. */
import fc from 'fast-check';

/** UTF-16 keeps these code points for the halves of characters. */
const SURROGATES = { first: 0xd800, count: 0x800 };
const CODE_POINTS = 0x110000;

const character = fc.integer({ min: 0, max: CODE_POINTS - SURROGATES.count - 1 }).map(
  (index) => {
    const { first, count } = SURROGATES;
    return String.fromCodePoint(index < first ? index : index + count);
  },
  (text) => {
    const codePoint = String(text).codePointAt(0);
    if (codePoint === undefined || text !== String.fromCodePoint(codePoint))
      throw new TypeError('expected one character');
    return codePoint < SURROGATES.first ? codePoint : codePoint - SURROGATES.count;
  },
);

/**
 * Any text without half characters: the units of `fc.string` for them make a table of all characters in each process,
 * and need a second and 100 MB for it.
 */
export function anyText(
  constraints: { minLength?: number; maxLength?: number } = {},
): fc.Arbitrary<string> {
  return fc.string({ unit: character, ...constraints });
}
