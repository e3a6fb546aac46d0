/** Selects the configurations of a run: each request in a stable order, and what could not be selected. */
import { dirname, join, relative, sep } from 'node:path';
import type { Fetcher } from '../fetch/fetch-article.ts';

import type {
  ArticleSource,
  SelectedArticle,
  Selection,
  SelectionFailure,
} from '../fetch/selection.ts';
import type { CatalogueNode } from '../model/catalogue.ts';
import { articleLabel, configurationLabels } from '../model/configuration-id.ts';
import type { Warning } from '../model/snapshot.ts';
import { asConverterError, ConverterError, endsRun } from '../support/errors.ts';
import {
  readBytesIfExists,
  readTextIfExists,
  replaceFile,
  sha256Hex,
  temporaryFolder,
} from '../support/files.ts';
import { globMatcher } from '../support/glob.ts';
import { jsonLines } from '../write/manifest.ts';
import type { Run } from './open-run.ts';
import type { Pipeline } from './pipeline-file.ts';
import type { RunEnvironment } from './run-options.ts';
import { describeService, pipelineServiceId } from './service.ts';
import { findPlannings, readCartFiles, readListRows, readPermanentIds } from './source-files.ts';

/** Articles or entries that a message names. */
const EXAMPLES = 3;
/** Reasons listed if nothing is selected. */
const MOST_REASONS = 10;

/**
 * Selects at the service, and stores the whole selection for a later `build`.
 *
 * @throws {@link ConverterError} `LIST_INVALID`, `NOTHING_SELECTED`, or an error of the service.
 *
 * @see D-800, D-806.
 */
export async function selectLive(run: Run): Promise<Selection> {
  const { options, session, environment, metrics } = run;
  const { pipeline } = options;
  return metrics.stopwatch.during('select', async () => {
    const { selectArticles, distinctArticles } = await import('../fetch/select-articles.ts');
    const opened = await Promise.all(pipeline.articles.map((source) => openSource(source, run)));
    const fetcher = await session.fetcher();
    const sources = opened.map(({ source }) => source);
    const reader = counting(fetcher, environment.selecting);
    const selected = await selectArticles(sources, reader).catch(cannotSelect);
    if (selected.articles.length === 0) expectReadable(selected);
    const articles = await distinctArticles(selected.articles, fetcher.identify);
    await writeSelection(pipeline, articles);
    await writeServiceVariables(pipeline);
    const warnings = [...opened.flatMap((source) => source.warnings), ...selected.warnings];
    return narrow({ ...selected, articles, warnings }, options.only);
  });
}

/**
 * Selects what the last fetch of this pipeline selected, without a network.
 *
 * @throws {@link ConverterError} `SNAPSHOT_MISSING` before the first fetch, `NOTHING_SELECTED`.
 */
export async function selectFetched({ options, metrics }: Run): Promise<Selection> {
  return metrics.stopwatch.during('select', async () => {
    const articles = await readSelection(options.pipeline);
    return narrow({ articles, failures: [], warnings: [] }, options.only);
  });
}

/** Without a selection the run cannot continue. */
function cannotSelect(thrown: unknown): never {
  const error = asConverterError(thrown);
  if (endsRun(error.code) || error.code === 'INTERNAL') throw error;
  const message = `the articles cannot be selected: ${error.message}`;
  throw new ConverterError('SERVICE_UNREACHABLE', message, { cause: error });
}

/** Where nothing is left of a catalogue, the service ends the run, not the pipeline file. */
function expectReadable({ failures, unread = [] }: Selection): void {
  const failure = failures.find(({ code }) => code !== 'NODE_NOT_FOUND');
  if (unread.length === 0 || failure === undefined) return;
  cannotSelect(new ConverterError('HTTP_STATUS', `${failure.what}: ${failure.message}`));
}

/** Reports how many articles the listings have shown so far; one listed twice counts twice. */
function counting(fetcher: Fetcher, report: RunEnvironment['selecting'] = () => {}): Fetcher {
  let found = 0;
  const count = (nodes: CatalogueNode[]) => {
    found += nodes.filter(({ nodetype }) => nodetype === 'A').length;
    report(found);
    return nodes;
  };
  report(0);
  return {
    ...fetcher,
    nodes: async (...folder) => count(await fetcher.nodes(...folder)),
    search: async (...query) => count(await fetcher.search(...query)),
  };
}

/** Reads the files and database rows that a source of the pipeline refers to. */
async function openSource(
  source: Pipeline['articles'][number],
  { options, stores, environment }: Run,
): Promise<{ source: ArticleSource; warnings: Warning[] }> {
  const opened = (as: ArticleSource, warnings: Warning[] = []) => ({ source: as, warnings });
  switch (source.kind) {
    case 'list': {
      const name = listName(source.file, options.pipeline);
      return opened({ kind: 'list', name, rows: await readListRows(source.file) });
    }
    case 'carts': {
      const plannings = await readCartFiles(source.glob);
      const message = `no cart matches ${source.glob}`;
      const none = plannings.length === 0 ? [{ code: 'CARTS_EMPTY', message }] : [];
      return opened({ kind: 'planning', as: source.as, plannings }, none);
    }
    case 'permanentids': {
      const { from, as } = source;
      const ids = 'ids' in from ? from.ids : await readPermanentIds(from.file);
      const { service } = options.pipeline;
      const plannings = await findPlannings(ids, {
        service: describeService(service),
        permanentIds: stores.database.permanentIds,
        recording: service.recording,
        onPlanning: environment.onPlanning,
      });
      return opened({ kind: 'planning', as, plannings });
    }
    default:
      return opened(source);
  }
}

/** The path of a list below the folder that contains all lists of the pipeline. */
function listName(file: string, { articles }: Pipeline): string {
  const lists = articles.flatMap((source) => (source.kind === 'list' ? [source.file] : []));
  let folder = dirname(file);
  const isAbove = (list: string) => !relative(folder, list).startsWith('..');
  while (!lists.every(isAbove) && dirname(folder) !== folder) folder = dirname(folder);
  return relative(folder, file).replaceAll(sep, '/');
}

/** The part of a selection that `--only` matches. */
function narrow(selection: Selection, only: string | undefined): Selection {
  const matchesLabel = only === undefined ? () => true : globMatcher(only);
  const matches = (id: Parameters<typeof configurationLabels>[0]) =>
    configurationLabels(id).some(matchesLabel);
  const articles = selection.articles.filter(({ request, alike = [] }) =>
    [request, ...alike].some(matches),
  );
  const isMeant = ({ article }: SelectionFailure) =>
    only === undefined || (article !== undefined && matches(article));
  const failures = selection.failures.filter(isMeant);
  if (articles.length > 0) return { ...selection, articles, failures };
  throw nothingSelected({ ...selection, failures }, only);
}

/**
 * Returns the first configurations of a selection. Entries that cannot be selected count after them; a
 * warning names those beyond the limit.
 */
export function limited(selection: Selection, limit = Number.POSITIVE_INFINITY): Selection {
  const articles = selection.articles.slice(0, limit);
  const failures = selection.failures.slice(0, limit - articles.length);
  const others = selection.failures.slice(failures.length);
  if (others.length === 0) return { ...selection, articles, failures };
  const names = others.slice(0, EXAMPLES).map(({ what, code }) => `${what} (${code})`);
  const more = others.length > EXAMPLES ? ` and ${others.length - EXAMPLES} more` : '';
  const message = `--limit ${limit} leaves out what cannot be selected: ${names.join(', ')}${more}`;
  const warnings = [...selection.warnings, { code: 'LIMIT_REACHED', message }];
  return { ...selection, articles, failures, warnings };
}

/** A pattern without a match and a selection without articles are different mistakes. */
function nothingSelected(selection: Selection, only: string | undefined): ConverterError {
  const { articles } = selection;
  if (only === undefined || articles.length === 0) {
    const message = 'articles: expected at least one configuration, received none';
    const help = 'check articles: in the pipeline file; btg2gltf catalogue ls lists what there is';
    const lines = [message, ...reasons(selection)];
    return new ConverterError('NOTHING_SELECTED', lines.join('\n'), { help });
  }
  const examples = new Set(articles.map(({ request }) => articleLabel(request)));
  const some = [...examples].slice(0, EXAMPLES).join(', ');
  const message = `--only ${only}: expected a match among ${articles.length} configurations, received none`;
  const help = `--only takes MANUFACTURER/PROGRAM/number with * and ?, in quotes; the pipeline selects ${some}${examples.size > EXAMPLES ? ' and others' : ''}`;
  return new ConverterError('NOTHING_SELECTED', [message, ...reasons(selection)].join('\n'), {
    help,
  });
}

function reasons({ failures, warnings }: Selection): string[] {
  const all = [
    ...failures.map(({ what, code, message }) => `${code} ${what}: ${message}`),
    ...warnings.map(({ code, message }) => `${code} ${message}`),
  ];
  const more = all.length - MOST_REASONS;
  return [...all.slice(0, MOST_REASONS), ...(more > 0 ? [`… and ${more} more`] : [])];
}

/** Stores a selection in the cache, unless it is stored already. @see D-748 */
async function writeSelection(
  pipeline: Pipeline,
  selected: readonly SelectedArticle[],
): Promise<void> {
  const path = selectionPath(pipeline);
  const lines = jsonLines(selected);
  const before = await readBytesIfExists(path);
  if (before !== undefined && Buffer.compare(before, lines) === 0) return;
  const tmpDir = temporaryFolder(pipeline.cacheDir);
  await replaceFile(path, lines, { tmpDir, isPrivate: true });
}

/**
 * Reads the selection of the last fetch.
 *
 * @throws {@link ConverterError} `SNAPSHOT_MISSING` if this pipeline was never fetched.
 */
export async function readSelection(pipeline: Pipeline): Promise<SelectedArticle[]> {
  const text = await readTextIfExists(selectionPath(pipeline));
  if (text === undefined) {
    const message = `${pipeline.cacheDir}: expected data fetched for pipeline "${pipeline.name}", received none`;
    throw new ConverterError('SNAPSHOT_MISSING', message);
  }
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as SelectedArticle);
}

/** Stores the variables of `service:`, so that `build` needs none. */
async function writeServiceVariables(pipeline: Pipeline): Promise<void> {
  if (pipeline.serviceVariables === undefined) return;
  const path = variablesPath(pipeline);
  const text = JSON.stringify(pipeline.serviceVariables);
  if ((await readTextIfExists(path)) === text) return;
  const tmpDir = temporaryFolder(pipeline.cacheDir);
  await replaceFile(path, text, { tmpDir, isPrivate: true });
}

/** Returns the variables of `service:` at the last fetch of this pipeline; none before the first. */
export async function readServiceVariables(pipeline: Pipeline): Promise<Record<string, string>> {
  const text = await readTextIfExists(variablesPath(pipeline));
  return text === undefined ? {} : (JSON.parse(text) as Record<string, string>);
}

function variablesPath({ name, serviceVariables = {}, cacheDir }: Pipeline): string {
  const key = JSON.stringify([name, Object.keys(serviceVariables).sort()]);
  return join(cacheDir, 'selections', `${sha256Hex(key).slice(0, 16)}.variables.json`);
}

/** One file for each pair of a service and sources. */
function selectionPath({ service, articles, cacheDir }: Pipeline): string {
  const key = JSON.stringify([pipelineServiceId(service), articles]);
  return join(cacheDir, 'selections', `${sha256Hex(key).slice(0, 16)}.jsonl`);
}
