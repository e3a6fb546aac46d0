/** The keys `feeds:` and `afterPublish:` of `deliver:`. */
import { z } from 'zod';
import { isPrivate } from '../../support/addresses.ts';
import { acceptSchema } from '../making/kind.ts';
import type { ATTRIBUTES } from './attributes.ts';
import { BMECAT_DEFAULTS, BMECAT_PRICE_TYPES } from './bmecat.ts';
import { ERP_DIALECTS } from './erp.ts';
import { FEED_KINDS } from './feeds.ts';
import { AVAILABILITIES, PRODUCT_URL_FIELDS } from './product.ts';
import { SHOPIFY_DEFAULTS } from './shopify.ts';

const PRODUCT_URL = new RegExp(
  `^https?://(?:[^\\s{}]|\\{(?:${PRODUCT_URL_FIELDS.join('|')})\\})+$`,
);
const PRODUCT_URL_SPELLINGS = `expected an address such as https://shop.example/p/{id}; placeholders: ${PRODUCT_URL_FIELDS.join(', ')}`;

const availabilities = Object.keys(AVAILABILITIES) as [keyof typeof AVAILABILITIES];
const dialects = Object.keys(ERP_DIALECTS) as [keyof typeof ERP_DIALECTS];

const namesOf = (attribute: (typeof ATTRIBUTES)[number]) =>
  z
    .array(z.string().min(1))
    .optional()
    .describe(`properties that are the ${attribute}: NAME or CLASS.NAME; [] for none`);

const attributesSchema = () =>
  z
    .strictObject({
      color: namesOf('color'),
      material: namesOf('material'),
      size: namesOf('size'),
    } satisfies Record<(typeof ATTRIBUTES)[number], unknown>)
    .optional()
    .describe('which properties are color, material and size, instead of those known by name');

const shopifySchema = () =>
  z
    .strictObject({
      variantsPerProduct: z
        .int()
        .min(1)
        .max(SHOPIFY_DEFAULTS.variantsPerProduct)
        .default(SHOPIFY_DEFAULTS.variantsPerProduct)
        .describe('an article with more becomes several products; some apps and themes show 100'),
    })
    .optional()
    .describe('of the feed shopify');

const erpSchema = () =>
  z
    .strictObject({
      dialect: z
        .enum(dialects)
        .default('rfc4180')
        .describe('excel-de: for Excel where numbers have a decimal comma; excel-en: with a point'),
      delimiter: z.enum([',', ';', 'tab']).optional().describe('instead of that of the dialect'),
      decimal: z.enum(['.', ',']).optional().describe('instead of that of the dialect'),
      lineBreaks: z
        .enum(['keep', 'space'])
        .optional()
        .describe('what line breaks in cells become, instead of what they do in the dialect'),
      bom: z.boolean().optional().describe('byte order mark, by which Excel recognizes UTF-8'),
      formulas: z
        .enum(['escape', 'keep'])
        .default('escape')
        .describe('escape: an apostrophe before texts that begin with =, +, - or @'),
    })
    .optional()
    .describe('how erp.csv is written');

const bmecatSchema = () =>
  z
    .strictObject({
      supplier: z.string().min(1).max(50).optional().describe('default: name of the pipeline'),
      catalogueId: z.string().min(1).max(20).optional().describe('default: name of the pipeline'),
      catalogueVersion: z
        .string()
        .regex(/^\d{1,3}\.\d{1,3}$/, 'expected a version such as 1.0')
        .default(BMECAT_DEFAULTS.catalogueVersion)
        .describe('greater than before for importers that take only newer catalogues'),
      priceType: z
        .enum(BMECAT_PRICE_TYPES)
        .default(BMECAT_DEFAULTS.priceType)
        .describe(
          'what the prices of the service are: net_list without taxes, gros_list with them',
        ),
    })
    .optional()
    .describe('of the feed bmecat');

/** The feeds: files for shops, search engines and an ERP. */
export const feedsSchema = () =>
  z
    .strictObject({
      baseUrl: z
        .url({ protocol: /^https?$/ })
        .describe('address at which a web server serves the output folder'),
      kinds: z
        .array(z.enum(FEED_KINDS))
        .min(1)
        .default(['jsonld', 'csv'])
        .describe(
          'jsonld: schema.org; google: Merchant Center; shopify; csv: for an ERP; bmecat: BMEcat 2005; pictures: for srcset and alt',
        ),
      productUrl: z
        .string()
        .regex(PRODUCT_URL, PRODUCT_URL_SPELLINGS)
        .optional()
        .describe('page of a product, such as https://shop.example/p/{id}; google needs it'),
      availability: z
        .enum(availabilities)
        .default('in_stock')
        .describe('of all products, since the service knows no stock'),
      availabilityDate: z.iso
        .date()
        .optional()
        .describe('day from which backorder and preorder are delivered; google needs it'),
      attributes: attributesSchema(),
      shopify: shopifySchema(),
      erp: erpSchema(),
      bmecat: bmecatSchema(),
      accept: acceptSchema(),
    })
    .refine(
      ({ kinds, productUrl }) => !kinds.includes('google') || productUrl !== undefined,
      'expected productUrl, since Google requires the page of each product',
    )
    .refine(
      ({ kinds, availability, availabilityDate }) =>
        !kinds.includes('google') ||
        !(availability === 'backorder' || availability === 'preorder') ||
        availabilityDate !== undefined,
      'expected availabilityDate, since Google requires it with backorder and preorder',
    )
    .describe('files of all published configurations for others to import, below feeds/');

const MOST_MS = 600_000;

/** The webhook that receives the changes. */
export const afterPublishSchema = () =>
  z
    .strictObject({
      webhook: z
        .url({ protocol: /^https?$/ })
        .refine(isPrivate, 'expected an address with https://, or one of this machine')
        .describe('receives the changes as JSON by POST'),
      secretVariable: z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected the name of an environment variable')
        .describe('environment variable with the key of the signature'),
      timeoutMs: z
        .int()
        .min(1)
        .max(MOST_MS)
        .default(10_000)
        .describe('time limit of one attempt, milliseconds'),
      retries: z.int().min(0).max(10).default(4).describe('attempts after the first'),
      accept: acceptSchema(),
      backoffMs: z
        .int()
        .min(1)
        .max(MOST_MS)
        .default(1000)
        .describe('milliseconds before the second attempt; doubles each time'),
    })
    .describe('what is called after publishing; if it fails, the report says so');
