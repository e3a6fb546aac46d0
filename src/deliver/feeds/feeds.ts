/** Feeds: the published configurations in the formats that shops, search engines and an ERP import. */

import { configurationId } from '../../model/configuration-id.ts';
import { amount } from '../../run/report/text.ts';
import { attributeFinder } from './attributes.ts';
import {
  BMECAT_TAIL,
  bmecatHead,
  bmecatProduct,
  type Catalogue,
  SupplierNumbers,
} from './bmecat.ts';
import { type ErpOptions, erpHead, erpRow } from './erp.ts';
import { GOOGLE_HEAD, googleRows, hasGooglePicture } from './google.ts';
import {
  type Article,
  articlesOf,
  type FeedItem,
  type Product,
  type ShopOptions,
} from './product.ts';
import { productGroupJson } from './schema-org.ts';
import { SHOPIFY_HEAD, type ShopifyOptions, shopifyRows } from './shopify.ts';

export interface FeedOptions extends ShopOptions, Catalogue {
  shopify?: ShopifyOptions | undefined;
  erp?: ErpOptions | undefined;
}

/** What is not one row for each configuration. */
export interface FeedFindings {
  /** How many configurations lack a property that the feed requires, by its name, such as `a price`. */
  leftOut: Map<string, number>;
  /** Configurations without a row, since another one with their final article number has it. */
  merged: number;
  /** How often a limit of the platform had an effect. */
  effects: Map<Effect, number>;
}

/** Nothing is found yet. */
export const noFindings = (): FeedFindings => ({
  leftOut: new Map(),
  merged: 0,
  effects: new Map(),
});

/** What limits of platforms do, as a sentence. */
const EFFECTS = {
  ungrouped: (count) =>
    `${count} without item_group_id: color, material and size do not distinguish them from others of their article`,
  split: (count) =>
    `${amount(count, 'article')} became several products, having more variants or pictures than one may have`,
  shortened: (count) =>
    `${count} with a shortened SUPPLIER_PID: the number has over 32 characters, or another manufacturer has it, too`,
} as const satisfies Record<string, (count: number) => string>;
type Effect = keyof typeof EFFECTS;

/** The sentences on the effects of limits. */
export function effectTexts({ effects }: FeedFindings): string[] {
  return Array.from(effects, ([effect, count]) => EFFECTS[effect](count));
}

const REQUIREMENTS = {
  'a price': ({ price }) => price !== null,
  'a picture': ({ pictures }) => pictures.length > 0,
  'a picture other than AVIF': hasGooglePicture,
} satisfies Record<string, (product: Product) => boolean>;

/** Writes one feed. */
interface FeedWriter {
  head?: readonly string[];
  rowsOf(article: Article): readonly string[];
  tail?: readonly string[];
}

interface Feed {
  /** Name of the file below `feeds/`. */
  file: string;
  /** Required properties: products that lack one of them are left out. */
  requires: readonly (keyof typeof REQUIREMENTS)[];
  /** Whether configurations with the same final article number are one product, the first of them. */
  isByNumber?: true;
  write(options: FeedOptions, count: (effect: Effect) => void): FeedWriter;
}

const FEEDS = {
  jsonld: {
    file: 'products.jsonl',
    requires: [],
    write: (options) => ({ rowsOf: (article) => [productGroupJson(article, options)] }),
  },
  google: {
    file: 'google.tsv',
    requires: ['a price', 'a picture', 'a picture other than AVIF'],
    write: (options, count) => ({
      head: [GOOGLE_HEAD],
      rowsOf: (article) => googleRows(article, options, () => count('ungrouped')),
    }),
  },
  shopify: {
    file: 'shopify.csv',
    requires: ['a price'],
    isByNumber: true,
    write({ attributes, shopify }, count) {
      const attributeOf = attributeFinder(attributes);
      return {
        head: [SHOPIFY_HEAD],
        rowsOf: (article) => shopifyRows(article, attributeOf, shopify, () => count('split')),
      };
    },
  },
  csv: {
    file: 'erp.csv',
    requires: [],
    isByNumber: true,
    write: ({ erp }) => ({
      head: [erpHead(erp)],
      rowsOf: (article) => article.products.map((product) => erpRow({ article, product }, erp)),
    }),
  },
  bmecat: {
    file: 'bmecat.xml',
    requires: [],
    isByNumber: true,
    write(options, count) {
      const numbers = new SupplierNumbers(() => count('shortened'));
      return {
        head: bmecatHead(options),
        rowsOf: (article) =>
          article.products.map((product) =>
            bmecatProduct(article, product, numbers.of(product), options),
          ),
        tail: BMECAT_TAIL,
      };
    },
  },
  pictures: {
    file: 'pictures.jsonl',
    requires: ['a picture'],
    write: () => ({ rowsOf: ({ products }) => products.map(picturesJson) }),
  },
} as const satisfies Record<string, Feed>;

export type FeedKind = keyof typeof FEEDS;

/** All feeds. */
export const FEED_KINDS = Object.keys(FEEDS) as [FeedKind, ...FeedKind[]];

/** Name of a feed among the deliveries. */
export const feedName = (kind: FeedKind): string => `feed ${kind}`;

/** The name of a feed below `feeds/`. */
export function feedFile(kind: FeedKind): string {
  return FEEDS[kind].file;
}

/**
 * Makes a feed: yields its rows without LF at their end, one article after the other.
 *
 * @param items - Sorted by configuration, which is the order of the rows.
 * @param findings - Counts what has no row of its own, and why.
 * @example
 * ```ts
 * const options = { baseUrl: 'https://cdn.example/', availability: 'in_stock' } as const;
 * [...feedRows('csv', [{ line, languages: {}, files: [] }], options)];
 * // → ['manufacturer,program,…\r', 'AULI,LUMO,…\r']
 * ```
 */
export function* feedRows(
  kind: FeedKind,
  items: Iterable<FeedItem>,
  options: FeedOptions,
  findings = noFindings(),
): Iterable<string> {
  const { requires, isByNumber, write }: Feed = FEEDS[kind];
  const { leftOut, effects } = findings;
  const numbers = new Set<string>();
  const {
    head = [],
    rowsOf,
    tail = [],
  } = write(options, (effect) => effects.set(effect, (effects.get(effect) ?? 0) + 1));
  yield* head;
  for (const article of articlesOf(items, options)) {
    const products = article.products.filter((product) => {
      const missing = requires.find((name) => !REQUIREMENTS[name](product));
      if (missing !== undefined) leftOut.set(missing, (leftOut.get(missing) ?? 0) + 1);
      return missing === undefined && !(isByNumber && isMerged(product));
    });
    if (products.length > 0) yield* rowsOf({ ...article, products });
  }
  yield* tail;

  function isMerged({ line }: Product): boolean {
    if (line.finalarticlenumber === '') return false;
    const key = JSON.stringify([line.manufacturer.toUpperCase(), line.finalarticlenumber]);
    const isKnown = numbers.has(key);
    if (isKnown) findings.merged++;
    numbers.add(key);
    return isKnown;
  }
}

/** One line of JSON about the pictures of a product: what an `img` with `srcset` and `alt` needs. */
function picturesJson({ line, id, views, altTexts, addressOf }: Product): string {
  const pictures = views.map(({ camera, width, file }) => {
    const { path, sha256 } = file;
    return { camera, ...(width !== undefined && { width }), path, url: addressOf(file), sha256 };
  });
  return JSON.stringify({ id, ...configurationId(line), alt: altTexts, pictures });
}
