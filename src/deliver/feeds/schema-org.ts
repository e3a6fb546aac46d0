/**
 * The feed of schema.org: a line of JSON-LD for each article.
 *
 * @see https://developers.google.com/search/docs/appearance/structured-data/product-variants, D-941
 */
import { mediaTypeOf } from '../../support/media-types.ts';
import { ATTRIBUTES, type Attribute } from './attributes.ts';
import {
  type Article,
  AVAILABILITIES,
  dividedModels,
  type Product,
  type PublishedFile,
  type ShopOptions,
} from './product.ts';

/**
 * A `ProductGroup` with its configurations in `hasVariant`. Each of these is complete, so that the page of one
 * configuration can contain it alone. `<` is escaped, so that a page can contain the text unchanged.
 */
export function productGroupJson(article: Article, options: ShopOptions): string {
  const { products, id, brand, category } = article;
  const [representative] = products;
  const { title, text, page } = representative!;
  const models = dividedModels(article);
  const variants = products.map((product) => ({ product, attributes: valuesOf(product) }));
  const skus = new Set<string>();
  const varying = ATTRIBUTES.filter((name) => isVarying(name, variants));
  const json = JSON.stringify({
    '@context': 'https://schema.org',
    '@type': 'ProductGroup',
    productGroupID: id,
    name: title,
    description: text,
    brand: { '@type': 'Brand', name: brand },
    ...(category && { category }),
    ...(page !== '' && products.every((product) => product.page === page) && { url: page }),
    ...(varying.length > 0 && { variesBy: varying.map((name) => `https://schema.org/${name}`) }),
    ...modelsOf(title, models.shared, representative!),
    hasVariant: variants.map(({ product, attributes }) => {
      // Each variant has another sku, also if some have the same number.
      const sku = skus.has(product.number) ? product.id : product.number;
      skus.add(sku);
      const own = models.own(product);
      return variantOf({ product, sku, attributes, varying, article, options, models: own });
    }),
  });
  return json.replaceAll('<', '\\u003c');
}

type Values = Partial<Record<Attribute, string>>;

function valuesOf({ attributes }: Product): Values {
  const found = ATTRIBUTES.filter((name) => attributes[name].length > 0);
  return Object.fromEntries(found.map((name) => [name, attributes[name].join(' / ')]));
}

/** Whether all variants have an attribute, and not all the same. */
function isVarying(name: Attribute, variants: readonly { attributes: Values }[]): boolean {
  const values = variants.map(({ attributes }) => attributes[name]);
  return !values.includes(undefined) && new Set(values).size > 1;
}

interface Variant {
  product: Product;
  sku: string;
  attributes: Values;
  /** What the variants of the article differ in. */
  varying: readonly Attribute[];
  article: Article;
  options: ShopOptions;
  models: readonly PublishedFile[];
}

function variantOf({ product, article, ...variant }: Variant): object {
  const { sku, attributes, varying, options, models } = variant;
  const { line, id, number, title, description, page, pictures, addressOf } = product;
  const { width, depth, height } = product.sizeMillimetres ?? {};
  return {
    '@type': 'Product',
    productID: id,
    inProductGroupWithID: article.id,
    name: [title, ...varying.map((name) => attributes[name])].join(', '),
    description,
    sku,
    mpn: number,
    brand: { '@type': 'Brand', name: article.brand },
    ...(article.category && { category: article.category }),
    ...attributes,
    ...(page && { url: page }),
    ...(pictures.length > 0 && { image: pictures.map(addressOf) }),
    ...(width !== undefined && { width: length(width) }),
    ...(depth !== undefined && { depth: length(depth) }),
    ...(height !== undefined && { height: length(height) }),
    additionalProperty: line.properties.map(({ text, name, valueText, value }) => ({
      '@type': 'PropertyValue',
      name: text || name,
      value: valueText || value,
    })),
    ...offersOf(product, options),
    ...modelsOf(title, models, product),
  };
}

const length = (millimetres: number) => ({
  '@type': 'QuantitativeValue',
  value: millimetres,
  unitCode: 'MMT',
});

function offersOf({ price, page }: Product, options: ShopOptions): object {
  if (price === null) return {};
  const { availability, availabilityDate } = options;
  return {
    offers: {
      '@type': 'Offer',
      price: price.amount,
      priceCurrency: price.currency,
      availability: AVAILABILITIES[availability],
      ...(availabilityDate !== undefined && { availabilityStarts: availabilityDate }),
      itemCondition: 'https://schema.org/NewCondition',
      ...(page && { url: page }),
    },
  };
}

function modelsOf(name: string, models: readonly PublishedFile[], { addressOf }: Product): object {
  if (models.length === 0) return {};
  return {
    subjectOf: {
      '@type': '3DModel',
      name,
      encoding: models.map((model) => ({
        '@type': 'MediaObject',
        contentUrl: addressOf(model),
        encodingFormat: mediaTypeOf(model.path),
        sha256: model.sha256,
      })),
    },
  };
}
