/**
 * Record: all that a run of a pipeline needs of the service, as a recording.
 *
 * In: a job and a folder. Out: the folder, whole or as it was; what it holds; whether it selects alike.
 * It is `fetch` with everything asked anew, and each answer kept as it came. It must not print.
 */

import { join } from 'node:path';
import { createRecorder, type RecordingContent } from '../fetch/recording.ts';
import type { SelectedArticle } from '../fetch/selection.ts';
import type { ArticleRequest } from '../model/article.ts';
import { configurationKey } from '../model/configuration-id.ts';
import type { RunReport } from '../report/run-report.ts';
import { asConverterError, ConverterError } from '../support/errors.ts';
import { listFolder, removeTree, replaceFolder, statIfExists } from '../support/files.ts';
import { SILENT } from '../support/log.ts';
import { type Job, type RunTools, withRun } from './context/run-context.ts';
import type { Pipeline } from './file/pipeline-file.ts';
import { fetchPipeline } from './run.ts';
import { selectConfigurations } from './select/select.ts';
import { readSelection } from './select/selection-file.ts';

/** What came of a recording. */
export interface RecordResult {
  /** Of the fetch that was recorded. */
  report: RunReport;
  content: RecordingContent;
  /** How the same `articles:` selects from the recording alone. */
  replay: ReplayedSelection;
}

/** Where a selection from a recording differs; alike where all of it is empty. */
export interface ReplayedSelection {
  /** Recorded, but not selected again. */
  missing: ArticleRequest[];
  /** Selected, but not recorded. */
  extra: ArticleRequest[];
  /** Why nothing can be selected; empty where it can. */
  error: string;
}

/** What may stand in a folder that a recording replaces: nothing of anybody else's is removed. */
const ENTRIES: ReadonlySet<string> = new Set(['recording.json', 'xcf', 'ofml', 'odb', 'ocd']);

/**
 * Records what a pipeline needs.
 *
 * @param dir - Where the recording is to stand; a recording that stands there is replaced.
 * @throws {@link ConverterError} `USAGE` for a folder that holds anything else; what ends a run. In
 *   either case the folder is as it was.
 *
 * @example
 * ```ts
 * const { content } = await recordPipeline({ pipeline }, 'recordings/showroom', tools);
 * content.answers; // → { getArticle: 72, getBlock: 214, getMaterial: 31, getNodes: 9, getPartsList: 72 }
 * ```
 *
 * @see D-821.
 */
export async function recordPipeline(
  job: Job,
  dir: string,
  tools: RunTools,
): Promise<RecordResult> {
  await refuseForeign(dir);
  return replaceFolder(dir, async (folder) => {
    const recorder = createRecorder(folder);
    const { answer: onAnswer, planning: onPlanning } = recorder;
    const recorded = { ...tools, onAnswer, onPlanning };
    const { report } = await fetchPipeline({ ...job, force: true }, recorded);
    const content = await recorder.finish(job.pipeline.name);
    const replay = await replaySelection(job.pipeline, folder, tools);
    return { report, content, replay };
  });
}

async function refuseForeign(dir: string): Promise<void> {
  const facts = await statIfExists(dir);
  if (facts === undefined) return;
  const names = facts.folder ? await listFolder(dir) : ['a file'];
  const foreign = names.find((name) => !ENTRIES.has(name));
  const isRecording = names.length === 0 || names.includes('recording.json');
  if (foreign === undefined && isRecording) return;
  const holds = foreign === undefined ? 'has no recording.json' : `is or holds ${foreign}`;
  throw new ConverterError(
    'USAGE',
    `${dir}: expected no folder, an empty one or a recording, but it ${holds}`,
  );
}

/** Selects from a recording and compares with what was selected when it was made. */
async function replaySelection(
  pipeline: Pipeline,
  recording: string,
  tools: RunTools,
): Promise<ReplayedSelection> {
  const asked = requestsOf(await readSelection(pipeline));
  const scratch = join(recording, '.selection');
  const { emulator: _, authUrl: __, baseUrl: ___, ...service } = pipeline.service;
  const folders = { cacheDir: scratch, outputDir: join(scratch, 'output') };
  const replaying = { ...pipeline, ...folders, service: { ...service, recording } };
  try {
    const quiet = { ...tools, log: SILENT };
    const found = requestsOf(await withRun({ pipeline: replaying }, quiet, selectConfigurations));
    return { missing: without(asked, found), extra: without(found, asked), error: '' };
  } catch (thrown) {
    tools.signal.throwIfAborted();
    return { missing: [], extra: [], error: asConverterError(thrown).message };
  } finally {
    await removeTree(scratch);
  }
}

function requestsOf(selected: readonly SelectedArticle[]): Map<string, ArticleRequest> {
  return new Map(selected.map(({ request }) => [configurationKey(request), request]));
}

function without(
  some: ReadonlyMap<string, ArticleRequest>,
  others: ReadonlyMap<string, ArticleRequest>,
): ArticleRequest[] {
  return [...some].filter(([key]) => !others.has(key)).map(([, request]) => request);
}
