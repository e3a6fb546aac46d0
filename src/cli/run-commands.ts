/** `btg2gltf run PIPELINE.yaml` and its halves `fetch` and `build`. */

import { join } from 'node:path';
import { ID_FIELDS } from '../model/configuration-id.ts';
import type { RunEnvironment } from '../run/open/run-environment.ts';
import { type RunOptions, runId } from '../run/open/run-options.ts';
import { failedDeliveries } from '../run/report/assessment.ts';
import { writeMachineFiles } from '../run/report/machine-files.ts';
import { summarise } from '../run/report/summary.ts';
import { amount, duration, integer } from '../run/report/text.ts';
import { type ConverterError, ERROR_CODES } from '../support/errors.ts';
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
import { setEngineFlags } from './engine-flags.ts';
import {
  optionsOf,
  PIPELINE_POSITIONAL,
  readOfflineOptions,
  readRunOptions,
} from './pipeline-options.ts';
import { openOutput, type RunOutput } from './run-output.ts';
import { environmentOf } from './service-options.ts';
import { textTable, wrappedText } from './text-table.ts';

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
      const options = await (name === 'build'
        ? readOfflineOptions(textOf(args, 'PIPELINE.yaml')!, args, io)
        : readRunOptions(args, io));
      return args['dry-run'] ? printDryRun(options, io) : execute(name, options, args, io);
    },
  };
}

/** Executes a pipeline: prints log, progress and summary, and writes the files that the options name. */
export async function execute(
  name: keyof typeof EXAMPLES,
  options: RunOptions,
  args: Arguments,
  io: Io,
): Promise<number> {
  setEngineFlags(options);
  const work = (await import('../run/run.ts'))[`${name}Pipeline`];
  const startedAt = io.now();
  const output = await openOutput(args, io, { run: runId(startedAt) });
  const { log } = output;
  const dayOf = (ms: number) => new Date(ms).toDateString();
  if (options.until !== undefined && dayOf(options.until) !== dayOf(startedAt)) {
    const time = textOf(args, 'until');
    log.warn(`--until ${time} has passed today: the run stops tomorrow at ${time}`);
  }
  const run = withProgress(output, io, (environment) =>
    work(options, { ...environment, startedAt }, PARTS),
  );
  const { report, error } = await run.then(
    ({ report, runFolder, end }) => {
      const { configurations, totalMs } = report;
      const how = end.kind === 'complete' ? 'finished' : 'ended';
      if (output.format === 'json') log.info(how, { ...configurations, totalMs });
      else log.info(`${how} after ${duration(totalMs)}`);
      // Where the log is JSON, the summary has the reason, too: it is what a person reads.
      const withReason = output.format === 'json';
      if (!args.quiet)
        io.printData(summarise(report, { runFolder, columns: io.columns, withReason }));
      if (runFolder !== undefined) io.print(`${join(runFolder, 'report.html')}\n`);
      return { report, error: end.error && errorToReport(end.error, io) };
    },
    (thrown: unknown) => ({ report: undefined, error: errorToReport(thrown, io) }),
  );
  const failures = report ? report.configurations.failed + failedDeliveries(report) : 0;
  const failed = failures > 0 ? 1 : 0;
  const exitCode = error === undefined ? failed : ERROR_CODES[error.code].exit;
  const times = { startedAt, endedAt: io.now() };
  const { name: pipeline } = options.pipeline;
  const files = { metrics: textOf(args, 'metrics-file'), junit: textOf(args, 'junit') };
  try {
    await writeMachineFiles(files, { pipeline, exitCode, ...times, report, ...given({ error }) });
  } catch (thrown) {
    if (error === undefined) return stopped(errorToReport(thrown, io), output);
    // The error that ended the run matters more than a file that cannot be written.
    log.error((thrown as Error).message);
  }
  return error === undefined ? exitCode : stopped(error, output);
}

/** Logs an error as JSON with the id of the run, or throws it for the command line to print. */
function stopped(error: ConverterError, { format, log }: RunOutput): number {
  if (format === 'pretty') throw error;
  const fields = errorFields(error);
  log.error('stopped', fields);
  return fields.exit;
}

/** Runs with log and progress; after an interruption, prints how far the run was. */
async function withProgress<Result>(
  { log, format, display, environment }: RunOutput,
  io: Io,
  work: (environment: RunEnvironment) => Promise<Result>,
): Promise<Result> {
  /** Prints how far each kind of work is, as far as it has not ended. */
  const printLast = new Map<string | undefined, () => void>();
  try {
    return await work({
      ...environment,
      progress(now) {
        display.progress(now);
        if (now.making !== undefined) printLast.delete(undefined);
        printLast.delete(now.making);
        if (now.done === now.total && printLast.size > 0) return;
        printLast.set(now.making, () => {
          const failed = now.failed === 0 ? '' : `, ${now.failed} of them failed`;
          const what = now.making === undefined ? '' : `${now.making}: `;
          const done = `${what}${now.done} of ${amount(now.total, 'configuration')}`;
          const sentence = `${done} processed${failed}; finished work is kept`;
          if (format === 'json') log.info(sentence, { ...now });
          else io.printError(`  ${sentence}\n`);
        });
      },
    });
  } finally {
    display.close();
    if (io.signal.aborted) for (const print of printLast.values()) print();
  }
}

const DRY_RUN_FIELDS = ID_FIELDS.filter((field) => field !== 'metareinitstring');
const DRY_RUN_HEAD = [
  ...DRY_RUN_FIELDS.map((field) =>
    field === 'reinitstring' ? 'chosen values (reinitstring)' : field,
  ),
  'selected by',
];

/** Prints one article a line: in columns for a person, else separated by tabs, because numbers may contain blanks. */
async function printDryRun(options: RunOptions, io: Io): Promise<number> {
  const pipeline = await import('../run/run.ts');
  const environment = { ...environmentOf(io), log: SILENT };
  const dryRun = await pipeline.dryRunPipeline(options, environment, PARTS);
  const { selection, sent, estimate, requests, requestsMs, meanMs, concurrency } = dryRun;
  const { articles, failures, warnings } = selection;
  const rows = articles.map(({ request, why }) => {
    return [...DRY_RUN_FIELDS.map((field) => request[field]), why.join('; ')];
  });
  const problems = [
    ...failures.map(({ what, code, message }) => [code, what, message]),
    ...warnings.map(({ code, message }) => [code, message]),
  ];
  const table = rows.length === 0 ? [] : [DRY_RUN_HEAD, ...rows];
  const texts = io.isTerminal
    ? [textTable(filledColumns(table)), ...problems.flatMap((row) => lineOf(row, io))]
    : [...table, ...problems].map(tabbed);
  io.printData(texts.join(''));
  const { partsLists, bodies, unknown } = estimate;
  const about = unknown > 0 ? 'about ' : '';
  const guess = unknown > 0 ? ` (a guess for ${amount(unknown, 'article')} never fetched)` : '';
  const kinds = `${amount(estimate.articles, 'article')}, ${amount(partsLists, 'parts list')}, ${about}${integer(bodies)} geometry files and images`;
  const time = `about ${duration(requestsMs)}, at ${duration(meanMs ?? 0)} each and ${concurrency} at a time`;
  const more =
    requests === 0
      ? '0 more: the cache has all answers'
      : `${about}${integer(requests)} more: ${kinds}${guess}`;
  const lines = [
    `${amount(articles.length, 'configuration')} selected, ${amount(failures.length, 'failure')}`,
    `Selecting took ${amount(sent, 'request')}; fetching the articles would take ${more}`,
  ];
  if (meanMs !== undefined && requests > 0)
    lines.push(`The requests would take ${time}; the conversion takes additional time`);
  io.print(lines.flatMap((line) => wrappedText(line, io.columns, 2)).join(''));
  return failures.some(({ onlyCarts }) => !onlyCarts) ? 1 : 0;
}

/** The columns that have a text in any row below the header. */
function filledColumns([head = [], ...rows]: readonly (readonly string[])[]): string[][] {
  const isFilled = head.map((_, at) => rows.some((row) => row[at] !== ''));
  return [head, ...rows].map((row) => row.filter((_, at) => isFilled[at]));
}

function lineOf(row: readonly string[], { columns }: Io): string[] {
  return wrappedText(row.join('  '), columns, 2);
}

function tabbed(columns: readonly string[]): string {
  return `${columns.map((text) => visible(text, true)).join('\t')}\n`;
}
