/**
 * Depth: how deep a JSON text is nested, before it is parsed.
 *
 * In: bytes. Out: whether they go deeper than anything that is meant to be read. Parsing such a text
 * can end the whole process, for a parser keeps something for each level.
 */

/** Nested arrays and objects; a parts list has two of them for each of its own levels. */
export const MAX_JSON_DEPTH = 500_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Whether a JSON text is nested deeper than is allowed.
 *
 * A text of fewer bytes than levels is not even looked at: most bodies are.
 *
 * @example
 * ```ts
 * isTooDeep(utf8('['.repeat(600_000))); // → true
 * ```
 *
 * @see D-844.
 */
export function isTooDeep(bytes: Uint8Array, maxDepth: number = MAX_JSON_DEPTH): boolean {
  if (bytes.length <= maxDepth) return false;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) at = endOfText(bytes, at);
    // [ and {, ] and } differ from each other in the same bit.
    else if ((byte | 0x20) === 0x7b) depth += 1;
    else if ((byte | 0x20) === 0x7d) depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
}

/** Where the text that begins at a quote ends. */
function endOfText(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    if (bytes[at] === BACKSLASH) at += 1;
    else if (bytes[at] === QUOTE) return at;
  }
  return bytes.length;
}
