/**
 * btg2gltf as a library: {@link convert} and {@link run} do the main work; the other names are the parts that
 * they consist of.
 */

export { type ContentStore, openFileStore } from './cache/content-store.ts';
export { type CacheDatabase, openCacheDatabase } from './cache/database.ts';
export { type Emulator, type EmulatorOptions, startEmulator } from './emulator/emulator.ts';
export { openRecording } from './emulator/recording.ts';
export { createFetcher, type Fetcher, type FetcherOptions } from './fetch/fetch-article.ts';
export { type ArticleSource, selectArticles } from './fetch/select-articles.ts';
export type { SelectedArticle, Selection, SelectionFailure } from './fetch/selection.ts';
export { type InboxOptions, openInbox, type PermanentIdStore } from './gateway/inbox.ts';
export { type MigrateOptions, migrate } from './gateway/migrate.ts';
export type { Change, Hint, HintCode, Migration } from './gateway/migrate-url.ts';
export {
  type PlannedArticle,
  type PlanningLink,
  planningUrl,
  type StoredPlanning,
} from './gateway/planning-url.ts';
export { openRelay, type RelayOptions } from './gateway/relay.ts';
export type { GatewayServer } from './gateway/server.ts';
export {
  type ConvertParameters,
  convert,
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
export type { AssetFigures, AssetStatus, CatalogueLine, ManifestLine } from './model/asset.ts';
export type { Breadcrumb, CatalogueNode, CatalogueResource } from './model/catalogue.ts';
export type { Block, PartsList, PartsListNode, ServiceMaterial } from './model/graphics.ts';
export type { ImageCodec } from './model/image-codec.ts';
export type { Bounds, Loss, Scene } from './model/scene.ts';
export type { ArticleSnapshot, ContentReader, Digest, Warning } from './model/snapshot.ts';
export { type ConvertedArticle, convertArticle } from './pipeline/convert-article.ts';
export { type Verification, verifyOutput } from './pipeline/output-folder.ts';
export { loadPipeline, type Pipeline, parsePipeline } from './pipeline/pipeline-file.ts';
export { pipelineJsonSchema } from './pipeline/pipeline-schema.ts';
export { type RecordResult, recordPipeline } from './pipeline/record.ts';
export { buildPipeline, fetchPipeline, runPipeline } from './pipeline/run.ts';
export type { RunResult } from './pipeline/run-end.ts';
export type { Progress, RunEnvironment, RunOptions } from './pipeline/run-options.ts';
export { parseArticleList, readArticleList } from './pipeline/source-files.ts';
export { reportHtml } from './report/html.ts';
export { junitXml } from './report/junit.ts';
export { metricsText } from './report/metrics.ts';
export type { FinishedRun } from './report/run-report.ts';
export { type RunReport, reportJsonSchema } from './report/run-report.ts';
export { summarise } from './report/summary.ts';
export type { EmulatedRange } from './sample/range.ts';
export { createSampleRange } from './sample/sample-range.ts';
export {
  type ArticleQuery,
  type Configuration,
  createClient,
  type ServiceClient,
} from './service/client.ts';
export type { ServiceConfig, ServiceDrift } from './service/service-config.ts';
export { ConverterError, ERROR_CODES, type ErrorCode, isConverterError } from './support/errors.ts';
export { sharpImageCodec } from './support/image-codec.ts';
export { createLogger, type Logger, SILENT } from './support/log.ts';
export { CONVERT_DEFAULTS, type ConvertOptions } from './transform/convert-options.ts';
export { createMeshCache } from './transform/mesh-cache.ts';
export { transformArticle } from './transform/transform-article.ts';
export { writeGlb } from './write/glb.ts';
export { readCatalogue, readManifest } from './write/manifest.ts';
