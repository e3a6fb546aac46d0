/** Processes one configuration: from its request over snapshot, source digest and GLB to its result. */

import type { DecodedReader } from '../../convert/model/input.ts';
import { conversionText } from '../../convert/transform/convert-options.ts';
import { decodePartsList } from '../../convert/wire/parts-list.ts';
import type { ArticleKey, ArticleRequest } from '../../model/article.ts';
import type { Built, Decision } from '../../model/asset.ts';
import { configurationKey } from '../../model/configuration-id.ts';
import type { ArticleSnapshot, Digest, Fetched } from '../../model/snapshot.ts';
import type { Warning } from '../../model/warning.ts';
import type { ContentStore } from '../../source/cache/content-store.ts';
import type { Fetcher } from '../../source/fetch/fetch-article.ts';
import { withChildren } from '../../source/fetch/resolve-article.ts';
import type { SelectedArticle } from '../../source/fetch/selection.ts';
import { loadSnapshot, REPORTED, snapshotDigests } from '../../source/fetch/snapshot.ts';
import { asFailure, ConverterError } from '../../support/errors.ts';
import { sha256Hex } from '../../support/files.ts';
import { linkOrCopy } from '../../support/links.ts';
import { cutText, TEXT_LIMITS } from '../../support/text-limits.ts';
import type { FailedResult, FreshResult, Processor, Result } from '../articles/results.ts';
import { type Convert, openConversions, within } from '../conversions/dispatch.ts';
import type { Pipeline } from '../file/pipeline-file.ts';
import { FIGURE_FIELDS, type ManifestLine } from '../lists/manifest-line.ts';
import { languagesOf, pipelineServiceId } from '../open/connect.ts';
import type { Run } from '../open/open-run.ts';
import type { PreviousOutput } from '../open/output.ts';
import { publishedAsset } from '../output/publish.ts';
import { catalogueEntries, listedIn, REQUEST_FAILED, TEXT_CUT } from '../publishing/lines.ts';

interface Snapshots {
  /** The snapshot of the last fetch if all of it is fresh, without reading it. */
  fresh: Fetcher['freshSnapshot'];
  /** The whole snapshot, fetched where it is not cached. */
  load(selected: SelectedArticle, signal: AbortSignal): Promise<ArticleSnapshot>;
  /** Bodies that were decoded while they were fetched. */
  decoded?: DecodedReader;
}

/** Fetches snapshots and converts them: `run`. */
export async function fetchAndConvert(run: Run): Promise<Processor> {
  const fetcher = await run.sources.session.fetcher();
  const load: Snapshots['load'] = ({ request, children }, signal) =>
    fetcher.fetch(request, children, signal);
  const snapshots = { fresh: fetcher.freshSnapshot, load, decoded: fetcher.decoded };
  const processor = new ConfigurationProcessor(run, snapshots);
  return {
    process: async (selected) =>
      (await waitingStill(run, fetcher, selected)) ?? processor.process(selected),
    // The response is cached in this run, and so is its failure.
    resolve: async (request) => (await fetcher.resolve(request).catch(() => undefined))?.key,
  };
}

/** Looks at what is in quarantine, and returns its last failure unless it is worth processing. @see D-852 */
async function waitingStill(
  run: Run,
  fetcher: Fetcher,
  { request, quarantined }: SelectedArticle,
): Promise<FailedResult | undefined> {
  if (quarantined === undefined) return undefined;
  const { isOfFetch, ...error } = quarantined;
  const look = () => within(run, (signal) => fetcher.hasChanged(request, signal));
  const noted = () => run.notes.during(configurationKey(request), look);
  try {
    if ((await run.metrics.stopwatch.during('fetch', noted)) || isOfFetch) return undefined;
  } catch (thrown) {
    asFailure(thrown);
  }
  return { status: 'failed', request, key: undefined, error, isWaiting: true };
}

/** Converts the snapshots of the last fetch, without a network: `build`. */
export async function convertFetched(run: Run): Promise<Processor> {
  const source = snapshotSource(run);
  return new ConfigurationProcessor(run, {
    fresh: async (request) =>
      source.database.snapshots.summary(source.service, configurationKey(request)),
    load: ({ request }) => loadSnapshot(source, request),
  });
}

/** Fetches snapshots into the cache and builds nothing: `fetch`. */
export async function fetchOnly(run: Run): Promise<Processor> {
  const { sources, metrics, notes } = run;
  const fetcher = await sources.session.fetcher();
  return {
    process: async ({ request, children }) => {
      const snapshot = await metrics.stopwatch.during('fetch', () =>
        notes.during(configurationKey(request), () =>
          within(run, (signal) => fetcher.fetch(request, children, signal)),
        ),
      );
      const { key, warnings, unplaced = [] } = snapshot;
      return { status: 'fetched', request, key, warnings, unplaced };
    },
  };
}

/** Returns where `loadSnapshot` finds the snapshots of a pipeline. */
export function snapshotSource({ options, sources }: Pick<Run, 'options' | 'sources'>) {
  const service = pipelineServiceId(options.pipeline.service);
  return { service, database: sources.database, store: sources.bodies };
}

/** What is published of a configuration, and what is stored of it: whether an article is as it was. */
class ConfigurationProcessor {
  readonly #run: Run;
  readonly #snapshots: Snapshots;
  readonly #builder: Builder;
  readonly #sourceOf: (inputs: Digest) => Digest;
  readonly #answersOf: (answers: Digest) => Digest;
  /** Whether nothing is published: no article can be as it was. */
  readonly #isFirst: boolean;

  constructor(run: Run, snapshots: Snapshots) {
    const { pipeline } = run.options;
    this.#run = run;
    this.#snapshots = snapshots;
    this.#builder = new Builder(run, snapshots.decoded);
    this.#sourceOf = sourceDigest(pipeline.convert);
    this.#answersOf = catalogueDigest(pipeline);
    this.#isFirst = run.output.previous.lines.size === 0;
  }

  async process(selected: SelectedArticle): Promise<Result> {
    const { metrics, notes } = this.#run;
    const fresh = await metrics.stopwatch.during('fetch', () => this.#fresh(selected));
    const key = configurationKey(selected.request);
    return fresh ?? notes.during(key, () => this.#processStale(selected));
  }

  /** The result of a configuration that is as it was; undefined if its snapshot has to be read. */
  async #fresh({ request, children }: SelectedArticle): Promise<FreshResult | undefined> {
    const { options, output } = this.#run;
    // The freshness of a snapshot does not cover the children of a stored planning.
    if (options.force || children !== undefined || this.#isFirst) return undefined;
    const snapshot = await this.#snapshots.fresh(request);
    // Without answers, it is of an older version, or was cached since by something that has not published it.
    if (snapshot?.answers === undefined) return undefined;
    const { key, inputs } = snapshot;
    const answers = this.#answersOf(snapshot.answers);
    const id = configurationKey(key);
    if (!output.previous.isCatalogued(id)) return undefined;
    const source = this.#sourceOf(inputs);
    // The line is decoded if it is about to change anyway.
    const settled = output.previous.settled.get(id);
    if (settled?.source === source && settled.answers === answers)
      return (await this.#builder.isStored(settled))
        ? { status: 'fresh', request, key }
        : undefined;
    const line = this.#lineOf(key, source);
    if (line === undefined || listedIn(line, request)?.answers !== answers) return undefined;
    const isCurrent = line.status === 'skipped' || (await this.#builder.isStored(line));
    return isCurrent ? { status: 'fresh', request, key } : undefined;
  }

  async #processStale(selected: SelectedArticle): Promise<Result> {
    const { request } = selected;
    const { options, sources, output, metrics } = this.#run;
    const { service } = options.pipeline;
    const before = this.#isFirst
      ? undefined
      : sources.database.snapshots.get(pipelineServiceId(service), configurationKey(request));
    const snapshot = await metrics.stopwatch.during('fetch', () =>
      within(this.#run, (signal) => this.#snapshots.load(selected, signal)),
    );
    const { key } = snapshot;
    const { inputs, answers } = snapshotDigests(snapshot);
    const source = this.#sourceOf(inputs);
    const common = this.#commonResult(request, snapshot, source, this.#answersOf(answers));
    const line = this.#lineOf(key, source);
    if (await isCommercial(snapshot, sources.bodies, this.#snapshots.decoded)) {
      expectUnpublished(output.previous, request, key);
      const tier = line === undefined ? 'skipped' : tierOf(snapshot);
      const decision: Decision = { tier, why: [NO_GEOMETRY.message] };
      return { status: 'skipped', ...common, reason: NO_GEOMETRY, decision };
    }
    const published = line && (await this.#builder.isStored(line)) ? builtOf(line) : undefined;
    const built = published ?? (await this.#builder.build(snapshot, source));
    const counts = built.counts ?? sources.database.builds.get(source)?.counts;
    const { warnings, ...others } = common;
    const why = () => whyBuilt(this.#run, before, snapshot);
    return {
      status: published === undefined ? 'converted' : 'unchanged',
      ...others,
      built: { ...built, counts, warnings: [...warnings, ...built.warnings] },
      decision: published ? { tier: tierOf(snapshot), why: [] } : { tier: 'built', why: why() },
    };
  }

  #commonResult(
    request: ArticleRequest,
    snapshot: ArticleSnapshot,
    source: Digest,
    answers: Digest,
  ) {
    const { service, limits } = this.#run.options.pipeline;
    const { key, article, translations = [], unplaced = [] } = snapshot;
    const languages = languagesOf(service);
    // Texts that there are not in a language are those of the first.
    const articles = languages.map(
      (lang) => translations.find((translation) => translation.lang === lang)?.article ?? article,
    );
    const { entries, warnings } = catalogueEntries(articles, limits.maxTextCharacters);
    const missing = notFetched(languages.slice(1), snapshot);
    return {
      request,
      key,
      convertdate: article.ocd?.convertdate ?? '',
      source,
      catalogue: entries,
      answers,
      ...(unplaced.length > 0 && { unplaced }),
      warnings: [...snapshot.warnings.filter(isReported), ...missing, ...warnings],
    };
  }

  #lineOf(key: ArticleKey, source: Digest): ManifestLine | undefined {
    const line = this.#run.output.previous.lines.get(configurationKey(key));
    return line?.source === source ? line : undefined;
  }
}

/** Languages of which a snapshot has no answer: it was fetched for others. */
function notFetched(languages: readonly string[], snapshot: ArticleSnapshot): Warning[] {
  const known = new Set(snapshot.translations?.map(({ lang }) => lang));
  const missing = snapshot.warnings.filter(({ code }) => code === 'TRANSLATION_MISSING');
  return languages
    .filter((lang) => !known.has(lang))
    .filter((lang) => !missing.some(({ message }) => message.startsWith(`language ${lang}: `)))
    .map((lang) => ({ code: 'TRANSLATION_MISSING', message: `language ${lang}: not fetched yet` }));
}

/** Why an article such as a service or a discount has no GLB. */
const NO_GEOMETRY = {
  code: 'NO_GEOMETRY',
  message: 'its parts list is empty: it is purely commercial',
};

/** A parts list of more bytes has something to draw; to decode it here takes long. */
const EMPTY_LIST_BYTES = 1024 * 1024;

/** Whether an article has nothing to draw by design: no parts, no blocks, and nothing went wrong. D-749 */
async function isCommercial(
  { article, blocks, partsList }: ArticleSnapshot,
  bodies: Pick<ContentStore, 'get' | 'sizeOf'>,
  decoded: DecodedReader | undefined,
): Promise<boolean> {
  if (blocks.size > 0 || withChildren(article).some(({ dump }) => dump !== '')) return false;
  if (((await bodies.sizeOf(partsList)) ?? 0) > EMPTY_LIST_BYTES) return false;
  const { nodes, blockNames } =
    decoded?.partsList(partsList) ?? decodePartsList(await bodies.get(partsList));
  const isEmpty = nodes.every(({ type, children }) => type === 'top' && children.length === 0);
  return isEmpty && blockNames.length === 0;
}

/** What had a GLB and has no parts now is more likely a mistake of the service than a new kind of article. */
function expectUnpublished(
  { lines, keyOfRequest }: PreviousOutput,
  request: ArticleRequest,
  key: ArticleKey,
): void {
  for (const known of [configurationKey(key), keyOfRequest(request)]) {
    const line = known === undefined ? undefined : lines.get(known);
    if (line === undefined || publishedAsset(line) === undefined) continue;
    const message = 'parts list: expected parts, since a GLB is published, received none';
    throw new ConverterError('NOTHING_TO_DRAW', message);
  }
}

function tierOf({ requested }: ArticleSnapshot): Decision['tier'] {
  if (requested === undefined) return 'kept';
  if (requested.bodies > 0) return 'digest';
  return requested.article || requested.partsList ? 'parts-list' : 'kept';
}

/** The snapshot of a request before this run, as it is stored. */
type SnapshotBefore = ReturnType<Run['sources']['database']['snapshots']['get']>;

function whyBuilt(
  { options, output }: Run,
  before: SnapshotBefore,
  snapshot: ArticleSnapshot,
): string[] {
  if (options.force) return ['--force builds everything anew'];
  const line = output.previous.lines.get(configurationKey(snapshot.key));
  if (line === undefined) return ['it is not in the previous manifest'];
  if (line.sha256 === undefined) return ['it failed before'];
  const changes = sourceChanges(before, snapshot);
  if (changes.length > 0) return changes;
  const damage = output.damages.get(configurationKey(snapshot.key));
  return [
    damage === undefined ? 'options or converter have changed' : `its GLB was ${damage.problem}`,
  ];
}

/** Names listed; a changed parts list may bring hundreds. */
const MOST_NAMES = 20;

/** Lists what differs between two snapshots of one request: `block ACME::DESK::LEG has changed`. */
function sourceChanges(before: SnapshotBefore, now: ArticleSnapshot): string[] {
  if (before === undefined) return ['it was never fetched before'];
  const all = [
    ...(before.partsList === now.partsList ? [] : ['the parts list has changed']),
    ...changedBodies('block', new Map(before.blocks), now.blocks),
    ...changedBodies('image', new Map(before.images), now.images),
  ];
  const listed = all.slice(0, MOST_NAMES).map((change) => cutText(change, TEXT_LIMITS.name));
  const more = all.length - listed.length;
  return more > 0 ? [...listed, `${more} more have changed`] : listed;
}

function changedBodies(
  what: string,
  before: ReadonlyMap<string, Fetched>,
  now: ReadonlyMap<string, Fetched>,
): string[] {
  const names = [...new Set([...before.keys(), ...now.keys()])].sort();
  return names.flatMap((name) => {
    const [was, is] = [before.get(name), now.get(name)];
    if (was === undefined) return [`${what} ${name} is new`];
    if (is === undefined) return [`${what} ${name} is no longer used`];
    return contentOf(was) === contentOf(is) ? [] : [`${what} ${name} has changed`];
  });
}

function contentOf(fetched: Fetched): string {
  return 'digest' in fetched ? fetched.digest : fetched.missing.code;
}

/** Warnings about the article rather than its GLB are taken from each snapshot anew. */
function isReported({ code }: Warning): boolean {
  return REPORTED.has(code) || code === TEXT_CUT;
}

/** The GLB of a line, without what each run finds out anew; undefined if the line lacks a figure. */
function builtOf(line: ManifestLine): Built | undefined {
  const fields = FIGURE_FIELDS.filter((field) => field !== 'glb');
  if (fields.some((field) => line[field] === undefined)) return undefined;
  const figures = Object.fromEntries(fields.map((field) => [field, line[field]]));
  const warnings = line.warnings.filter((w) => !isReported(w) && w.code !== REQUEST_FAILED);
  return { ...figures, losses: line.losses, warnings } as Built;
}

/** Builds each source once a run, unless an earlier run did and its GLB is stored, or in the cache. */
class Builder {
  readonly #run: Run;
  readonly #isForced: boolean;
  readonly #convert: Convert;
  readonly #builds = new Map<Digest, Promise<Built>>();

  constructor(run: Run, decoded: DecodedReader | undefined) {
    this.#run = run;
    this.#isForced = run.options.force ?? false;
    this.#convert = openConversions(run, decoded);
  }

  /** Whether a GLB is in the store, and need not be built anew. */
  async isStored({ sha256, bytes }: Pick<ManifestLine, 'sha256' | 'bytes'>): Promise<boolean> {
    const { output } = this.#run;
    return !this.#isForced && sha256 !== undefined && output.hasObject(sha256, bytes);
  }

  build(snapshot: ArticleSnapshot, source: Digest): Promise<Built> {
    const running = this.#builds.get(source) ?? this.#build(snapshot, source);
    this.#builds.set(source, running);
    // The database has it now; one that has failed fails again.
    if (!this.#isForced) running.then(() => this.#builds.delete(source)).catch(() => {});
    return running;
  }

  async #build(snapshot: ArticleSnapshot, source: Digest): Promise<Built> {
    const { sources, output, metrics } = this.#run;
    const { database, derived } = sources;
    const { objects, published } = output;
    const share = async (object: Digest) => published?.shareObject(object, objects.pathOf(object));
    const earlier = this.#isForced ? undefined : database.builds.get(source);
    // A store that machines share has it, perhaps from another one: then it is not in the output folder.
    if (earlier !== undefined && (await this.isStored(earlier))) return earlier;
    const isRestored =
      earlier !== undefined &&
      (await metrics.stopwatch.during('write', () => this.#restore(earlier.sha256)));
    if (isRestored) {
      await share(earlier.sha256);
      return earlier;
    }
    const converted = await metrics.stopwatch.during('transform', () =>
      this.#convert('build', snapshot),
    );
    await output.checks.recordWritten(converted.sha256);
    const fetched = snapshot.warnings.filter((warning) => !isReported(warning));
    const built = { ...converted, warnings: [...fetched, ...converted.warnings] };
    database.builds.put(source, built);
    const { sha256, bytes } = built;
    if (!this.#isForced) await derived.keepFile(objects.pathOf(sha256), sha256, bytes);
    await share(sha256);
    return built;
  }

  /** Links the GLB of an earlier run from the cache: once its content is checked, it is as good as a new one. */
  async #restore(sha256: Digest): Promise<boolean> {
    const { objects, objectFiles, unsynced, checks } = this.#run.output;
    const kept = await this.#run.sources.derived.keptFile(sha256);
    if (kept === undefined) return false;
    const to = objects.pathOf(sha256);
    const linked = await linkOrCopy(kept, to, objectFiles.tmpDir, undefined, unsynced);
    if (linked === 'absent') return false;
    await checks.recordWritten(sha256);
    return true;
  }
}

/** Count up whenever the lines of the catalogue come to say something else of the same answers. */
const CATALOGUE_VERSION = '1';

/** Makes a function that digests the answers about an article, and what shapes the lines that are made of them. */
export function catalogueDigest({ service, limits }: Pick<Pipeline, 'service' | 'limits'>) {
  const shape = [CATALOGUE_VERSION, languagesOf(service), limits.maxTextCharacters];
  const options = JSON.stringify(shape);
  return (answers: Digest): Digest => sha256Hex(`${options}\n${answers}`);
}

/** Makes a function that digests the inputs and the conversion, but not the identity of the article. D-745 */
export function sourceDigest(...conversion: Parameters<typeof conversionText>) {
  const digest = sha256Hex(conversionText(...conversion));
  return (inputs: Digest): Digest => sha256Hex(`${digest}\n${inputs}`);
}
