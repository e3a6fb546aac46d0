/** Makes characters visible that would control a terminal or hide text: data may contain any. */

/** Control characters, which end a line or begin an escape sequence, and marks that reverse the direction of text. */
const HIDDEN = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/**
 * Writes control characters and direction marks of a text as `\u{…}`.
 *
 * @param isOneLine - Whether line feeds and tabs are data too, rather than part of our own text.
 *
 * @example
 * ```ts
 * visible('D1\u001b[2J'); // → 'D1\\u{1b}[2J'
 * ```
 */
export function visible(text: string, isOneLine = false): string {
  return text.replace(HIDDEN, (character) => {
    const isKept = !isOneLine && (character === '\n' || character === '\t');
    return isKept ? character : `\\u{${character.codePointAt(0)!.toString(16)}}`;
  });
}

/** Text of several lines, in which data cannot begin another line: each line is written as {@link visible} does. */
export function visibleLines(lines: readonly string[]): string {
  return lines.map((line) => visible(line, true)).join('\n');
}

/** Writes these characters of JSON text as `\uXXXX`, so that its values stay; not the line feed at its end. */
export function visibleJson(json: string): string {
  return json.replace(HIDDEN, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
