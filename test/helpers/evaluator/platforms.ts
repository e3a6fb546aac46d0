/**
 * What shop platforms publish on the files that they import, as tables with the page of each rule, and what a feed
 * breaks of them. It reads the formats by itself. Stored copies of the pages were read on 2026-11-29.
 */
import { parse } from 'csv-parse/sync';
import type { Json } from './json.ts';

type Row = Readonly<Record<string, string>>;

const rowsOf = (text: string, delimiter: string) =>
  parse(text, { delimiter, columns: true }) as unknown as Row[];

function groups<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) found.set(keyOf(item), [...(found.get(keyOf(item)) ?? []), item]);
  return found;
}

/** The values that several have. */
const repeated = (values: readonly string[]) =>
  [...groups(values, (value) => value)]
    .filter(([, same]) => same.length > 1)
    .map(([value]) => value);

interface Rule {
  /** Below the address of the table. */
  page: string;
  isRequired?: true;
  /** Characters. */
  most?: number;
  /** What a value that is not empty looks like. */
  pattern?: RegExp;
  isUnique?: true;
}

const ADDRESS = /^https?:\/\/[\x21-\x7e]+$/;
const AMOUNT = /^\d+\.\d{2}$/;
const MERCHANTS = 'https://support.google.com/merchants/answer/';

/** Attributes of Google Merchant Center that a feed may have. */
const GOOGLE: Readonly<Record<string, Rule>> = {
  id: { page: '6324405', isRequired: true, most: 50, isUnique: true },
  title: { page: '6324415', isRequired: true, most: 150 },
  description: { page: '6324468', isRequired: true, most: 5000 },
  link: { page: '6324416', isRequired: true, most: 2000, pattern: ADDRESS },
  image_link: { page: '6324350', isRequired: true, most: 2000, pattern: ADDRESS },
  additional_image_link: { page: '6324370', most: 2000, pattern: ADDRESS },
  availability: {
    page: '6324448',
    isRequired: true,
    pattern: /^(in_stock|out_of_stock|preorder|backorder)$/,
  },
  availability_date: { page: '6324470', pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\dZ$/ },
  price: { page: '6324371', isRequired: true, pattern: /^(?!0+\.00)\d+\.\d{2} [A-Z]{3}$/ },
  brand: { page: '6324351', isRequired: true, most: 70 },
  mpn: { page: '6324482', isRequired: true, most: 70 },
  condition: { page: '6324469', pattern: /^(new|refurbished|used)$/ },
  item_group_id: { page: '6324507', most: 50, pattern: /^[\w-]+$/ },
  color: { page: '6324487', most: 100, pattern: /^(?!#)(?=.*\p{L}{2})[^,]+$/u },
  material: { page: '6324410', most: 200 },
  size: { page: '6324492', most: 100 },
  product_type: { page: '6324406', most: 750 },
  product_width: { page: '11018531', pattern: /^\d+(\.\d+)? cm$/ },
  product_length: { page: '11018531', pattern: /^\d+(\.\d+)? cm$/ },
  product_height: { page: '11018531', pattern: /^\d+(\.\d+)? cm$/ },
  virtual_model_link: { page: '13674896', most: 2000, pattern: /^https?:\S+\.gl(b|tf)$/ },
};
const PICTURE_ENDING = /\.(jpe?g|webp|png|gif|bmp|tiff?)$/;
const VARIANT_ATTRIBUTES = ['color', 'material', 'size'];

/** What breaks a rule of a table: one sentence each. */
function tableBreaches(rows: readonly Row[], rules: typeof GOOGLE, base: string): string[] {
  const breaches: string[] = [];
  const columns = Object.keys(rows[0] ?? {});
  for (const name of columns.filter((column) => rules[column] === undefined))
    breaches.push(`${name}: no column of ${base}`);
  for (const [name, { page, isRequired, most, pattern, isUnique }] of Object.entries(rules)) {
    const report = (what: string) => breaches.push(`${name}: ${what} (${base}${page})`);
    const values = rows.map((row) => row[name] ?? '');
    for (const value of values) {
      if (value === '') {
        if (isRequired) report('is missing');
        continue;
      }
      if (most !== undefined && [...value].length > most) report(`over ${most} characters`);
      if (pattern?.test(value) === false) report(`unexpected value ${value}`);
    }
    if (isUnique) for (const value of repeated(values)) report(`${value} is not unique`);
  }
  return breaches;
}

/** What a file of products breaks of the rules of Google Merchant Center. */
export function googleBreaches(text: string): string[] {
  const rows = rowsOf(text, '\t');
  const breaches = tableBreaches(rows, GOOGLE, MERCHANTS);
  for (const row of rows) {
    const report = (what: string, page: string) =>
      breaches.push(`${row.id}: ${what} (${MERCHANTS}${page})`);
    const others = row.additional_image_link!.split(',').filter((one) => one !== '');
    if (others.length > 10) report('more than 10 other pictures', '6324370');
    for (const picture of [row.image_link!, ...others])
      if (!PICTURE_ENDING.test(picture)) report(`format of ${picture}`, '6324350');
    if (new Set([row.image_link, ...others]).size <= others.length)
      report('the same picture twice', '6324370');
    const colors = row.color!.split('/');
    if (colors.length > 3) report('more than 3 colors', '6324487');
    if (colors.some((color) => [...color].length > 40)) report('a color over 40', '6324487');
    const isLater = /^(preorder|backorder)$/.test(row.availability!);
    if (isLater !== (row.availability_date !== '')) report('availability_date', '6324470');
    for (const side of ['width', 'length', 'height']) {
      const size = Number.parseFloat(row[`product_${side}`] || '1');
      if (size < 1 || size > 400) report(`product_${side} not within 1 to 400 cm`, '11018531');
    }
  }
  const grouped = rows.filter((row) => row.item_group_id !== '');
  for (const [id, members] of groups(grouped, (row) => row.item_group_id!.toLowerCase())) {
    const report = (what: string) => breaches.push(`group ${id}: ${what} (${MERCHANTS}6324507)`);
    const count = (valueIn: (row: Row) => string) => new Set(members.map(valueIn)).size;
    if (count((row) => row.item_group_id!) > 1) report('ids that differ in case only');
    if (count((row) => row.brand!) > 1) report('several brands');
    const variant = (row: Row) => VARIANT_ATTRIBUTES.map((name) => row[name]!.toLowerCase());
    if (count((row) => JSON.stringify(variant(row))) < members.length)
      report('variants that no attribute distinguishes');
    if (count((row) => JSON.stringify(variant(row).map((value) => value === ''))) > 1)
      report('variants with different attributes');
    if (count((row) => row.title!) < members.length) report('variants with the same title');
  }
  return breaches;
}

const SHOPIFY_HELP = 'https://help.shopify.com/en/manual/products/';

/** Columns of a file of products of Shopify that a feed may have, by the names of exported files. */
const SHOPIFY: Readonly<Record<string, Rule>> = {
  Handle: {
    page: 'import-export/using-csv',
    isRequired: true,
    most: 255,
    pattern: /^[a-z0-9]+(-[a-z0-9]+)*$/,
  },
  Title: { page: 'import-export/using-csv', most: 255 },
  'Body (HTML)': { page: 'import-export/using-csv', pattern: /^(?:[^<>]|<br>)*$/ },
  Vendor: { page: 'import-export/using-csv', most: 255, pattern: /../ },
  Type: { page: 'import-export/using-csv', most: 255 },
  Tags: { page: 'import-export/using-csv' },
  Published: { page: 'import-export/using-csv', pattern: /^(TRUE|FALSE)$/ },
  'Option1 Name': { page: 'variants', most: 255 },
  'Option1 Value': { page: 'variants', most: 255 },
  'Option2 Name': { page: 'variants', most: 255 },
  'Option2 Value': { page: 'variants', most: 255 },
  'Option3 Name': { page: 'variants', most: 255 },
  'Option3 Value': { page: 'variants', most: 255 },
  'Variant SKU': { page: 'import-export/using-csv', most: 255 },
  'Variant Inventory Policy': { page: 'import-export/using-csv', pattern: /^(deny|continue)$/ },
  'Variant Fulfillment Service': { page: 'import-export/using-csv', pattern: /^manual$/ },
  'Variant Price': { page: 'import-export/using-csv', pattern: AMOUNT },
  'Variant Requires Shipping': { page: 'import-export/using-csv', pattern: /^(TRUE|FALSE)$/ },
  'Variant Taxable': { page: 'import-export/using-csv', pattern: /^(TRUE|FALSE)$/ },
  'Image Src': { page: 'import-export/using-csv', pattern: ADDRESS },
  'Image Position': { page: 'import-export/using-csv', pattern: /^[1-9]\d*$/ },
  'Image Alt Text': { page: 'import-export/using-csv', most: 512 },
  'Variant Image': { page: 'import-export/using-csv', pattern: ADDRESS },
  '3D model (product.metafields.custom.model_3d)': {
    page: 'import-export/using-csv',
    pattern: ADDRESS,
  },
  Status: { page: 'import-export/using-csv', pattern: /^(active|draft|archived)$/ },
};
const OPTIONS = ['Option1', 'Option2', 'Option3'];
/** https://shopify.dev/changelog/the-product-variant-limit-is-now-2048-for-all-merchants, 2025-10-15. */
const MOST_VARIANTS = 2048;
const MOST_PICTURES = 250;

/** What a file of products breaks of the rules of Shopify. */
export function shopifyBreaches(text: string): string[] {
  const rows = rowsOf(text, ',');
  const breaches = tableBreaches(rows, SHOPIFY, SHOPIFY_HELP);
  const starts = rows.filter((row, at) => row.Handle !== rows[at - 1]?.Handle);
  for (const handle of repeated(starts.map((row) => row.Handle!)))
    breaches.push(`${handle}: rows of a product that do not follow each other`);
  for (const [handle, own] of groups(rows, (row) => row.Handle!)) {
    const report = (what: string) => breaches.push(`${handle}: ${what}`);
    const [head, ...others] = own as [Row, ...Row[]];
    for (const name of ['Title', 'Option1 Name', 'Published', 'Status'])
      if (head[name] === '') report(`the first row lacks ${name}`);
    if (others.some((row) => row.Title !== '')) report('Title not in the first row only');
    const variants = own.filter((row) => row['Variant Price'] !== '');
    if (variants.length === 0) report('no variant');
    if (variants.length > MOST_VARIANTS) report(`over ${MOST_VARIANTS} variants`);
    const used = OPTIONS.filter((option) => head[`${option} Name`] !== '');
    if (used.join() !== OPTIONS.slice(0, used.length).join()) report('an option is skipped');
    if (repeated(used.map((option) => head[`${option} Name`]!.toLowerCase())).length > 0)
      report('options with the same name');
    const values = variants.map((row) => OPTIONS.map((option) => row[`${option} Value`]!));
    for (const each of values)
      if (each.some((value, at) => (value !== '') !== at < used.length))
        report(`values ${each} for ${used.length} options`);
    const isSingle = head['Option1 Name'] === 'Title' && values[0]![0] === 'Default Title';
    if (isSingle && variants.length > 1) report('several variants without options');
    if (repeated(values.map((each) => JSON.stringify(each).toLowerCase())).length > 0)
      report('variants with the same values');
    const pictures = own.filter((row) => row['Image Src'] !== '');
    const addresses = pictures.map((row) => row['Image Src']!);
    if (addresses.length > MOST_PICTURES) report(`over ${MOST_PICTURES} pictures`);
    if (repeated(addresses).length > 0) report('the same picture twice');
    if (pictures.some((row, at) => row['Image Position'] !== `${at + 1}`)) report('positions');
    for (const row of variants)
      if (row['Variant Image'] !== '' && !addresses.includes(row['Variant Image']!))
        report('a picture of a variant that the product lacks');
    for (const row of own)
      if (row['Variant Price'] === '' && row['Image Src'] === '') report('an empty row');
  }
  return breaches;
}

/** https://developers.google.com/search/docs/appearance/structured-data/product-variants */
const VARIES_BY: ReadonlySet<unknown> = new Set(
  ['color', 'size', 'suggestedAge', 'suggestedGender', 'material', 'pattern'].map(
    (name) => `https://schema.org/${name}`,
  ),
);
const AVAILABILITY =
  /^https:\/\/schema\.org\/(InStock|OutOfStock|PreOrder|BackOrder|LimitedAvailability)$/;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** What lines of JSON-LD break of the rules of Google Search for product variants. */
export function structuredDataBreaches(text: string): string[] {
  const all: Json[] = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  const breaches = repeated(all.map((group) => String(group.productGroupID))).map(
    (id) => `${id}: two groups with this productGroupID`,
  );
  if (text.includes('<')) breaches.push('a < that could end the script of a page');
  for (const group of all) {
    const report = (what: string) => breaches.push(`${group.productGroupID}: ${what}`);
    const variants = (group.hasVariant ?? []) as Json[];
    if (group['@context'] !== 'https://schema.org') report('@context');
    if (group['@type'] !== 'ProductGroup') report('@type');
    if (!isText(group.name) || !isText(group.productGroupID)) report('name or productGroupID');
    if (!isText((group.brand as Json | undefined)?.name)) report('brand');
    if (variants.length === 0) report('no variant');
    const variesBy = (group.variesBy ?? []) as string[];
    if (variesBy.some((name) => !VARIES_BY.has(name))) report(`variesBy ${variesBy}`);
    for (const name of ['sku', 'productID', 'url']) {
      const values = variants.map((variant) => variant[name]).filter(isText);
      if (repeated(values).length > 0) report(`variants with the same ${name}`);
    }
    for (const variant of variants) {
      for (const problem of variantProblems(variant, variesBy)) report(problem);
      if (variant.inProductGroupWithID !== group.productGroupID) report('inProductGroupWithID');
    }
  }
  return breaches;
}

/** https://developers.google.com/search/docs/appearance/structured-data/merchant-listing */
function variantProblems(variant: Json, variesBy: readonly string[]): string[] {
  const { sku, image, offers, subjectOf } = variant;
  const offer = (offers ?? {}) as Json;
  const images = (Array.isArray(image) ? image : [image]) as unknown[];
  const encoding = ((subjectOf as Json | undefined)?.encoding ?? []) as Json[];
  const lacks = variesBy
    .map((name) => name.slice('https://schema.org/'.length))
    .filter((name) => !isText(variant[name]));
  const checks: Record<string, boolean> = {
    '@type': variant['@type'] === 'Product',
    name: isText(variant.name),
    category: variant.category === undefined || isText(variant.category),
    image: images.every((address) => isText(address) && ADDRESS.test(address)),
    offers: offers !== undefined,
    price: offers === undefined || Number(offer.price) > 0,
    priceCurrency: offers === undefined || /^[A-Z]{3}$/.test(String(offer.priceCurrency)),
    availability: offers === undefined || AVAILABILITY.test(String(offer.availability)),
    'the contentUrl of a 3DModel': encoding.every((one) => ADDRESS.test(String(one.contentUrl))),
    'what the variants differ in': lacks.length === 0,
  };
  return Object.entries(checks).flatMap(([what, isRight]) => (isRight ? [] : `${sku}: ${what}`));
}
