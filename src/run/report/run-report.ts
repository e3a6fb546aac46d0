/**
 * The schema of a run report. `report.json`, its JSON Schema, the page, the metrics, JUnit and the summary
 * are made from it. Lists are bounded and have the total count beside them. @see D-855.
 */
import { z } from 'zod';
import { ID_FIELDS } from '../../model/configuration-id.ts';
import { GATE_TABLE, type Gate } from '../file/gate-table.ts';
import { GEOMETRY_COUNTS, PARTS } from '../lists/manifest-line.ts';

/** An object of one field for each name. */
export const each = <N extends string, S>(names: readonly N[], field: S) =>
  Object.fromEntries(names.map((name) => [name, field])) as Record<N, S>;

/** The sums of one program, in the order of the report. */
export const PROGRAM_COUNTS = [
  ...(['configurations', 'new', 'changed', 'failed'] as const),
  ...(['bytes', 'triangles'] as const),
] as const;

/** The kinds of changes since the last publication. */
export const CHANGES = ['new', 'changed', 'removed'] as const;

/** Kinds of losses: the fields of the service, and what is said of the articles that have one. */
export const LOSS_KINDS = {
  gloss: {
    fields: 'shi spe refl pho roughness roughness_image metallic metallic_image',
    sentence: 'some surfaces may shine a little more or less than the manufacturer defined',
  },
  coating: {
    fields: 'clearcoat clearcoat_roughness sheen sheen_color sheen_roughness',
    sentence: 'some coated surfaces or fabrics may shine differently than the manufacturer defined',
  },
  transparency: {
    fields: 'tra refr',
    sentence: 'some transparent parts may look different than the manufacturer defined',
  },
  light: {
    fields: 'amb luminance emission mirror',
    sentence: 'some surfaces may be darker, or glow or mirror less, than the manufacturer defined',
  },
  colour: {
    fields: 'dif mat',
    sentence: 'some parts have a substitute colour: theirs is unknown or cannot be read',
  },
  picture: {
    fields:
      'pic bump map rot scaleu scalev offsetx offsety bump_rot bump_scaleu bump_scalev bump_offsetx bump_offsety TI',
    sentence: 'some patterns, such as wood grain, may look different than the manufacturer defined',
  },
  geometry: {
    fields: 'A C F V T btgname scale type prop',
    sentence: 'some parts may be missing or differ in shape: their data cannot be read',
  },
  // Of every other field.
  unknown: {
    fields: '',
    sentence: 'the service sent values whose meaning is not specified: models do not show them',
  },
} as const;

/** A kind of losses. */
export type LossKind = keyof typeof LOSS_KINDS;

const LOSS_KIND_BY_FIELD: ReadonlyMap<string, LossKind> = new Map(
  (Object.keys(LOSS_KINDS) as LossKind[]).flatMap((kind) =>
    LOSS_KINDS[kind].fields.split(' ').map((field) => [field, kind] as const),
  ),
);

/** The kind of losses of a field of the service. */
export function lossKindOf(field: string): LossKind {
  return LOSS_KIND_BY_FIELD.get(field) ?? 'unknown';
}

const STAGES = ['select', 'fetch', 'transform', 'write', 'publish'] as const;

/** Failures of a delivery that a report lists, and as many that are accepted. */
export const DELIVERY_FAILURES = 1000;

// The parts are functions, and these are marked, so that a bundle without the schema omits all of it.
const text = /* @__PURE__ */ z.string();
const count = /* @__PURE__ */ z.int().min(0);
const ms = /* @__PURE__ */ z.number().min(0);
const instant = /* @__PURE__ */ text.describe('ISO 8601, UTC');
const counts = /* @__PURE__ */ z.record(text, count);

/** What a person recognises a configuration by. */
function described() {
  return {
    ...each(ID_FIELDS, text),
    name: text.optional().describe('short text of the catalogue'),
    sizeMillimetres: z
      .object(each(['width', 'depth', 'height'] as const, z.number().min(0)))
      .optional(),
  };
}

function assetSchema() {
  return z.object({
    ...described(),
    glb: text
      .optional()
      .describe('path below the output folder; if the run published nothing, of the object'),
    bytes: count.optional(),
    triangles: count.optional(),
    ms: ms.optional().describe('time spent on it in this run'),
  });
}

function runFields() {
  return {
    format: z.literal(2),
    command: z.enum(['run', 'fetch', 'build']),
    run: text.describe('id of the run: its start, as in the name of its folder'),
    pipeline: text,
    service: text.describe('address of the service, or the range of the emulator'),
    startedAt: instant,
    endedAt: instant,
    totalMs: ms,
    stageMs: z
      .object(each(STAGES, ms.optional()))
      .describe('stages overlap: the time of a stage counts while at least one article is in it'),
    ended: z
      .enum(['complete', 'until', 'interrupted', 'stopped'])
      .describe('everything was processed; out of time; by a signal; by an error'),
    published: z.boolean().describe('whether the manifest is that of this run'),
    stop: z
      .object({ code: text, message: text, help: text })
      .optional()
      .describe('why the run stopped, or why nothing was published'),
    previousRun: text
      .optional()
      .describe('id of the previous run, whose report is in the folder of that name'),
  };
}

function rangeFields() {
  const change = assetSchema().extend({
    bytesBefore: count.optional(),
    trianglesBefore: count.optional(),
    what: z.array(z.enum(PARTS)).describe('what of it differs'),
  });

  const list = z.object({ count, rows: z.array(change).describe('the first changes') });

  return {
    configurations: z.object({
      selected: count,
      fetched: count,
      converted: count,
      unchanged: count,
      kept: count.describe('unchanged ones whose snapshot was fresh, without a request'),
      skipped: count.describe('those without geometry, such as services and discounts'),
      failed: count,
      quarantined: count.describe('failed ones in quarantine'),
      failedCarts: count.describe('failed ones that only carts select, not counted in failed'),
    }),
    articles: count.describe('distinct base articles'),
    changes: z
      .object(each(CHANGES, list))
      .describe('since the last publication that a run has reported'),
    changedArticles: z
      .object(each(PARTS, count))
      .describe('of how many of the changed base articles what differs'),
    objects: z
      .object({ distinct: count, bytes: count, savedFiles: count, savedBytes: count })
      .describe('distinct GLBs of these configurations, and what storing each once saved'),
    triangles: count.describe('drawn triangles of all these configurations'),
    geometry: z
      .object({ configurations: count, ...each(GEOMETRY_COUNTS, count) })
      .describe('what geometry lost or changed, of the configurations converted in this run'),
  };
}

function workFields() {
  const asset = assetSchema();
  return {
    requests: z.object({
      sent: count,
      bytesReceived: count,
      byOperation: counts,
      byStatus: counts.describe('none: without a response'),
      fromCache: count.describe('responses from the cache'),
    }),
    programs: z.object({
      count,
      rows: z.array(
        z.object({ manufacturer: text, program: text, ...each(PROGRAM_COUNTS, count) }),
      ),
    }),
    slowest: z.array(asset),
    largest: z.array(asset.extend({ shared: count.describe('configurations with this GLB') })),
  };
}

function failureFields() {
  const failure = z.object({
    what: text.optional().describe('the entry of the selection that failed'),
    ...described(),
    selectedBy: z
      .array(text)
      .optional()
      .describe(
        'who selected it: line of a list, such as articles.csv:3, entry of the pipeline file, folder, cart',
      ),
    onlyCarts: z.boolean().optional().describe('only carts select it: it counts apart'),
    code: text.describe('error code'),
    message: text,
    help: text.describe('an action that helps'),
    attempts: count.optional().describe('attempts in all runs'),
    nights: count.optional().describe('days on which it failed'),
    firstSeen: instant.optional(),
    lastSeen: instant.optional(),
    quarantined: z.boolean().optional().describe('it failed so often that it is tried less often'),
    retryOn: text.optional().describe('YYYY-MM-DD of the next attempt of a quarantined one'),
    lastGood: text.optional().describe('path of the previous GLB, which stays published'),
  });
  return {
    causes: z
      .array(
        z.object({
          code: text,
          count,
          onlyCarts: z.boolean().optional().describe('of carts'),
          help: text,
          example: text,
          message: text.describe('what their messages have in common'),
          examples: z.array(
            z.object({ article: text, message: text, selectedBy: z.array(text).optional() }),
          ),
        }),
      )
      .describe('failures by code and kind of message, the most frequent first'),
    incomplete: z
      .object({ count, rows: z.array(z.object({ ...described(), message: text })) })
      .describe(
        'configurations with a property that needs a value and has none; the first of them',
      ),
    damaged: z
      .object({
        count,
        rows: z.array(z.object({ ...described(), glb: text.optional(), message: text })),
      })
      .describe(
        'configurations whose published file was changed or removed since; the first of them',
      ),
    skipped: z
      .array(z.object({ ...described(), code: text, message: text }))
      .describe('the first configurations without geometry, with the reason'),
    failures: z.array(failure).describe('the first; failures.jsonl has all'),
  };
}

function gatesSchema() {
  const gateFinding = z.object({
    gate: z.enum(Object.keys(GATE_TABLE) as Gate[]),
    action: z.enum(['warn', 'refuse']),
    article: text.describe('MANUFACTURER/PROGRAM/number, MANUFACTURER/*, or * for the whole range'),
    before: z.number(),
    now: z.number(),
    message: text,
  });

  return z.object({
    refused: z.boolean(),
    accepted: z.boolean().describe('published because of --accept'),
    count: count.describe('number of all findings'),
    byGate: z.record(text, z.object({ warn: count, refuse: count })),
    removedFrom: z
      .number()
      .optional()
      .describe('share of removed configurations from which the gate articlesGone acts'),
    findings: z.array(gateFinding),
    notCompared: text
      .optional()
      .describe('the pictures that the gates of pictures could not compare, and why'),
  });
}

function findingFields() {
  const warning = z.object({ code: text, message: text });
  return {
    warnings: counts.describe('by code'),
    articleWarnings: z.array(warning.extend({ article: text })),
    selectionWarnings: z.array(warning).describe('warnings about the selection'),
    losses: counts.describe('by field of the service'),
    articlesWithLosses: z
      .partialRecord(z.enum(Object.keys(LOSS_KINDS) as LossKind[]), count)
      .describe('distinct base articles that have losses, by kind'),
    drift: z
      .array(z.object({ operation: text, field: text, expected: text, found: text, count }))
      .describe('fields of responses that differ from the specification'),
  };
}

function deliveryFields() {
  return {
    delivered: z
      .object({
        deliveries: z.array(
          z.object({
            ...{ name: text, made: count, unchanged: count, failed: count },
            accepted: count.describe('failed by a code that the pipeline file accepts'),
            byCode: counts.describe('failed and accepted ones'),
            omitted: count.describe(
              'left out: there is no browser, which is intended; or of a feed, without what it requires',
            ),
            bytes: count.describe('of the files, equal ones counted once'),
            masterBytes: count.describe('of the GLBs that they were made from'),
            ms: count
              .optional()
              .describe('of processors and browsers for what was made, without waiting'),
            slowest: z
              .array(z.object({ article: text, ms: count }))
              .optional()
              .describe('what of it took the longest'),
          }),
        ),
        failures: z
          .array(
            z.object({
              article: text.describe('empty where a delivery failed as a whole'),
              ...{ delivery: text, code: text, message: text, help: text },
              isAccepted: z.boolean().describe('whether the pipeline file accepts it'),
            }),
          )
          .describe('the first of each delivery'),
        splits: z
          .array(z.object({ splitBy: z.array(text), count, articles: z.array(text) }))
          .describe(
            'properties that divide articles into several files with finishes, since they change the shape',
          ),
        omitted: z.array(text).describe('what was left out, and what to do'),
        notes: z
          .array(text)
          .optional()
          .describe('why files of unchanged GLBs were made again, and what feeds say differently'),
        gallery: text.optional().describe('path of the page of the gallery'),
      })
      .optional()
      .describe('what was made of the published files; counts are of configurations'),
    workers: z
      .array(
        z.object({
          name: text.describe('host, process and a random part'),
          state: z.enum(['working', 'idle', 'lost', 'stopped', 'refused']),
          chunks: count,
          configurations: count,
          made: count
            .optional()
            .describe('of how many GLBs it has made the files of a delivery, each time'),
          failed: count,
          requests: count,
          peakBytes: count.describe('of memory'),
        }),
      )
      .optional()
      .describe('what each worker of a distributed run did'),
  };
}

function makeRunReportSchema() {
  return z.object({
    ...runFields(),
    ...rangeFields(),
    ...workFields(),
    ...failureFields(),
    gates: gatesSchema(),
    ...findingFields(),
    ...deliveryFields(),
    outputDir: text,
    cacheDir: text,
  });
}

/** The schema of `report.json`. The command line needs none: its bundle omits the 250 objects. */
export const runReportSchema = /* @__PURE__ */ makeRunReportSchema();

/** What a run did. Counts are of configurations, unless the name says otherwise. */
export type RunReport = z.infer<typeof runReportSchema>;
/** A configuration or an entry of the selection that failed; unknown ids are empty. */
export type FailureRow = RunReport['failures'][number];
/** Failures with one cause. */
export type Cause = RunReport['causes'][number];
/** A difference to the previous run that exceeds a threshold of a gate. */
export type GateFinding = GateReport['findings'][number];
/** What a person recognises a configuration by. */
export type Description = Pick<AssetRow, 'name' | 'sizeMillimetres'>;
/** A configuration with its figures. */
export type AssetRow = RunReport['slowest'][number];
/** The findings of the gates. */
export type GateReport = RunReport['gates'];

/** The JSON Schema of a report, which is `pipelines/report.schema.json`. */
export function reportJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(runReportSchema) as Record<string, unknown>;
}

/** The end of a run, for monitoring programs. */
export interface FinishedRun {
  pipeline: string;
  exitCode: number;
  /** Milliseconds since 1970, as `endedAt`. */
  startedAt: number;
  endedAt: number;
  /** Undefined if the run could not begin. */
  report: RunReport | undefined;
  /** Why the run stopped, or why nothing was published. */
  error?: { code: string; message: string };
}

/** The pictures of one article that is new or has changed, small. */
export interface ArticlePictures {
  kind: 'new' | 'changed';
  row: AssetRow;
  now: Uint8Array;
  /** Of the GLB that was published before, in the same size; undefined where there is none. */
  before?: Uint8Array | undefined;
  /** How much the two differ, from 0 to 1. */
  difference?: { tone: number; edges: number } | undefined;
  /** Pixels. */
  width: number;
  height: number;
}
