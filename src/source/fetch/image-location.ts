/** Locates the image that a material refers to. A reference that looks like an address is refused. */
import { ConverterError } from '../../support/errors.ts';

/** Values of GET materials: `/materials/<manufacturer>/<name>.JPG`. */
interface ImageLocation {
  manufacturer: string;
  name: string;
}

/** The article that contains the reference. */
export interface ImageContext {
  manufacturer: string;
  blockManufacturers: readonly string[];
}

/**
 * Template of a location: `<manufacturer>/<name>`. `{manufacturer}`, `{program}` (of a `MAN::PROG::NAME` form
 * or of a path that begins with them, else empty) and `{name}` are those of the reference.
 */
export const IMAGE_LOCATION_DEFAULT = '{manufacturer}/{name}';

const IMAGE_EXTENSION = /\.(?:jpe?g|png|bmp|tga)$/i;
/** Matches an absolute URL. A scheme has two letters or more, since one letter and a colon are a drive. */
const ABSOLUTE_URL = /^\s*(?:[a-z][a-z0-9+.-]+:(?!:)|[\\/]{2})/i;
const CONTROL = /\p{Cc}/u;

/**
 * Locates an image: first where the reference points, then, for a 404, at the article's manufacturer. The
 * manufacturer is the first segment of a `MAN::…::NAME` form, or of a path that begins with that of the
 * article or of one of its blocks; otherwise it is the manufacturer of the article.
 *
 * @throws {@link ConverterError} `IMAGE_REFUSED`; `USAGE` for a template without `/`.
 *
 * @example
 * ```ts
 * const context = { manufacturer: 'ACME', blockManufacturers: ['LIB'] };
 * locateImage('LIB/wood/OAK.JPG', context);
 * // → [{ manufacturer: 'LIB', name: 'OAK' }, { manufacturer: 'ACME', name: 'OAK' }]
 * locateImage('textures\\OAK.png', context);   // → [{ manufacturer: 'ACME', name: 'OAK' }]
 * ```
 *
 * @see Spec 4.4; D-550, D-551.
 */
export function locateImage(
  reference: string,
  context: ImageContext,
  template: string = IMAGE_LOCATION_DEFAULT,
): ImageLocation[] {
  if (ABSOLUTE_URL.test(reference)) throw refused(reference, 'an absolute address');
  if (reference.includes('..')) throw refused(reference, 'one with ".."');
  if (CONTROL.test(reference)) throw refused(reference, 'one with a control character');
  const own = context.manufacturer.toUpperCase();
  const segments = reference
    .trim()
    .split(/::|[\\/]/)
    .filter((segment) => segment !== '');
  const name = (segments.at(-1) ?? '').replace(IMAGE_EXTENSION, '').trim();
  if (name === '' || name === '.') throw refused(reference, 'one without a name');
  const named = namedOwner(reference, segments, context);
  const program = named === undefined || segments.length < 3 ? '' : segments[1]!.toUpperCase();
  const owners = new Set([named ?? own, own]);
  return Array.from(owners, (manufacturer) => fill(template, { manufacturer, program, name }));
}

function refused(reference: string, received: string): ConverterError {
  const shown = JSON.stringify(reference.slice(0, 200));
  return new ConverterError(
    'IMAGE_REFUSED',
    `image reference ${shown}: expected a relative path with a name, received ${received}`,
  );
}

/** The manufacturer that a reference names, in upper case; undefined if it names none. */
function namedOwner(reference: string, segments: readonly string[], context: ImageContext) {
  if (segments.length < 2) return undefined;
  const first = segments[0]!.trim().toUpperCase();
  if (reference.includes('::')) return first;
  const known = [context.manufacturer, ...context.blockManufacturers];
  return known.some((manufacturer) => manufacturer.toUpperCase() === first) ? first : undefined;
}

function fill(template: string, values: Readonly<Record<string, string>>): ImageLocation {
  const path = template.replace(/\{(\w+)\}/g, (_, key: string) => values[key] ?? '');
  const slash = path.indexOf('/');
  if (slash < 1) {
    const message = `imageLocation: expected a template like ${IMAGE_LOCATION_DEFAULT}, received ${template}`;
    throw new ConverterError('USAGE', message);
  }
  return { manufacturer: path.slice(0, slash), name: path.slice(slash + 1) };
}
