/** The keys `feeds:` and `afterPublish:` of `deliver:`. */
import { z } from 'zod';
import { isPrivate } from '../../support/addresses.ts';
import { acceptSchema } from '../making/kind.ts';
import { AVAILABILITIES, FEED_KINDS, PRODUCT_URL_FIELDS } from './feeds.ts';

const PRODUCT_URL = new RegExp(
  `^https?://(?:[^\\s{}]|\\{(?:${PRODUCT_URL_FIELDS.join('|')})\\})+$`,
);
const PRODUCT_URL_SPELLINGS = `expected an address such as https://shop.example/p/{id}; placeholders: ${PRODUCT_URL_FIELDS.join(', ')}`;

const availabilities = Object.keys(AVAILABILITIES) as [keyof typeof AVAILABILITIES];

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
          'jsonld: schema.org; google: Merchant Center; shopify; csv: for an ERP; pictures: for srcset and alt',
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
      accept: acceptSchema(),
    })
    .refine(
      ({ kinds, productUrl }) => !kinds.includes('google') || productUrl !== undefined,
      'expected productUrl, since Google requires the page of each product',
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
