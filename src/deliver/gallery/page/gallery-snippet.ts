/** The HTML that shows an article in 3D on the page of a shop, with the addresses of this gallery. */
import { type EmbeddedFinish, snippetOf } from '../../embed/snippet.ts';
import { altText } from '../../making/alt-text.ts';
import { VARIANTS } from '../../making/names.ts';
import { addressOf, type GalleryDetails, type GalleryFile, mainPicture } from '../gallery-data.ts';
import { IS_ON_DISK } from './gallery-parts.ts';

const IOS = 'ar-ios';
const WEB = 'web';

/** Replaces the address of a shop if the page was opened from a disk. */
const SHOP = 'https://shop.example/gallery/';

/**
 * The HTML for a configuration: of the file with all finishes where there is one, else of the one for web pages.
 *
 * @param all - All configurations of the article.
 */
export function snippetFor(details: GalleryDetails, all: readonly GalleryDetails[]): string {
  const of = (wanted: string) =>
    details.files.find(({ delivery, path }) => delivery === wanted && path.endsWith('.glb'));
  const file = of(VARIANTS) ?? of(WEB) ?? details.files[0]!;
  const { requiredExtensions, finish } = file;
  const picture = mainPicture(details);
  return snippetOf({
    model: absolute(file),
    ...placesOf(details),
    ...(picture && { poster: absolute(picture) }),
    ...(requiredExtensions && { requiredExtensions }),
    ...(finish !== undefined && { finish, finishes: finishesOf(file, all) }),
  });
}

/** The finishes of a file, in the order of the configurations, each look once. */
function finishesOf({ path }: GalleryFile, all: readonly GalleryDetails[]): EmbeddedFinish[] {
  const finishes = new Map<string, EmbeddedFinish>();
  for (const details of all) {
    const name = details.files.find((file) => file.path === path)?.finish;
    if (name !== undefined && !finishes.has(name))
      finishes.set(name, { name, ...placesOf(details) });
  }
  return [...finishes.values()];
}

function placesOf({ files, name, number, variant }: GalleryDetails) {
  const quickLook = files.find(({ delivery, path }) => delivery === IOS && path.endsWith('.usdz'));
  const alt = altText({ name: name || number, variant });
  return { alt, ...(quickLook && { iosModel: absolute(quickLook) }) };
}

function absolute({ path }: GalleryFile): string {
  return new URL(addressOf(path), IS_ON_DISK ? SHOP : location.href).href;
}
