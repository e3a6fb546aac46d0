/** Makes one path segment of Linux, macOS and Windows from any text, such as an article number. */
import { sha256Hex } from './files.ts';

/** Length at which a longer name is cut and continued by a hash. */
const MOST_CHARACTERS = 80;
const HASH_LENGTH = 8;
/** Most UTF-16 units from which a readable name is made: `normalize` sorts marks in quadratic time. */
const MOST_READ = 1000;

/** The length of the longest name that {@link encodeFileName} returns: 80 characters, `~`, 8 hex digits. */
export const LONGEST_FILE_NAME = MOST_CHARACTERS + 1 + HASH_LENGTH;

/** Device names of Windows, which are reserved with any extension too. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$)/i;

/**
 * Encodes any text as one path segment: letters, digits and `-_.~` stay, every other byte becomes `%XX`.
 *
 * Different texts get different names, except long ones that agree in their first 80 characters and in 32
 * bits of hash. The caller handles names that differ in letter case only.
 *
 * @param text - Any text; an empty text becomes `%`.
 * @returns 1 to 89 characters; never with a dot at either end (hidden on Linux, removed on Windows), never
 *   a Windows device.
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
    .replace(/(?<!\.)\.+$/, (dots) => '%2E'.repeat(dots.length))
    .replace(RESERVED, (device) => percent(device.charCodeAt(0)) + device.slice(1));
  if (name.length <= MOST_CHARACTERS) return name;
  return `${name.slice(0, MOST_CHARACTERS)}~${hashOf(bytes)}`;
}

/**
 * Makes a readable name from any text that is the same in a folder, a URL, an S3 key and a shell.
 *
 * Marks over letters are removed, each run of characters other than `A-Za-z0-9._-` becomes one `-`, `-` and `.` at
 * either end are removed, 80 characters of the first 1,000 remain. If that changed the text, `~` and 8 hex digits of its
 * SHA-256 follow. The caller handles names that differ in letter case only.
 *
 * @param text - Any text, even an empty one.
 * @returns 1 to 89 characters of `A-Za-z0-9._-~`; no dot at either end, no Windows device.
 *
 * @example
 * ```ts
 * urlName('DT160.80');                // → 'DT160.80'
 * urlName('LM-DOM 16";METALL=MS');    // → 'LM-DOM-16-METALL-MS~516fba5b'
 * urlName('nul.txt');                 // → 'nul-txt~7f3cbdd5'
 * ```
 *
 * @see D-733.
 */
export function urlName(text: string): string {
  const name = text
    .slice(0, MOST_READ)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9._-]+/gu, '-')
    .replace(/^[-.]+|(?<![-.])[-.]+$/g, '');
  const cut = name.slice(0, MOST_CHARACTERS);
  if (cut === text && cut !== '' && !RESERVED.test(cut)) return cut;
  const free = RESERVED.test(cut) ? cut.replace('.', '-') : cut;
  return `${free}~${hashOf(utf8(text))}`;
}

const hashOf = (bytes: Uint8Array): string => sha256Hex(bytes).slice(0, HASH_LENGTH);

function encodeByte(byte: number): string {
  const character = String.fromCharCode(byte);
  return /[A-Za-z0-9\-_.~]/.test(character) ? character : percent(byte);
}

function percent(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

/** Encodes as UTF-8. A lone surrogate becomes three bytes of its own, so that two such texts stay different. */
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
