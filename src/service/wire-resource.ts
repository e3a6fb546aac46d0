/**
 * Resources: logos, catalogue images and previews; how they are addressed and what they are.
 *
 * In: a reference as the service spells it, or a raw body. Out: the segments of a path; a checked body.
 * Nothing that a reference says may lead out of the service.
 */
import { ConverterError, type ErrorCode } from '../support/errors.ts';

/** A resource's address, taken apart. */
export interface ResourcePath {
  /** Which of its two spellings the reference has. */
  spelling: 'ressource' | 'ressources';
  /** What follows it, not encoded. */
  path: string;
}

/** A preview's address, taken apart; nothing is encoded. */
export interface PreviewPath {
  manufacturer: string;
  program: string;
  name: string;
}

/**
 * Takes a `rescontent` apart.
 *
 * @param rescontent - Relative path, with or without `xcf/` before it; taken as it is, not encoded.
 * @throws {@link ConverterError} `RESOURCE_REFUSED` if it leads anywhere else.
 *
 * @example
 * ```ts
 * parseResource('xcf/ressource/ACME/DESK/any/A B.jpg');
 * // → { spelling: 'ressource', path: 'ACME/DESK/any/A B.jpg' }
 * ```
 *
 * @see Spec 2.1, 4.2; D-604.
 */
export function parseResource(rescontent: string): ResourcePath {
  const found = /^\/?(?:xcf\/)?(ressources?)\/(.+)$/is.exec(rescontent);
  const expected = 'xcf/ressource/<path>';
  if (found === null) throw refused('RESOURCE_REFUSED', expected, rescontent);
  const path = found[2]!;
  if (!path.split('/').every(isName)) throw refused('RESOURCE_REFUSED', expected, rescontent);
  return { spelling: found[1]!.toLowerCase() as ResourcePath['spelling'], path };
}

/**
 * Takes a `previewimage` apart.
 *
 * @param previewimage - Relative path, `ocd/preview/<manufacturer>/<program>/<file name>`; also an
 * address of the service itself, which is encoded.
 * @param baseUrl - Address of the service.
 * @throws {@link ConverterError} `IMAGE_REFUSED` if it leads anywhere else.
 *
 * @example
 * ```ts
 * parsePreview('ocd/preview/ACME/DESK/OAK.jpg', 'https://service.example');
 * // → { manufacturer: 'ACME', program: 'DESK', name: 'OAK.jpg' }
 * ```
 *
 * @see Spec 2.2, 4.3; D-604.
 */
export function parsePreview(previewimage: string, baseUrl: string): PreviewPath {
  const segments = segmentsBelow(previewimage, baseUrl);
  const [manufacturer = '', program = '', name = ''] = segments.slice(-3);
  const isPreview = segments.length <= 7 && segments.at(-4)?.toLowerCase() === 'preview';
  if (!isPreview || !segments.every(isName)) {
    throw refused(
      'IMAGE_REFUSED',
      'ocd/preview/<manufacturer>/<program>/<file name>',
      previewimage,
    );
  }
  return { manufacturer, program, name };
}

/**
 * Checks that a body is a resource: anything but nothing.
 *
 * @returns Its size in bytes.
 * @throws {@link ConverterError} `RESPONSE_INVALID` if it is empty.
 */
export function checkResource(body: Uint8Array): number {
  if (body.length > 0) return body.length;
  throw new ConverterError('RESPONSE_INVALID', 'expected a resource, received nothing');
}

/** Segments of a relative path as they are; those below the service's own address, decoded. */
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

/** Servers take `.`, `..` and backslashes for steps in a path, however they are encoded. */
function isName(segment: string): boolean {
  return segment !== '' && segment !== '.' && segment !== '..' && !segment.includes('\\');
}

function refused(code: ErrorCode, expected: string, received: string): ConverterError {
  const shown = received.length > 80 ? `${received.slice(0, 80)}…` : received;
  return new ConverterError(code, `expected ${expected}, received ${JSON.stringify(shown)}`);
}
