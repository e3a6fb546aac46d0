/**
 * The feed in BMEcat 2005: an XML catalogue for ERP and procurement systems. The elements are in the order of its
 * schema, `bmecat_2005.xsd` of 2005-11-04, whose limits of characters the texts keep.
 *
 * @see D-943
 */
import { sha256Hex } from '../../support/files.ts';
import { mediaTypeOf } from '../../support/media-types.ts';
import { type Article, addressAt, first, type Product, type PublishedFile } from './product.ts';

const NAMESPACE = 'http://www.bmecat.org/bmecat/2005fd';

/** What a price of the service is; only its seller knows whether it has taxes in it. */
export const BMECAT_PRICE_TYPES = ['net_list', 'gros_list', 'net_customer', 'nrp'] as const;

/** What only the seller knows of a catalogue. */
export interface BmecatOptions {
  /** At most 50 characters. */
  supplier?: string | undefined;
  /** At most 20 characters. */
  catalogueId?: string | undefined;
  /** `1.0` to `999.999`. An importer replaces a catalogue by one with the same id and a greater version. */
  catalogueVersion: string;
  priceType: (typeof BMECAT_PRICE_TYPES)[number];
}

/** Defaults of {@link BmecatOptions}. */
export const BMECAT_DEFAULTS = {
  catalogueVersion: '1.0',
  priceType: 'net_list',
} as const satisfies BmecatOptions;

/** What the header says of a catalogue. */
export interface Catalogue {
  baseUrl: string;
  bmecat?: BmecatOptions | undefined;
  /** Names supplier and catalogue where the options do not. */
  pipelineName?: string | undefined;
  /** BCP 47. */
  language?: string | undefined;
  /** ISO 4217; empty if the service decides. */
  currency?: string | undefined;
}

/** ISO 639-2/T by ISO 639-1: what `LANGUAGE` takes. */
const LANGUAGES: Readonly<Record<string, string>> = {
  ...{ bg: 'bul', cs: 'ces', da: 'dan', de: 'deu', el: 'ell', en: 'eng', es: 'spa', et: 'est' },
  ...{ fi: 'fin', fr: 'fra', hu: 'hun', is: 'isl', it: 'ita', ja: 'jpn', lt: 'lit' },
  ...{ lv: 'lav', nb: 'nor', nl: 'nld', nn: 'nor', no: 'nor', pl: 'pol', pt: 'por', ro: 'ron' },
  ...{ ru: 'rus', sk: 'slk', sl: 'slv', sr: 'srp', sv: 'swe', tr: 'tur', uk: 'ukr', zh: 'zho' },
};

/** Names of the lengths, after those of the properties. */
const SIZE_NAMES: Readonly<Record<string, readonly [string, string, string]>> = {
  de: ['Gesamtbreite', 'Gesamttiefe', 'Gesamthöhe'],
  en: ['Overall width', 'Overall depth', 'Overall height'],
};

/** Units of UN/ECE recommendation 20: piece, millimetre. */
const PIECE = 'C62';
const MILLIMETRE = 'MMT';

/** The pictures for which the schema has a media type. */
const MIME_TYPES: readonly string[] = ['image/jpeg', 'image/gif'];
const LONGEST_SOURCE = 255;
const LONGEST_PID = 32;

type Node = string | undefined;

/** An element; without text or children there is none, since the schema takes no empty text. */
function element(name: string, content: string | readonly Node[], attributes = ''): Node {
  if (typeof content !== 'string') {
    const children = content.filter((child) => child !== undefined);
    return children.length === 0
      ? undefined
      : `<${name}${attributes}>${children.join('')}</${name}>`;
  }
  const text = written(content);
  return text === '' ? undefined : `<${name}${attributes}>${text}</${name}>`;
}

/** What XML 1.0 cannot contain, and control characters that no importer expects. */
const NO_XML = /[^\P{Cc}\t\n]|[\uFFFE\uFFFF]/gu;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** The text of an element; with each `>` escaped, `]]>` cannot end a section. */
function escaped(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .toWellFormed()
    .replace(NO_XML, '')
    .replace(/[&<>]/g, (character) => ENTITIES[character]!);
}

const written = (text: string) => escaped(text).trim();

/** The lines before the products. */
export function bmecatHead(catalogue: Catalogue): string[] {
  const { baseUrl, bmecat, pipelineName = 'catalogue', language = '', currency = '' } = catalogue;
  const { supplier, catalogueId, catalogueVersion } = { ...BMECAT_DEFAULTS, ...bmecat };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<BMECAT version="2005" xmlns="${NAMESPACE}">`,
    element('HEADER', [
      element('GENERATOR_INFO', 'btg2gltf'),
      element('CATALOG', [
        element('LANGUAGE', LANGUAGES[primary(language)] ?? 'und', ' default="true"'),
        element('CATALOG_ID', first(catalogueId ?? pipelineName, 20)),
        element('CATALOG_VERSION', catalogueVersion),
        element('CATALOG_NAME', first(pipelineName, 100)),
        /^[A-Z]{3}$/.test(currency) ? element('CURRENCY', currency) : undefined,
        element('MIME_ROOT', addressAt(baseUrl, '')),
      ]),
      element('SUPPLIER', [element('SUPPLIER_NAME', first(supplier ?? pipelineName, 50))]),
    ])!,
    '<T_NEW_CATALOG>',
  ];
}

/** The last lines. */
export const BMECAT_TAIL: readonly string[] = ['</T_NEW_CATALOG>', '</BMECAT>'];

/** Gives each product a `SUPPLIER_PID`, unique in the catalogue. */
export class SupplierNumbers {
  readonly #given = new Set<string>();
  readonly #onOther: () => void;

  /** @param onOther - Called for each that is not the article number itself. */
  constructor(onOther: () => void) {
    this.#onOther = onOther;
  }

  /** The article number; where it is too long, or that of another manufacturer too, its beginning and a digest. */
  of({ number, id, line }: Product): string {
    const beginning = number.slice(0, LONGEST_PID - 9).replace(/[\ud800-\udbff]$/, '');
    const shortened = (key: string) => `${beginning}-${sha256Hex(key).slice(0, 8)}`;
    const key = JSON.stringify([line.manufacturer, number]);
    const numbers = [...(number.length <= LONGEST_PID ? [number] : []), shortened(key)];
    const pid = numbers.find((one) => this.#isFree(one)) ?? shortened(id);
    if (pid !== number) this.#onOther();
    this.#given.add(written(pid));
    return pid;
  }

  #isFree(number: string): boolean {
    return written(number) !== '' && !this.#given.has(written(number));
  }
}

/**
 * The line of a product.
 *
 * @param catalogue - As in {@link bmecatHead}.
 */
export function bmecatProduct(
  { brand, series }: Article,
  product: Product,
  pid: string,
  catalogue: Catalogue,
): string {
  const { line, number, title, description } = product;
  return element('PRODUCT', [
    element('SUPPLIER_PID', pid),
    element('PRODUCT_DETAILS', [
      element('DESCRIPTION_SHORT', first(title, 150)) ?? element('DESCRIPTION_SHORT', pid),
      element('DESCRIPTION_LONG', first(description, 64_000)),
      element('MANUFACTURER_PID', number.length <= 50 ? number : ''),
      element('MANUFACTURER_NAME', first(brand, 50)),
      element('MANUFACTURER_TYPE_DESCR', first(line.basearticlenumber, 50)),
      element('SEGMENT', first(series, 100)),
    ]),
    element('PRODUCT_FEATURES', featuresOf(product, catalogue)),
    element('PRODUCT_ORDER_DETAILS', [
      element('ORDER_UNIT', PIECE),
      element('CONTENT_UNIT', PIECE),
      element('NO_CU_PER_OU', '1'),
      element('PRICE_QUANTITY', '1'),
      element('QUANTITY_MIN', '1'),
      element('QUANTITY_INTERVAL', '1'),
    ]),
    element('PRODUCT_PRICE_DETAILS', [priceOf(product, catalogue)]),
    element('MIME_INFO', filesOf(product)),
  ])!;
}

/** The properties, then the size as it was ordered. */
function featuresOf({ line, sizeMillimetres }: Product, { language = '' }: Catalogue): Node[] {
  const properties = line.properties.flatMap(({ text, name, valueText, value }) => {
    const feature = { name: text || name, value: valueText || value };
    const isEmpty = [feature.name, feature.value].some((part) => written(part) === '');
    return isEmpty ? [] : [feature];
  });
  const { width, depth, height } = sizeMillimetres ?? {};
  const names = SIZE_NAMES[primary(language)] ?? SIZE_NAMES.en!;
  const sizes = [width, depth, height].flatMap((size, at) =>
    size === undefined ? [] : [{ name: names[at]!, value: String(size), unit: MILLIMETRE }],
  );
  const features: { name: string; value: string; unit?: string }[] = [...properties, ...sizes];
  return features.map(({ name, value, unit }, at) =>
    element('FEATURE', [
      element('FNAME', first(name, 60)),
      element('FVALUE', first(value, 60)),
      unit === undefined ? undefined : element('FUNIT', unit),
      element('FORDER', String(at + 1)),
      value.length > 60 ? element('FVALUE_DETAILS', first(value, 250)) : undefined,
    ]),
  );
}

/** `on_request` is the price type of what has no price: the schema requires the element. */
function priceOf({ price }: Product, { bmecat }: Catalogue): Node {
  if (price === null) return '<PRODUCT_PRICE price_type="on_request"></PRODUCT_PRICE>';
  const { priceType } = { ...BMECAT_DEFAULTS, ...bmecat };
  return element(
    'PRODUCT_PRICE',
    [
      element('PRICE_AMOUNT', price.amount.toFixed(2)),
      element('PRICE_CURRENCY', price.currency),
      element('LOWER_BOUND', '1'),
    ],
    ` price_type="${priceType}"`,
  );
}

/** Pictures, the main one first, then the models; `MIME_SOURCE` is relative to `MIME_ROOT`. */
function filesOf({ pictures, models, altText }: Product): Node[] {
  const files = [
    ...pictures.map((file, at) => ({
      file,
      purpose: at === 0 ? 'normal' : 'detail',
      alt: altText,
    })),
    ...models.map((file) => ({ file, purpose: 'others', alt: '' })),
  ];
  return files
    .filter(({ file }) => sourceOf(file).length <= LONGEST_SOURCE)
    .map(({ file, purpose, alt }, at) => {
      const type = mediaTypeOf(file.path);
      return element('MIME', [
        element('MIME_TYPE', MIME_TYPES.includes(type) ? type : ''),
        element('MIME_SOURCE', sourceOf(file)),
        element('MIME_DESCR', type),
        element('MIME_ALT', first(alt, 80)),
        element('MIME_PURPOSE', purpose),
        element('MIME_ORDER', String(at + 1)),
      ]);
    });
}

function sourceOf({ path }: PublishedFile): string {
  return path
    .split('/')
    .map((name) => encodeURIComponent(name.toWellFormed()))
    .join('/');
}

/** The language without region and script. */
const primary = (language: string) => language.split(/[-_]/, 1)[0]!.toLowerCase();
