/** The key `gallery:` of `deliver:`. */
import { z } from 'zod';

const optionsSchema = () =>
  z.strictObject({
    assetsUrl: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('address of a server of assets, whose page shows an article in a room'),
    embedModels: z
      .boolean()
      .default(false)
      .describe('whether a page from a disk has 3D views too; 1.4 times the bytes of the models'),
  });

/** What the gallery has beside what is published. */
export type GalleryOptions = z.output<ReturnType<typeof optionsSchema>>;

/** `true` is all defaults. */
export const gallerySchema = () =>
  z
    .union([z.boolean(), optionsSchema()])
    .default(false)
    .describe('a page that shows everything published, below gallery/');

/** The options of a gallery that is wanted; undefined of one that is not. */
export function galleryOptionsOf(
  wanted: z.output<ReturnType<typeof gallerySchema>>,
): GalleryOptions | undefined {
  if (wanted === false) return undefined;
  return wanted === true ? { embedModels: false } : wanted;
}
