/** What the page of the gallery is made from. No Node: the page uses these types. */
import { PICTURES } from '../making/names.ts';

/** A file that can be downloaded. */
export interface GalleryFile {
  /** Name of the delivery, such as `pictures`; or {@link MASTER}. */
  delivery: string;
  name: string;
  /** Relative to the output folder, with `/`. */
  path: string;
  bytes: number;
  /** Of a file with several finishes: the name of the one that this configuration has. */
  finish?: string;
}

/** A configuration with a GLB. Texts are those of the service: the page shows them and never interprets them. */
export interface GalleryItem {
  /** Unique, in the address of the page. */
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
  /** Places in {@link GalleryData.losses}. */
  losses: readonly number[];
  /** The master first. */
  files: readonly GalleryFile[];
  /** Texts of the properties that divide the article into several files with finishes, where there are several. */
  splitBy?: readonly string[];
  /** Why the newest version is missing: the files are the last good ones. */
  error?: string;
}

/** The content of `articles.js`. */
export interface GalleryData {
  title: string;
  hasContactSheet: boolean;
  /** Each once, since the articles of a range share materials: where, field, value, and what was done instead. */
  losses: readonly (readonly [where: string, field: string, value: string, done: string])[];
  items: readonly GalleryItem[];
}

/** A 3D view, open. */
export interface ModelView {
  /** Names of the finishes between which the file can switch. */
  finishes: readonly string[];
  /** The place of the one that is shown at first. */
  first: number;
  choose(finish: number): Promise<void>;
  close(): void;
}

/** What `viewer.js` offers: it opens a GLB in an element, with a finish if it has it. It throws where it cannot draw. */
export type OpenModelView = (
  into: HTMLElementLike,
  address: string,
  label: string,
  finish: string | undefined,
) => Promise<ModelView>;

/** An element; this file is checked without a DOM. */
type HTMLElementLike = unknown;

/** Whether a picture shows a model from a camera, rather than being a frame or the sheet of a turn. */
export function isView({ delivery, name }: GalleryFile): boolean {
  return delivery === PICTURES && /\.(?:jpg|png|webp)$/.test(name) && !/^turn\b/.test(name);
}

/** The picture that stands for an article: that of the camera `hero`, else the first one. */
export function mainPicture({ files }: Pick<GalleryItem, 'files'>): GalleryFile | undefined {
  const views = files.filter(isView);
  return views.find(({ name }) => name.startsWith('hero.')) ?? views[0];
}

/** The address of a file, relative to the page: each part of its path is escaped. */
export function addressOf(path: string): string {
  return `../${path.split('/').map(encodeURIComponent).join('/')}`;
}
