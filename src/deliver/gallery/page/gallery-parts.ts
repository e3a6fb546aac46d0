/** Loads what the page needs only now and then: scripts, since a page from a disk may read no other file. */
import { element } from '../../pictures/page/elements.ts';
import {
  type DetailsPart,
  detailsFile,
  type GalleryDetails,
  type OpenModelView,
  type PageCalls,
  type ShownModel,
} from '../gallery-data.ts';

/** What the scripts have brought. */
const parts = new Map<number, DetailsPart>();
const models = new Map<string, string>();
let studio: string | undefined;
const CALLS: PageCalls = {
  galleryDetails: (part, content) => void parts.set(part, content),
  galleryModel: (script, base64) => void models.set(script, base64),
  galleryStudio(base64) {
    studio = base64;
  },
};
Object.assign(globalThis, CALLS);

const scripts = new Map<string, Promise<void>>();

/** Runs a script beside the page, once. A script that failed is tried again the next time. */
function loadScript(name: string): Promise<void> {
  const known = scripts.get(name);
  if (known !== undefined) return known;
  const loading = new Promise<void>((resolve, reject) => {
    const script = element('script', { src: name });
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => {
      scripts.delete(name);
      reject(new Error(`${name} is missing`));
    });
    document.head.append(script);
  });
  scripts.set(name, loading);
  return loading;
}

/** The details of some configurations, by their ids. Those that are no longer published are missing. */
export async function loadDetails(part: number): Promise<ReadonlyMap<string, LoadedDetails>> {
  await loadScript(detailsFile(part));
  const { configurations, losses } = parts.get(part)!;
  return new Map(configurations.map((one) => [one.id, { details: one, losses }]));
}

/** A configuration, and the losses that it refers to. */
export interface LoadedDetails {
  details: GalleryDetails;
  losses: DetailsPart['losses'];
}

/** Whether the page was opened from a disk, where it may read no file. */
export const IS_ON_DISK = location.protocol === 'file:';

/** The viewer is large, and most visitors look at pictures. */
export async function loadViewer(): Promise<OpenModelView> {
  await loadScript('viewer.js');
  return (globalThis as unknown as { openModelView: OpenModelView }).openModelView;
}

/** A model that is embedded in a script. */
export async function loadEmbedded({
  script,
}: NonNullable<GalleryDetails['embedded']>): Promise<ShownModel> {
  await Promise.all([loadScript(script), loadScript('studio.js')]);
  return { model: bytesOf(models.get(script)!), studio: bytesOf(studio!) };
}

function bytesOf(base64: string): ArrayBuffer {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)).buffer;
}
