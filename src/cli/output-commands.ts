/** `btg2gltf verify` and `btg2gltf prune`: commands on published files. */

import { resolve } from 'node:path';
import { DELIVERIES } from '../deliver/hooks.ts';
import { missingLists } from '../deliver/missing-lists.ts';
import { openPublished } from '../distribute/published.ts';
import { defaultCacheDir, type Pipeline } from '../run/file/pipeline-file.ts';
import { type Published, publishedIn } from '../run/output/published.ts';
import { countOutdated } from '../run/processor/outdated.ts';
import { amount, size, wrapped } from '../run/report/text.ts';
import { SILENT } from '../support/log.ts';
import { redact } from '../support/redact.ts';
import { visible, visibleJson } from '../support/visible.ts';
import { PARTS } from '../wiring.ts';
import { type Arguments, type Command, type Io, numberOf, textOf } from './command.ts';
import { pipelineAt } from './pipeline-options.ts';
import { environmentOf } from './service-options.ts';

/** Name of the positional: an output folder, given as a folder or by its pipeline. */
export const SUBJECT = 'PIPELINE.yaml|FOLDER';
/** The positional of commands on an output folder. */
export const POSITIONALS = [
  { name: SUBJECT, describe: 'a pipeline file, or its output folder', required: true },
];
/** The option that replaces the folder of a pipeline. */
const OUTPUT = {
  type: 'string',
  describe: 'output folder, instead of the one in the pipeline file',
} as const;

/** The pipeline or the folder that a command is applied to. */
interface Subject {
  published: Published;
  name: string | undefined;
  cacheDir: string;
  /** The pipeline with the folders in use; undefined for a folder. */
  pipeline: Pipeline | undefined;
}

/**
 * Opens the published files of a pipeline or a folder.
 *
 * @param folder - Replaces the output folder of the pipeline; its store stays.
 */
export async function openSubject(
  file: Pipeline | undefined,
  folder: string | undefined,
  io: Io,
): Promise<Subject> {
  const outputDir = resolve(folder ?? file?.outputDir ?? 'output');
  const isOwn = file !== undefined && folder === undefined;
  const cacheDir = isOwn ? file.cacheDir : defaultCacheDir(outputDir);
  const pipeline = file && { ...file, outputDir, cacheDir };
  const published = pipeline
    ? await openPublished(pipeline, io)
    : publishedIn(outputDir, io.now, DELIVERIES.folders);
  return { published, name: file?.name, cacheDir, pipeline };
}

/** Opens the published files that a command names by its positional, a pipeline file or a folder. */
export async function subjectOf(args: Arguments, io: Io): Promise<Subject> {
  const given = textOf(args, SUBJECT);
  const file = given === undefined ? undefined : await pipelineAt(given, io);
  return openSubject(file, textOf(args, 'output') ?? (file ? undefined : given), io);
}

/** The command `verify`. */
export const verifyCommand: Command = {
  positionals: POSITIONALS,
  options: { output: OUTPUT, json: { type: 'boolean', describe: 'print JSON' } },
  notes: [
    'Exit code 0: all files are as they were published. 1: files are damaged or missing, or a run was cut off while it',
    'published, which the next run completes.',
    '',
    'With PIPELINE.yaml it also looks for feeds and files of the gallery, and says whether the cache has newer data than',
    'what is published, which is no damage. With store: in the file, it checks the store.',
  ],
  examples: ['btg2gltf verify pipeline.yaml', 'btg2gltf verify output --json'],
  async run(args, io) {
    const { published, pipeline } = await subjectOf(args, io);
    await published.requireManifest();
    const found = await published.verify(io.signal);
    const { objects, links, problems, incomplete } = found;
    // A store lists its files with their digests; the lists of an output folder contain neither feeds nor gallery.
    const missing = pipeline && !pipeline.store ? await missingLists(pipeline) : [];
    problems.push(...missing.map((path) => ({ path, problem: 'missing' })));
    const isIntact = problems.length + incomplete.length === 0;
    const environment = { ...environmentOf(io), log: SILENT };
    // Damaged lists cannot be compared.
    const outdated =
      isIntact && pipeline
        ? await countOutdated(pipeline, environment, PARTS.sharing?.open)
        : undefined;
    const { name } = published;
    // Only the folder is redacted: the path below it is made of data.
    const masked = (path: string) => path.replace(name, () => redact(name));
    const shown = (path: string) => visible(masked(path), true);
    if (args.json) {
      const mask = (_: string, value: unknown) =>
        typeof value === 'string' ? masked(value) : value;
      io.printData(visibleJson(`${JSON.stringify({ ...found, outdated }, mask, 2)}\n`));
      return isIntact ? 0 : 1;
    }
    for (const { path, problem, sharedBy = [] } of problems) {
      io.printData(`${shown(path)}: ${problem}\n`);
      for (const link of sharedBy) io.printData(`  shared by ${shown(link)}\n`);
    }
    for (const { path, problem } of incomplete) io.printData(`${shown(path)}: ${problem}\n`);
    const files = amount(links ?? objects, 'file');
    const checked = `${files} of articles (models, pictures and others) below ${name}`;
    const unpublished = incomplete.length === 0 ? 'all intact, as published' : 'none damaged';
    const result = problems.length === 0 ? unpublished : `${problems.length} damaged or missing`;
    const lines = wrapped(`${checked}: ${result}`, io.columns, 2);
    io.print(lines.map((line) => `${line}\n`).join(''));
    if (problems.length > 0)
      io.print('→ run btg2gltf run … --repair to build damaged and missing files again\n');
    if (incomplete.length > 0) {
      const left = amount(incomplete.length, 'file');
      io.print(`a publication was cut off: ${left} as it left them\n`);
      io.print('→ run btg2gltf run …, which completes it\n');
    }
    if (outdated) {
      const lines = amount(outdated, 'line');
      io.print(`note: the cache has newer answers than ${lines} of the catalogue\n`);
      io.print('→ run btg2gltf run …, which publishes them\n');
    }
    return isIntact ? 0 : 1;
  },
};

/** The text about hard links, which a store has not. */
const linksText = (links: number | undefined): string =>
  links === undefined ? '' : ` and ${amount(links, 'link')}`;

/** The command `prune`. */
export const pruneCommand: Command = {
  positionals: POSITIONALS,
  options: {
    output: OUTPUT,
    'keep-runs': { type: 'number', min: 1, describe: 'also remove all reports except the last N' },
    yes: { type: 'boolean', describe: 'remove the files; without it they are only counted' },
    verbose: { type: 'boolean', describe: 'list the files' },
  },
  notes: [
    'Runs remove the same files, but only some days later (keepRuns and keepObjectsDays below output: in the pipeline',
    'file). With store: in the file, it removes files of the store that are older than a day: a run may need others.',
  ],
  examples: ['btg2gltf prune pipeline.yaml', 'btg2gltf prune output --keep-runs 90 --yes'],
  async run(args, io) {
    const { published } = await subjectOf(args, io);
    await published.requireManifest();
    const release = await published.lock();
    try {
      const plan = await published.planPrune(numberOf(args, 'keep-runs'));
      const { objects, links, runs, bytes, young = 0 } = plan;
      if (args.verbose) {
        for (const path of [...(links ?? []), ...objects, ...runs])
          io.printData(`${visible(path, true)}\n`);
      }
      const reports = runs.length === 0 ? '' : ` and the reports of ${amount(runs.length, 'run')}`;
      const what = `${amount(objects.length, 'stored file')} (${size(bytes)})${linksText(links?.length)}${reports}`;
      const isEmpty = objects.length + (links?.length ?? 0) + runs.length === 0;
      if (args.yes) await published.prune(plan);
      if (isEmpty) io.print('nothing to remove\n');
      else if (args.yes) io.print(`removed: ${what}\n`);
      else io.print(`would remove: ${what}; --yes removes them, --verbose lists them\n`);
      if (young > 0) io.print(`${amount(young, 'stored file')} younger than a day: kept\n`);
      return 0;
    } finally {
      await release();
    }
  },
};
