/**
 * The record of a survey: what was found, and what was decided; `survey.json`. It names the data, and has nothing of
 * its texts but labels of articles.
 */

import { z } from 'zod';
import { ConverterError } from '../support/errors.ts';
import { readText } from '../support/files.ts';
import { VIEWS } from './readings/decide.ts';
import { READING_OPTIONS, type ReadingOption } from './readings/readings.ts';
import { ASPECTS } from './readings/scene-difference.ts';

const text = z.string();
const count = z.int().min(0);
const value = z.union([text, z.number(), z.boolean()]);
const list = <S extends z.ZodType>(schema: S) => z.array(schema).readonly();
const share = z.number();
const certainty = z.enum(['high', 'medium']);
const option = z.enum(READING_OPTIONS as [ReadingOption, ...ReadingOption[]]);

const optionSchema = z.object({
  option: option.describe('the option of convert: in the pipeline file'),
  state: z
    .enum(['no-effect', 'decided', 'question', 'chosen'])
    .describe(
      'no other value changes anything; numbers decide; a person is asked; a person has answered',
    ),
  value: value.describe('what the data has as far as it is known; otherwise that of present'),
  present: value.describe('the value that the pipeline file had, or the default'),
  certainty: certainty.optional(),
  articles: count.describe('articles of the sample in which another value changes something'),
  alternatives: list(
    z.object({
      value,
      articles: count,
      areaShare: z.number().describe('share of the surface that changes most in one article'),
      movedMillimetres: z
        .number()
        .optional()
        .describe('the longest way of a part; none where parts cannot be compared'),
      aspects: list(z.enum(ASPECTS)).describe('what changes'),
      examples: list(text).describe('the articles in which it matters most'),
      pixelShare: z
        .number()
        .optional()
        .describe('share of the pixels of one article that differ; only if numbers do not decide'),
      mark: z
        .object({ view: z.enum(VIEWS), x: share, y: share, width: share, height: share })
        .optional()
        .describe('where they are, in shares of a small drawing'),
      alike: list(value).optional().describe('other values that look the same as this one'),
    }),
  ),
  evidence: list(
    z.object({
      indication: text.describe('what was measured, such as symmetry'),
      value,
      figure: text,
      articles: count.describe('articles that fit this value and no other'),
    }),
  ),
});

const findingSchema = z.object({
  about: text.describe('such as unit, or up axis'),
  sentence: text,
  certainty,
  articles: count,
});

const featureSchema = z.object({
  group: text.describe('such as nodes'),
  name: text,
  count: count.describe('in all articles of the sample'),
  articles: count.describe('articles that have it'),
});

/** The schema of `survey.json`, and of the record beside a pipeline file. */
const surveyRecordSchema = z.object({
  version: z.literal(1),
  pipeline: text.describe('name of the pipeline'),
  program: text.describe('version of btg2gltf'),
  conversion: count.describe('version of the conversion'),
  data: z.object({
    selected: count.describe('configurations that the pipeline selects'),
    sampled: count.describe('articles of the sample'),
    manufacturers: count,
    series: count,
    unread: list(z.object({ article: text, code: text, message: text })).describe(
      'articles that could not be fetched or converted',
    ),
  }),
  features: list(featureSchema).describe('what the data has and what it lacks'),
  findings: list(findingSchema).describe('what no option can put right'),
  options: list(optionSchema).describe('in the order in which a person decides'),
});

/** What a survey has found. */
export type SurveyRecord = z.infer<typeof surveyRecordSchema>;
/** A reading in the record. */
export type OptionRecord = SurveyRecord['options'][number];
/** Something in the data that no option can put right. */
export type Finding = SurveyRecord['findings'][number];
/** A feature of the data, over all articles of the sample. */
export type FeatureRecord = SurveyRecord['features'][number];

/** Name of the file in the folder of a survey. */
export const RECORD_FILE = 'survey.json';

/** The JSON Schema of a record, which is `pipelines/survey.schema.json`. */
export function surveyJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(surveyRecordSchema, {
    override: ({ jsonSchema }) => {
      delete jsonSchema.readOnly;
    },
  }) as Record<string, unknown>;
}

/** The text of a record: the same for the same record. */
export function recordText(record: SurveyRecord): string {
  return `${JSON.stringify(record, null, 1)}\n`;
}

/**
 * Reads the record of a survey.
 *
 * @throws {@link ConverterError} `FILE_MISSING`, `FILE_UNREADABLE`; `SURVEY_INVALID` for anything but a record of this
 *   version.
 */
export async function readRecord(path: string): Promise<SurveyRecord> {
  return checkedJson(await readText(path), path, surveyRecordSchema);
}

/** The content of a JSON file. @throws {@link ConverterError} `SURVEY_INVALID` naming the first field that is wrong. */
export function checkedJson<T>(content: string, path: string, schema: z.ZodType<T>): T {
  let json: unknown;
  try {
    json = JSON.parse(content);
  } catch (cause) {
    throw new ConverterError('SURVEY_INVALID', `${path}: expected JSON`, { cause });
  }
  const { data, error } = schema.safeParse(json, { jitless: true });
  if (data !== undefined) return data;
  const [issue] = error!.issues;
  const where = issue!.path.length === 0 ? 'the file' : issue!.path.join('.');
  throw new ConverterError('SURVEY_INVALID', `${path}: ${where}: ${issue!.message}`);
}
