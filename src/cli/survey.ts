/** `btg2gltf survey PIPELINE.yaml`: what each reading of the data would change, and what its numbers say. */

import { resolve } from 'node:path';
import { wrapped } from '../run/report/text.ts';
import { replaceFile } from '../support/files.ts';
import { visibleJson, visibleLines } from '../support/visible.ts';
import type { AppliedChoices } from '../survey/choices.ts';
import { PARTS } from '../wiring.ts';
import { type Arguments, type Command, type Io, numberOf, textOf, usageError } from './command.ts';
import {
  BROWSER_OPTION,
  optionsOf,
  PIPELINE_POSITIONAL,
  readRunOptions,
} from './pipeline-options.ts';
import { openOutput } from './run-output.ts';

/** The command. */
export const surveyCommand: Command = {
  positionals: PIPELINE_POSITIONAL,
  options: {
    limit: { type: 'number', min: 1, default: 60, describe: 'articles of the sample' },
    output: {
      type: 'string',
      value: 'DIR',
      describe: 'folder of page and record [default: survey beside the pipeline file]',
    },
    apply: {
      type: 'string',
      value: '[CHOICES.json]',
      mayBeEmpty: true,
      describe:
        'write what is decided, and the choices of a file, into the pipeline file, without a survey',
    },
    anonymous: {
      type: 'string',
      value: 'FILE',
      describe: 'write features and decisions without names, texts, prices and pictures',
    },
    browser: BROWSER_OPTION,
    json: { type: 'boolean', describe: 'print the record, survey.json, and no summary' },
    ...optionsOf('survey'),
  },
  notes: [
    'The specification of the service leaves open what some values mean. A survey converts a sample of your articles in',
    'each reading: it says which readings matter in your data, decides what numbers can decide, and asks for the rest.',
    'It publishes nothing. Answer the questions on the page DIR/index.html, and apply the answers with --apply: runs then notice data that',
    'contradicts them, by the record beside the pipeline file.',
  ],
  examples: [
    'btg2gltf survey pipeline.yaml',
    'btg2gltf survey pipeline.yaml --apply choices.json',
    'btg2gltf survey pipeline.yaml --anonymous survey-anonymous.json',
  ],
  async run(args, io) {
    const choices = textOf(args, 'apply');
    return choices === undefined ? survey(args, io) : apply(choices, args, io);
  },
};

async function folderOf(args: Arguments): Promise<string> {
  const { surveyFolderOf } = await import('../survey/choices.ts');
  return resolve(textOf(args, 'output') ?? surveyFolderOf(textOf(args, 'PIPELINE.yaml')!));
}

async function survey(args: Arguments, io: Io): Promise<number> {
  const options = await readRunOptions(args, io);
  const folder = await folderOf(args);
  const { environment, display } = await openOutput(args, io);
  const { withSurvey } = await import('../survey/survey.ts');
  const { writeSurvey } = await import('../survey/write-survey.ts');
  const limit = numberOf(args, 'limit');
  const work = withSurvey(
    { ...options, ...(limit !== undefined && { limit }) },
    environment,
    async (survey) => {
      const { cacheDir } = options.pipeline;
      const pictures = { cacheDir, browser: textOf(args, 'browser') };
      return {
        record: survey.record,
        ...(await writeSurvey(survey, folder, environment, pictures)),
      };
    },
    PARTS.sharing?.open,
  );
  const { record, recordFile, pageFile } = await work.finally(() => display.close());
  await writeAnonymous(record, args);
  if (args.json) {
    const { recordText } = await import('../survey/record.ts');
    io.printData(visibleJson(recordText(record)));
    return 0;
  }
  const { nextStep, summaryLines } = await import('../survey/summary.ts');
  const file = textOf(args, 'PIPELINE.yaml')!;
  print([...summaryLines(record), '', nextStep(record, file)], io);
  io.print(`${recordFile}\n${pageFile}\n`);
  return 0;
}

async function apply(choicesFile: string, args: Arguments, io: Io): Promise<number> {
  if (args.limit !== undefined)
    throw usageError('survey: --limit is for a survey, and --apply makes none');
  const { applyChoices } = await import('../survey/choices.ts');
  const file = textOf(args, 'PIPELINE.yaml')!;
  const applied = await applyChoices(file, await folderOf(args), choicesFile || undefined, io.env);
  await writeAnonymous(applied.record, args);
  if (args.json) {
    const { recordText } = await import('../survey/record.ts');
    io.printData(visibleJson(recordText(applied.record)));
    return 0;
  }
  print(appliedLines(applied, file), io);
  io.print(`${applied.recordFile}\n`);
  return 0;
}

function appliedLines({ changes }: AppliedChoices, file: string): string[] {
  if (changes.length === 0) return [`${file}: it has all of this already`];
  return [
    `${file}: ${changes.length === 1 ? '1 option' : `${changes.length} options`} of convert: written`,
    ...changes.map(({ line: { option, value, why }, before }) => {
      const instead = before === undefined ? '' : ` instead of ${before}`;
      return `  ${option}: ${value}${instead}, ${why}`;
    }),
    `Next: btg2gltf run ${file} --limit 10`,
  ];
}

async function writeAnonymous(record: AppliedChoices['record'], args: Arguments): Promise<void> {
  const file = textOf(args, 'anonymous');
  if (file === undefined) return;
  const { anonymousRecord } = await import('../survey/anonymous.ts');
  await replaceFile(file, `${JSON.stringify(anonymousRecord(record), null, 1)}\n`);
}

function print(lines: readonly string[], io: Io): void {
  const fitting = lines.flatMap((line) => wrapped(line, io.columns, line.search(/[^ ]|$/) + 2));
  io.printData(visibleLines([...fitting, '']));
}
