/**
 * Pipeline schema: the one description of a pipeline file.
 *
 * Parsing, `pipelines/schema.json`, the help and the documentation read it; defaults stand here once.
 * It must not know files, lines or the environment.
 *
 * @see D-744 (what a pipeline file may say).
 */
import { z } from 'zod';
import { FRESHNESS_DEFAULT, FRESHNESS_POLICIES, type FreshnessPolicy } from '../cache/freshness.ts';
import { IMAGE_LOCATION_DEFAULT } from '../fetch/image-location.ts';
import { SERVICE_DEFAULTS } from '../service/service-config.ts';
import { convertSchema } from './convert-schema.ts';
import { gatesSchema } from './gate-table.ts';

/** Defaults of a pipeline file, beside those of `convert:`; the client's and fetch's own are taken over. */
export const PIPELINE_DEFAULTS = {
  ...SERVICE_DEFAULTS,
  lang: 'en',
  imageLocation: IMAGE_LOCATION_DEFAULT,
  freshness: FRESHNESS_DEFAULT,
  // The whole of a real service (D-611) is about 14 GB.
  cacheMaxBytes: 20 * 2 ** 30,
  articleTimeoutMs: 15 * 60_000,
  quarantineAfterNights: 3,
  retryEveryNights: 7,
} as const;

const text = z.string();
const named = z.string().min(1);
const url = z.url({ protocol: /^https?$/ });

const serviceSchema = z
  .strictObject({
    emulator: z.literal(true).optional().describe('the sample range of the emulator'),
    recording: named.optional().describe('a folder that holds a recording'),
    authUrl: url.optional().describe('REST base address of the authentication server'),
    baseUrl: url.optional().describe('base address of the API'),
    profile: text.default('').describe('server profile'),
    lang: text.default(PIPELINE_DEFAULTS.lang).describe('display language'),
    langalt: text.default('').describe('alternative language'),
    currency: text.default('').describe('currency of prices'),
    rememberMe: z
      .boolean()
      .default(PIPELINE_DEFAULTS.rememberMe)
      .describe('tokens live for 90 days instead of 12 hours'),
    padding: z
      .enum(['pkcs1', 'oaep'])
      .default(PIPELINE_DEFAULTS.padding)
      .describe('padding of the encrypted login'),
    tokenElement: z
      .enum(['first', 'last'])
      .default(PIPELINE_DEFAULTS.tokenElement)
      .describe('which element of the answer is the token'),
    imageLocation: named
      .default(PIPELINE_DEFAULTS.imageLocation)
      .describe('place of an image in GET materials; also {program}'),
    concurrency: z
      .int()
      .min(1)
      .max(256)
      .default(PIPELINE_DEFAULTS.concurrency)
      .describe('most requests in flight, all kinds together; fewer while the service cannot cope'),
    rateLimit: z
      .strictObject({
        perSecond: z.number().positive().optional().describe('requests a second, evenly spaced'),
        concurrency: z
          .int()
          .min(1)
          .optional()
          .describe('requests in flight; with it their number is not adapted'),
      })
      .optional()
      .describe('what the service is known to allow'),
    timeoutMs: z
      .int()
      .min(1)
      .default(PIPELINE_DEFAULTS.timeoutMs)
      .describe('time limit of one attempt of a request'),
    retries: z
      .int()
      .min(0)
      .max(20)
      .default(PIPELINE_DEFAULTS.retries)
      .describe('attempts after the first'),
    backoffMs: z
      .int()
      .min(1)
      .default(PIPELINE_DEFAULTS.backoffMs)
      .describe('milliseconds before the first further attempt; doubles each time'),
    giveUpAfterMs: z
      .int()
      .min(0)
      .default(PIPELINE_DEFAULTS.giveUpAfterMs)
      .describe('how long to wait for a service that answers nothing any more; then exit code 3'),
    maxResponseBytes: z
      .int()
      .min(1024)
      .default(PIPELINE_DEFAULTS.maxResponseBytes)
      .describe('largest answer that is accepted'),
  })
  .describe('where the articles come from: emulator, recording, or authUrl and baseUrl');

const sourceSchema = z
  .strictObject({
    list: named.optional().describe('a CSV file of articles'),
    catalogue: z
      .strictObject({
        parentnode: text.default('').describe('the folder to start at; empty is the top'),
        manufacturers: z.array(named).default(['*']).describe('globs on manufacturer ids'),
        programs: z.array(named).default(['*']).describe('globs on series ids'),
      })
      .optional()
      .describe('every article below a folder of the catalogue'),
    search: z
      .strictObject({ manufacturer: named, query: named })
      .optional()
      .describe('what a search of one manufacturer finds'),
    article: z
      .strictObject({
        manufacturer: named,
        program: named,
        basearticlenumber: named,
        finalarticlenumber: text.default(''),
        reinitstring: text.default(''),
        metareinitstring: text.default(''),
      })
      .optional()
      .describe('one article; what is missing is resolved'),
    carts: named.optional().describe('stored top-level articles: a path with *, ? and **'),
    permanentids: z
      .union([z.array(named).min(1), named])
      .optional()
      .describe('permanent identifiers, or a file with one a line; from the ledger of the cache'),
    as: z
      .enum(['planning', 'articles'])
      .optional()
      .describe(
        'of carts and permanentids: one asset of each (the default), or one of each child too',
      ),
    configurations: z
      .strictObject({
        manufacturer: named,
        program: named,
        basearticlenumber: named,
        values: z
          .record(named, z.union([z.string(), z.number(), z.boolean()]))
          .default({})
          .describe('values by CLASS.PROPERTY, set in this order; none: the default configuration'),
        each: z
          .array(named)
          .min(1)
          .optional()
          .describe('properties by CLASS.PROPERTY: each value of each, one property at a time'),
        max: z.int().min(1).optional().describe('most configurations; each needs it'),
      })
      .meta({ dependentRequired: { each: ['max'] } })
      .optional()
      .describe('configurations of one base article'),
  })
  .describe('one way to choose articles');

const failuresSchema = z
  .strictObject({
    quarantineAfterNights: z
      .int()
      .min(1)
      .default(PIPELINE_DEFAULTS.quarantineAfterNights)
      .describe('nights on which an article fails before it is tried less often'),
    retryEveryNights: z
      .int()
      .min(1)
      .default(PIPELINE_DEFAULTS.retryEveryNights)
      .describe('nights between two attempts from then on'),
  })
  .prefault({})
  .describe('how often an article that keeps failing is tried');

/** Longest time that Node's timers can measure, milliseconds: almost 25 days. */
const LONGEST_MS = 2 ** 31 - 1;

const limitsSchema = z
  .strictObject({
    articleTimeoutMs: z
      .int()
      .min(1)
      .max(LONGEST_MS)
      .default(PIPELINE_DEFAULTS.articleTimeoutMs)
      .describe('longest time for one article, milliseconds; it fails beyond that'),
  })
  .prefault({})
  .describe('what one article may take');

/** The pipeline file as a whole. */
export const pipelineSchema = z
  .strictObject({
    name: named.describe('shown in logs and reports'),
    service: serviceSchema,
    articles: z.array(sourceSchema).min(1).describe('merged, duplicates removed'),
    convert: convertSchema.prefault({}).describe('options of the conversion'),
    limits: limitsSchema,
    gates: gatesSchema,
    failures: failuresSchema,
    output: z.strictObject({ dir: named.describe('relative to this file') }),
    freshness: z
      .enum(Object.keys(FRESHNESS_POLICIES) as [FreshnessPolicy, ...FreshnessPolicy[]])
      .default(PIPELINE_DEFAULTS.freshness)
      .describe(
        'when a stored answer is taken: not converted since (convertdate), the service says that it still holds (revalidate), always asked anew (always), however old (never)',
      ),
    cache: z
      .strictObject({
        dir: named
          .optional()
          .describe('relative to this file; default: .cache beside the output folder'),
        maxBytes: z
          .int()
          .min(0)
          .default(PIPELINE_DEFAULTS.cacheMaxBytes)
          .describe('beyond this, what was not used for longest is dropped at the end of a run'),
      })
      .prefault({})
      .describe('answers of the service, kept between nights'),
  })
  .describe('a pipeline of btg2gltf');

/** A pipeline file's content, defaults filled in. */
export type PipelineContent = z.output<typeof pipelineSchema>;
/** The `service:` section. */
export type ServiceContent = PipelineContent['service'];
/** One entry of `articles:`. */
export type SourceContent = PipelineContent['articles'][number];

/** The ways to choose articles, by the key that an entry of `articles:` holds. */
export const SOURCE_KINDS = [
  'list',
  'catalogue',
  'search',
  'carts',
  'permanentids',
  'configurations',
  'article',
] as const;

/**
 * Describes pipeline files for editors.
 *
 * @returns The JSON Schema that `pipelines/schema.json` holds.
 */
export function pipelineJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(pipelineSchema, {
    io: 'input',
    // In the file an address may be `${VARIABLE}`, which is no URI yet.
    override: ({ jsonSchema }) => {
      delete jsonSchema.format;
    },
  }) as Record<string, unknown>;
}
