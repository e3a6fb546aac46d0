/** Choices: what a person has answered, and how answers and decisions get into the pipeline file. */

import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { CONVERT_DEFAULTS } from '../convert/transform/convert-options.ts';
import { type Pipeline, parsePipeline } from '../deliver/pipeline.ts';
import type { Environment } from '../run/file/environment.ts';
import { type ConvertLine, type EditedConvert, editConvert } from '../run/file/pipeline-edit.ts';
import { surveyFileOf } from '../run/file/pipeline-file.ts';
import { amount } from '../run/report/text.ts';
import { ConverterError, isConverterError } from '../support/errors.ts';
import {
  readBytes,
  readText,
  readTextIfExists,
  replaceFile,
  statIfExists,
} from '../support/files.ts';
import { didYouMean } from '../support/nearest.ts';
import {
  READING_OPTIONS,
  type ReadingOption,
  type ReadingValue,
  valuesOf,
} from './readings/readings.ts';
import {
  checkedJson,
  type OptionRecord,
  RECORD_FILE,
  readRecord,
  recordText,
  type SurveyRecord,
} from './record.ts';

/** The values that a person has chosen, by option. */
export type Choices = Readonly<Partial<Record<ReadingOption, ReadingValue>>>;

const choicesSchema = z.strictObject({
  version: z.literal(1),
  choices: z.record(z.string(), z.unknown()),
});

/**
 * Reads a file of choices, as the page of a survey has it: `{ "version": 1, "choices": { "flipV": false } }`.
 *
 * @param text - Its content. @param path - For errors.
 * @throws {@link ConverterError} `SURVEY_INVALID` naming the option or the value that is unknown, and the nearest one.
 */
export function readChoices(text: string, path: string): Choices {
  const { choices } = checkedJson(text, path, choicesSchema);
  const problems = Object.entries(choices).flatMap(([option, value]) => {
    if (!isReading(option)) {
      const hint = didYouMean(option, READING_OPTIONS);
      return [`${path}: ${JSON.stringify(option)} is no option of a survey${hint}`];
    }
    const values: readonly unknown[] = valuesOf(option);
    if (values.includes(value)) return [];
    const received = JSON.stringify(value).slice(0, MOST_SHOWN);
    const hint = typeof value === 'string' ? didYouMean(value, values.map(String)) : '';
    return [
      `${path}: ${option}: expected one of ${values.join(', ')}, received ${received}${hint}`,
    ];
  });
  if (problems.length > 0) throw new ConverterError('SURVEY_INVALID', problems);
  return choices as Choices;
}

const MOST_SHOWN = 60;

function isReading(option: string): option is ReadingOption {
  return (READING_OPTIONS as readonly string[]).includes(option);
}

/** The record with what a person has chosen. */
export function withChoices(record: SurveyRecord, choices: Choices): SurveyRecord {
  const options = record.options.map((one): OptionRecord => {
    const value = choices[one.option];
    if (value === undefined) return one;
    const { certainty: _, ...rest } = one;
    return { ...rest, state: 'chosen', value };
  });
  return { ...record, options };
}

/** The record with the answers of an earlier one: a question is not asked again while the pipeline file has its answer. */
export function withEarlierChoices(record: SurveyRecord, earlier: SurveyRecord): SurveyRecord {
  const choices = earlier.options.flatMap(({ option, state, value }) => {
    const now = record.options.find((one) => one.option === option);
    const isAnswered = state === 'chosen' && now?.state === 'question' && now.present === value;
    return isAnswered ? [[option, value] as const] : [];
  });
  return withChoices(record, Object.fromEntries(choices));
}

/** What the section `convert:` should have by a record: what is decided where it is not the default, and what is chosen. */
export function convertLines({ options }: SurveyRecord): ConvertLine[] {
  return options.flatMap((one): ConvertLine[] => {
    const { option, state, value } = one;
    if (state !== 'decided' && state !== 'chosen') return [];
    const isAdded = state === 'chosen' || value !== CONVERT_DEFAULTS[option];
    return [{ option, value, why: reasonOf(one), isAdded }];
  });
}

/** Why an option has its value, such as `decided by symmetry in 6 articles`. */
export function reasonOf(one: OptionRecord): string {
  return one.state === 'chosen' ? 'chosen by a person' : `decided by ${evidenceText(one)}`;
}

/** What speaks for the value of an option, such as `symmetry in 6 articles, contact in 1 article`. */
export function evidenceText({ value, evidence }: OptionRecord): string {
  const own = evidence.filter((one) => one.value === value);
  const shown = own.length > 0 ? own : evidence;
  const figures = shown.map(
    ({ indication, articles }) => `${indication} in ${amount(articles, 'article')}`,
  );
  return figures.join(', ') || 'numbers';
}

/** What {@link applyChoices} has done. */
export interface AppliedChoices {
  record: SurveyRecord;
  recordFile: string;
  changes: EditedConvert['changes'];
}

/**
 * Writes what a survey has decided and what a person has chosen into a pipeline file, and puts the record beside it. All
 * other bytes of the file stay; doing it again changes nothing.
 *
 * @param surveyFolder - Has the record, `survey.json`.
 * @param choicesFile - See {@link readChoices}; without it, only what is decided is written.
 * @throws {@link ConverterError} `SURVEY_INVALID` without a record, for other choices than it has, and if the pipeline
 *   file would not mean the same otherwise.
 */
export async function applyChoices(
  pipelineFile: string,
  surveyFolder: string,
  choicesFile: string | undefined,
  env: Environment,
): Promise<AppliedChoices> {
  const choices =
    choicesFile === undefined ? {} : readChoices(await readText(choicesFile), choicesFile);
  const found = await readRecord(join(surveyFolder, RECORD_FILE)).catch((cause: unknown) => {
    if (!isConverterError(cause, 'FILE_MISSING')) throw cause;
    const message = `${surveyFolder}: it has no ${RECORD_FILE}`;
    const help = `run btg2gltf survey ${pipelineFile} first, or name its folder with --output`;
    throw new ConverterError('SURVEY_INVALID', message, { cause, help });
  });
  const record = withChoices(found, choices);
  const text = await textOf(pipelineFile);
  const { pipeline, changes, text: edited } = editedPipeline(text, pipelineFile, record, env);
  if (pipeline !== record.pipeline) {
    const message = `${surveyFolder}: expected a survey of the pipeline ${pipeline}, received one of ${record.pipeline}`;
    throw new ConverterError('SURVEY_INVALID', message);
  }
  if (edited !== text) {
    const facts = await statIfExists(pipelineFile);
    const isPrivate = facts !== undefined && (facts.mode & OTHERS) === 0;
    await replaceFile(pipelineFile, edited, isPrivate ? { access: 'private' } : {});
  }
  const recordFile = surveyFileOf(pipelineFile);
  await replaceFile(recordFile, recordText(record));
  return { record, recordFile, changes };
}

/** Permissions of all but the owner. */
const OTHERS = 0o077;

/** The text of a file with its byte-order mark. @throws {@link ConverterError} `PIPELINE_INVALID` if it is not UTF-8. */
async function textOf(path: string): Promise<string> {
  const bytes = await readBytes(path);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new ConverterError('PIPELINE_INVALID', `${path}:1: expected UTF-8`, { cause });
  }
}

/** The edited text of a pipeline file, if it means the same but for the options that are written. */
function editedPipeline(text: string, file: string, record: SurveyRecord, env: Environment) {
  const before = parsePipeline(text, file, env, true);
  const lines = convertLines(record);
  const edited = editConvert(text, lines);
  const values = lines.map(({ option, value }) => [option, value]);
  const expected = { ...before, convert: { ...before.convert, ...Object.fromEntries(values) } };
  const isAsExpected = edited !== undefined && meansThe(expected, edited.text, file, env);
  if (!isAsExpected) {
    const message = `${file}: convert: cannot be changed alone, such as because of an anchor or an alias`;
    const section = lines.filter(({ isAdded }) => isAdded);
    const help = `write these lines into it: ${section.map(({ option, value }) => `${option}: ${value}`).join('; ')}`;
    throw new ConverterError('SURVEY_INVALID', message, { help });
  }
  return { ...edited, pipeline: before.name };
}

function meansThe(expected: Pipeline, text: string, file: string, env: Environment): boolean {
  try {
    return isDeepStrictEqual(parsePipeline(text, file, env, true), expected);
  } catch {
    return false;
  }
}

/** The record beside a pipeline file; undefined if there is none. @throws {@link ConverterError} `SURVEY_INVALID` */
export async function readStoredRecord(recordFile: string): Promise<SurveyRecord | undefined> {
  const text = await readTextIfExists(recordFile);
  return text === undefined ? undefined : readRecord(recordFile);
}

/** Where the folder of a survey is, if it is not named: beside the pipeline file. */
export function surveyFolderOf(pipelineFile: string): string {
  return join(dirname(pipelineFile), 'survey');
}
