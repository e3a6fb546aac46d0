/**
 * Visible: any text as one that a person sees all of, and that HTML and XML can say.
 */

/** Controls, marks that turn the direction, zero widths, and what no document may hold. */
const INVISIBLE = /[\p{Cc}\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFFE\uFFFF]/gu;

/**
 * Spells out what cannot be seen, so that no article number looks like another.
 *
 * @example
 * ```ts
 * visibleText('A\u202Egpj.exe'); // → 'A\\u202Egpj.exe'
 * ```
 *
 * @see D-858.
 */
export function visibleText(text: string): string {
  return text.toWellFormed().replace(INVISIBLE, (character) => {
    if (character === '\n' || character === '\t') return character;
    return `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  });
}
