/**
 * The feed of Shopify: an article is a product with its configurations as variants.
 *
 * @see https://help.shopify.com/en/manual/products/import-export/using-csv, D-942
 */
import { escaped } from '../../support/escaped.ts';
import { ATTRIBUTES, type AttributeFinder } from './attributes.ts';
import { type Cell, csvRow } from './delimited.ts';
import {
  type Article,
  dividedModels,
  first,
  modelFor,
  type Product,
  type PublishedFile,
} from './product.ts';

/** Options of a product. */
const MOST_OPTIONS = 3;
/** Pictures of a product. */
const MOST_PICTURES = 250;
/** Characters of a title, a name and a value. */
const LONGEST = 255;
/** The value of an option that a variant lacks: Shopify requires one. */
const NONE = '–';

export interface ShopifyOptions {
  /** At most 2,048; some apps and themes show 100. */
  variantsPerProduct: number;
}

/** Defaults of {@link ShopifyOptions}. */
export const SHOPIFY_DEFAULTS = { variantsPerProduct: 2048 } as const satisfies ShopifyOptions;

/** What distinguishes the variants of a product. */
interface Option {
  name: string;
  valueIn(product: Product): string;
}

/** A row has a variant, a picture of the product, or both; the first has the product, too. */
interface Row {
  handle: string;
  head?: { article: Article; title: string; model: string } | undefined;
  options: readonly Option[];
  variant?: Product | undefined;
  picture?: { address: string; position: number; alt: string } | undefined;
}

/** A cell of the first row of a product. */
const ofProduct = (cell: (head: NonNullable<Row['head']>) => Cell) => (row: Row) =>
  row.head && cell(row.head);
/** A cell of a row with a variant. */
const ofVariant = (cell: (variant: Product) => Cell | undefined) => (row: Row) =>
  row.variant && cell(row.variant);

/** The columns of an option, by its number from 1. */
function optionColumns(number: number): Record<string, (row: Row) => Cell | undefined> {
  const at = number - 1;
  return {
    [`Option${number} Name`]: ({ head, options }) => head && options[at]?.name,
    [`Option${number} Value`]: ({ variant, options }) => variant && options[at]?.valueIn(variant),
  };
}

const COLUMNS: Readonly<Record<string, (row: Row) => Cell | undefined>> = {
  Handle: ({ handle }) => handle,
  Title: ofProduct(({ title }) => title),
  'Body (HTML)': ofProduct(({ article: { products } }) =>
    html(products.length === 1 ? products[0]!.description : products[0]!.text),
  ),
  // At least two characters.
  Vendor: ofProduct(({ article: { brand } }) => (brand.length < 2 ? '' : first(brand, LONGEST))),
  Type: ofProduct(({ article }) => first(article.series, LONGEST)),
  Tags: ofProduct(({ article: { products } }) =>
    first(products[0]!.line.basearticlenumber.replaceAll(',', ' '), LONGEST),
  ),
  Published: ofProduct(() => 'FALSE'),
  ...optionColumns(1),
  ...optionColumns(2),
  ...optionColumns(3),
  'Variant SKU': ofVariant(({ number }) => first(number, LONGEST)),
  'Variant Inventory Policy': ofVariant(() => 'deny'),
  'Variant Fulfillment Service': ofVariant(() => 'manual'),
  'Variant Price': ofVariant(({ price }) => price?.amount.toFixed(2)),
  'Variant Requires Shipping': ofVariant(() => 'TRUE'),
  'Variant Taxable': ofVariant(() => 'TRUE'),
  'Image Src': ({ picture }) => picture?.address,
  'Image Position': ({ picture }) => picture?.position,
  'Image Alt Text': ({ picture }) => picture && first(picture.alt, 512),
  'Variant Image': ofVariant(({ pictures, addressOf }) => addressOf(pictures[0])),
  // The import takes no 3D model from an address: a theme, or an app that uploads it, reads this one.
  '3D model (product.metafields.custom.model_3d)': ofProduct(({ model }) => model),
  Status: ofProduct(() => 'draft'),
};

/** The first row. */
export const SHOPIFY_HEAD = csvRow(Object.keys(COLUMNS));

/**
 * The rows of an article: one for each variant, then those of further pictures. An article with more variants, or
 * pictures of variants, than Shopify takes becomes several products.
 *
 * @param article - Each configuration has another final article number, or none.
 * @param onSplit - Called if the article becomes several products.
 */
export function shopifyRows(
  article: Article,
  attributeOf: AttributeFinder,
  { variantsPerProduct }: ShopifyOptions = SHOPIFY_DEFAULTS,
  onSplit: () => void = () => {},
): string[] {
  const chosen = optionsOf(article, attributeOf);
  const parts = partsOf(article.products, variantsPerProduct);
  if (parts.length > 1) onSplit();
  return parts.flatMap((products, at) => {
    const suffix = at === 0 ? '' : `${at + 1}`;
    const rows = productRows({ ...article, products }, chosen, suffix);
    return rows.map((row) =>
      csvRow(
        Object.values(COLUMNS).map((cell) => cell(row) ?? null),
        { isForSpreadsheets: false },
      ),
    );
  });
}

function productRows(article: Article, options: readonly Option[], suffix: string): Row[] {
  const { products, id } = article;
  const [representative] = products;
  const handle = `${id} ${suffix}`.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const model = modelOf(article);
  const name = suffix === '' ? representative!.title : `${representative!.title} (${suffix})`;
  const base = { handle: handle.replace(/^-|-$/g, ''), options };
  const pictures = picturesOf(products);
  return Array.from({ length: Math.max(products.length, pictures.length) }, (_, at): Row => {
    const picture = pictures[at] && { ...pictures[at], position: at + 1 };
    const head = at === 0 ? { article, title: first(name, LONGEST), model } : undefined;
    return { ...base, head, variant: products[at], picture };
  });
}

/** A model of the whole article, if there is just one, or that of the first variant. */
function modelOf(article: Article): string {
  const { own, shared } = dividedModels(article);
  const [product] = article.products;
  const ofArticle = article.products.length > 1 && shared.length === 1 ? shared[0] : undefined;
  return product!.addressOf(ofArticle ?? modelFor('shopify', own(product!)));
}

/** The picture of each variant, then the other views of the first one; each once. */
function picturesOf(products: readonly Product[]): { address: string; alt: string }[] {
  const alts = new Map<string, string>();
  const add = ({ addressOf, altText }: Product, file: PublishedFile | undefined) => {
    const address = addressOf(file);
    if (address !== '' && !alts.has(address)) alts.set(address, altText);
  };
  for (const product of products) add(product, product.pictures[0]);
  for (const file of products[0]!.pictures) add(products[0]!, file);
  return Array.from(alts, ([address, alt]) => ({ address, alt })).slice(0, MOST_PICTURES);
}

function partsOf(products: readonly Product[], most: number): Product[][] {
  const parts: Product[][] = [];
  let pictures = new Set<string>();
  for (const product of products) {
    const address = product.addressOf(product.pictures[0]);
    const isNew = address !== '' && !pictures.has(address);
    const isFull = isNew && pictures.size === MOST_PICTURES;
    if (parts.length === 0 || parts.at(-1)!.length === most || isFull) {
      parts.push([]);
      pictures = new Set();
    }
    if (address !== '') pictures.add(address);
    parts.at(-1)!.push(product);
  }
  return parts;
}

/**
 * The options of an article: the properties that differ, first those of colour, material and size, then the others in
 * their order. From the third on they are one option, `A / B`. Where they do not distinguish all variants, the article
 * number does.
 */
function optionsOf({ products }: Article, attributeOf: AttributeFinder): Option[] {
  if (products.length === 1) return [{ name: 'Title', valueIn: () => 'Default Title' }];
  const differing = propertyOptions(products, attributeOf);
  const options = joined(differing);
  const isDistinct = (some: readonly Option[]) => {
    const values = products.map((one) => some.map(({ valueIn }) => compared(valueIn(one))));
    return new Set(values.map((each) => JSON.stringify(each))).size === products.length;
  };
  if (isDistinct(options)) return options;
  const byNumber: Option = {
    name: 'SKU',
    valueIn: ({ number }) => first(oneLine(number), LONGEST),
  };
  const byId: Option = { name: 'ID', valueIn: ({ id }) => id };
  const last = isDistinct([byNumber]) ? byNumber : byId;
  return [...joined(differing, MOST_OPTIONS - 1), last];
}

/** Shopify compares values without regard to case. */
const compared = (value: string) => value.toLowerCase();

function propertyOptions(products: readonly Product[], attributeOf: AttributeFinder): Option[] {
  const found = new Map<string, { name: string; rank: number }>();
  const taken = new Set<string>();
  const valuesOf = new Map(
    products.map((product) => {
      const values = product.line.properties.map(({ valueText, value, ...property }) => {
        const key = JSON.stringify([property.class, property.name]);
        const attribute = attributeOf(property);
        const rank = attribute === undefined ? ATTRIBUTES.length : ATTRIBUTES.indexOf(attribute);
        const label = oneLine(property.text) || oneLine(property.name) || key;
        if (!found.has(key)) found.set(key, { name: freeName(label, taken), rank });
        return [key, oneLine(valueText || value) || NONE] as const;
      });
      return [product, new Map(values)];
    }),
  );
  return [...found]
    .map(([key, option]) => ({
      ...option,
      valueIn: (product: Product) => first(valuesOf.get(product)?.get(key) ?? NONE, LONGEST),
    }))
    .filter(({ valueIn }) => new Set(products.map((one) => compared(valueIn(one)))).size > 1)
    .sort((a, b) => a.rank - b.rank);
}

/** The name of an option; where another one has it, with a number. */
function freeName(label: string, taken: Set<string>): string {
  let name = first(label, LONGEST);
  for (let number = 2; taken.has(compared(name)); number++)
    name = `${first(label, LONGEST - 6)} ${number}`;
  taken.add(compared(name));
  return name;
}

/** Joins all options from the last one that there may be. */
function joined(options: readonly Option[], most: number = MOST_OPTIONS): Option[] {
  if (options.length <= most) return [...options];
  const rest = options.slice(most - 1);
  const last: Option = {
    name: first(rest.map(({ name }) => name).join(' / '), LONGEST),
    valueIn: (product) => first(rest.map(({ valueIn }) => valueIn(product)).join(' / '), LONGEST),
  };
  return [...options.slice(0, most - 1), last];
}

const oneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();

const html = (text: string) => escaped(text).replace(/\r?\n/g, '<br>');
