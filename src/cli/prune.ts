/**
 * `btg2gltf prune`: drops what no manifest line refers to.
 */
import { resolve } from 'node:path';
import { carryOutPrune, planPrune, requireManifest } from '../pipeline/output-folder.ts';
import { lockOutput } from '../pipeline/output-lock.ts';
import { loadPipeline } from '../pipeline/pipeline-file.ts';
import { size } from '../report/text.ts';
import { type Command, numberOf, textOf } from './command.ts';

/** The command. */
export const pruneCommand: Command = {
  positionals: [
    { name: 'PIPELINE.yaml|FOLDER', describe: 'a pipeline, or an output folder', required: true },
  ],
  options: {
    output: { type: 'string', describe: 'output folder, instead of the one in the file' },
    'keep-runs': {
      type: 'number',
      min: 1,
      describe: 'remove the reports of all runs but the last N too',
    },
    yes: { type: 'boolean', describe: 'remove it; without this it is only told' },
  },
  examples: [
    'btg2gltf prune pipelines/demo.yaml',
    'btg2gltf prune output/demo --keep-runs 90 --yes',
  ],
  async run(args, io) {
    const given = textOf(args, 'PIPELINE.yaml|FOLDER')!;
    const isPipeline = /\.ya?ml$/i.test(given);
    const folder =
      textOf(args, 'output') ??
      (isPipeline ? (await loadPipeline(given, io.env)).outputDir : given);
    const outputDir = resolve(folder);
    await requireManifest(outputDir);
    const release = await lockOutput(outputDir, io.now());
    try {
      const plan = await planPrune(outputDir, numberOf(args, 'keep-runs'));
      for (const path of [...plan.links, ...plan.objects, ...plan.runs]) io.print(`${path}\n`);
      const { objects, links, runs, bytes } = plan;
      const reports = runs.length === 0 ? '' : ` and the reports of ${runs.length} runs`;
      const what = `${objects.length} objects (${size(bytes)}) and ${links.length} links${reports}`;
      if (args.yes) await carryOutPrune(outputDir, plan);
      io.print(args.yes ? `removed: ${what}\n` : `would remove: ${what}; --yes removes them\n`);
      return 0;
    } finally {
      await release();
    }
  },
};
