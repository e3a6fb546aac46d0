/** `btg2gltf verify` and `btg2gltf prune`: commands on an output folder. */
import { resolve } from 'node:path';
import {
  carryOutPrune,
  planPrune,
  requireManifest,
  verifyOutput,
} from '../pipeline/output-folder.ts';
import { lockOutput } from '../pipeline/output-lock.ts';
import { amount, size } from '../report/text.ts';
import { redact } from '../support/redact.ts';
import { visible, visibleJson } from '../support/visible.ts';
import { type Arguments, type Command, type Io, numberOf, textOf } from './command.ts';
import { pipelineAt } from './pipeline-options.ts';

/** Name of the positional: an output folder, by itself or by its pipeline. */
export const SUBJECT = 'PIPELINE.yaml|FOLDER';
/** The positional of commands on an output folder. */
export const POSITIONALS = [{ name: SUBJECT, describe: 'a pipeline, or a folder', required: true }];
/** The option that replaces the folder of a pipeline. */
const OUTPUT = {
  type: 'string',
  describe: 'output folder, instead of that in the file',
} as const;

/** The output folder that a command names by itself or by its pipeline. */
export async function outputFolderOf(args: Arguments, io: Io): Promise<string> {
  const given = textOf(args, 'output') ?? textOf(args, SUBJECT)!;
  const pipeline = args.output === undefined ? await pipelineAt(given, io) : undefined;
  return resolve(pipeline?.outputDir ?? given);
}

/** The command `verify`. */
export const verifyCommand: Command = {
  positionals: POSITIONALS,
  options: { output: OUTPUT, json: { type: 'boolean', describe: 'print JSON' } },
  notes: [
    'Exit code 0: all intact; 1: files are damaged or missing, or a publication was cut off,',
    'which the next run completes.',
  ],
  examples: ['btg2gltf verify pipeline.yaml', 'btg2gltf verify output --json'],
  async run(args, io) {
    const folder = await outputFolderOf(args, io);
    const found = await verifyOutput(folder, io.signal);
    const { objects, links, problems, incomplete } = found;
    const isIntact = problems.length + incomplete.length === 0;
    // Below the folder, a path is made of data.
    const masked = (path: string) => path.replace(folder, () => redact(folder));
    const shown = (path: string) => visible(masked(path), true);
    if (args.json) {
      const mask = (_: string, value: unknown) =>
        typeof value === 'string' ? masked(value) : value;
      io.printData(visibleJson(`${JSON.stringify(found, mask, 2)}\n`));
      return isIntact ? 0 : 1;
    }
    for (const { path, problem, sharedBy = [] } of problems) {
      io.printData(`${shown(path)}: ${problem}\n`);
      for (const link of sharedBy) io.printData(`  shared by ${shown(link)}\n`);
    }
    for (const { path, problem } of incomplete) io.printData(`${shown(path)}: ${problem}\n`);
    const checked = `${amount(objects, 'object')} and ${amount(links, 'link')} below ${folder}`;
    const unpublished = incomplete.length === 0 ? 'all intact' : 'none damaged';
    const result = problems.length === 0 ? unpublished : `${problems.length} damaged or missing`;
    io.print(`${checked}: ${result}\n`);
    if (problems.length > 0)
      io.print('→ run btg2gltf run … --repair to build damaged and missing files again\n');
    if (incomplete.length > 0) {
      const files = amount(incomplete.length, 'file');
      io.print(`a publication was cut off: ${files} not as in the manifest\n`);
      io.print('→ run btg2gltf run …, which completes it\n');
    }
    return isIntact ? 0 : 1;
  },
};

/** The command `prune`. */
export const pruneCommand: Command = {
  positionals: POSITIONALS,
  options: {
    output: OUTPUT,
    'keep-runs': { type: 'number', min: 1, describe: 'also remove all reports except the last N' },
    yes: { type: 'boolean', describe: 'remove the files; without it they are only counted' },
    verbose: { type: 'boolean', describe: 'list the files' },
  },
  examples: ['btg2gltf prune pipeline.yaml', 'btg2gltf prune output --keep-runs 90 --yes'],
  async run(args, io) {
    const outputDir = await outputFolderOf(args, io);
    await requireManifest(outputDir);
    const release = await lockOutput(outputDir, io.now());
    try {
      const plan = await planPrune(outputDir, numberOf(args, 'keep-runs'));
      const { objects, links, runs, bytes } = plan;
      if (args.verbose) {
        for (const path of [...links, ...objects, ...runs])
          io.printData(`${visible(path, true)}\n`);
      }
      const reports = runs.length === 0 ? '' : ` and the reports of ${amount(runs.length, 'run')}`;
      const what = `${amount(objects.length, 'object')} (${size(bytes)}) and ${amount(links.length, 'link')}${reports}`;
      if (args.yes) await carryOutPrune(outputDir, plan);
      io.print(
        args.yes
          ? `removed: ${what}\n`
          : `would remove: ${what}; --yes removes them, --verbose lists them\n`,
      );
      return 0;
    } finally {
      await release();
    }
  },
};
