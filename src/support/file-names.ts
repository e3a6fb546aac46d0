/**
 * File names: any text as one safe path segment.
 *
 * In: an opaque text, such as an article number. Out: a name that Linux, macOS and Windows take alike.
 * It knows nothing of folders and opens nothing.
 */
import { createHash } from 'node:crypto';

/** Names up to this length stay whole; a longer one is cut here and told apart by a hash. */
const LONGEST_WHOLE = 80;
const HASH_LENGTH = 8;

/** The longest name that {@link encodeFileName} returns: 80 characters, `~`, 8 hex digits. */
export const LONGEST_FILE_NAME = LONGEST_WHOLE + 1 + HASH_LENGTH;

/** Device names of Windows, which it takes with any extension too. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$)/i;

/**
 * Encodes any text as one path segment.
 *
 * Letters, digits and `-_.~` stay, all else becomes `%XX` per UTF-8 byte. Different texts get
 * different names, but for long ones that agree in their first 80 characters and in 32 bits of hash.
 * Names that differ in case alone are different here and equal on some file systems: that is the caller's.
 *
 * @param text - Any text; the empty one becomes `%`.
 * @returns 1 to 89 characters of `A-Za-z0-9-_.~%`; never with a dot at either end
 *   (hidden on Linux, cut off on Windows), never a Windows device.
 *
 * @example
 * ```ts
 * encodeFileName('DT160/80');   // → 'DT160%2F80'
 * encodeFileName('..');         // → '%2E%2E'
 * encodeFileName('nul.txt');    // → '%6Eul.txt'
 * ```
 *
 * @see D-607.
 */
export function encodeFileName(text: string): string {
  if (text === '') return '%';
  const bytes = utf8(text);
  const name = Array.from(bytes, encodeByte)
    .join('')
    .replace(/^\./, '%2E')
    .replace(/\.+$/, (dots) => '%2E'.repeat(dots.length))
    .replace(RESERVED, (device) => percent(device.charCodeAt(0)) + device.slice(1));
  if (name.length <= LONGEST_WHOLE) return name;
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, HASH_LENGTH);
  return `${name.slice(0, LONGEST_WHOLE)}~${hash}`;
}

function encodeByte(byte: number): string {
  const character = String.fromCharCode(byte);
  return /[A-Za-z0-9\-_.~]/.test(character) ? character : percent(byte);
}

function percent(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

/** UTF-8, but half a surrogate pair keeps its own three bytes, so that two such texts stay apart. */
function utf8(text: string): Uint8Array {
  if (!/\p{Surrogate}/u.test(text)) return Buffer.from(text);
  return Buffer.concat(
    Array.from(text, (character) => {
      const code = character.codePointAt(0)!;
      if (code < 0xd800 || code > 0xdfff) return Buffer.from(character);
      return Buffer.from([0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)]);
    }),
  );
}
