/** Flattens results to the lines of manifest and catalogue, and publishes them. */

import type { Article, ArticleRequest } from '../../model/article.ts';
import {
  articleKey,
  configurationId,
  configurationKey,
  configurationLabel,
  parseConfigurationKey,
  sortConfigurationKeys,
} from '../../model/configuration-id.ts';
import type { Warning } from '../../model/warning.ts';
import { missingValues } from '../../source/fetch/resolve-article.ts';
import type { Selection, SeriesName } from '../../source/fetch/selection.ts';
import { PackedMap } from '../../support/packed-map.ts';
import { cutText, firstWarnings } from '../../support/text-limits.ts';
import type { BuiltResult, Result, Results, SkippedResult } from '../articles/results.ts';
import {
  type CatalogueEntry,
  type CatalogueLine,
  type CatalogueNames,
  FIGURE_FIELDS,
  type ListedRequest,
  type ManifestLine,
  uniqueRequests,
} from '../lists/manifest-line.ts';
import { redactMessages } from '../lists/messages.ts';
import { languagesOf, pipelineServiceId } from '../open/connect.ts';
import type { Run } from '../open/open-run.ts';
import { objectKey } from '../output/article-path.ts';
import { catalogueFiles, keepUnselected, orderFields } from '../output/manifest.ts';
import { publish } from '../output/publish.ts';
import { NamesOfLines } from './series-names.ts';

/** Whether only carts select a request. */
type IsOfCart = (request: ArticleRequest) => boolean;

/** Code of the warning that one of several requests of a configuration failed. */
export const REQUEST_FAILED = 'REQUEST_FAILED';
/** Code of the warning that texts of the catalogue are longer than allowed. */
export const TEXT_CUT = 'TEXT_CUT';

/** Most properties of a catalogue line, and most names in its list of missing ones. */
const MAX_PROPERTIES = 2000;
/** How many texts of the greatest length a catalogue line may have. */
const LONG_TEXTS = 5;
/** What remains of each text beyond them. */
const SHORT_TEXT = 40;
/** Deeper price components are left out: writing them would recurse as deep. */
const MAX_DEPTH = 64;

/**
 * Flattens the results of a configuration to its line.
 *
 * @param results - Of all its requests, in the order of the selection; at least one.
 * @param before - Its previous line.
 * @param isOfCart - Whether only carts select a request.
 * @returns A line without a path, unless it is fresh; `before` itself if it is the same.
 *
 * @see D-746.
 */
export function manifestLine(
  id: ArticleRequest,
  results: readonly Result[],
  before: ManifestLine | undefined,
  isOfCart: IsOfCart = () => false,
): ManifestLine {
  const requested = uniqueRequests(results.map((result) => listed(result, before)));
  const failures = results.filter((result) => result.status === 'failed');
  const failed = firstWarnings(
    failures.map(({ request, error }): Warning => {
      const message = `${configurationKey(request)} failed: ${error.code}: ${error.message}`;
      return { code: REQUEST_FAILED, message };
    }),
  );
  const onlyCarts = requested.every(isOfCart) ? (true as const) : undefined;
  const identity = { ...configurationId(id), onlyCarts };
  const read =
    results.find((result) => 'built' in result) ??
    results.find((result) => result.status === 'skipped');
  if (read !== undefined)
    return orderFields({ ...identity, ...readFields(read, failed), requested });
  const isFresh = results.some(({ status }) => status === 'fresh');
  if (isFresh && before !== undefined) return freshLine(before, failed, { requested, onlyCarts });
  const { error } = failures[0]!;
  return orderFields({ ...identity, ...failedFields(before), requested, error });
}

/** A request as the line lists it: what is fresh is as it was. */
function listed(result: Result, before: ManifestLine | undefined): ListedRequest {
  const { request, status } = result;
  const known = status === 'fresh' ? before && listedIn(before, request) : undefined;
  const answers = 'answers' in result ? result.answers : known?.answers;
  return answers === undefined ? request : { ...request, answers };
}

/** A request of a line. */
export function listedIn(line: ManifestLine, request: ArticleRequest): ListedRequest | undefined {
  const key = configurationKey(request);
  return line.requested.find((one) => configurationKey(one) === key);
}

function readFields(result: BuiltResult | SkippedResult, failed: Warning[]) {
  const { status, convertdate, source } = result;
  const common = { status, convertdate, source };
  if (!('built' in result)) {
    const { reason, warnings } = result;
    return { ...common, losses: [], warnings: redactMessages([...warnings, ...failed]), reason };
  }
  const { losses, warnings, counts: _, ...figures } = result.built;
  return { ...figures, ...common, losses, warnings: redactMessages([...warnings, ...failed]) };
}

function freshLine(
  before: ManifestLine,
  failed: Warning[],
  { requested, onlyCarts }: Pick<ManifestLine, 'requested' | 'onlyCarts'>,
): ManifestLine {
  const own = before.warnings.filter(({ code }) => code !== REQUEST_FAILED);
  const warnings = redactMessages([...own, ...failed]);
  const status = before.status === 'skipped' ? 'skipped' : 'unchanged';
  const isSame =
    before.status === status &&
    before.onlyCarts === onlyCarts &&
    JSON.stringify([before.warnings, before.requested]) === JSON.stringify([warnings, requested]);
  return isSame ? before : orderFields({ ...before, status, warnings, requested, onlyCarts });
}

function failedFields(before: ManifestLine | undefined) {
  const lastGood = before && lastGoodOf(before);
  const convertdate = before?.convertdate ?? '';
  const found = { losses: [], warnings: [], ...(lastGood && { lastGood }) };
  return { status: 'failed', convertdate, source: '', ...found } as const;
}

function lastGoodOf(line: ManifestLine): ManifestLine['lastGood'] {
  if (line.glb === undefined || line.sha256 === undefined) return line.lastGood;
  const known = FIGURE_FIELDS.filter((field) => line[field] !== undefined);
  return Object.fromEntries(
    known.map((field) => [field, line[field]]),
  ) as unknown as ManifestLine['lastGood'];
}

/**
 * Returns what a shop shows beside the GLB, for the article in each language.
 *
 * @param maxTextCharacters - Of one text; longer ones are cut.
 * @returns Also a warning where something was cut.
 */
export function catalogueEntries(
  articles: readonly Article[],
  maxTextCharacters: number,
): { entries: CatalogueEntry[]; warnings: Warning[] } {
  let cut = 0;
  const entries = articles.map((article) =>
    limitedEntry(catalogueEntry(article), maxTextCharacters, () => void cut++),
  );
  if (cut === 0) return { entries, warnings: [] };
  const limit = `limits.maxTextCharacters (${maxTextCharacters})`;
  const message = `catalogue: ${cut} texts or lists are longer than ${limit} allows, and were cut`;
  return { entries, warnings: [{ code: TEXT_CUT, message }] };
}

/** Cuts every text and list of an entry that is too long. @param onCut - Called for each of them. */
function limitedEntry(
  entry: CatalogueEntry,
  maxTextCharacters: number,
  onCut: () => void,
): CatalogueEntry {
  let left = maxTextCharacters * LONG_TEXTS;
  const text = (value: string): string => {
    const limit = Math.min(maxTextCharacters, Math.max(left, SHORT_TEXT));
    const shown = cutText(value, limit);
    if (shown !== value) onCut();
    left -= shown.length;
    return shown;
  };
  const first = <T>(list: readonly T[]): T[] => {
    if (list.length > MAX_PROPERTIES) onCut();
    return list.slice(0, MAX_PROPERTIES);
  };
  const isKept = isSmall(entry.pricecomponents, maxTextCharacters);
  if (!isKept) onCut();
  return {
    ...entry,
    shorttext: text(entry.shorttext),
    longtext: text(entry.longtext),
    varianttext: text(entry.varianttext),
    currency: text(entry.currency),
    pricecomponents: isKept ? entry.pricecomponents : null,
    properties: first(entry.properties).map((property) => ({
      class: text(property.class),
      name: text(property.name),
      text: text(property.text),
      value: text(property.value),
      valueText: text(property.valueText),
    })),
    missing: first(entry.missing).map(text),
  };
}

/** Whether a value of any shape has at most so many characters as JSON, roughly, and is not nested too deep. */
function isSmall(value: unknown, maxCharacters: number): boolean {
  let left = maxCharacters;
  const stack = [{ inside: value, depth: 0 }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { inside, depth } = next;
    left -= typeof inside === 'string' ? inside.length + 2 : 2;
    if (left < 0 || depth > MAX_DEPTH) return false;
    if (typeof inside !== 'object' || inside === null) continue;
    for (const [name, value] of Object.entries(inside)) {
      left -= name.length + 2;
      stack.push({ inside: value, depth: depth + 1 });
    }
  }
  return true;
}

/** Texts, price and the visible properties with their values. D-608 */
function catalogueEntry(article: Article): CatalogueEntry {
  const { ocd } = article;
  const classes = [...(ocd?.propclasses ?? []), ...article.propclasses];
  return {
    shorttext: ocd?.shorttext ?? '',
    longtext: ocd?.longtext ?? '',
    varianttext: ocd?.varianttext ?? '',
    price: ocd?.articlewithprice ? ocd.price : null,
    currency: ocd?.currency ?? '',
    pricecomponents: ocd?.pricecomponents ?? null,
    properties: classes.flatMap(({ name, properties }) =>
      properties
        .filter(({ visible }) => visible)
        .map((property) => ({
          class: name,
          name: property.name,
          text: property.text,
          value: property.currentvalue,
          valueText:
            property.propertyvalues.find((v) => v.valuefrom === property.currentvalue)?.text ??
            property.currentvalue,
        })),
    ),
    ...missingValues(article),
  };
}

/**
 * Makes the lines of the new manifest: those of the run's configurations and the retained previous ones.
 *
 * @param isPartial - Whether the run processed a part of what its pipeline selects: then all other lines
 *   are retained.
 *
 * @see D-740.
 */
export function newLines(
  run: Run,
  results: Results,
  selection: Pick<Selection, 'failures' | 'unread'>,
  isPartial: boolean,
  isOfCart: IsOfCart,
): PackedMap<ManifestLine> {
  const lines = new PackedMap<ManifestLine>(run.output.spool);
  const before = run.output.previous.lines;
  for (const key of sortConfigurationKeys(results.keys())) {
    const only = results.onlyFreshOf(key)?.request;
    // Almost every line of most runs, which is not decoded then.
    if (only !== undefined && !isOfCart(only) && run.output.previous.isSettled(key, only)) {
      lines.share(key, before);
      continue;
    }
    const own = results.of(key).map(({ result }) => result);
    const known = before.get(key);
    const line = manifestLine(parseConfigurationKey(key), own, known, isOfCart);
    if (line === known) lines.share(key, before);
    else lines.set(key, line);
  }
  const earlier = isPartial ? before.values() : retainedLines(run, results, selection);
  keepUnselected(lines, earlier, before);
  return lines;
}

/** Lines of articles, parts of the catalogue and plannings that failed in a complete run: what they have is not known. */
function* retainedLines(
  run: Run,
  results: Results,
  { failures, unread = [] }: Pick<Selection, 'failures' | 'unread'>,
): Iterable<ManifestLine> {
  const articles = new Set(failures.flatMap(({ article }) => article ?? []).map(articleKey));
  const children = childrenOfFailed(run, results);
  if (articles.size === 0 && children.size === 0 && unread.length === 0) return;
  const sameId = (wanted: string, id: string) =>
    wanted === '' || wanted.toUpperCase() === id.toUpperCase();
  for (const line of run.output.previous.lines.values()) {
    const isUnread = unread.some(
      (part) => sameId(part.manufacturer, line.manufacturer) && sameId(part.program, line.program),
    );
    const isChild = line.requested.some((request) => children.has(configurationKey(request)));
    if (isUnread || isChild || articles.has(articleKey(line))) yield line;
  }
}

/** Keys of the children, at any depth, of the plannings that failed. */
function childrenOfFailed({ options, sources }: Run, results: Results): Set<string> {
  const service = pipelineServiceId(options.pipeline.service);
  const children = new Set<string>();
  const parents: string[] = [];
  for (const { result } of results.all()) {
    if (result.status === 'failed') parents.push(configurationKey(result.request));
  }
  for (let parent = parents.pop(); parent !== undefined; parent = parents.pop()) {
    for (const { request } of sources.database.snapshots.get(service, parent)?.unplaced ?? []) {
      const child = configurationKey(request);
      if (children.has(child)) continue;
      children.add(child);
      parents.push(child);
    }
  }
  return children;
}

/** What a run has read. */
export interface ReadResults {
  results: Results;
  /** Of the series that it has selected. */
  names?: readonly SeriesName[] | undefined;
}

/** Publishes the lines of the new manifest: links, manifest, catalogue. @param isWhole - As in {@link publish}. */
export async function publishResults(
  { options, environment, output }: Run,
  lines: PackedMap<ManifestLine>,
  { results, names }: ReadResults,
  isWhole: boolean,
): Promise<void> {
  const { log, signal } = environment;
  const { copied, restored, withoutObject } = await publish({
    outputDir: options.pipeline.outputDir,
    lines,
    before: output.previous.lines,
    catalogues: newCatalogues({ options, output }, lines, { results, names }),
    settled: output.previous.settled,
    objectPath: output.objects.pathOf,
    objectKey: output.published && objectKey,
    unsynced: output.unsynced,
    isWhole,
    signal,
  });
  await output.published?.publish();
  if (copied > 0)
    log.warn('the file system has no hard links: files below articles/ are copies', { copied });
  const links = restored.filter((key) => !output.damages.has(key));
  for (const key of links) output.damages.set(key, { problem: LINK_DAMAGED });
  const name = (key: string | undefined) => key && configurationLabel(parseConfigurationKey(key));
  if (links.length > 0) log.warn(LINK_DAMAGED, { files: links.length, first: name(links[0]) });
  const [first] = withoutObject;
  if (first === undefined) return;
  const advice = 'what failed or was not selected is not built anew';
  log.warn(`objects are missing: ${advice}`, { missing: withoutObject.length, first });
}

const LINK_DAMAGED = 'a file below articles/ was changed or removed; it is linked anew';

/** The catalogue in each language, for the lines of the new manifest. */
export function newCatalogues(
  { options, output }: Pick<Run, 'options' | 'output'>,
  lines: PackedMap<ManifestLine>,
  { results, names = [] }: ReadResults,
) {
  return catalogueFiles(languagesOf(options.pipeline.service)).map((file, language) => {
    const before = output.previous.catalogues[language]!;
    const now = new PackedMap<CatalogueLine>(output.spool);
    fillCatalogue(now, before, lines.keys(), {
      entryOf(key) {
        const read = results.readOf(key);
        const entry = read?.catalogue[language];
        return entry && { ...configurationId(read!.key), ...entry, ...UNPUBLISHED };
      },
      names: new NamesOfLines(names, before, output.previous.categories),
    });
    return { file, lines: now, before };
  });
}

/** Publishing adds what is published. */
const UNPUBLISHED = { sizeMillimetres: null, glb: null, sha256: null };

type UnnamedLine = Omit<CatalogueLine, keyof CatalogueNames>;

/** Lines that were not read stay as they are, but for a name that has changed. */
function fillCatalogue(
  catalogue: PackedMap<CatalogueLine>,
  before: PackedMap<CatalogueLine>,
  keys: Iterable<string>,
  { entryOf, names }: { entryOf(key: string): UnnamedLine | undefined; names: NamesOfLines },
): void {
  for (const key of keys) {
    const entry = entryOf(key);
    if (entry !== undefined) catalogue.set(key, withNames(entry, names.of(key)));
    else if (before.has(key)) {
      const changed = names.changedOf(key);
      if (changed === undefined) catalogue.share(key, before);
      else catalogue.set(key, withNames(before.get(key)!, changed));
    }
  }
}

/** A line with its names after its ids. */
function withNames(line: UnnamedLine, names: CatalogueNames): CatalogueLine {
  return { ...configurationId(line), ...names, ...line, ...names };
}
