/** `btg2gltf run PIPELINE.yaml` and its halves `fetch` and `build`. */
import { dirname, join, resolve } from 'node:path';
import type { SelectedArticle } from '../fetch/selection.ts';
import type { DryRun } from '../pipeline/run.ts';
import type { RunResult } from '../pipeline/run-end.ts';
import {
  type Progress,
  type RunEnvironment,
  type RunOptions,
  runId,
} from '../pipeline/run-options.ts';
import type { FinishedRun, RunReport } from '../report/run-report.ts';
import { summarise } from '../report/summary.ts';
import { amount, duration } from '../report/text.ts';
import { type ConverterError, ERROR_CODES } from '../support/errors.ts';
import { readTextIfExists, removeStaleTemporaries, replaceFile } from '../support/files.ts';
import { SILENT } from '../support/log.ts';
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
import { environmentOf } from './service.ts';

/** The command `run`. */
export const runCommand = pipelineCommand('run', [
  'btg2gltf run pipeline.yaml --limit 10',
  "btg2gltf run pipeline.yaml --only 'FJEL/LINEA/*' --force",
]);

/** The command `fetch`. */
export const fetchCommand = pipelineCommand('fetch', [
  'btg2gltf fetch pipeline.yaml && btg2gltf build pipeline.yaml',
]);

/** The command `build`. */
export const buildCommand = pipelineCommand('build', ['btg2gltf build pipeline.yaml']);

function pipelineCommand(name: 'run' | 'fetch' | 'build', examples: string[]): Command {
  return {
    positionals: PIPELINE_POSITIONAL,
    options: optionsOf(name),
    examples,
    async run(args, io) {
      const pipeline = await import('../pipeline/run.ts');
      const options = await (name === 'build'
        ? readOfflineOptions(textOf(args, 'PIPELINE.yaml')!, args, io)
        : readRunOptions(args, io));
      if (!args['dry-run']) return execute(pipeline[`${name}Pipeline`], options, args, io);
      const environment = { ...environmentOf(io), log: SILENT };
      return printDryRun(await pipeline.dryRunPipeline(options, environment), io);
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
  const writeFiles = (exitCode: number, report?: RunReport, error?: ConverterError) =>
    writeMachineFiles(args, {
      ...{ pipeline: options.pipeline.name, exitCode, startedAt, endedAt: io.now(), report },
      ...given({ error }),
    });
  const stop = async (thrown: unknown, report?: RunReport): Promise<number> => {
    const error = errorToReport(thrown, io);
    // The error that ended the run matters more than a file that cannot be written.
    await writeFiles(ERROR_CODES[error.code].exit, report, error).catch((failure: Error) =>
      output.log.error(failure.message),
    );
    return stopped(error, output);
  };
  if (options.until !== undefined && !isSameDay(options.until, startedAt)) {
    const time = textOf(args, 'until');
    output.log.warn(`--until ${time} has passed today: the run stops tomorrow at ${time}`);
  }
  let result: RunResult;
  try {
    result = await withProgress(output, io, (environment) =>
      work(options, { ...environment, startedAt }),
    );
  } catch (thrown) {
    return stop(thrown);
  }
  const { report, runFolder, end } = result;
  const { configurations, totalMs } = report;
  output.log.info(end.kind === 'complete' ? 'finished' : 'ended', { ...configurations, totalMs });
  if (!args.quiet) io.printData(summarise(report, runFolder));
  if (runFolder !== undefined) io.print(`${join(runFolder, 'report.html')}\n`);
  if (end.error !== undefined) return stop(end.error, report);
  const exitCode = configurations.failed > 0 ? 1 : 0;
  try {
    await writeFiles(exitCode, report);
    return exitCode;
  } catch (thrown) {
    return stopped(errorToReport(thrown, io), output);
  }
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
  { log, format, progress, selecting, close }: RunOutput,
  io: Io,
  work: (environment: RunEnvironment) => Promise<RunResult>,
): Promise<RunResult> {
  let last: Progress | undefined;
  try {
    return await work({
      ...{ ...environmentOf(io), log, selecting },
      progress: (now) => {
        last = now;
        progress(now);
      },
    });
  } finally {
    close();
    if (io.signal.aborted && last !== undefined) {
      const failed = last.failed === 0 ? '' : `, ${last.failed} of them failed`;
      const done = `${last.done} of ${amount(last.total, 'configuration')}`;
      const sentence = `${done} processed${failed}; finished work is kept`;
      if (format === 'json') log.info(sentence, { ...last });
      else io.printError(`  ${sentence}\n`);
    }
  }
}

async function writeMachineFiles(args: Arguments, run: FinishedRun): Promise<void> {
  const metricsFile = textOf(args, 'metrics-file');
  if (metricsFile !== undefined) {
    const { metricsText } = await import('../report/metrics.ts');
    const path = resolve(metricsFile);
    await write(path, await metricsText(run, await readTextIfExists(path)));
  }
  const junitFile = textOf(args, 'junit');
  if (junitFile !== undefined) {
    const { junitXml } = await import('../report/junit.ts');
    await write(resolve(junitFile), junitXml(run));
  }
}

/** The folder may be any, so that only this removes the temporary files of killed runs. */
async function write(path: string, content: string): Promise<void> {
  await removeStaleTemporaries(dirname(path));
  await replaceFile(path, content);
}

function printDryRun(dryRun: DryRun, io: Io): number {
  const { articles, failures, warnings } = dryRun.selection;
  if (articles.length > 0) io.print(`${DRY_RUN_COLUMNS.join('\t')}\n`);
  io.printData(articles.map(articleLine).join(''));
  for (const { what, code, message } of failures) io.printData(`${code}\t${what}\t${message}\n`);
  for (const { code, message } of warnings) io.printData(`${code}\t${message}\n`);
  io.print(estimateText(dryRun));
  return failures.length > 0 ? 1 : 0;
}

const DRY_RUN_COLUMNS = [
  'manufacturer',
  'program',
  'basearticlenumber',
  'finalarticlenumber',
  'reinitstring',
  'selected by',
];

/** One article a line, in columns separated by tabs, because numbers may contain blanks. */
function articleLine({ request, why }: SelectedArticle): string {
  const { manufacturer, program, basearticlenumber, finalarticlenumber, reinitstring } = request;
  const ids = [manufacturer, program, basearticlenumber, finalarticlenumber, reinitstring];
  const columns = [...ids, why.join('; ')];
  return `${columns.map((text) => text.replace(/[\t\r\n]/g, ' ')).join('\t')}\n`;
}

function estimateText({ selection, sent, estimate, requests, requestsMs, basis }: DryRun): string {
  const { articles, partsLists, bodies, unknown } = estimate;
  const about = unknown > 0 ? 'about ' : '';
  const guess = unknown > 0 ? ` (a guess for ${amount(unknown, 'article')} never fetched)` : '';
  const kinds = `${amount(articles, 'article')}, ${amount(partsLists, 'parts list')}, ${about}${bodies} blocks and images`;
  const { concurrency, meanMs } = basis;
  const time = `about ${duration(requestsMs ?? 0)}, at ${duration(meanMs ?? 0)} each and ${concurrency} at a time`;
  return [
    `${amount(selection.articles.length, 'configuration')} selected, ${amount(selection.failures.length, 'failure')}; ${amount(sent, 'request')} sent so far`,
    `A run would send ${about}${amount(requests, 'more request')}: ${kinds}${guess}`,
    ...(meanMs === undefined || requests === 0
      ? []
      : [`The requests would take ${time}; the conversion takes additional time`]),
    '',
  ].join('\n');
}
