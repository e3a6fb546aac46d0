/** The HTML that shows an article in 3D on the page of a shop, with the addresses of this gallery. */
import { type EmbeddedConfiguration, embeddedModel } from '../../embed/embedded-model.ts';
import { snippetOf } from '../../embed/snippet.ts';
import { altText } from '../../making/alt-text.ts';
import { addressOf, type GalleryDetails, mainPicture } from '../gallery-data.ts';
import { IS_ON_DISK } from './gallery-parts.ts';

/** Replaces the address of a shop if the page was opened from a disk. */
const SHOP = 'https://shop.example/gallery/';

/** The HTML for a configuration. @param all - All configurations of the article. */
export function snippetFor(details: GalleryDetails, all: readonly GalleryDetails[]): string {
  const model = embeddedModel(
    configurationOf(details),
    all.map(configurationOf),
    (path) => new URL(addressOf(path), IS_ON_DISK ? SHOP : location.href).href,
  );
  return snippetOf(model);
}

function configurationOf(details: GalleryDetails): EmbeddedConfiguration {
  const { name, number, variant, files } = details;
  const alt = altText({ name: name || number, variant });
  return { alt, poster: mainPicture(details)?.path, files };
}
