/** Articles and their configurations in the terms of a shop: what all feeds are made of. */

import { articleKey, configurationKey } from '../../model/configuration-id.ts';
import type { CatalogueLine } from '../../run/lists/manifest-line.ts';
import type { PublishedLine } from '../../run/output/changes.ts';
import { urlName } from '../../support/file-names.ts';
import { sha256Hex } from '../../support/files.ts';
import { mediaTypeOf } from '../../support/media-types.ts';
import { altText } from '../making/alt-text.ts';
import { VARIANTS } from '../making/names.ts';
import { publishedSize } from '../making/published-size.ts';
import {
  type AttributeFinder,
  type AttributeNames,
  type AttributeValues,
  attributeFinder,
  attributeValues,
} from './attributes.ts';

export type PublishedFile = PublishedLine['files'][number];

/** A configuration, and its files without the master. */
export interface FeedItem {
  line: CatalogueLine;
  /** Its catalogue lines by language. */
  languages: Readonly<Record<string, CatalogueLine | undefined>>;
  files: readonly PublishedFile[];
}

/** Whether a shopper can order, in the spelling of Google and in that of schema.org. */
export const AVAILABILITIES = {
  in_stock: 'https://schema.org/InStock',
  backorder: 'https://schema.org/BackOrder',
  preorder: 'https://schema.org/PreOrder',
  out_of_stock: 'https://schema.org/OutOfStock',
} as const;
export type Availability = keyof typeof AVAILABILITIES;

export interface ShopOptions {
  /** Address at which the output folder is served. */
  baseUrl: string;
  /** Address of the page of a product, with `{id}` or identifying fields such as `{finalarticlenumber}`. */
  productUrl?: string | undefined;
  availability: Availability;
  /** `YYYY-MM-DD` from which products are delivered that are ordered in advance. */
  availabilityDate?: string | undefined;
  attributes?: AttributeNames | undefined;
}

/** A placeholder of {@link ShopOptions.productUrl}. */
export const PRODUCT_URL_FIELDS = [
  ...(['id', 'manufacturer', 'program', 'basearticlenumber'] as const),
  ...(['finalarticlenumber', 'reinitstring', 'metareinitstring'] as const),
];

/** A view: the name of the article, the camera, and the width, which a floor plan lacks. */
const VIEW = /[^/]-([a-z]+)(?:-(\d+))?\.(?:jpg|png|webp|avif)$/;

interface View {
  camera: string;
  /** Pixels. */
  width?: number;
  file: PublishedFile;
}

/** A configuration in the terms of a shop; unknown values are empty. */
export interface Product {
  line: CatalogueLine;
  /** Id of at most 50 characters of `A-Za-z0-9._~-`, the same in every run. */
  id: string;
  number: string;
  title: string;
  /** Text of the article without what is chosen. */
  text: string;
  /** Text with what is chosen. */
  description: string;
  /** Price; null if a shop could not sell at it. */
  price: { amount: number; currency: string } | null;
  /** As it was ordered; null without a GLB. */
  sizeMillimetres: CatalogueLine['sizeMillimetres'];
  attributes: AttributeValues;
  page: string;
  /** Its pictures in all sizes, in the order of their cameras; frames of a turn are no views. */
  views: View[];
  /** One picture of each camera, the widest; the first represents the product. */
  pictures: PublishedFile[];
  /** What the pictures show. */
  altText: string;
  /** The same in each language. */
  altTexts: Record<string, string>;
  /** The models; the master is the first. */
  models: PublishedFile[];
  addressOf(file: PublishedFile | undefined): string;
}

/** An article, and those of its configurations that a feed has. */
export interface Article {
  /** Like {@link Product.id}, equal in all configurations. */
  id: string;
  brand: string;
  series: string;
  /** Kind of furniture; empty if it is not known. */
  category: string;
  products: readonly Product[];
}

/**
 * The articles of configurations, one after the other.
 *
 * @param items - Sorted by configuration, so that those of an article follow each other.
 */
export function* articlesOf(items: Iterable<FeedItem>, options: ShopOptions): Iterable<Article> {
  const attributeOf = attributeFinder(options.attributes);
  let key: string | undefined;
  let products: Product[] = [];
  for (const item of items) {
    const own = articleKey(item.line);
    if (own !== key && products.length > 0) {
      yield articleOf(products);
      products = [];
    }
    key = own;
    products.push(productOf(item, options, attributeOf));
  }
  if (products.length > 0) yield articleOf(products);
}

function articleOf(products: readonly Product[]): Article {
  const { line } = products[0]!;
  return {
    id: shortId(line.basearticlenumber, articleKey(line)),
    brand: line.manufacturername || line.manufacturer,
    series: line.programname || line.program,
    category: line.category || '',
    products,
  };
}

function productOf(
  { line, languages, files }: FeedItem,
  options: ShopOptions,
  attributeOf: AttributeFinder,
): Product {
  const { finalarticlenumber, basearticlenumber } = line;
  const named = [finalarticlenumber, basearticlenumber].find(isVisible) ?? '';
  const id = shortId(named, configurationKey(line));
  const number = named || id;
  const title = [line.shorttext, number].find(isVisible) ?? id;
  const text = [line.longtext, title].find(isVisible)!;
  const isSellable = Number(line.price?.toFixed(2)) > 0 && /^[A-Z]{3}$/.test(line.currency);
  const master =
    line.glb === null || line.sha256 === null
      ? []
      : [{ delivery: 'articles', path: line.glb, sha256: line.sha256 }];
  const views = viewsOf(files);
  return {
    line,
    id,
    number,
    title,
    text,
    description: [text, line.varianttext].filter(isVisible).join('\n'),
    price: isSellable ? { amount: line.price!, currency: line.currency } : null,
    sizeMillimetres: publishedSize(line),
    attributes: attributeValues(line.properties, attributeOf),
    page: pageOf({ ...line, id }, options.productUrl),
    views,
    pictures: picturesOf(views, files),
    altText: isVisible(altTextOf(line)) ? altTextOf(line) : title,
    altTexts: Object.fromEntries(
      Object.entries(languages).flatMap(([lang, own]) => (own ? [[lang, altTextOf(own)]] : [])),
    ),
    models: [...master, ...files.filter(({ path }) => mediaTypeOf(path).startsWith('model/'))],
    addressOf: (file) => (file === undefined ? '' : addressAt(options.baseUrl, file.path)),
  };
}

/** Whether a text has more than blanks and control characters. */
function isVisible(text: string): boolean {
  return /[^\s\p{Cc}]/u.test(text);
}

function viewsOf(files: readonly PublishedFile[]): View[] {
  return files.flatMap((file): View[] => {
    const [found, camera, width] = VIEW.exec(file.path) ?? [];
    if (found === undefined) return [];
    return [{ camera: camera!, ...(width !== undefined && { width: Number(width) }), file }];
  });
}

/** The widest view of each camera, `hero` first. A pipeline may ask for the frames of a turn alone. */
function picturesOf(views: readonly View[], files: readonly PublishedFile[]): PublishedFile[] {
  const widest = new Map<string, View>();
  for (const view of views) {
    const other = widest.get(view.camera);
    if (other === undefined || (view.width ?? 0) > (other.width ?? 0))
      widest.set(view.camera, view);
  }
  const { hero, ...others } = Object.fromEntries(widest);
  const pictures = [...(hero ? [hero] : []), ...Object.values(others)].map(({ file }) => file);
  if (pictures.length > 0) return pictures;
  const frame = files.find(({ path }) => mediaTypeOf(path).startsWith('image/'));
  return frame === undefined ? [] : [frame];
}

function altTextOf({ shorttext, finalarticlenumber, basearticlenumber, ...line }: CatalogueLine) {
  const name = shorttext || finalarticlenumber || basearticlenumber;
  return altText({ name, variant: line.varianttext });
}

/** A readable id, which 64 bits of the digest of a key make unique. */
function shortId(number: string, key: string): string {
  return `${urlName(number).slice(0, 33)}-${sha256Hex(key).slice(0, 16)}`;
}

type PageFields = Record<(typeof PRODUCT_URL_FIELDS)[number], string>;

function pageOf(fields: PageFields, template = ''): string {
  return template.replace(/\{(\w+)\}/g, (_, name: keyof PageFields) =>
    encodeURIComponent(fields[name].toWellFormed()),
  );
}

/** The model that a delivery has made for a platform, or the master. */
export function modelFor(
  delivery: string,
  models: readonly PublishedFile[],
): PublishedFile | undefined {
  return models.find((model) => model.delivery === delivery) ?? models[0];
}

/** The models that show one configuration, and those with all finishes of an article, which first show another. */
export function dividedModels({ products }: Pick<Article, 'products'>): {
  own: (product: Product) => PublishedFile[];
  shared: PublishedFile[];
} {
  const shared = new Map<string, PublishedFile>();
  for (const { models } of products)
    for (const file of models) if (file.delivery === VARIANTS) shared.set(file.path, file);
  return {
    own: ({ models }) => models.filter(({ delivery }) => delivery !== VARIANTS),
    shared: [...shared.values()],
  };
}

/**
 * The address of a file of the output folder.
 *
 * @example `addressAt('https://cdn.example/3d', 'articles/A B.glb'); // → 'https://cdn.example/3d/articles/A%20B.glb'`
 */
export function addressAt(baseUrl: string, path: string): string {
  const segments = path.split('/').map((name) => encodeURIComponent(name.toWellFormed()));
  return `${new URL(baseUrl).href.replace(/\/+$/, '')}/${segments.join('/')}`;
}

/** Shortens a text; a longer text ends with `…`, and no character is divided. */
export function first(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
