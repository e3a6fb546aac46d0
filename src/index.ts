/**
 * btg2gltf as a library: {@link convert} and {@link run} do the main work; the other names are the parts that
 * they consist of. Functions that do not check their parameters themselves are wrapped here, for programs
 * without types.
 */

import { z } from 'zod';
import type { Scene, TextureTransform, TextureUse } from './convert/model/scene.ts';
import * as meshes from './convert/transform/mesh-cache.ts';
import * as transform from './convert/transform/transform-article.ts';
import { isRecord } from './convert/wire/value.ts';
import * as glb from './convert/write/glb.ts';
import type { Pipeline } from './deliver/pipeline.ts';
import * as pipelines from './deliver/pipeline.ts';
import * as recording from './emulator/replay.ts';
import type { ArticleRequest } from './model/article.ts';
import * as lists from './run/articles/source-files.ts';
import { PIPELINE_CHECK } from './run/file/pipeline-file.ts';
import type { RunResult } from './run/open/run-end.ts';
import type { RunEnvironment } from './run/open/run-environment.ts';
import { checkRun, type RunOptions } from './run/open/run-options.ts';
import * as manifest from './run/output/manifest.ts';
import * as verification from './run/output/verify.ts';
import * as recorder from './run/record.ts';
import * as html from './run/report/html.ts';
import * as junit from './run/report/junit.ts';
import * as metrics from './run/report/metrics.ts';
import { runReportSchema } from './run/report/run-report.ts';
import * as summary from './run/report/summary.ts';
import * as runs from './run/run.ts';
import type { ConvertedArticle } from './run/single-article.ts';
import * as article from './run/single-article.ts';
import * as contentStore from './source/cache/content-store.ts';
import * as database from './source/cache/database.ts';
import * as selection from './source/fetch/select-articles.ts';
import type { ArticleSource } from './source/fetch/selection.ts';
import { CHECKS, checked, refinedBy } from './support/parameters.ts';
import * as signatures from './web/assets/signatures.ts';
import * as migration from './web/migrate/migrate.ts';
import * as planning from './web/servers/planning-url.ts';
import { PARTS } from './wiring.ts';

export { createClient, createFetcher, createLogger } from './checked-service.ts';
export type { Block, PartsList, PartsListNode, ServiceMaterial } from './convert/model/graphics.ts';
export type { ContentReader } from './convert/model/input.ts';
export type { Scene } from './convert/model/scene.ts';
export type { AssetDescription } from './deliver/asset-description.ts';
export type { AssetForm } from './deliver/asset-forms.ts';
export type { Asset, Assets } from './deliver/assets.ts';
export type { Pipeline } from './deliver/pipeline.ts';
export { type Emulator, type EmulatorOptions, startEmulator } from './emulator/emulator.ts';
export {
  type AssetsParameters,
  type ConvertParameters,
  convert,
  openAssets,
  type RunParameters,
  run,
  type ServiceInput,
} from './library.ts';
export type {
  Article,
  ArticleKey,
  ArticleProperty,
  ArticleRequest,
  CommercialData,
  PropertyChange,
} from './model/article.ts';
export type { AssetFigures, Bounds, Loss } from './model/asset.ts';
export type { Breadcrumb, CatalogueNode, CatalogueResource } from './model/catalogue.ts';
export type { ImageCodec } from './model/image-codec.ts';
export type { ArticleSnapshot, Digest } from './model/snapshot.ts';
export type { Warning } from './model/warning.ts';
export type { AssetStatus, CatalogueLine, ManifestLine } from './run/lists/manifest-line.ts';
export type { ConfigurationRequest } from './run/on-demand-run.ts';
export type { Verification } from './run/output/verify.ts';
export type { ConvertedArticle } from './run/single-article.ts';
export type { ContentStore } from './source/cache/content-store.ts';
export type { CacheDatabase } from './source/cache/database.ts';
export type { Fetcher, FetcherOptions } from './source/fetch/fetch-article.ts';
export type {
  ArticleSource,
  SelectedArticle,
  Selection,
  SelectionFailure,
} from './source/fetch/selection.ts';
export type { AssetUrlOptions } from './web/assets/signatures.ts';
export type { MigrateOptions } from './web/migrate/migrate.ts';
export type { Change, Hint, HintCode, Migration } from './web/migrate/migrate-url.ts';
export type { GatewayServer } from './web/servers/http.ts';
export { type InboxOptions, openInbox, type PermanentIdStore } from './web/servers/inbox.ts';
export type { PlannedArticle, PlanningLink, StoredPlanning } from './web/servers/planning-url.ts';
export { openRelay, type RelayOptions } from './web/servers/relay.ts';

import { convertSchema } from './run/file/pipeline-schema.ts';

export { pipelineJsonSchema } from './deliver/pipeline.ts';
export type { EmulatedRange } from './emulator/sample/range.ts';
export { createSampleRange } from './emulator/sample/sample-range.ts';
export { loadTangentGenerator } from './run/conversions/tangent-generator.ts';
export type { RunResult } from './run/open/run-end.ts';
export type { Progress, RunEnvironment } from './run/open/run-environment.ts';
export type { RunOptions } from './run/open/run-options.ts';
export type { RecordResult } from './run/record.ts';
export { type FinishedRun, type RunReport, reportJsonSchema } from './run/report/run-report.ts';
export type { ArticleQuery, Configuration, ServiceClient } from './source/service/client.ts';
export type { ServiceConfig, ServiceDrift } from './source/service/service-config.ts';
export { ConverterError, ERROR_CODES, type ErrorCode, isConverterError } from './support/errors.ts';
export { sharpImageCodec } from './support/image-codec.ts';
export { type Logger, SILENT } from './support/log.ts';

import { CONVERT_DEFAULTS } from './convert/transform/convert-options.ts';

export { CONVERT_DEFAULTS, type ConvertOptions } from './convert/transform/convert-options.ts';

const { string: STRING, text: TEXT, function: FUNCTION, object: OBJECT } = CHECKS;
const NUMBER = z.number();
const INSTANT = z.custom(
  (value) => typeof value === 'number' && !Number.isNaN(new Date(value).getTime()),
  'milliseconds since 1970',
);
const MAP = z.custom((value) => value instanceof Map, 'a Map');
const BYTES = z.custom((value) => value instanceof Uint8Array, 'a Uint8Array');
const FLOATS = z.custom((value) => value instanceof Float32Array, 'a Float32Array');
const INDICES = z.custom(
  (value) => value instanceof Uint16Array || value instanceof Uint32Array,
  'a Uint16Array or Uint32Array',
);

type Checks = Readonly<Record<string, z.ZodType>>;

function listOf(fields: Checks): z.ZodType {
  return z.array(z.object(fields));
}

const ARTICLE_FIELDS = { manufacturer: TEXT, program: TEXT, basearticlenumber: TEXT };
const ARTICLE = z.object(ARTICLE_FIELDS, 'manufacturer, program and article numbers');

const GLOBS = z.array(TEXT).optional();
const STORED_ARTICLE = z.custom(
  (value) => isRecord(value) && ('json' in value || 'error' in value),
  'an object with json or error',
);

/** The fields that each kind of source needs. */
const SOURCES: Readonly<Record<ArticleSource['kind'], Checks>> = {
  list: { name: TEXT, rows: listOf({ request: ARTICLE }) },
  article: ARTICLE_FIELDS,
  catalogue: { parentnode: STRING, manufacturers: GLOBS, programs: GLOBS },
  search: { manufacturer: STRING, query: STRING },
  planning: { as: TEXT, plannings: listOf({ name: TEXT, article: STORED_ARTICLE }) },
  configurations: { ...ARTICLE_FIELDS, values: OBJECT, each: z.array(TEXT) },
};
const SOURCE = refinedBy(
  z.custom<ArticleSource>(
    (value) => Object.hasOwn(SOURCES, String((value as Partial<ArticleSource> | null)?.kind)),
    `a source with a kind: ${Object.keys(SOURCES).join(', ')}`,
  ),
  ({ kind }) => [z.object(SOURCES[kind])],
);
const REPORT = z.custom(isRecord, 'a report, such as run returns').pipe(runReportSchema);
const FINISHED_RUN = z.object(
  {
    pipeline: TEXT,
    exitCode: NUMBER,
    startedAt: INSTANT,
    endedAt: INSTANT,
    report: REPORT.optional(),
    error: z.object({ code: TEXT, message: TEXT }).optional(),
  },
  'an object with pipeline, exitCode, startedAt, endedAt and report',
);

function numbers(count: number): z.ZodType {
  const is = (value: unknown) => {
    return Array.isArray(value) && value.length === count && value.every(Number.isFinite);
  };
  return z.custom(is, `a list of ${count} numbers`);
}

/** @param list - What the index is into; another check refuses it if it is no list. */
function indexInto(name: string, list: unknown, least: 0 | -1 = 0): z.ZodType {
  const end = Array.isArray(list) ? list.length : 0;
  return z.custom(
    (value) => Number.isInteger(value) && Number(value) >= least && Number(value) < end,
    `an index into ${name}${least < 0 ? ', or -1' : ''}`,
  );
}

/** A check for each field of a type, but those that any value may have: a new field needs its check. */
type ChecksOf<T, Unchecked extends keyof T = never> = Record<
  Exclude<keyof T, Unchecked>,
  z.ZodType
>;

/** Checks what a scene refers to by index, and the arrays of vertices. */
function sceneSchema({ nodes, meshes, geometries, materials, images }: Scene): z.ZodType {
  const transform = z.object({
    offset: numbers(2),
    rotationRadians: NUMBER,
    scale: numbers(2),
  } satisfies ChecksOf<TextureTransform>);
  const texture = z
    .object({
      image: indexInto('images', images),
      uvSet: NUMBER,
      transform: transform.optional(),
    } satisfies ChecksOf<TextureUse>)
    .optional();
  return z.object({
    nodes: listOf({
      parent: indexInto('nodes', nodes, -1),
      mesh: indexInto('meshes', meshes, -1),
      translationMetres: numbers(3),
      rotation: numbers(4),
      scale: numbers(3),
    } satisfies ChecksOf<Scene['nodes'][number], 'name' | 'extras'>),
    meshes: listOf({
      primitives: listOf({
        geometry: indexInto('geometries', geometries),
        material: indexInto('materials', materials),
      } satisfies ChecksOf<Scene['meshes'][number]['primitives'][number]>),
    } satisfies ChecksOf<Scene['meshes'][number], 'name'>),
    geometries: listOf({
      positions: FLOATS,
      normals: FLOATS,
      uvs: z.array(FLOATS),
      tangents: FLOATS.optional(),
      indices: INDICES,
    } satisfies ChecksOf<Scene['geometries'][number]>),
    materials: listOf({
      baseColorLinear: numbers(3),
      alpha: NUMBER,
      baseColorTexture: texture,
      metallic: NUMBER,
      roughness: NUMBER,
      metallicRoughnessTexture: texture,
      normalTexture: texture,
      emissiveLinear: numbers(3),
      emissiveStrength: NUMBER,
      emissiveTexture: texture,
      transmission: NUMBER,
      ior: NUMBER.optional(),
      specular: NUMBER.optional(),
      clearcoat: z.object({ factor: NUMBER, roughness: NUMBER }).optional(),
      sheen: z.object({ colorLinear: numbers(3), roughness: NUMBER }).optional(),
    } satisfies ChecksOf<
      Scene['materials'][number],
      'name' | 'doubleSided' | 'alphaMode' | 'extras'
    >),
    images: listOf({
      name: STRING,
      mimeType: TEXT,
      bytes: BYTES,
    } satisfies ChecksOf<Scene['images'][number]>),
  });
}

const SCENE = refinedBy(
  z.custom<Scene>(isRecord, 'a scene, such as transformArticle returns'),
  (scene) => [sceneSchema(scene)],
);

const VALUE = z.custom((value) => value !== undefined, 'a value');
/** No option may be missing, unlike in a pipeline file. */
const OPTIONS = refinedBy(z.custom(isRecord, 'options, such as CONVERT_DEFAULTS'), () => [
  convertSchema,
  z.object(Object.fromEntries(Object.keys(CONVERT_DEFAULTS).map((name) => [name, VALUE]))),
]);

/** Opens a store of files by digest in a folder, which need not exist yet. */
export const openFileStore = checked(contentStore.openFileStore, {
  options: z.object({ dir: TEXT, tmpDir: TEXT }, 'an object with dir and tmpDir'),
});

/** Opens the database of a cache folder, which need not exist yet. */
export const openCacheDatabase = checked(database.openCacheDatabase, { cacheDir: TEXT });

/** Opens a recording as a range that {@link startEmulator} serves. */
export const openRecording = checked(recording.openRecording, { dir: TEXT });

/** Selects articles from sources: lists, catalogue folders, searches, plannings. */
export const selectArticles = checked(selection.selectArticles, {
  sources: z.array(SOURCE),
  reader: z.object(
    { nodes: FUNCTION, search: FUNCTION, resolve: FUNCTION, change: FUNCTION },
    'a fetcher, such as createFetcher returns',
  ),
});

/** Converts an address or a cart entry of v1 or v2 to v2.5, without any request. */
export const migrate = checked(migration.migrate, {
  input: z.unknown(),
  options: OBJECT.optional(),
});

/** Makes the address of the planning page of a service. */
export const planningUrl = checked(planning.planningUrl, { link: OBJECT });

const TEXTS = z.array(TEXT, 'a list of texts').optional();

/**
 * Makes a signed address of an asset of `btg2gltf assets`. A page may change values and form within what the signature covers,
 * without the secret.
 *
 * @throws {@link ConverterError} `USAGE` naming a wrong field.
 * @example
 * ```ts
 * const desk = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' };
 * assetUrl({ server: 'https://assets.example', ...desk, form: 'glb', properties: ['DEKOR'], secret });
 * // → 'https://assets.example/a/FJEL/LINEA/LN-M.glb?properties=DEKOR&signature=…'
 * ```
 */
export const assetUrl = checked(signatures.assetUrl, {
  options: z.object(
    {
      ...{ server: z.url({ protocol: /^https?$/ }), ...ARTICLE_FIELDS, form: TEXT, secret: TEXT },
      values: z.record(z.string(), STRING, 'an object of texts').optional(),
      ...{ forms: TEXTS, properties: TEXTS, expiresAtMs: INSTANT.optional() },
    },
    'an object with server, article, form and secret',
  ),
});

async function convertWithStore(
  request: ArticleRequest,
  pipeline: Pipeline,
  file: string,
  environment: RunEnvironment,
): Promise<ConvertedArticle> {
  checkRun({ pipeline }, environment);
  const { sharing } = PARTS;
  const openShared = sharing && (() => sharing.open(pipeline, environment));
  return article.convertArticle(request, pipeline, file, environment, openShared);
}

/** Fetches and converts one article of a pipeline into one file. */
export const convertArticle = checked(
  convertWithStore,
  {
    request: ARTICLE,
    pipeline: PIPELINE_CHECK,
    file: TEXT,
  },
  { name: 'convertArticle' },
);

const PIPELINE_CHECKS = { env: CHECKS.env, isOffline: CHECKS.boolean.optional() };

/** Reads and checks a pipeline file; variables in `service:` need not be set if `isOffline`. */
export const loadPipeline = checked(pipelines.loadPipeline, { path: TEXT, ...PIPELINE_CHECKS });

/** Checks the text of a pipeline file; `file` is its path, which errors name and paths are relative to. */
export const parsePipeline = checked(pipelines.parsePipeline, {
  text: STRING,
  file: TEXT,
  ...PIPELINE_CHECKS,
});

/** Hashes every object and link of the manifest of an output folder. */
export const verifyOutput = checked(verification.verifyOutput, {
  outputDir: TEXT,
  signal: CHECKS.signal.optional(),
});

/**
 * Converts what a pipeline selects: service → GLBs, and what it asks for beside them.
 *
 * @returns A report that lists the failures of single articles, and how the run ended.
 * @throws {@link ConverterError} an error before the run began, such as `OUTPUT_LOCKED`.
 */
export function runPipeline(options: RunOptions, environment: RunEnvironment): Promise<RunResult> {
  return runs.runPipeline(options, environment, PARTS);
}

/** Builds what was fetched: snapshots → GLBs, without a network. As {@link runPipeline}. */
export function buildPipeline(
  options: RunOptions,
  environment: RunEnvironment,
): Promise<RunResult> {
  return runs.buildPipeline(options, environment, PARTS);
}

/** Fetches what a pipeline selects: service → snapshots in the cache. As {@link runPipeline}. */
export function fetchPipeline(
  options: RunOptions,
  environment: RunEnvironment,
): Promise<RunResult> {
  return runs.fetchPipeline(options, environment, PARTS);
}

async function recordWithStore(
  options: RunOptions,
  dir: string,
  environment: RunEnvironment,
): Promise<recorder.RecordResult> {
  return recorder.recordPipeline(options, dir, environment, PARTS);
}

/** Records the responses that a pipeline needs in a folder, for {@link openRecording}. */
export const recordPipeline = checked(
  recordWithStore,
  {
    options: z.object({ pipeline: PIPELINE_CHECK }, 'an object with pipeline'),
    dir: TEXT,
  },
  { name: 'recordPipeline' },
);

/** Parses an article list: UTF-8, or UTF-16 with a byte-order mark. */
export const parseArticleList = checked(lists.parseArticleList, { bytes: BYTES, file: TEXT });

/** Reads an article list from a file. */
export const readArticleList = checked(lists.readArticleList, { path: TEXT });

/** Makes the page of a report. */
export const reportHtml = checked(html.reportHtml, { report: REPORT });

/** Makes the JUnit XML of a run. */
export const junitXml = checked(junit.junitXml, { run: FINISHED_RUN });

/** Makes the metrics of a run as text; `previous` is the file of the previous run. */
export const metricsText = checked(metrics.metricsText, {
  run: FINISHED_RUN,
  previous: STRING.optional(),
});

/** Summarises a report as lines of text without colours. */
export const summarise = checked(summary.summarise, {
  report: REPORT,
  runFolder: STRING.optional(),
});

/** Makes an empty cache of meshes, of at most `maxBytes`, for {@link transformArticle}. */
export const createMeshCache = checked(meshes.createMeshCache, {
  maxBytes: CHECKS.number.optional(),
});

/**
 * Transforms one article to a scene: +X right, +Y up, +Z front, metres.
 *
 * @example
 * ```ts
 * const images = sharpImageCodec();
 * const cache = createMeshCache();
 * await transformArticle({ snapshot, read, options: CONVERT_DEFAULTS, images, cache });
 * ```
 */
export const transformArticle = checked(transform.transformArticle, {
  input: z.object(
    {
      snapshot: z.object(
        { key: ARTICLE, article: OBJECT, partsList: TEXT, blocks: MAP, images: MAP },
        'a snapshot, such as fetch of a fetcher returns',
      ),
      read: FUNCTION,
      options: OPTIONS,
      images: z.object(
        { decode: FUNCTION, encodePng: FUNCTION, encodeJpeg: FUNCTION },
        'an image codec, such as sharpImageCodec returns',
      ),
      cache: z.object(
        { get: FUNCTION, getAsync: FUNCTION },
        'a cache, such as createMeshCache returns',
      ),
      loadTangents: FUNCTION.optional(),
    },
    'an object with snapshot, read, options, images and cache',
  ),
});

/**
 * Writes a scene as glTF 2.0 binary; equal scenes give equal bytes.
 *
 * @example
 * ```ts
 * await writeFile('desk.glb', writeGlb(scene));
 * ```
 */
export const writeGlb = checked(glb.writeGlb, { scene: SCENE });

/** Reads all lines of the manifest of an output folder. */
export const readManifest = checked(manifest.readManifest, { outputDir: TEXT });

/** Reads all lines of the catalogue of an output folder, in the first language unless `lang` is given. */
export const readCatalogue = checked(manifest.readCatalogue, {
  outputDir: TEXT,
  lang: TEXT.optional(),
});
