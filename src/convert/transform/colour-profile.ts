/** The colour profile of an image: its samples mean other colours than those of sRGB (ICC.1:2022, 7; D-552). */
import { segmentsOf } from './images.ts';

/** JPEG segment of application data. A profile segment begins with this, a number and a count (ICC.1:2022, B.4). */
const APP2 = 0xe2;
const JPEG_SIGNATURE = 'ICC_PROFILE\0';
/** ICC.1:2022: the table of tags follows the header; each entry is a signature, an offset and a size. */
const TAGS = { at: 128, size: 12 } as const;

/**
 * Returns the name in the profile of a JPEG; undefined if there is none but that of sRGB. The profile of a PNG is not
 * read: images of the service are JPEGs.
 *
 * @example `colourProfileOf(oak); // → 'Adobe RGB (1998)'`
 */
export function colourProfileOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] !== 0xff) return undefined;
  for (const { marker, from, to } of segmentsOf(bytes)) {
    const begin = from + JPEG_SIGNATURE.length;
    if (marker !== APP2 || latin1(bytes, from, begin) !== JPEG_SIGNATURE) continue;
    // A long profile is in several segments; the description is in the first.
    if (bytes[begin] !== 1) continue;
    const name = descriptionOf(bytes.subarray(begin + 2, to));
    return /sRGB/i.test(name) ? undefined : name;
  }
  return undefined;
}

const latin1 = (bytes: Uint8Array, from: number, to: number): string =>
  String.fromCharCode(...bytes.subarray(from, to));

const UNNAMED = 'one without a name';
const LONGEST_NAME = 80;

function readable(text: string): string {
  const name = text.replace(/[^\x20-\x7e\xa0-\xff]/g, '').trim();
  return name.slice(0, LONGEST_NAME) || UNNAMED;
}

function descriptionOf(profile: Uint8Array): string {
  const view = new DataView(profile.buffer, profile.byteOffset, profile.byteLength);
  const count = profile.length >= TAGS.at + 4 ? view.getUint32(TAGS.at) : 0;
  for (let i = 0; i < count; i++) {
    const at = TAGS.at + 4 + TAGS.size * i;
    if (at + TAGS.size > profile.length) break;
    if (latin1(profile, at, at + 4) !== 'desc') continue;
    const from = view.getUint32(at + 4);
    if (from + 28 > profile.length) break;
    // Version 2 has ASCII with its length; version 4 has UTF-16 with the length and offset of the first language.
    if (latin1(profile, from, from + 4) === 'desc')
      return readable(
        latin1(profile, from + 12, from + 12 + Math.min(LONGEST_NAME, view.getUint32(from + 8))),
      );
    const [length, offset] = [view.getUint32(from + 20), view.getUint32(from + 24)];
    const text = profile.subarray(
      from + offset,
      from + offset + Math.min(length, 2 * LONGEST_NAME),
    );
    return readable(latin1(text, 0, text.length));
  }
  return UNNAMED;
}
