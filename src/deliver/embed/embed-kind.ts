/** Pages that show an article, for the page of a shop, as a kind of delivery. */
import { z } from 'zod';
import { acceptSchema, kind } from '../making/kind.ts';
import { EMBED } from '../making/names.ts';
import { PACKAGES } from './decoders.ts';
import { DEFAULT_SIZE } from './snippet.ts';

const sideSchema = () => z.int().min(50).max(10_000);

const embedSchema = () =>
  z.union([
    z.boolean(),
    z.strictObject({
      packages: z
        .url({ protocol: /^https?$/ })
        .default(PACKAGES)
        .describe(
          'address at which npm packages are, each at name@version/: model-viewer, decoders',
        ),
      width: sideSchema()
        .default(DEFAULT_SIZE.width)
        .describe('largest width of the view in the page of a shop, CSS pixels'),
      height: sideSchema().default(DEFAULT_SIZE.height).describe('its height at this width'),
      accept: acceptSchema(),
    }),
  ]);

/** `deliver: embed:`. */
export const embedKind = kind({
  schema: () =>
    embedSchema()
      .default(false)
      .describe('a page for each article that shows it in 3D, with HTML to copy, below embed/'),
  names: [EMBED],
  async open(wanted, opening) {
    if (wanted === false) return [];
    const { openEmbedPages } = await import('./publish-embed.ts');
    const defaults = { packages: PACKAGES, ...DEFAULT_SIZE, accept: [] };
    const { accept, ...options } = wanted === true ? defaults : wanted;
    const packages = options.packages.replace(/\/*$/, '/');
    return [openEmbedPages({ ...options, packages }, accept, opening)];
  },
});
