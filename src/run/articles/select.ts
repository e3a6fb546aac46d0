/** Selects the configurations of a run: each request in a stable order, and what could not be selected. */

import { dirname, join, relative, sep } from 'node:path';
import type { ArticleRequest } from '../../model/article.ts';
import type { CatalogueNode } from '../../model/catalogue.ts';
import { articleKey, articleLabel, configurationLabel } from '../../model/configuration-id.ts';
import type { Warning } from '../../model/warning.ts';
import type { Fetcher } from '../../source/fetch/fetch-article.ts';
import type {
  ArticleSource,
  SelectedArticle,
  Selection,
  SelectionFailure,
} from '../../source/fetch/selection.ts';
import { asConverterError, ConverterError, endsRun } from '../../support/errors.ts';
import {
  readBytesIfExists,
  readTextIfExists,
  replaceFile,
  sha256Hex,
  temporaryFolder,
} from '../../support/files.ts';
import { globMatcher } from '../../support/glob.ts';
import { didYouMean } from '../../support/nearest.ts';
import { redact } from '../../support/redact.ts';
import { cutText, TEXT_LIMITS } from '../../support/text-limits.ts';
import type { Pipeline } from '../file/pipeline-file.ts';
import { configurationLabels } from '../lists/manifest-line.ts';
import { redactMessages } from '../lists/messages.ts';
import { describeService, pipelineServiceId } from '../open/connect.ts';
import type { Run } from '../open/open-run.ts';
import type { RunEnvironment } from '../open/run-environment.ts';
import { jsonLines } from '../output/manifest.ts';
import { findCarts, findPlannings, readListFile, readPermanentIds } from './source-files.ts';

/** Articles or entries that a message names. */
const EXAMPLES = 3;
const MOST_REASONS = 10;

/** The quarantine, as far as a selection needs it. */
interface Requests {
  /** Whether a request is in quarantine and not tried in this run. */
  isUntried(request: ArticleRequest): boolean;
  send<T>(subject: ArticleRequest | { what: string }, send: () => Promise<T>): Promise<T>;
}

const ALL_TRIED: Requests = { isUntried: () => false, send: (_, send) => send() };

/**
 * Selects at the service, and stores the whole selection for a later `build`.
 *
 * @throws {@link ConverterError} `LIST_INVALID`, `NOTHING_SELECTED`, or an error of the service. @see D-800, D-806
 */
export async function selectLive(run: Run, requests = ALL_TRIED): Promise<Selection> {
  const isUntried = (request: ArticleRequest) => requests.isUntried(request);
  const { options, environment, metrics } = run;
  const { session } = run.sources;
  const { pipeline, only } = options;
  return metrics.stopwatch.during('select', async () => {
    const { selectArticles, distinctArticles } = await import(
      '../../source/fetch/select-articles.ts'
    );
    const open = (entry: Pipeline['articles'][number]) => openSource(entry, run, isUntried);
    const sources = await Promise.all(pipeline.articles.map(open));
    const fetcher = await session.fetcher();
    const reader = createReader(fetcher, requests, environment.selecting);
    const isDelivered = pipeline.deliver !== undefined;
    const selected = await selectArticles(sources, reader, isDelivered).catch(cannotSelect);
    if (selected.articles.length === 0) {
      expectReadable(selected);
      session.refuse();
    }
    const isUntriedCart = ({ onlyCarts, request }: SelectedArticle) =>
      onlyCarts === true && isUntried(request);
    const articles = await distinctArticles(selected.articles, reader.identify, isUntriedCart);
    // So that `build` needs neither the service nor its variables.
    await store(pipeline, selectionPath(pipeline), jsonLines(articles));
    await run.sources.noteAccount();
    const variables = JSON.stringify(pipeline.serviceVariables);
    if (Object.keys(pipeline.serviceVariables).length > 0)
      await store(pipeline, variablesPath(pipeline), new TextEncoder().encode(variables));
    const { unread, names } = selected;
    const failures = redactMessages(selected.failures);
    const all = [...listWarnings(pipeline, sources), ...selected.warnings];
    // Several entries may ask for the same.
    const distinct = new Map(all.map((warning) => [`${warning.code} ${warning.message}`, warning]));
    const warnings = redactMessages([...distinct.values()]);
    const notSelected: NotSelected = { failures, warnings, names, ...(unread && { unread }) };
    await store(pipeline, selectionPath(pipeline, NOT_SELECTED), jsonLines([notSelected]));
    return narrow({ articles, ...notSelected }, only);
  });
}

/**
 * Finds the base articles of all that the pipeline selects: the keys of `articleKey`. No article is requested for it but
 * those of plannings.
 *
 * @throws {@link ConverterError} as {@link selectLive}.
 */
export async function baseArticles(run: Run): Promise<ReadonlySet<string>> {
  const { articles } = run.options.pipeline;
  const { selectArticles } = await import('../../source/fetch/select-articles.ts');
  const sources = await Promise.all(
    articles.map(async (entry): Promise<ArticleSource> => {
      if (entry.kind !== 'configurations') return openSource(entry, run, ALL_TRIED.isUntried);
      const { manufacturer, program, basearticlenumber } = entry;
      return { ...NO_CONFIGURATION, manufacturer, program, basearticlenumber };
    }),
  );
  const reader = createReader(await run.sources.session.fetcher(), ALL_TRIED, undefined);
  const selected = await selectArticles(sources, reader).catch(cannotSelect);
  return new Set(selected.articles.map(({ request }) => articleKey(request)));
}

const NO_CONFIGURATION = {
  kind: 'article',
  finalarticlenumber: '',
  reinitstring: '',
  metareinitstring: '',
} as const;

/** Selects what the last fetch selected; what it could not select is missing here too. @throws {@link ConverterError} `SNAPSHOT_MISSING`, `NOTHING_SELECTED`. */
export async function selectFetched({ options, metrics }: Run): Promise<Selection> {
  return metrics.stopwatch.during('select', async () => {
    const articles = await readSelection(options.pipeline);
    const notSelected = await readNotSelected(options.pipeline);
    return narrow({ articles, ...notSelected }, options.only);
  });
}

/** Without a selection the run cannot continue. */
function cannotSelect(thrown: unknown): never {
  const error = asConverterError(thrown);
  if (endsRun(error.code) || error.code === 'INTERNAL') throw error;
  const message = `the articles cannot be selected: ${error.message}`;
  const help = error.code === 'KILLED_THE_RUN' ? { help: error.help } : {};
  throw new ConverterError('SERVICE_UNREACHABLE', message, { cause: error, ...help });
}

/** Where nothing is left of a catalogue, the service ends the run, not the pipeline file. */
function expectReadable({ failures, unread = [] }: Selection): void {
  const failure = failures.find(({ code }) => code !== 'NODE_NOT_FOUND');
  if (unread.length === 0 || failure === undefined) return;
  cannotSelect(new ConverterError('HTTP_STATUS', `${failure.what}: ${failure.message}`));
}

/** Sends the requests by the quarantine, and reports how many articles the listings have shown so far, each time. */
function createReader(
  { nodes, search, resolve, change, identify }: Fetcher,
  requests: Requests,
  report: RunEnvironment['selecting'] = () => {},
) {
  let found = 0;
  const count = (listed: CatalogueNode[]) => {
    found += listed.filter(({ nodetype }) => nodetype === 'A').length;
    report(found);
    return listed;
  };
  report(0);
  const list = (what: string, read: () => Promise<CatalogueNode[]>) =>
    requests.send({ what: cutText(what, TEXT_LIMITS.name) }, read).then(count);
  return {
    nodes: (...folder) => list(`getNodes ${folder[0] || 'top'}`, () => nodes(...folder)),
    search: (...query) => list(`search ${query.join(' ')}`, () => search(...query)),
    resolve: (request) => requests.send(request, () => resolve(request)),
    change(from, setting) {
      const { propclass, prop, newvalue } = setting;
      const what = `${configurationLabel(from.key)} ${propclass}.${prop}=${newvalue}`;
      return requests.send({ what: cutText(what, TEXT_LIMITS.name) }, () => change(from, setting));
    },
    identify: (request) => requests.send(request, () => identify(request)),
  } satisfies Partial<Fetcher>;
}

/** Reads the files and database rows that an entry of the pipeline refers to. */
async function openSource(
  entry: Pipeline['articles'][number],
  { options, sources, environment }: Run,
  isUntried: Requests['isUntried'],
): Promise<ArticleSource> {
  const { limits } = options.pipeline;
  switch (entry.kind) {
    case 'list': {
      const name = listName(entry.file, options.pipeline);
      return { kind: 'list', name, ...(await readListFile(entry.file)) };
    }
    case 'carts':
      return {
        ...{ kind: 'planning', as: entry.as },
        plannings: await findCarts(entry.glob, limits, environment.signal),
        maxArticles: limits.maxCarts,
        isUntried,
      };
    case 'permanentids': {
      const { from, as } = entry;
      const { service } = options.pipeline;
      const plannings = await findPlannings(await permanentIds(from, options.pipeline), {
        service: describeService(service),
        permanentIds: sources.database.permanentIds,
        recording: service.recording,
        onPlanning: environment.onPlanning,
      });
      return { kind: 'planning', as, plannings };
    }
    default:
      return entry;
  }
}

async function permanentIds(
  from: Extract<Pipeline['articles'][number], { kind: 'permanentids' }>['from'],
  pipeline: Pipeline,
): Promise<Parameters<typeof findPlannings>[0]> {
  if ('ids' in from) return from.ids.map((id) => ({ id }));
  const name = listName(from.file, pipeline);
  const ids = await readPermanentIds(from.file);
  return Array.from(ids, ([id, lines]) => {
    return { id, selectedBy: lines.map((line) => `${name}:${line}`) };
  });
}

/** Files that select nothing, or less than they seem to. */
function listWarnings({ articles }: Pipeline, sources: readonly ArticleSource[]): Warning[] {
  return articles.flatMap((entry, index): Warning[] => {
    const source = sources[index]!;
    if (entry.kind === 'list' && source.kind === 'list') {
      const { name, rows, header, merged } = source;
      const message = `in ${name}, ${merged}`;
      if (rows.length > 0) return merged ? [{ code: 'LIST_LINES_MERGED', message }] : [];
      const empty = `${entry.file}: no line follows the header ${header}`;
      return [{ code: 'LIST_EMPTY', message: empty }];
    }
    if (source.kind !== 'planning' || source.plannings.length > 0) return [];
    if (entry.kind === 'carts')
      return [{ code: 'CARTS_EMPTY', message: `no cart matches ${entry.glob}` }];
    const file = entry.kind === 'permanentids' && 'file' in entry.from ? entry.from.file : 'ids';
    return [{ code: 'LIST_EMPTY', message: `${file}: no line has a permanent identifier` }];
  });
}

/** The path of a list below the folder that contains all lists of the pipeline, for messages. */
function listName(file: string, { articles }: Pipeline): string {
  const lists = articles.flatMap((entry) => {
    if (entry.kind === 'list') return [entry.file];
    return entry.kind === 'permanentids' && 'file' in entry.from ? [entry.from.file] : [];
  });
  let folder = dirname(file);
  const isAbove = (list: string) => !relative(folder, list).startsWith('..');
  while (!lists.every(isAbove) && dirname(folder) !== folder) folder = dirname(folder);
  return redact(relative(folder, file).replaceAll(sep, '/'));
}

/** The part of a selection that `--only` matches; it may have failures only. @throws `NOTHING_SELECTED` */
function narrow(selection: Selection, only: string | undefined): Selection {
  const matchesLabel = globMatcher(only ?? '*');
  const matches = (id: Parameters<typeof configurationLabels>[0]) =>
    configurationLabels(id).some(matchesLabel);
  const articles =
    only === undefined
      ? selection.articles
      : selection.articles.filter(({ request, alike = [] }) => [request, ...alike].some(matches));
  const isMeant = ({ article }: SelectionFailure) =>
    only === undefined || (article !== undefined && matches(article));
  const failures = selection.failures.filter(isMeant);
  if (articles.length > 0 || failures.length > 0) return { ...selection, articles, failures };
  throw nothingSelected(selection, only);
}

/** The first configurations, then entries that cannot be selected; a warning names those beyond the limit. */
export function limited(selection: Selection, limit = Number.POSITIVE_INFINITY): Selection {
  const articles = selection.articles.slice(0, limit);
  const failures = selection.failures.slice(0, limit - articles.length);
  const others = selection.failures.slice(failures.length);
  if (others.length === 0) return { ...selection, articles, failures };
  const names = others.slice(0, EXAMPLES).map(({ what, code }) => `${what} (${code})`);
  const more = others.length > EXAMPLES ? ` and ${others.length - EXAMPLES} more` : '';
  const message = `--limit ${limit} leaves out what cannot be selected: ${names.join(', ')}${more}`;
  const warnings = [...selection.warnings, { code: 'LIMIT_REACHED', message } as const];
  return { ...selection, articles, failures, warnings };
}

/** A pattern without a match and a selection without articles are different mistakes. */
function nothingSelected(selection: Selection, only: string | undefined): ConverterError {
  const { articles } = selection;
  const isEmpty = only === undefined || articles.length === 0;
  const all = [...new Set(articles.map(({ request }) => articleLabel(request)))];
  const some = `${all.slice(0, EXAMPLES).join(', ')}${all.length > EXAMPLES ? ' and others' : ''}`;
  const message = isEmpty
    ? 'articles: the entries select no configuration'
    : `--only ${only} matches none of the selected configurations (${articles.length})${meant(only, all)}`;
  const help = isEmpty
    ? 'check the section "articles" of the pipeline file; btg2gltf catalogue ls lists what there is'
    : `--only takes MANUFACTURER/PROGRAM/number with * and ?, in quotes; the pipeline selects ${some}`;
  const causes = reasons(selection);
  // Why the entries select nothing says more than that they do; a pattern has its own cause.
  const lines = isEmpty ? [...causes, message] : [message, ...causes];
  return new ConverterError('NOTHING_SELECTED', lines, { help });
}

/** The article whose number alone was named, or the nearest. */
function meant(only: string, labels: readonly string[]): string {
  if (/[*?]/.test(only)) return '';
  const ending = `/${only.toLowerCase()}`;
  const own = labels.find((label) => label.toLowerCase().endsWith(ending));
  return own === undefined ? didYouMean(only, labels) : `; did you mean "${own}"?`;
}

function reasons({ warnings }: Selection): string[] {
  const all = warnings.map(({ code, message }) => `${message} (${code})`);
  const more = all.length - MOST_REASONS;
  return [...all.slice(0, MOST_REASONS), ...(more > 0 ? [`… and ${more} more`] : [])];
}

/** Writes a private file in the cache, unless it has this content already. @see D-748 */
async function store({ cacheDir }: Pipeline, path: string, bytes: Uint8Array): Promise<void> {
  const before = await readBytesIfExists(path);
  if (before !== undefined && Buffer.compare(before, bytes) === 0) return;
  await replaceFile(path, bytes, { tmpDir: temporaryFolder(cacheDir), access: 'private' });
}

/** Reads the selection of the last fetch. @throws `SNAPSHOT_MISSING` if this pipeline was never fetched. */
export async function readSelection(pipeline: Pipeline): Promise<SelectedArticle[]> {
  const text = await readTextIfExists(selectionPath(pipeline));
  if (text === undefined) {
    const message = `${pipeline.cacheDir}: expected data fetched for pipeline "${pipeline.name}", received none`;
    throw new ConverterError('SNAPSHOT_MISSING', message);
  }
  return parseLines(text);
}

type NotSelected = Omit<Selection, 'articles'>;

/** Reads what the last selection could not select; nothing before the first. */
export async function readNotSelected(pipeline: Pipeline): Promise<NotSelected> {
  const text = (await readTextIfExists(selectionPath(pipeline, NOT_SELECTED))) ?? '';
  return parseLines<NotSelected>(text)[0] ?? { failures: [], warnings: [] };
}

function parseLines<T>(text: string): T[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as T);
}

/** Returns the variables of `service:` at the last fetch of this pipeline; none before the first. */
export async function readServiceVariables(pipeline: Pipeline): Promise<Record<string, string>> {
  const text = await readTextIfExists(variablesPath(pipeline));
  return text === undefined ? {} : (JSON.parse(text) as Record<string, string>);
}

function selectionPath({ service, articles, cacheDir }: Pipeline, ending = 'jsonl'): string {
  return storedPath(cacheDir, [pipelineServiceId(service), articles], ending);
}

const NOT_SELECTED = 'not-selected.json';

function variablesPath({ name, serviceVariables, cacheDir }: Pipeline): string {
  return storedPath(cacheDir, [name, Object.keys(serviceVariables).sort()], 'variables.json');
}

function storedPath(cacheDir: string, key: unknown, ending: string): string {
  const digest = sha256Hex(JSON.stringify(key)).slice(0, 16);
  return join(cacheDir, 'selections', `${digest}.${ending}`);
}
