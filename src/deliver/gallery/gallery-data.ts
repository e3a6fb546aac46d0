/** The data of the gallery page. This file imports nothing from Node, because the page uses its types. */
import type { Colour } from './colours.ts';

export interface GalleryFile {
  /** Name of the delivery, such as `pictures`; or {@link MASTER}. */
  delivery: string;
  name: string;
  /** Path relative to the output folder, with `/`. */
  path: string;
  bytes: number;
  /** Name of the finish of this configuration, for a file with several finishes. */
  finish?: string;
  /** The extensions that a file requires, if a viewer needs a decoder for them. */
  requiredExtensions?: readonly string[];
  /** Camera of a picture that is no frame, and not the sheet, of a turn. */
  camera?: string;
}

/** Width, depth and height, millimetres. */
export type Size = readonly [width: number, depth: number, height: number];

/** What cards, search and filters need of a configuration. */
export interface ListedConfiguration {
  /** Its path below `articles/`, in the address of the page. */
  id: string;
  /** Final article number. */
  number: string;
  /** Indices in {@link GalleryData.texts}: the lines of its variant text. */
  texts: readonly number[];
  price?: number;
  currency?: string;
  size?: Size;
  /** Path of the picture that represents it. */
  picture?: string;
  colours?: readonly Colour[];
}

/** An article, of which at least one configuration has a GLB. */
export interface GalleryArticle {
  manufacturer: string;
  program: string;
  /** Names of manufacturer and series; their identifiers where no name is known. */
  manufacturerName: string;
  programName: string;
  /** Kind of furniture, such as `Chairs`. */
  kind?: string;
  /** Base article number. */
  number: string;
  name: string;
  /** Pictures of finishes in which its configurations differ; the first ones. */
  swatches: readonly string[];
  /** Number of the file with its details, {@link detailsFile}. */
  part: number;
  configurations: readonly ListedConfiguration[];
}

/** The content of `articles.js`: what the page needs before an article is opened. */
export interface GalleryData {
  title: string;
  hasContactSheet: boolean;
  /** Address of a server of assets. */
  assetsUrl?: string;
  /** How many files with details there are. */
  parts: number;
  /** Lines of variant texts, each once, since articles of a range share finishes. */
  texts: readonly string[];
  articles: readonly GalleryArticle[];
}

/** A property of a configuration with its value; texts are those of the service. */
export interface GalleryProperty {
  /** `CLASS.PROPERTY` */
  id: string;
  text: string;
  value: string;
  valueText: string;
}

/** All that the page shows of a configuration. Texts are those of the service: the page never interprets them. */
export interface GalleryDetails {
  /** As {@link ListedConfiguration.id}. */
  id: string;
  number: string;
  name: string;
  text: string;
  variant: string;
  properties: readonly GalleryProperty[];
  reinitstring: string;
  metareinitstring: string;
  price: number | null;
  currency: string;
  size: Size | null;
  triangles: number | null;
  /** Indices in {@link DetailsPart.losses}. */
  losses: readonly number[];
  /** The files; the master is the first. */
  files: readonly GalleryFile[];
  /** Pictures of its finishes. */
  swatches: readonly string[];
  /** The file whose model a page that was opened from a disk shows, where models are embedded. */
  embedded?: { path: string; script: string };
  /** Texts of the properties that divide the article into several files with finishes, if there are several. */
  splitBy?: readonly string[];
  /** Why the newest version is missing: the files are the last good files. */
  error?: string;
}

/** The content of a file with details. */
export interface DetailsPart {
  /** Each loss once, since the articles of a range share materials: where, field, value, and its replacement. */
  losses: readonly (readonly [where: string, field: string, value: string, done: string])[];
  configurations: readonly GalleryDetails[];
}

/** Name of a file with details. */
export function detailsFile(part: number): string {
  return `details-${part}.js`;
}

/** Called by the files with details, and by those with embedded models. */
export interface PageCalls {
  galleryDetails(part: number, content: DetailsPart): void;
  /** @param script - Name of the file that calls it. */
  galleryModel(script: string, base64: string): void;
  /** The light of the 3D view, as `studio.bin`. */
  galleryStudio(base64: string): void;
}

export interface ModelView {
  /** Names of the finishes between which the file can switch. */
  finishes: readonly string[];
  /** Index of the finish that is shown first. */
  first: number;
  choose(finish: number): Promise<void>;
  close(): void;
}

/** What the 3D view shows: files that it loads, or their bytes, where a page may read no file. */
export interface ShownModel {
  model: string | ArrayBuffer;
  /** @defaultValue `studio.bin` beside the script */
  studio?: ArrayBuffer;
}

/** The function of `viewer.js`: opens a GLB in an element, with a finish if it has it. Throws if it cannot draw. */
export type OpenModelView = (
  /** An element; this file is compiled without a DOM. */
  into: unknown,
  shown: ShownModel | string,
  label: string,
  finish: string | undefined,
) => Promise<ModelView>;

/** The pictures of a configuration from its cameras, each in its first size. */
export function viewsOf({ files }: Pick<GalleryDetails, 'files'>): GalleryFile[] {
  const pictures = files.filter(({ camera }) => camera !== undefined);
  return pictures.filter(
    (file, at) => pictures.findIndex((one) => one.camera === file.camera) === at,
  );
}

/** The picture that represents a configuration: the one of the camera `hero`, otherwise the first one. */
export function mainPicture(details: Pick<GalleryDetails, 'files'>): GalleryFile | undefined {
  const views = viewsOf(details);
  return views.find(({ camera }) => camera === 'hero') ?? views[0];
}

/** The address of a file, relative to the page: each part of its path is escaped. */
export function addressOf(path: string): string {
  return `../${path.split('/').map(encodeURIComponent).join('/')}`;
}
