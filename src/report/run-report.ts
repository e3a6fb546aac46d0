/**
 * Run report: the one description of what is told of a run.
 *
 * `report.json`, its JSON Schema, the page, the metrics and the summary are made of it. Lists are
 * bounded and say how many there are in all; it must not know how anything is shown.
 *
 * @see D-855.
 */
import { z } from 'zod';

const text = z.string();
const count = z.int().min(0);
const ms = z.number().min(0);
const instant = text.describe('ISO 8601, UTC');
const counts = z.record(text, count);

const warning = z.object({ code: text, message: text });

/** Who a row is about; `final or base number` is what a person calls it. */
const identity = {
  manufacturer: text,
  program: text,
  basearticlenumber: text,
  finalarticlenumber: text,
  reinitstring: text,
  metareinitstring: text,
};

const asset = z.object({
  ...identity,
  glb: text
    .optional()
    .describe('path below the output folder; of an unpublished run, of the object itself'),
  bytes: count.optional(),
  triangles: count.optional(),
  ms: ms.optional().describe('time spent on it in this run'),
});

const change = asset.extend({
  bytesBefore: count.optional(),
  trianglesBefore: count.optional(),
});

const changes = z.object({ count, rows: z.array(change).describe('the first of them') });

const failure = z.object({
  what: text.optional().describe('what was to be selected, where that failed'),
  ...identity,
  code: text.describe('error code'),
  message: text,
  help: text.describe('what helps'),
  attempts: count.optional().describe('how often it was tried, over all nights'),
  nights: count.optional().describe('on how many nights it failed'),
  firstSeen: instant.optional(),
  lastSeen: instant.optional(),
  quarantined: z.boolean().optional().describe('it fails so often that it is tried less often'),
  retryOn: text.optional().describe('YYYY-MM-DD on which a quarantined one is tried again'),
  lastGood: text.optional().describe('path of the GLB of before, which stays published'),
});

const gateFinding = z.object({
  gate: z.enum(['articlesGone', 'triangles', 'bounds', 'materials', 'bytes', 'textures']),
  action: z.enum(['warn', 'refuse']),
  article: text.describe('MANUFACTURER/PROGRAM/number, MANUFACTURER/*, or * for the whole range'),
  before: z.number(),
  now: z.number(),
  message: text,
});

/** The schema of `report.json`. */
export const runReportSchema = z.object({
  format: z.literal(2),
  command: z.enum(['run', 'fetch', 'build']),
  run: text.describe('id of the run: when it began, as in the name of its folder'),
  pipeline: text,
  service: text.describe('address of the service, or what the emulator served'),
  startedAt: instant,
  endedAt: instant,
  totalMs: ms,
  stageMs: z
    .object({
      select: ms.optional(),
      fetch: ms.optional(),
      transform: ms.optional(),
      write: ms.optional(),
      publish: ms.optional(),
    })
    .describe('they overlap: a stage counts while at least one article is in it'),
  ended: z
    .enum(['complete', 'until', 'interrupted', 'stopped'])
    .describe('all was worked on; out of time; by a signal; by an error'),
  published: z.boolean().describe('whether the manifest is this run’s'),
  stop: z
    .object({ code: text, message: text, help: text })
    .optional()
    .describe('why it stopped, or why nothing was published'),
  previousRun: text
    .optional()
    .describe('id of the run before, whose report stands beside this one'),
  configurations: z.object({
    selected: count,
    fetched: count,
    converted: count,
    unchanged: count,
    kept: count.describe('of those unchanged: known to hold, so that nothing was asked'),
    failed: count,
    quarantined: count.describe('of those that failed'),
  }),
  articles: count.describe('base articles among them'),
  changes: z.object({ new: changes, changed: changes, removed: changes }),
  objects: z
    .object({ distinct: count, bytes: count, savedFiles: count, savedBytes: count })
    .describe('distinct GLBs of these configurations, and what it saved to store each once'),
  triangles: count.describe('drawn triangles of these configurations together'),
  geometry: z
    .object({
      configurations: count,
      droppedTriangles: count,
      duplicateTriangles: count,
      flippedSurfaces: count,
      splitVertices: count,
      droppedLayers: count,
      skippedNodes: count,
    })
    .describe('what geometry lost or changed on its way, of those that were looked at in this run'),
  requests: z.object({
    sent: count,
    bytesReceived: count,
    byOperation: counts,
    byStatus: counts.describe('none: no answer came'),
    fromCache: count.describe('answers that came from the cache instead'),
  }),
  programs: z.object({
    count,
    rows: z.array(
      z.object({
        manufacturer: text,
        program: text,
        configurations: count,
        new: count,
        changed: count,
        failed: count,
        bytes: count,
        triangles: count,
      }),
    ),
  }),
  slowest: z.array(asset),
  largest: z.array(asset.extend({ shared: count.describe('configurations with this GLB') })),
  causes: z
    .array(z.object({ code: text, count, help: text, example: text, message: text }))
    .describe('failures by code, the most frequent first'),
  failures: z.array(failure).describe('the first; all stand in failures.jsonl'),
  gates: z.object({
    refused: z.boolean(),
    accepted: z.boolean().describe('--accept let through what would have been refused'),
    count: count.describe('findings in all'),
    byGate: z.record(text, z.object({ warn: count, refuse: count })),
    findings: z.array(gateFinding),
  }),
  warnings: counts.describe('by code'),
  articleWarnings: z.array(warning.extend({ article: text })),
  selectionWarnings: z.array(warning).describe('what concerns no configuration'),
  losses: counts.describe('by field of the service'),
  drift: z
    .array(z.object({ operation: text, field: text, expected: text, found: text, count }))
    .describe('answers that are not what the specification says'),
  outputDir: text,
  cacheDir: text,
});

/** What a run did. Counts are of configurations unless they say otherwise. */
export type RunReport = z.infer<typeof runReportSchema>;
/** A failed configuration, or a part of the selection that failed; what is not known of it is empty. */
export type FailureRow = z.infer<typeof failure>;
/** Something about a configuration, or about their number, that a gate does not like. */
export type GateFinding = z.infer<typeof gateFinding>;
/** A configuration that is new, changed or gone. */
export type ChangeRow = z.infer<typeof change>;
/** A configuration in a list of the slowest or largest. */
export type AssetRow = z.infer<typeof asset>;
/** All that is told of the gates. */
export type GateReport = RunReport['gates'];

/** The JSON Schema that `pipelines/report.schema.json` holds. */
export function reportJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(runReportSchema) as Record<string, unknown>;
}
