/** The contact sheet: one picture that shows many pictures at one glance. */

/** Increase this version if the same pictures give another sheet. */
export const CONTACT_SHEET_VERSION = 1;

/** Most pictures on a sheet, the first of a larger range: a sheet of 100 rows takes 50 MB to draw. */
export const MOST_ON_SHEET = 1200;

const COLUMNS = 12;
/** Side of a cell, pixels. */
const SIDE = 128;
/** Space around the picture in its cell, pixels. */
const PADDING = 8;
const QUALITY = 78;
const WHITE = { r: 255, g: 255, b: 255 };

/**
 * Makes the sheet of some pictures, in their order: rows of at most 12, on white.
 *
 * @param pictures - JPEG, PNG or WebP; at most {@link MOST_ON_SHEET}, at least one.
 * @returns A JPEG; the cell of a picture that cannot be read is empty.
 * @example
 * ```ts
 * await contactSheet([desk, chair]);   // → a JPEG of 256 × 128 pixels
 * ```
 */
export async function contactSheet(pictures: readonly Uint8Array[]): Promise<Uint8Array> {
  const { default: sharp } = await import('sharp');
  const columns = Math.min(COLUMNS, pictures.length);
  const inner = SIDE - 2 * PADDING;
  const cellOf = async (picture: Uint8Array, i: number) => {
    const drawn = sharp(picture)
      .flatten({ background: WHITE })
      .resize(inner, inner, { fit: 'contain', background: WHITE })
      .png({ compressionLevel: 1 });
    const input = await drawn.toBuffer().catch(() => undefined);
    const left = (i % columns) * SIDE + PADDING;
    const top = Math.floor(i / columns) * SIDE + PADDING;
    return input && { input, left, top };
  };
  const cells = (await Promise.all(pictures.map(cellOf))).filter((cell) => cell !== undefined);
  const size = { width: columns * SIDE, height: Math.ceil(pictures.length / columns) * SIDE };
  return sharp({ create: { ...size, channels: 3, background: WHITE } })
    .composite(cells)
    .jpeg({ quality: QUALITY, mozjpeg: true })
    .toBuffer();
}
