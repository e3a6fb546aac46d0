/** The data of the gallery page. This file imports nothing from Node, because the page uses its types. */

export interface GalleryFile {
  /** Name of the delivery, such as `pictures`; or {@link MASTER}. */
  delivery: string;
  name: string;
  /** Path relative to the output folder, with `/`. */
  path: string;
  bytes: number;
  /** Name of the finish of this configuration, for a file with several finishes. */
  finish?: string;
  /** Camera of a picture that is no frame, and not the sheet, of a turn. */
  camera?: string;
}

/** A configuration with a GLB. Texts are those of the service: the page shows them and never interprets them. */
export interface GalleryItem {
  /** Unique id, in the address of the page. */
  id: string;
  manufacturer: string;
  program: string;
  /** Base article number. */
  number: string;
  /** Final article number. */
  configuration: string;
  name: string;
  text: string;
  variant: string;
  price: number | null;
  currency: string;
  sizeMillimetres: { width: number; depth: number; height: number } | null;
  triangles: number | null;
  /** Indices in {@link GalleryData.losses}. */
  losses: readonly number[];
  /** The files; the master is the first. */
  files: readonly GalleryFile[];
  /** Texts of the properties that divide the article into several files with finishes, if there are several. */
  splitBy?: readonly string[];
  /** Why the newest version is missing: the files are the last good files. */
  error?: string;
}

/** The content of `articles.js`. */
export interface GalleryData {
  title: string;
  hasContactSheet: boolean;
  /** Each loss once, since the articles of a range share materials: where, field, value, and its replacement. */
  losses: readonly (readonly [where: string, field: string, value: string, done: string])[];
  items: readonly GalleryItem[];
}

export interface ModelView {
  /** Names of the finishes between which the file can switch. */
  finishes: readonly string[];
  /** Index of the finish that is shown first. */
  first: number;
  choose(finish: number): Promise<void>;
  close(): void;
}

/** The function of `viewer.js`: opens a GLB in an element, with a finish if it has it. Throws if it cannot draw. */
export type OpenModelView = (
  /** An element; this file is compiled without a DOM. */
  into: unknown,
  address: string,
  label: string,
  finish: string | undefined,
) => Promise<ModelView>;

export { MODEL_VIEWER_EXPOSURE } from '../embed/snippet.ts';

/** The pictures of an article from its cameras, each in its first size. */
export function viewsOf({ files }: Pick<GalleryItem, 'files'>): GalleryFile[] {
  const pictures = files.filter(({ camera }) => camera !== undefined);
  return pictures.filter(
    (file, at) => pictures.findIndex((one) => one.camera === file.camera) === at,
  );
}

/** The picture that represents an article: the one of the camera `hero`, otherwise the first one. */
export function mainPicture(item: Pick<GalleryItem, 'files'>): GalleryFile | undefined {
  const views = viewsOf(item);
  return views.find(({ camera }) => camera === 'hero') ?? views[0];
}

/** The address of a file, relative to the page: each part of its path is escaped. */
export function addressOf(path: string): string {
  return `../${path.split('/').map(encodeURIComponent).join('/')}`;
}
