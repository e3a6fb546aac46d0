/**
 * The feed of Google Merchant Center.
 *
 * @see https://support.google.com/merchants/answer/7052112 (all attributes), D-941
 */
import { groupBy } from '../../support/group-by.ts';
import { ATTRIBUTES, type Attribute } from './attributes.ts';
import { type Cell, tsvRow } from './delimited.ts';
import {
  type Article,
  first,
  modelFor,
  type Product,
  type PublishedFile,
  type ShopOptions,
} from './product.ts';

/** Characters of an attribute of variants, and of one of its values; 6324487, 6324410, 6324492. */
const LIMITS = {
  color: { all: 100, one: 40 },
  material: { all: 200, one: 200 },
  size: { all: 100, one: 100 },
} as const satisfies Record<Attribute, object>;
/** Values of colour and material. */
const MOST_VALUES = 3;
/** Other pictures than the first; 6324370. */
const MOST_PICTURES = 10;
/** Characters of an address, or of several. */
const LONGEST_ADDRESS = 2000;

type Variant = Record<Attribute, string>;

interface Row {
  article: Article;
  product: Product;
  variant: Variant;
  title: string;
  /** Empty where the attributes do not distinguish a configuration. */
  groupId: string;
  options: ShopOptions;
}

const COLUMNS: Readonly<Record<string, (row: Row) => Cell | undefined>> = {
  id: ({ product }) => product.id,
  title: ({ title }) => title,
  description: ({ product }) => first(product.description, 5000),
  link: ({ product }) => product.page,
  image_link: ({ product }) => product.addressOf(picturesOf(product)[0]),
  additional_image_link: ({ product }) => otherPictures(product),
  availability: ({ options }) => options.availability,
  availability_date: ({ options }) => availabilityDate(options),
  price: ({ product: { price } }) => price && `${price.amount.toFixed(2)} ${price.currency}`,
  brand: ({ article }) => first(article.brand, 70),
  mpn: ({ product }) => first(product.number, 70),
  condition: () => 'new',
  item_group_id: ({ groupId }) => groupId,
  color: ({ variant }) => variant.color,
  material: ({ variant }) => variant.material,
  size: ({ variant }) => variant.size,
  product_type: ({ article }) => first(`${article.brand} > ${article.series}`, 750),
  product_width: ({ product }) => centimetres(product.sizeMillimetres?.width),
  product_length: ({ product }) => centimetres(product.sizeMillimetres?.depth),
  product_height: ({ product }) => centimetres(product.sizeMillimetres?.height),
  // At most 15 MB (13674896): the delivery `google` is used if there is one.
  virtual_model_link: ({ product }) => product.addressOf(modelFor('google', product.models)),
};

/** The first row. */
export const GOOGLE_HEAD = tsvRow(Object.keys(COLUMNS));

/** Whether Google takes a picture: it takes no AVIF. */
const isAccepted = ({ path }: PublishedFile) => !path.endsWith('.avif');
const picturesOf = ({ pictures }: Product) => pictures.filter(isAccepted);

/** Whether a product has a picture that Google takes. */
export const hasGooglePicture = (product: Product): boolean => picturesOf(product).length > 0;

/**
 * A row for each configuration of an article. What colour, material and size do not distinguish within the article is a
 * product by itself (6324507): it has no `item_group_id`.
 *
 * @param onUngrouped - Called for each of these.
 */
export function googleRows(
  article: Article,
  options: ShopOptions,
  onUngrouped: () => void,
): string[] {
  const variants = article.products.map(variantOf);
  const varying = ATTRIBUTES.filter((name) => new Set(variants.map((one) => one[name])).size > 1);
  const common = mostFrequent(variants.map(namesIn));
  const seen = new Set<string>();
  return article.products.map((product, at) => {
    const variant = variants[at]!;
    const key = JSON.stringify(variant).toLowerCase();
    // Variants of a group have the same attributes.
    const isGrouped = namesIn(variant) === common && !seen.has(key);
    if (isGrouped) seen.add(key);
    else onUngrouped();
    const chosen = varying.map((name) => variant[name]).filter((value) => value !== '');
    const title = isGrouped ? [product.title, ...chosen].join(', ') : product.altText;
    const groupId = isGrouped ? article.id.replace(/[^\w-]/g, '-') : '';
    const row = { article, product, variant, title: first(title, 150), groupId, options };
    return tsvRow(Object.values(COLUMNS).map((cell) => cell(row) ?? null));
  });
}

/** Which attributes a variant has. */
const namesIn = (variant: Variant) => ATTRIBUTES.filter((name) => variant[name] !== '').join();

/** Of several that are equally frequent, the first. */
function mostFrequent(texts: readonly string[]): string {
  const [found] = [...groupBy(texts, (text) => text)].sort(([, a], [, b]) => b.length - a.length);
  return found![0];
}

function variantOf({ attributes: { color, material, size } }: Product): Variant {
  return {
    color: listed('color', color.filter(isColor)),
    material: listed('material', material),
    size: first(size.join(' x '), LIMITS.size.all),
  };
}

/** A name: no number, no code such as `#FFF000`, no single letter. */
function isColor(value: string): boolean {
  return /\p{L}{2}/u.test(value) && !value.startsWith('#');
}

/** Several values with `/` between them, which is why no value has one, or a comma. */
function listed(attribute: 'color' | 'material', values: readonly string[]): string {
  const { all, one } = LIMITS[attribute];
  const clean = values.map((value) => first(value.replace(/[\s,;/|]+/g, ' ').trim(), one));
  const different = [...new Set(clean.filter((value) => value !== ''))].slice(0, MOST_VALUES);
  while (different.join('/').length > all) different.pop();
  return different.join('/');
}

/** As many as fit. A comma in an address is encoded, since it separates them. */
function otherPictures(product: Product): string {
  let cell = '';
  for (const picture of picturesOf(product).slice(1, 1 + MOST_PICTURES)) {
    const address = product.addressOf(picture).replaceAll(',', '%2C');
    const next = cell === '' ? address : `${cell},${address}`;
    if (next.length > LONGEST_ADDRESS) break;
    cell = next;
  }
  return cell;
}

/** Required of what is not there yet (6324470). */
function availabilityDate({ availability, availabilityDate }: ShopOptions): string {
  const isLater = availability === 'preorder' || availability === 'backorder';
  return isLater && availabilityDate !== undefined ? `${availabilityDate}T00:00Z` : '';
}

/** A length in centimetres; Google accepts 1 to 400 cm. */
function centimetres(millimetres: number | undefined): string {
  const length = (millimetres ?? 0) / 10;
  return length >= 1 && length <= 400 ? `${Number(length.toFixed(2))} cm` : '';
}
