/**
 * `btg2gltf run PIPELINE.yaml`: the main job.
 */
import type { SelectedArticle } from '../fetch/selection.ts';
import type { DryRun } from '../pipeline/run.ts';
import { SILENT } from '../support/log.ts';
import type { Arguments, Command, Io } from './command.ts';
import { doJob, NIGHT_OPTIONS, PIPELINE_POSITIONAL, readJob, toolsOf } from './job.ts';

/** The command. */
export const runCommand: Command = {
  positionals: PIPELINE_POSITIONAL,
  options: {
    ...NIGHT_OPTIONS,
    failed: { type: 'boolean', describe: 'only what failed when it was last tried' },
    'dry-run': {
      type: 'boolean',
      describe: 'print what is selected and what it would take; fetch no geometry',
    },
  },
  examples: [
    'btg2gltf run pipelines/demo.yaml',
    "btg2gltf run pipelines/nightly.yaml --only 'ACME/DESK/*' --force",
  ],
  async run(args, io) {
    const { runPipeline } = await import('../pipeline/run.ts');
    return args['dry-run'] ? preview(args, io) : doJob(runPipeline, args, io);
  },
};

async function preview(args: Arguments, io: Io): Promise<number> {
  const { dryRunPipeline } = await import('../pipeline/run.ts');
  const shown = await dryRunPipeline(await readJob(args, io), { ...toolsOf(io), log: SILENT });
  const { articles, failures, warnings } = shown.selection;
  io.print(articles.map(line).join(''));
  for (const { what, code, message } of failures) io.print(`${code}\t${what}\t${message}\n`);
  for (const { code, message } of warnings) io.print(`${code}\t${message}\n`);
  io.print(estimated(shown));
  return failures.length > 0 ? 1 : 0;
}

/** One article a line, its columns told apart by tabs: numbers may hold blanks. */
function line({ request, why }: SelectedArticle): string {
  const { manufacturer, program, basearticlenumber, finalarticlenumber, reinitstring } = request;
  const ids = [manufacturer, program, basearticlenumber, finalarticlenumber, reinitstring];
  const columns = [...ids, why.join('; ')];
  return `${columns.map((text) => text.replace(/[\t\r\n]/g, ' ')).join('\t')}\n`;
}

/** What a run would take, in words. */
function estimated({ selection, sent, estimate, requests, requestsMs, basis }: DryRun): string {
  const { articles, partsLists, bodies, unknown } = estimate;
  const about = unknown > 0 ? 'about ' : '';
  const guessed = unknown > 0 ? ` (a guess for the ${unknown} that were never fetched)` : '';
  const seconds = ((requestsMs ?? 0) / 1000).toFixed(1);
  const { concurrency, meanMs } = basis;
  const one = `${Math.round(meanMs ?? 0)} ms each, ${concurrency} at a time`;
  return [
    `${selection.articles.length} configurations selected, ${selection.failures.length} could not be · ${sent} requests sent so far`,
    `A run sends ${about}${requests} requests more: ${articles} articles, ${partsLists} parts lists, ${about}${bodies} blocks and images${guessed}`,
    ...(meanMs === undefined || requests === 0
      ? []
      : [`They take about ${seconds} s (${one}); converting comes on top`]),
    '',
  ].join('\n');
}
