/** Images and resources: the references that lead to them, and whether a body is a complete one. */
import { ConverterError, type ErrorCode } from '../../support/errors.ts';

/**
 * Parses a `rescontent`, a relative path that is not encoded, or an encoded address of the service itself (spec 2.1,
 * 4.2; D-604).
 *
 * @throws {@link ConverterError} `RESOURCE_REFUSED` if it leads out of the service.
 * @example `parseResource('xcf/ressource/A/logo.png', base); // → { spelling: 'ressource', path: 'A/logo.png' }`
 */
export function parseResource(rescontent: string, baseUrl: string) {
  const segments = segmentsBelow(rescontent, baseUrl);
  const [, spelling = '', path = ''] =
    /^(?:api\/xcf\.dll\/)?(?:xcf\/)?(ressources?)\/(.+)$/is.exec(segments.join('/')) ?? [];
  if (!path.split('/').every(isName)) {
    throw refused('RESOURCE_REFUSED', 'xcf/ressource/<path>', rescontent);
  }
  return { spelling: spelling.toLowerCase() as 'ressource' | 'ressources', path };
}

/**
 * Parses a `previewimage`, a relative path or an encoded address of the service itself (spec 2.2, 4.3; D-604).
 *
 * @throws {@link ConverterError} `IMAGE_REFUSED` if it leads out of the service.
 */
export function parsePreview(previewimage: string, baseUrl: string) {
  const segments = segmentsBelow(previewimage, baseUrl);
  const [manufacturer = '', program = '', name = ''] = segments.slice(-3);
  const isPreview = segments.length <= 7 && segments.at(-4)?.toLowerCase() === 'preview';
  if (isPreview && segments.every(isName)) return { manufacturer, program, name };
  const expected = 'ocd/preview/<manufacturer>/<program>/<file name>';
  throw refused('IMAGE_REFUSED', expected, previewimage);
}

/** Segments of a relative path unchanged; segments below the service's own address decoded. */
function segmentsBelow(reference: string, baseUrl: string): string[] {
  if (!/^(?:[a-z][a-z\d+.-]*:|[\\/]{2})/i.test(reference)) {
    return reference.replace(/^\//, '').split('/');
  }
  const base = `${baseUrl.replace(/\/+$/, '')}/`;
  if (!reference.startsWith(base)) return [];
  const path = reference.slice(base.length).replace(/[?#].*$/s, '');
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return [];
  }
}

/** Whether a segment is a name. Servers take `.`, `..` and backslashes for steps in a path, however encoded. */
function isName(segment: string): boolean {
  return segment !== '' && segment !== '.' && segment !== '..' && !segment.includes('\\');
}

function refused(code: ErrorCode, expected: string, received: string): ConverterError {
  const shown = received.length > 80 ? `${received.slice(0, 80)}…` : received;
  return new ConverterError(code, `expected ${expected}, received ${JSON.stringify(shown)}`);
}

/** The bytes at the start of each kind, as Latin-1, and how a complete file is recognised. */
const KINDS = {
  jpeg: { signature: '\xff\xd8\xff', isComplete: jpegHasEnd },
  png: { signature: '\x89PNG\r\n\x1a\n', isComplete: pngHasEnd },
  gif: { signature: 'GIF8', isComplete: (bytes) => bytes.includes(0x3b, 13) },
  bmp: { signature: 'BM', isComplete: (bytes) => lengthAt(bytes, 2) <= bytes.length },
  webp: { signature: 'RIFF', isComplete: (bytes) => lengthAt(bytes, 4) + 8 <= bytes.length },
} satisfies Record<string, { signature: string; isComplete(bytes: Uint8Array): boolean }>;

type ImageKind = keyof typeof KINDS;

/**
 * Checks that a body is a complete image, and returns its kind. Most are JPEGs, even if their name lacks `.JPG`.
 *
 * @throws {@link ConverterError} `RESPONSE_INVALID` if it is no image, or only the beginning of one.
 * @see Spec 4.4 (materials); D-550 (the bytes decide the type).
 */
export function checkImage(body: Uint8Array): ImageKind {
  const kinds = Object.keys(KINDS) as ImageKind[];
  const kind = kinds.find((name) => startsWith(body, KINDS[name].signature));
  if (kind !== undefined && KINDS[kind].isComplete(body)) return kind;
  const message =
    kind === undefined
      ? 'expected an image, received something else'
      : `expected a complete ${kind.toUpperCase()} image, received only a part of it`;
  throw new ConverterError('RESPONSE_INVALID', message);
}

/** Walks the markers of a JPEG to its end: the last two bytes may be those of a thumbnail, or padding. */
function jpegHasEnd(bytes: Uint8Array): boolean {
  let at = 2;
  while (at + 1 < bytes.length) {
    // In compressed data FF 00 is a value and FF D0 to FF D7 are restarts: neither is an end.
    at = bytes.indexOf(0xff, at);
    if (at < 0 || at + 1 >= bytes.length) return false;
    const marker = bytes[at + 1]!;
    if (marker === 0xd9) return true;
    const isStandalone = marker === 0x00 || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    if (marker === 0xff) at += 1;
    else if (isStandalone) at += 2;
    else at += 2 + ((bytes[at + 2] ?? 0) << 8) + (bytes[at + 3] ?? 0);
  }
  return false;
}

/** Walks the chunks of a PNG up to IEND. */
function pngHasEnd(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 8;
  while (at + 12 <= bytes.length) {
    if (startsWith(bytes.subarray(at + 4), 'IEND')) return true;
    at += 12 + view.getUint32(at);
  }
  return false;
}

function startsWith(bytes: Uint8Array, latin1: string): boolean {
  return Array.from(latin1).every((character, i) => bytes[i] === character.charCodeAt(0));
}

/** Little-endian 32-bit length; infinite if the bytes end before it. */
function lengthAt(bytes: Uint8Array, at: number): number {
  if (bytes.length < at + 4) return Number.POSITIVE_INFINITY;
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at, true);
}
