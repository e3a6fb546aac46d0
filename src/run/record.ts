/** Records all that a run of a pipeline needs of the service: `fetch` with every response requested anew. */

import { basename, dirname, join } from 'node:path';
import type { ArticleRequest } from '../model/article.ts';
import { configurationKey } from '../model/configuration-id.ts';
import { Recorder } from '../source/fetch/recorder.ts';
import type { SelectedArticle } from '../source/fetch/selection.ts';
import { asConverterError, ConverterError } from '../support/errors.ts';
import { hasEnded, refuseLinksBelow } from '../support/file-operations.ts';
import {
  exists,
  listFolder,
  makeFolder,
  removeTree,
  rename,
  statIfExists,
} from '../support/files.ts';
import { syncFolders } from '../support/folders.ts';
import { SILENT } from '../support/log.ts';
import { readSelection, selectLive } from './articles/select.ts';
import type { RunParts } from './executor.ts';
import type { Pipeline } from './file/pipeline-file.ts';
import { inFirstLanguage, withAccount } from './open/connect.ts';
import { withRun } from './open/open-run.ts';
import type { RunEnvironment } from './open/run-environment.ts';
import type { RunOptions } from './open/run-options.ts';
import type { RunReport } from './report/run-report.ts';
import { fetchPipeline } from './run.ts';

/** The result of {@link recordPipeline}. */
export interface RecordResult {
  report: RunReport;
  content: Awaited<ReturnType<Recorder['finish']>>;
  /** Where the same `articles:` selects otherwise from the recording alone; all is empty if it does not. */
  replay: {
    missing: ArticleRequest[];
    extra: ArticleRequest[];
    /** Why nothing can be selected, or empty. */
    error: string;
  };
}

/** What a recording consists of: a folder with anything else is not replaced. */
const ENTRIES: ReadonlySet<string> = new Set(['recording.json', 'xcf', 'ofml', 'odb', 'ocd']);

/**
 * Records what a pipeline needs.
 *
 * @param dir - Folder of the recording; an earlier recording is replaced.
 * @throws {@link ConverterError} `USAGE` for a folder with anything else; an error that ends a run. In
 *   either case the folder is not changed.
 *
 * @example
 * ```ts
 * const { content } = await recordPipeline({ pipeline }, 'recordings/showroom', environment);
 * content.answers; // → { getArticle: 72, getBlock: 214, getMaterial: 31, getNodes: 9, getPartsList: 72 }
 * ```
 *
 * @see D-821.
 */
export async function recordPipeline(
  options: RunOptions,
  dir: string,
  environment: RunEnvironment,
  parts: RunParts = {},
): Promise<RecordResult> {
  await checkReplaceable(dir);
  // A recording has one answer to each request, in one language.
  const pipeline = inFirstLanguage(options.pipeline);
  return replaceFolder(dir, async (folder) => {
    const recorder = new Recorder(folder);
    const { answer: onAnswer, planning: onPlanning } = recorder;
    const recorded = { ...environment, onAnswer, onPlanning };
    const { report } = await fetchPipeline({ ...options, pipeline, force: true }, recorded, parts);
    expectSelected(report);
    const content = await recorder.finish(pipeline.name);
    const replay = await replaySelection(pipeline, folder, environment);
    return { report, content, replay };
  });
}

/** A recording without an article must not replace one that has them. */
function expectSelected({ configurations, failures }: RunReport): void {
  const isSelected = failures.length === 0 || failures.some(({ what }) => what === undefined);
  if (configurations.fetched > 0 || isSelected) return;
  const reasons = failures.map(({ what, code, message }) => `${what}: ${message} (${code})`);
  const message = ['articles: the entries select no configuration', ...reasons];
  const help = 'correct the entries of articles: that failed';
  throw new ConverterError('NOTHING_SELECTED', message, { help });
}

async function checkReplaceable(dir: string): Promise<void> {
  const facts = await statIfExists(dir);
  if (facts === undefined) return;
  const names = facts.folder ? await listFolder(dir) : ['a file'];
  const foreign = names.find((name) => !ENTRIES.has(name));
  const isRecording = names.length === 0 || names.includes('recording.json');
  if (foreign === undefined && isRecording) return;
  const received = foreign === undefined ? 'one without recording.json' : foreign;
  const message = `${dir}: expected no folder, an empty one or a recording, received ${received}; choose another folder for --to`;
  throw new ConverterError('USAGE', message);
}

async function replaySelection(
  pipeline: Pipeline,
  recording: string,
  environment: RunEnvironment,
): Promise<RecordResult['replay']> {
  // Of the same account as the run that selected.
  const fetched = await withAccount(pipeline.service, environment.env, async () => undefined);
  const recorded = requestsByKey(await readSelection({ ...pipeline, service: fetched }));
  const scratch = join(recording, '.selection');
  const { emulator: _, authUrl: __, baseUrl: ___, ...service } = pipeline.service;
  const folders = { cacheDir: scratch, outputDir: join(scratch, 'output') };
  const replaying = {
    ...pipeline,
    ...folders,
    store: undefined,
    service: { ...service, recording },
  };
  try {
    const silent = { ...environment, log: SILENT };
    const { articles } = await withRun({ pipeline: replaying }, silent, selectLive);
    const found = requestsByKey(articles);
    return { missing: without(recorded, found), extra: without(found, recorded), error: '' };
  } catch (thrown) {
    environment.signal.throwIfAborted();
    return { missing: [], extra: [], error: asConverterError(thrown).message };
  } finally {
    await removeTree(scratch);
  }
}

type Requests = ReadonlyMap<string, ArticleRequest>;

function requestsByKey(selected: readonly SelectedArticle[]): Requests {
  return new Map(selected.map(({ request }) => [configurationKey(request), request]));
}

function without(some: Requests, others: Requests): ArticleRequest[] {
  return [...some].filter(([key]) => !others.has(key)).map(([, request]) => request);
}

/**
 * Fills a new folder and replaces another with it in one step; a failure leaves the old one as it was.
 *
 * First it cleans up after processes that ended early: their new folders are removed, and an old folder
 * that they had moved aside returns.
 *
 * @param fill - Writes into the folder that it receives.
 * @throws {@link ConverterError} `DISK_FULL`, `OUTPUT_UNWRITABLE`, or what `fill` throws.
 */
export async function replaceFolder<T>(
  path: string,
  fill: (folder: string) => Promise<T>,
): Promise<T> {
  const [fresh, aside] = [besideOf(path, 'new'), besideOf(path, 'old')];
  for (const folder of [path, fresh]) refuseLinksBelow(folder);
  await cleanUpBeside(path);
  await removeTree(fresh);
  await makeFolder(fresh);
  try {
    const result = await fill(fresh);
    const existed = await exists(path);
    if (existed) await rename(path, aside);
    await rename(fresh, path).catch(async (error: unknown) => {
      if (existed) await rename(aside, path);
      throw error;
    });
    await syncFolders(new Set([dirname(path)]));
    // The next call removes what cannot be removed now.
    await removeTree(aside).catch(() => undefined);
    return result;
  } catch (error) {
    await removeTree(fresh).catch(() => undefined);
    throw error;
  }
}

function besideOf(path: string, state: 'new' | 'old', pid: number = process.pid): string {
  return join(dirname(path), `.${basename(path)}.${pid}.${state}`);
}

async function cleanUpBeside(path: string): Promise<void> {
  for (const name of await listFolder(dirname(path))) {
    const [, pid, state] = /\.(\d+)\.(new|old)$/.exec(name) ?? [];
    if (pid === undefined || !hasEnded(Number(pid))) continue;
    const left = besideOf(path, state as 'new' | 'old', Number(pid));
    if (basename(left) !== name) continue;
    if (state === 'new' || (await exists(path))) await removeTree(left);
    else await rename(left, path);
  }
}
