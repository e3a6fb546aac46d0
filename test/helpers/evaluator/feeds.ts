/** Feeds, read by the rules of their formats: what each says of a product, in the same terms. */
import { parse } from 'csv-parse/sync';
import type { Json } from './json.ts';

/** What a feed says of a configuration; what it has no field for is undefined. */
export interface FeedProduct {
  /** Final article number. */
  number: string;
  /** What distinguishes configurations of an article may follow the name. */
  title: string;
  /** Without the tags and line breaks that some formats have. */
  description?: string;
  price: number | null;
  currency?: string | undefined;
  sizeMillimetres?: { width: number; depth: number; height: number };
  /** Addresses of its files. */
  links: string[];
  /** Digests by address. */
  digests?: Map<string, string>;
}

/** The feeds by their files: how each is read, and which configurations it may leave out. */
export const FEEDS: Readonly<
  Record<string, { read: (text: string) => FeedProduct[]; needsPrice: boolean }>
> = {
  'products.jsonl': { read: readJsonLd, needsPrice: false },
  'erp.csv': { read: readErp, needsPrice: false },
  'google.tsv': { read: readGoogle, needsPrice: true },
  'shopify.csv': { read: readShopify, needsPrice: true },
};

type Row = Readonly<Record<string, string>>;

const rows = (text: string, delimiter = ',') =>
  parse(text, { delimiter, columns: true }) as unknown as Row[];

/** A text on one line, as formats without line breaks have it. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The addresses among cells. */
const linksOf = (...cells: (string | undefined)[]) => cells.filter((cell) => !!cell) as string[];

function readJsonLd(text: string): FeedProduct[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines
    .flatMap((line) => JSON.parse(line).hasVariant)
    .map((product) => {
      const encodings: Json[] = product.subjectOf?.encoding ?? [];
      const { width, depth, height, offers } = product;
      return {
        number: product.mpn,
        title: product.name,
        description: oneLine(product.description),
        price: offers?.price ?? null,
        currency: offers?.priceCurrency,
        sizeMillimetres: { width: width.value, depth: depth.value, height: height.value },
        links: linksOf(
          ...(product.image ?? []),
          ...encodings.map(({ contentUrl }) => String(contentUrl)),
        ),
        digests: new Map(encodings.map((one) => [String(one.contentUrl), String(one.sha256)])),
      };
    });
}

function readErp(text: string): FeedProduct[] {
  return rows(text).map((row) => ({
    number: row.finalarticlenumber!,
    title: row.shorttext!,
    description: oneLine(`${row.longtext} ${row.varianttext}`),
    price: row.price === '' ? null : Number(row.price),
    currency: row.currency,
    sizeMillimetres: {
      width: Number(row.widthMillimetres),
      depth: Number(row.depthMillimetres),
      height: Number(row.heightMillimetres),
    },
    links: linksOf(row.pictureUrl, row.glbUrl),
  }));
}

function readGoogle(text: string): FeedProduct[] {
  return rows(text, '\t').map((row) => {
    const [price, currency] = row.price!.split(' ');
    const millimetres = (name: string) => 10 * Number.parseFloat(row[`product_${name}`]!);
    return {
      number: row.mpn!,
      title: row.title!,
      description: oneLine(row.description!),
      price: Number(price),
      currency,
      sizeMillimetres: {
        width: millimetres('width'),
        depth: millimetres('length'),
        height: millimetres('height'),
      },
      links: linksOf(
        row.image_link,
        ...row.additional_image_link!.split(','),
        row.virtual_model_link,
      ),
    };
  });
}

/** The first row of a product has what its variants have in common; rows without a number are pictures. */
function readShopify(text: string): FeedProduct[] {
  let product: Row | undefined;
  return rows(text).flatMap((row) => {
    if (row.Title !== '') product = row;
    if (row['Variant SKU'] === '') return [];
    const model = product!['3D model (product.metafields.custom.model_3d)'];
    return {
      number: row['Variant SKU']!,
      title: product!.Title!,
      price: Number(row['Variant Price']),
      links: linksOf(row['Variant Image'], model),
    };
  });
}
