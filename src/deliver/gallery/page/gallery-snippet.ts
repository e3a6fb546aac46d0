/** The HTML that shows a configuration in 3D on the page of a shop. */
import { altText } from '../../making/alt-text.ts';
import {
  addressOf,
  type GalleryDetails,
  type GalleryFile,
  MODEL_VIEWER_EXPOSURE,
  mainPicture,
} from '../gallery-data.ts';
import { IS_ON_DISK } from './gallery-parts.ts';

const ANDROID = 'ar-android';
const IOS = 'ar-ios';

/** Replaces the address of a shop if the page was opened from a disk. */
const SHOP = 'https://shop.example/gallery/';

/** The snippet for a shop. Its addresses are those of this gallery, which a shop replaces by its own. */
export function snippetOf(details: GalleryDetails): string {
  const of = (wanted: string, ending: string) =>
    details.files.find(({ delivery, name }) => delivery === wanted && name.endsWith(ending));
  const picture = mainPicture(details);
  const model = of(ANDROID, '.glb') ?? details.files[0]!;
  const quickLook = of(IOS, '.usdz');
  const attributes: [string, string][] = [
    ['src', absolute(model)],
    ...(quickLook ? [['ios-src', absolute(quickLook)] as [string, string]] : []),
    ...(picture ? [['poster', absolute(picture)] as [string, string]] : []),
    ['alt', altText({ name: details.name || details.number, variant: details.variant })],
    ['exposure', String(MODEL_VIEWER_EXPOSURE)],
  ];
  const lines = attributes.map(([name, value]) => `  ${name}="${escaped(value)}"`);
  return `<model-viewer\n${lines.join('\n')}\n  ar ar-modes="webxr scene-viewer quick-look" camera-controls></model-viewer>`;
}

function absolute({ path }: GalleryFile): string {
  return new URL(addressOf(path), IS_ON_DISK ? SHOP : location.href).href;
}

function escaped(value: string): string {
  return value.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
