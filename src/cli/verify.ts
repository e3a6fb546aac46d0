/**
 * `btg2gltf verify`: is every published GLB still what the manifest says?
 */
import { resolve } from 'node:path';
import { verifyOutput } from '../pipeline/output-folder.ts';
import { loadPipeline } from '../pipeline/pipeline-file.ts';
import { type Command, textOf } from './command.ts';

/** The command. */
export const verifyCommand: Command = {
  positionals: [
    { name: 'PIPELINE.yaml|FOLDER', describe: 'a pipeline, or an output folder', required: true },
  ],
  options: {
    output: { type: 'string', describe: 'output folder, instead of the one in the file' },
  },
  examples: ['btg2gltf verify pipelines/demo.yaml', 'btg2gltf verify output/demo'],
  async run(args, io) {
    const given = textOf(args, 'PIPELINE.yaml|FOLDER')!;
    const folder =
      textOf(args, 'output') ??
      (/\.ya?ml$/i.test(given) ? (await loadPipeline(given, io.env)).outputDir : given);
    const { objects, links, problems } = await verifyOutput(resolve(folder), io.signal);
    for (const { path, problem } of problems) io.print(`${path}: ${problem}\n`);
    const found = problems.length === 0 ? 'all intact' : `${problems.length} damaged or missing`;
    io.print(`${objects} objects and ${links} links below ${resolve(folder)}: ${found}\n`);
    if (problems.length > 0)
      io.print('→ btg2gltf run … --repair builds what is damaged or missing\n');
    return problems.length === 0 ? 0 : 1;
  },
};
