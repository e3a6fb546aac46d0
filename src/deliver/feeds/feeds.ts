/** Feeds: the published configurations in the formats that shops, search engines and an ERP import. */

import { articleKey, configurationId, configurationKey } from '../../model/configuration-id.ts';
import type { CatalogueLine } from '../../run/lists/manifest-line.ts';
import type { PublishedLine } from '../../run/output/changes.ts';
import { urlName } from '../../support/file-names.ts';
import { sha256Hex } from '../../support/files.ts';
import { mediaTypeOf } from '../../support/media-types.ts';
import { altText } from '../making/alt-text.ts';
import { VARIANTS } from '../making/names.ts';
import { type Cell, csvRow, tsvRow } from './delimited.ts';

type PublishedFile = PublishedLine['files'][number];

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

export interface FeedOptions {
  /** Address at which the output folder is served. */
  baseUrl: string;
  /** Address of the page of a product, with `{id}` or identifying fields such as `{finalarticlenumber}`. */
  productUrl?: string | undefined;
  availability: keyof typeof AVAILABILITIES;
}

/** A placeholder of {@link FeedOptions.productUrl}. */
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
interface Product {
  line: CatalogueLine;
  /** Id of at most 50 characters of `A-Za-z0-9._~-`, the same in every run. */
  id: string;
  /** Id of the article, equal for all its configurations. */
  groupId: string;
  number: string;
  title: string;
  description: string;
  /** Price; null if a shop could not sell at it. */
  price: { amount: number; currency: string } | null;
  availability: keyof typeof AVAILABILITIES;
  page: string;
  /** Its pictures in all sizes, in the order of their cameras; frames of a turn are no views. */
  views: View[];
  /** The picture that represents it. */
  picture: PublishedFile | undefined;
  /** Text of each language for its pictures. */
  altTexts: Record<string, string>;
  /** The models; the master is the first. */
  models: PublishedFile[];
  addressOf(file: PublishedFile | undefined): string;
}

const REQUIREMENTS = {
  'a price': ({ price }) => price !== null,
  'a picture': ({ picture }) => picture !== undefined,
} satisfies Record<string, (product: Product) => boolean>;

interface Feed {
  /** Name of the file below `feeds/`. */
  file: string;
  /** Required properties: products that lack one of them are left out. */
  requires: readonly (keyof typeof REQUIREMENTS)[];
  head?: string;
  rowOf(product: Product): string;
}

type Columns = Readonly<Record<string, (product: Product) => Cell | undefined>>;

/**
 * The columns of a file of products of Google Merchant Center, with its limits in characters. A 3D model has at
 * most 15 MB: the delivery `google` is used if there is one.
 *
 * @see https://support.google.com/merchants/answer/7052112, https://support.google.com/merchants/answer/13674896
 */
const GOOGLE: Columns = {
  id: ({ id }) => id,
  title: ({ title }) => first(title, 150),
  description: ({ description }) => first(description, 5000),
  link: ({ page }) => page,
  image_link: ({ picture, addressOf }) => addressOf(picture),
  availability: ({ availability }) => availability,
  price: ({ price }) => price && `${price.amount.toFixed(2)} ${price.currency}`,
  brand: ({ line }) => first(line.manufacturer, 70),
  mpn: ({ number }) => first(number, 70),
  condition: () => 'new',
  item_group_id: ({ groupId }) => groupId,
  product_type: ({ line }) => first(`${line.manufacturer} > ${line.program}`, 750),
  product_width: ({ line }) => centimetres(line.sizeMillimetres?.width),
  product_length: ({ line }) => centimetres(line.sizeMillimetres?.depth),
  product_height: ({ line }) => centimetres(line.sizeMillimetres?.height),
  virtual_model_link: ({ models, addressOf }) => addressOf(modelFor('google', models)),
};

/**
 * The columns of a file of products of Shopify: each configuration is a separate product, since Shopify assigns a model
 * to a product and not to a variant. The import takes no 3D model from an address: that is in a metafield, for a theme
 * or for an app that uploads it. Products are drafts until someone publishes them.
 *
 * @see https://help.shopify.com/en/manual/products/import-export/using-csv
 */
const SHOPIFY: Columns = {
  Handle: ({ id }) => id.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
  Title: ({ title }) => first(title, 255),
  'Body (HTML)': ({ description }) => html(description),
  Vendor: ({ line }) => first(line.manufacturer, 255),
  Type: ({ line }) => first(line.program, 255),
  Tags: ({ line }) => line.basearticlenumber.replaceAll(',', ' '),
  Published: () => 'FALSE',
  'Option1 Name': () => 'Title',
  'Option1 Value': () => 'Default Title',
  'Variant SKU': ({ number }) => first(number, 255),
  'Variant Inventory Policy': () => 'deny',
  'Variant Fulfillment Service': () => 'manual',
  'Variant Price': ({ price }) => price?.amount.toFixed(2),
  'Variant Requires Shipping': () => 'TRUE',
  'Variant Taxable': () => 'TRUE',
  'Image Src': ({ picture, addressOf }) => addressOf(picture),
  'Image Position': ({ picture }) => picture && 1,
  'Image Alt Text': ({ picture, line }) => picture && first(altTextOf(line), 512),
  '3D model (product.metafields.custom.model_3d)': ({ models, addressOf }) =>
    addressOf(modelFor('shopify', models)),
  Status: () => 'draft',
};

/** The columns for an ERP; paths are relative to the output folder, and contain no space. */
const ERP: Columns = {
  manufacturer: ({ line }) => line.manufacturer,
  program: ({ line }) => line.program,
  basearticlenumber: ({ line }) => line.basearticlenumber,
  finalarticlenumber: ({ line }) => line.finalarticlenumber,
  reinitstring: ({ line }) => line.reinitstring,
  metareinitstring: ({ line }) => line.metareinitstring,
  id: ({ id }) => id,
  shorttext: ({ line }) => line.shorttext,
  longtext: ({ line }) => line.longtext,
  varianttext: ({ line }) => line.varianttext,
  price: ({ line }) => line.price,
  currency: ({ line }) => line.currency,
  widthMillimetres: ({ line }) => line.sizeMillimetres?.width ?? null,
  depthMillimetres: ({ line }) => line.sizeMillimetres?.depth ?? null,
  heightMillimetres: ({ line }) => line.sizeMillimetres?.height ?? null,
  picture: ({ picture }) => picture?.path ?? null,
  pictureUrl: ({ picture, addressOf }) => addressOf(picture),
  glb: ({ line }) => line.glb,
  glbUrl: ({ models, addressOf }) => addressOf(models[0]),
  models: ({ models }) => models.map(({ path }) => path).join(' '),
};

const FEEDS = {
  jsonld: { file: 'products.jsonl', requires: [], rowOf: productJson },
  google: {
    file: 'google.tsv',
    requires: ['a price', 'a picture'],
    head: tsvRow(Object.keys(GOOGLE)),
    rowOf: (product) => tsvRow(cellsOf(GOOGLE, product)),
  },
  shopify: {
    file: 'shopify.csv',
    requires: ['a price'],
    head: csvRow(Object.keys(SHOPIFY)),
    rowOf: (product) => csvRow(cellsOf(SHOPIFY, product), false),
  },
  csv: {
    file: 'erp.csv',
    requires: [],
    head: csvRow(Object.keys(ERP)),
    rowOf: (product) => csvRow(cellsOf(ERP, product)),
  },
  pictures: { file: 'pictures.jsonl', requires: ['a picture'], rowOf: picturesJson },
} as const satisfies Record<string, Feed>;

export type FeedKind = keyof typeof FEEDS;

/** All feeds. */
export const FEED_KINDS = Object.keys(FEEDS) as [FeedKind, ...FeedKind[]];

/**
 * The address of a file of the output folder.
 *
 * @example `addressAt('https://cdn.example/3d', 'articles/A B.glb'); // → 'https://cdn.example/3d/articles/A%20B.glb'`
 */
export function addressAt(baseUrl: string, path: string): string {
  const segments = path.split('/').map((name) => encodeURIComponent(name.toWellFormed()));
  return `${new URL(baseUrl).href.replace(/\/+$/, '')}/${segments.join('/')}`;
}

/** Name of a feed among the deliveries. */
export const feedName = (kind: FeedKind): string => `feed ${kind}`;

/** The name of a feed below `feeds/`. */
export function feedFile(kind: FeedKind): string {
  return FEEDS[kind].file;
}

/**
 * Makes a feed: yields its rows without LF at their end, one after the other.
 *
 * @param items - Sorted by configuration, which is the order of the rows.
 * @param leftOut - Counts the items that lack a property that the feed requires, such as `a price`.
 * @example
 * ```ts
 * const options = { baseUrl: 'https://cdn.example/', availability: 'in_stock' } as const;
 * [...feedRows('csv', [{ line, files: [] }], options)];
 * // → ['manufacturer,program,…\r', 'AULI,LUMO,…\r']
 * ```
 */
export function* feedRows(
  kind: FeedKind,
  items: Iterable<FeedItem>,
  options: FeedOptions,
  leftOut = new Map<string, number>(),
): Iterable<string> {
  const { head, requires, rowOf }: Feed = FEEDS[kind];
  if (head !== undefined) yield head;
  for (const item of items) {
    const product = productOf(item, options);
    const missing = requires.find((name) => !REQUIREMENTS[name](product));
    if (missing === undefined) yield rowOf(product);
    else leftOut.set(missing, (leftOut.get(missing) ?? 0) + 1);
  }
}

function productOf({ line, languages, files }: FeedItem, options: FeedOptions): Product {
  const number = line.finalarticlenumber || line.basearticlenumber;
  const id = shortId(number, configurationKey(line));
  const texts = [line.longtext || line.shorttext, line.varianttext];
  const isSellable = Number(line.price?.toFixed(2)) > 0 && /^[A-Z]{3}$/.test(line.currency);
  const master =
    line.glb === null || line.sha256 === null
      ? []
      : [{ delivery: 'articles', path: line.glb, sha256: line.sha256 }];
  const views = files.flatMap((file): View[] => {
    const [found, camera, width] = VIEW.exec(file.path) ?? [];
    if (found === undefined) return [];
    return [{ camera: camera!, ...(width !== undefined && { width: Number(width) }), file }];
  });
  return {
    line,
    id,
    groupId: shortId(line.basearticlenumber, articleKey(line)),
    number,
    title: line.shorttext || number,
    description: texts.filter((text) => text !== '').join('\n') || number,
    price: isSellable ? { amount: line.price!, currency: line.currency } : null,
    availability: options.availability,
    page: pageOf({ ...line, id }, options.productUrl),
    views,
    // A pipeline may ask for the frames of a turn alone.
    picture:
      (views.find(({ camera }) => camera === 'hero') ?? views[0])?.file ??
      files.find(({ path }) => mediaTypeOf(path).startsWith('image/')),
    altTexts: Object.fromEntries(
      Object.entries(languages).flatMap(([lang, own]) => (own ? [[lang, altTextOf(own)]] : [])),
    ),
    models: [...master, ...files.filter(({ path }) => mediaTypeOf(path).startsWith('model/'))],
    addressOf: (file) => (file === undefined ? '' : addressAt(options.baseUrl, file.path)),
  };
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

function modelFor(delivery: string, models: readonly PublishedFile[]): PublishedFile | undefined {
  return models.find((model) => model.delivery === delivery) ?? models[0];
}

function cellsOf(columns: Columns, product: Product): Cell[] {
  return Object.values(columns).map((cell) => cell(product) ?? null);
}

/** Shortens a text; a longer text ends with `…`, and no character is divided. */
function first(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** A length in centimetres; Google accepts 1 to 400 cm. */
function centimetres(millimetres: number | undefined): string {
  const length = (millimetres ?? 0) / 10;
  return length >= 1 && length <= 400 ? `${Number(length.toFixed(2))} cm` : '';
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function html(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!).replace(/\r?\n/g, '<br>');
}

/** One JSON-LD product of schema.org; `<` is escaped, so that a page can contain the text unchanged. */
function productJson(product: Product): string {
  const { line, id, groupId, number, title, description, price, page, picture, models } = product;
  const { addressOf, availability } = product;
  // A file with several finishes would first show another product.
  const ownModels = models.filter(({ delivery }) => delivery !== VARIANTS);
  const length = (millimetres: number) => ({
    '@type': 'QuantitativeValue',
    value: millimetres,
    unitCode: 'MMT',
  });
  const { width, depth, height } = line.sizeMillimetres ?? {};
  const json = JSON.stringify({
    '@context': 'https://schema.org',
    '@type': 'Product',
    productID: id,
    name: title,
    description,
    sku: number,
    mpn: number,
    brand: { '@type': 'Brand', name: line.manufacturer },
    ...(page && { url: page }),
    ...(picture && { image: addressOf(picture) }),
    ...(width !== undefined && { width: length(width) }),
    ...(depth !== undefined && { depth: length(depth) }),
    ...(height !== undefined && { height: length(height) }),
    additionalProperty: line.properties.map(({ text, name, valueText, value }) => ({
      '@type': 'PropertyValue',
      name: text || name,
      value: valueText || value,
    })),
    isVariantOf: { '@type': 'ProductGroup', productGroupID: groupId },
    ...(price && {
      offers: {
        '@type': 'Offer',
        price: price.amount,
        priceCurrency: price.currency,
        availability: AVAILABILITIES[availability],
        itemCondition: 'https://schema.org/NewCondition',
        ...(page && { url: page }),
      },
    }),
    ...(ownModels.length > 0 && {
      subjectOf: {
        '@type': '3DModel',
        name: title,
        encoding: ownModels.map((model) => ({
          '@type': 'MediaObject',
          contentUrl: addressOf(model),
          encodingFormat: mediaTypeOf(model.path),
          sha256: model.sha256,
        })),
      },
    }),
  });
  return json.replaceAll('<', '\\u003c');
}

/** One line of JSON about the pictures of a product: what an `img` with `srcset` and `alt` needs. */
function picturesJson({ line, id, views, altTexts, addressOf }: Product): string {
  const pictures = views.map(({ camera, width, file }) => {
    const { path, sha256 } = file;
    return { camera, ...(width !== undefined && { width }), path, url: addressOf(file), sha256 };
  });
  return JSON.stringify({ id, ...configurationId(line), alt: altTexts, pictures });
}
