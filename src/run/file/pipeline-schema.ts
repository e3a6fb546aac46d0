/**
 * The one description of a pipeline file: parsing, `pipelines/schema.json`, the help and the documentation
 * are derived from it, and each default is written here once. @see D-744.
 */
import { z } from 'zod';
import {
  CONVERT_OPTIONS,
  type ConvertOption,
  type ConvertOptions,
} from '../../convert/transform/convert-options.ts';
import { OVERRIDABLE_FIELDS } from '../../convert/transform/material-table.ts';
import { readFields } from '../../convert/wire/material.ts';
import { MAX_CART_VALUES } from '../../convert/wire/value.ts';
import { MOST_CACHE_BYTES } from '../../source/cache/eviction.ts';
import {
  FRESHNESS_DEFAULT,
  FRESHNESS_POLICIES,
  type FreshnessPolicy,
} from '../../source/cache/freshness.ts';
import { IMAGE_LOCATION_DEFAULT } from '../../source/fetch/image-location.ts';
import { SERVICE_DEFAULTS } from '../../source/service/service-config.ts';
import { gatesSchema } from './gate-table.ts';

const text = z.string();
const named = z.string().min(1);
const url = z.url({ protocol: /^https?$/ });

/** Longest timer of Node, milliseconds: almost 25 days. */
const LONGEST_MS = 2 ** 31 - 1;

const whole = z.int();
const flag = z.boolean();
const integers = new Map<string, typeof whole>();

/** A whole number with a default. Equal limits share a schema, since each takes 20 µs. */
function int(standard: number, min: number, doc: string, max = Number.MAX_SAFE_INTEGER) {
  const limits = `${min} ${max}`;
  const number = integers.get(limits) ?? whole.check(z.gte(min), z.lte(max));
  integers.set(limits, number);
  return preset(number, standard, doc);
}

/** Describes a schema that nothing else uses, without the copy that its own method makes: 1 of 3 ms of each start. */
function described<S extends z.ZodType>(schema: S, doc: string): S {
  z.globalRegistry.add(schema, { description: doc });
  return schema;
}

function preset<S extends z.ZodType>(schema: S, standard: z.output<S>, doc: string) {
  return described(schema.default(standard as never), doc);
}

/** A mapping that may be left out, since each of its keys has a default or may be left out. */
function section<S extends z.ZodRawShape>(doc: string, shape: S) {
  return described(z.strictObject(shape).prefault({} as never), doc);
}

const rateLimitSchema = z
  .strictObject({
    perSecond: z.number().positive().optional().describe('requests per second, evenly spaced'),
    concurrency: z.int().min(1).optional().describe('concurrent requests; not adapted then'),
  })
  .describe('limits of the service, if they are known');

const { allowHttp, rememberMe, padding, tokenElement, concurrency, timeoutMs } = SERVICE_DEFAULTS;
const { retries, backoffMs, giveUpAfterMs, maxPauseMs, maxTotalPauseMs } = SERVICE_DEFAULTS;
const { maxResponseBytes, maxJsonValues, maxBytesInFlight } = SERVICE_DEFAULTS;

/** They become part of file names, which compare without case. */
const languages = z
  .array(z.string().regex(/^[A-Za-z0-9_-]+$/, 'expected a language such as en'))
  .min(1)
  .refine(
    (list) => new Set(list.map((lang) => lang.toLowerCase())).size === list.length,
    'expected each language once',
  );

const serviceSchema = z
  .strictObject({
    emulator: z.literal(true).optional().describe('the sample range of the emulator'),
    recording: named.optional().describe('a folder with a recording'),
    authUrl: url.optional().describe('REST base address of the authentication server'),
    baseUrl: url.optional().describe('base address of the API'),
    allowHttp: preset(flag, allowHttp, 'also http:// beyond this machine: nothing is encrypted'),
    profile: preset(text, '', 'server profile'),
    lang: preset(
      z.union([text, languages], 'expected a language, or a list of languages'),
      'en',
      'display language; several: each has a catalogue, and the first is that of catalogue.jsonl',
    ),
    langalt: preset(text, '', 'alternative language'),
    currency: preset(text, '', 'currency of prices'),
    rememberMe: preset(flag, rememberMe, 'tokens are valid for 90 days instead of 12 hours'),
    padding: preset(z.enum(['pkcs1', 'oaep']), padding, 'padding of the encrypted login'),
    tokenElement: preset(
      z.enum(['first', 'last']),
      tokenElement,
      'which element of the response is the token',
    ),
    imageLocation: preset(
      named,
      IMAGE_LOCATION_DEFAULT,
      'path of an image in GET materials; also {program}',
    ),
    concurrency: int(concurrency, 1, 'most concurrent requests; fewer during an overload', 256),
    rateLimit: rateLimitSchema.optional(),
    timeoutMs: int(timeoutMs, 1, 'time limit of one attempt of a request'),
    retries: int(retries, 0, 'attempts after the first', 20),
    backoffMs: int(backoffMs, 1, 'milliseconds before the second attempt; doubles each time'),
    giveUpAfterMs: int(giveUpAfterMs, 0, 'how long to wait for a service that does not respond'),
    maxPauseMs: int(maxPauseMs, 1, 'longest pause after "too many requests" (429)', LONGEST_MS),
    maxTotalPauseMs: int(maxTotalPauseMs, 1, 'longest sum of all pauses of a run'),
    maxResponseBytes: int(maxResponseBytes, 1024, 'largest response that is accepted'),
    maxJsonValues: int(maxJsonValues, 1, 'most objects, lists and keys of a response in JSON'),
    maxBytesInFlight: int(maxBytesInFlight, 1, 'bytes of all responses; beyond, all but one wait'),
  })
  .describe('where the articles come from: emulator, recording, or authUrl and baseUrl');

interface EntryContext {
  /** Makes a path absolute. */
  at(path: string): string;
  as: 'planning' | 'articles';
}

function source<S extends z.ZodType, P = z.output<S>>(
  schema: S,
  read = (content: z.output<S>, _entry: EntryContext) => content as unknown as P,
) {
  return { schema: schema.optional(), read };
}

/** The ways to select articles, by the key of an entry of `articles:`: what it contains and how it is read. */
const SOURCES = {
  list: source(named.describe('a CSV file of articles'), (list, { at }) => ({ file: at(list) })),
  catalogue: source(
    z
      .strictObject({
        parentnode: preset(text, '', 'the folder to start at; empty is the top'),
        manufacturers: preset(z.array(named), ['*'], 'globs on manufacturer ids'),
        programs: preset(z.array(named), ['*'], 'globs on series ids'),
      })
      .describe('every article below a folder of the catalogue'),
  ),
  search: source(
    z
      .strictObject({ manufacturer: named, query: named })
      .describe('what a search in one manufacturer finds'),
  ),
  carts: source(
    named.describe('stored top-level articles: a path with *, ? and **'),
    (carts, { at, as }) => ({ glob: at(carts), as }),
  ),
  permanentids: source(
    z
      .union(
        [z.array(named).min(1), named],
        'expected a list of identifiers, or the path of a file',
      )
      .describe('permanent identifiers, or a file with one per line; looked up in the cache'),
    (ids, { at, as }) => {
      const from = typeof ids === 'string' ? { file: at(ids) } : { ids };
      return { from, as };
    },
  ),
  configurations: source(
    z
      .strictObject({
        manufacturer: named.toUpperCase(),
        program: named.toUpperCase(),
        basearticlenumber: named,
        values: z
          .record(named, z.union([text, z.number(), z.boolean()]).transform(String))
          .prefault({})
          .describe('values by CLASS.PROPERTY, set in this order; none: the default configuration'),
        each: z
          .array(named)
          .min(1)
          .optional()
          .describe('properties by CLASS.PROPERTY: each value of each, one property at a time'),
        max: z.int().min(1).optional().describe('most configurations; required by each'),
      })
      .meta({ dependentRequired: { each: ['max'] } })
      .describe('configurations of one base article'),
    // The order of the keys is part of the name of the file of the selection.
    ({ manufacturer, program, values, each = [], max = 1, ...number }) => {
      return { ...number, manufacturer, program, values, each, max };
    },
  ),
  article: source(
    z
      .strictObject({
        manufacturer: named,
        program: named,
        basearticlenumber: named,
        finalarticlenumber: text.default(''),
        reinitstring: text.default(''),
        metareinitstring: text.default(''),
      })
      .describe('one article; what is missing is resolved'),
  ),
};

type Sources = typeof SOURCES;

/** The keys of an entry of `articles:` of which it has exactly one. */
export const SOURCE_KINDS = Object.keys(SOURCES) as (keyof Sources)[];

/** One way to select articles; its paths are absolute. */
export type PipelineSource = {
  [K in keyof Sources]: { kind: K } & ReturnType<Sources[K]['read']>;
}[keyof Sources];

const sourceSchemas = Object.fromEntries(
  Object.entries(SOURCES).map(([kind, { schema }]) => [kind, schema]),
) as { [K in keyof Sources]: Sources[K]['schema'] };

const sourceSchema = z
  .strictObject({
    ...sourceSchemas,
    as: z
      .enum(['planning', 'articles'])
      .optional()
      .describe('of carts and permanentids: one asset of each (default), or of each child too'),
  })
  .describe('one way to select articles');

/** What the material decoder reads as a colour. */
const COLOR =
  /^(?:(?:0x|#)[0-9A-Fa-f]{6}|(?:0(?:\.\d+)?|1(?:\.0+)?)(?: (?:0(?:\.\d+)?|1(?:\.0+)?)){2})$/;
const COLOR_SPELLINGS = 'expected a colour: 0xRRGGBB or three numbers 0..1';

/** A value of a material, as the material decoder reads it; a text such as `0,5` becomes a number. */
function materialValue(field: string) {
  return z
    .union([z.number(), z.string()], 'expected a number or a text')
    .transform((value, { issues }) => {
      let complaint: string | undefined;
      const fields: Record<string, unknown> = readFields({ [field]: value }, (problem) => {
        complaint ??= problem;
      });
      const read = fields[field];
      if (read === undefined && complaint !== undefined) {
        const expected = /expected an? \w+/.exec(complaint)?.[0] ?? complaint;
        const message = expected === 'expected a color' ? COLOR_SPELLINGS : expected;
        issues.push({ code: 'custom', message, input: value });
      }
      return typeof read === 'number' ? read : value;
    });
}

/** Values of a material by its fields. Few files have any. */
const materialValues = z.lazy(() =>
  z.strictObject(
    Object.fromEntries(OVERRIDABLE_FIELDS.map((field) => [field, materialValue(field).optional()])),
  ),
);

const KINDS: { [K in ConvertOption['kind']]: (option: OptionOf<K>) => z.ZodType } = {
  flag: () => flag,
  choice: ({ choices }) =>
    choices.every((choice) => typeof choice === 'string') ? z.enum(choices) : z.literal(choices),
  number: ({ min, above, max, integer }) => {
    let number: z.ZodNumber = integer ? whole : z.number();
    if (min !== undefined) number = number.min(min);
    if (above !== undefined) number = number.gt(above);
    return max === undefined ? number : number.max(max);
  },
  color: () => z.string().regex(COLOR, COLOR_SPELLINGS),
  patterns: () => z.array(z.string()),
  overrides: () => z.record(z.string(), materialValues),
};

type OptionOf<K> = Extract<ConvertOption, { kind: K }>;

function schemaOf(option: ConvertOption): z.ZodType {
  const kind = KINDS[option.kind] as (option: ConvertOption) => z.ZodType;
  return described(kind(option).prefault(option.default), option.doc);
}

/** The `convert:` section, derived from the table of options. */
export const convertSchema = z.strictObject(
  Object.fromEntries(
    Object.entries(CONVERT_OPTIONS).map(([name, option]) => [name, schemaOf(option)]),
  ),
) as unknown as z.ZodType<ConvertOptions, Partial<ConvertOptions>>;

/** The pipeline file with any section `deliver:`. */
const anyPipeline = z.strictObject({
  name: named.describe('shown in logs and reports'),
  service: serviceSchema,
  articles: z.array(sourceSchema).min(1).describe('merged, duplicates removed'),
  convert: convertSchema.prefault({}).describe('options of the conversion'),
  limits: section('limits of articles and carts', {
    articleTimeoutMs: int(
      900_000,
      1,
      'time limit of fetching, and of converting, one article, milliseconds',
      LONGEST_MS,
    ),
    conversionHeapMb: int(1024, 64, 'JavaScript memory of one conversion, MiB', 65_536),
    maxTextCharacters: int(
      100_000,
      100,
      'longest text of the catalogue; longer ones are cut',
      1_000_000,
    ),
    maxCartValues: int(MAX_CART_VALUES, 1, 'most objects, lists and keys of one cart'),
    maxCarts: int(100_000, 1, 'most carts, and children of carts, of one entry of articles:'),
    maxCartBytes: int(
      2 ** 30,
      1,
      'most bytes of the carts of one entry of articles:; the largest are omitted',
    ),
  }),
  gates: gatesSchema,
  failures: section('how often an article that keeps failing is tried', {
    quarantineAfterNights: int(3, 1, 'days of failure after which an article is tried less often'),
    retryEveryNights: int(7, 1, 'days between two attempts from then on'),
    quarantineAfterKills: int(2, 2, 'runs that were killed with an article in work'),
  }),
  /** Its wing describes it. */
  deliver: (z.object() as z.ZodType<object, object>).optional(),
  assets: section('files that are made when they are asked for', {
    configurations: preset(
      z.enum(['any', 'published']),
      'any',
      'of which configurations of the selected articles: any that the service accepts, or those that a run has published',
    ),
    prices: preset(flag, false, 'whether descriptions have the price'),
  }),
  store: z
    .strictObject({
      url: named.describe('s3://BUCKET/PREFIX, or a folder that all machines see'),
      pathStyle: flag
        .optional()
        .describe(
          'whether the bucket is in the path, not in the host name; default: with AWS_ENDPOINT_URL_S3',
        ),
    })
    .optional()
    .describe('where several machines share data and results; without it they are in the folders'),
  output: z.strictObject({
    dir: named.describe('relative to this file'),
    keepRuns: int(90, 1, 'reports that stay; a run that publishes removes older ones'),
    keepObjectsDays: int(
      14,
      0,
      'days for which files stay to which nothing refers any more',
      36_500,
    ),
  }),
  freshness: preset(
    z.enum(Object.keys(FRESHNESS_POLICIES) as [FreshnessPolicy, ...FreshnessPolicy[]]),
    FRESHNESS_DEFAULT,
    'when a cached response is used: not converted since (convertdate), confirmed by the service (revalidate), not at all (always: every run requests anew), at any age (never: no run requests anew)',
  ),
  cache: section('responses of the service, cached between runs', {
    dir: named.optional().describe('relative to this file; default: .cache beside the output'),
    maxBytes: int(MOST_CACHE_BYTES, 0, 'beyond this, the least recently used bodies are evicted'),
  }),
});

/** The schema of pipeline files. @param deliver - The section `deliver:`, which its wing describes. */
export function pipelineSchemaWith<D extends z.ZodType>(deliver: D) {
  const section = deliver.optional().describe('what is made of the published files');
  return anyPipeline.extend({ deliver: section }).describe('a pipeline of btg2gltf');
}

/** The schema with any section `deliver:`: its content is known where it is used. */
export type PipelineSchema = typeof anyPipeline;
type Input = z.input<PipelineSchema>;
/** What a pipeline file may contain. */
export type PipelineInput = Omit<Input, 'gates'> & Partial<Pick<Input, 'gates'>>;
/** The content of a pipeline file, with defaults. */
export type PipelineContent = z.output<PipelineSchema>;

/** Reads an entry of `articles:` that has exactly one of the {@link SOURCE_KINDS}. */
export function readSource(
  entry: PipelineContent['articles'][number],
  at: EntryContext['at'],
): PipelineSource {
  const kind = SOURCE_KINDS.find((key) => entry[key] !== undefined)!;
  const read = SOURCES[kind].read as (content: unknown, entry: EntryContext) => object;
  return { kind, ...read(entry[kind], { at, as: entry.as ?? 'planning' }) } as PipelineSource;
}
