/** `btg2gltf run PIPELINE.yaml` and its halves `fetch` and `build`. */

import { dirname, join, resolve } from 'node:path';
import { ID_FIELDS } from '../model/configuration-id.ts';
import type { RunResult } from '../run/open/run-end.ts';
import type { Progress, RunEnvironment } from '../run/open/run-environment.ts';
import { type RunOptions, runId } from '../run/open/run-options.ts';
import { failedDeliveries } from '../run/report/assessment.ts';
import type { FinishedRun } from '../run/report/run-report.ts';
import { summarise } from '../run/report/summary.ts';
import { amount, duration } from '../run/report/text.ts';
import type { DryRun } from '../run/run.ts';
import type { SelectedArticle } from '../source/fetch/selection.ts';
import { type ConverterError, ERROR_CODES } from '../support/errors.ts';
import { readTextIfExists, removeStaleTemporaries, replaceFile } from '../support/files.ts';
import { SILENT } from '../support/log.ts';
import { visible } from '../support/visible.ts';
import { PARTS } from '../wiring.ts';
import {
  type Arguments,
  type Command,
  errorFields,
  errorToReport,
  given,
  type Io,
  textOf,
} from './command.ts';
import {
  optionsOf,
  PIPELINE_POSITIONAL,
  readOfflineOptions,
  readRunOptions,
} from './pipeline-options.ts';
import { openOutput, type RunOutput } from './run-output.ts';
import { environmentOf } from './service-options.ts';

const EXAMPLES = {
  run: [
    'btg2gltf run pipeline.yaml --limit 10',
    "btg2gltf run pipeline.yaml --only 'FJEL/LINEA/*' --force",
  ],
  fetch: ['btg2gltf fetch pipeline.yaml && btg2gltf build pipeline.yaml'],
  build: ['btg2gltf build pipeline.yaml'],
};

/** The commands `run`, `fetch` and `build`. */
export function pipelineCommand(name: keyof typeof EXAMPLES): Command {
  return {
    positionals: PIPELINE_POSITIONAL,
    options: optionsOf(name),
    examples: EXAMPLES[name],
    async run(args, io) {
      const pipeline = await import('../run/run.ts');
      const options = await (name === 'build'
        ? readOfflineOptions(textOf(args, 'PIPELINE.yaml')!, args, io)
        : readRunOptions(args, io));
      const work = pipeline[`${name}Pipeline`];
      if (!args['dry-run']) return execute((...run) => work(...run, PARTS), options, args, io);
      const environment = { ...environmentOf(io), log: SILENT };
      return printDryRun(await pipeline.dryRunPipeline(options, environment, PARTS), io);
    },
  };
}

/** Executes a pipeline: prints log, progress and summary, and writes the files that the options name. */
export async function execute(
  work: (options: RunOptions, environment: RunEnvironment) => Promise<RunResult>,
  options: RunOptions,
  args: Arguments,
  io: Io,
): Promise<number> {
  const startedAt = io.now();
  const output = await openOutput(args, io, { run: runId(startedAt) });
  if (options.until !== undefined && !isSameDay(options.until, startedAt)) {
    const time = textOf(args, 'until');
    output.log.warn(`--until ${time} has passed today: the run stops tomorrow at ${time}`);
  }
  const run = withProgress(output, io, (environment) =>
    work(options, { ...environment, startedAt }),
  );
  const { report, error } = await run.then(
    (result) => printResult(result, output, args, io),
    (thrown: unknown) => ({ report: undefined, error: errorToReport(thrown, io) }),
  );
  const failures = report ? report.configurations.failed + failedDeliveries(report) : 0;
  const failed = failures > 0 ? 1 : 0;
  const exitCode = error === undefined ? failed : ERROR_CODES[error.code].exit;
  const times = { startedAt, endedAt: io.now() };
  const { name: pipeline } = options.pipeline;
  try {
    await writeMachineFiles(args, { pipeline, exitCode, ...times, report, ...given({ error }) });
  } catch (thrown) {
    if (error === undefined) return stopped(errorToReport(thrown, io), output);
    // The error that ended the run matters more than a file that cannot be written.
    output.log.error((thrown as Error).message);
  }
  return error === undefined ? exitCode : stopped(error, output);
}

function printResult(
  { report, runFolder, end }: RunResult,
  { log }: RunOutput,
  args: Arguments,
  io: Io,
) {
  const { configurations, totalMs } = report;
  log.info(end.kind === 'complete' ? 'finished' : 'ended', { ...configurations, totalMs });
  if (!args.quiet) io.printData(summarise(report, runFolder));
  if (runFolder !== undefined) io.print(`${join(runFolder, 'report.html')}\n`);
  return { report, error: end.error && errorToReport(end.error, io) };
}

function isSameDay(a: number, b: number): boolean {
  return new Date(a).toDateString() === new Date(b).toDateString();
}

/** Logs an error as JSON with the id of the run, or throws it for the command line to print. */
function stopped(error: ConverterError, { format, log }: RunOutput): number {
  if (format === 'pretty') throw error;
  const fields = errorFields(error);
  log.error('stopped', fields);
  return fields.exit;
}

async function withProgress(
  { log, format, display }: RunOutput,
  io: Io,
  work: (environment: RunEnvironment) => Promise<RunResult>,
): Promise<RunResult> {
  let last: Progress | undefined;
  try {
    return await work({
      ...environmentOf(io),
      log,
      selecting: (found) => display.selecting(found),
      progress: (now) => {
        last = now;
        display.progress(now);
      },
    });
  } finally {
    display.close();
    if (io.signal.aborted && last !== undefined) {
      const failed = last.failed === 0 ? '' : `, ${last.failed} of them failed`;
      const what = last.making === undefined ? '' : `${last.making}: `;
      const done = `${what}${last.done} of ${amount(last.total, 'configuration')}`;
      const sentence = `${done} processed${failed}; finished work is kept`;
      if (format === 'json') log.info(sentence, { ...last });
      else io.printError(`  ${sentence}\n`);
    }
  }
}

async function writeMachineFiles(args: Arguments, run: FinishedRun): Promise<void> {
  const metricsFile = textOf(args, 'metrics-file');
  if (metricsFile !== undefined) {
    const { metricsText } = await import('../run/report/metrics.ts');
    const path = resolve(metricsFile);
    await write(path, await metricsText(run, await readTextIfExists(path)));
  }
  const junitFile = textOf(args, 'junit');
  if (junitFile !== undefined) {
    const { junitXml } = await import('../run/report/junit.ts');
    await write(resolve(junitFile), junitXml(run));
  }
}

/** The folder may be any folder, so that only this call removes the temporary files of killed runs. */
async function write(path: string, content: string): Promise<void> {
  await removeStaleTemporaries(dirname(path));
  await replaceFile(path, content);
}

function printDryRun(dryRun: DryRun, io: Io): number {
  const { articles, failures, warnings } = dryRun.selection;
  if (articles.length > 0) io.print(`${[...DRY_RUN_FIELDS, 'selected by'].join('\t')}\n`);
  io.printData(articles.map(articleLine).join(''));
  for (const { what, code, message } of failures) io.printData(tabbed([code, what, message]));
  for (const { code, message } of warnings) io.printData(tabbed([code, message]));
  io.print(estimateText(dryRun));
  return failures.some(({ onlyCarts }) => !onlyCarts) ? 1 : 0;
}

const DRY_RUN_FIELDS = ID_FIELDS.filter((field) => field !== 'metareinitstring');

/** One article a line, in columns separated by tabs, because numbers may contain blanks. */
function articleLine({ request, why }: SelectedArticle): string {
  return tabbed([...DRY_RUN_FIELDS.map((field) => request[field]), why.join('; ')]);
}

function tabbed(columns: readonly string[]): string {
  return `${columns.map((text) => visible(text, true)).join('\t')}\n`;
}

function estimateText({ selection, sent, estimate, requests, ...basis }: DryRun): string {
  const { articles, partsLists, bodies, unknown } = estimate;
  const { requestsMs, meanMs, concurrency } = basis;
  const about = unknown > 0 ? 'about ' : '';
  const guess = unknown > 0 ? ` (a guess for ${amount(unknown, 'article')} never fetched)` : '';
  const kinds = `${amount(articles, 'article')}, ${amount(partsLists, 'parts list')}, ${about}${bodies} blocks and images`;
  const time = `about ${duration(requestsMs)}, at ${duration(meanMs ?? 0)} each and ${concurrency} at a time`;
  const lines = [
    `${amount(selection.articles.length, 'configuration')} selected, ${amount(selection.failures.length, 'failure')}; ${amount(sent, 'request')} sent so far`,
    `A run would send ${about}${amount(requests, 'more request')}: ${kinds}${guess}`,
  ];
  if (meanMs !== undefined && requests > 0)
    lines.push(`The requests would take ${time}; the conversion takes additional time`);
  return lines.map((line) => `${line}\n`).join('');
}
