/**
 * `btg2gltf run PIPELINE.yaml`: the main job.
 */
import type { SelectedArticle } from '../fetch/select-articles.ts';
import { SILENT } from '../support/log.ts';
import type { Arguments, Command, Io } from './command.ts';
import { doJob, JOB_OPTIONS, PIPELINE_POSITIONAL, readJob, toolsOf } from './job.ts';

/** The command. */
export const runCommand: Command = {
  positionals: PIPELINE_POSITIONAL,
  options: {
    ...JOB_OPTIONS,
    'dry-run': { type: 'boolean', describe: 'print what is selected and do nothing' },
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
  const { previewPipeline } = await import('../pipeline/run.ts');
  const selected = await previewPipeline(await readJob(args, io), { ...toolsOf(io), log: SILENT });
  io.print(selected.map(line).join(''));
  io.print(`${selected.length} configurations selected\n`);
  return 0;
}

/** One article a line, its columns told apart by tabs: numbers may hold blanks. */
function line({ request, why }: SelectedArticle): string {
  const { manufacturer, program, basearticlenumber, finalarticlenumber, reinitstring } = request;
  const columns = [manufacturer, program, basearticlenumber, finalarticlenumber, reinitstring, why];
  return `${columns.map((text) => text.replace(/[\t\r\n]/g, ' ')).join('\t')}\n`;
}
