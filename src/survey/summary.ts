/** A survey as one screen of text, for a person who sees one for the first time. */

import { amount } from '../run/report/text.ts';
import { reasonOf } from './choices.ts';
import { READINGS } from './readings/readings.ts';
import type { OptionRecord, SurveyRecord } from './record.ts';

/** How many readings are in each state: `3 questions, 9 decided, 13 do not matter here`. */
export function countsText({ options }: SurveyRecord): string {
  const count = (state: OptionRecord['state']) =>
    options.filter((option) => option.state === state).length;
  const chosen = count('chosen');
  const unimportant = count('no-effect');
  const parts = [
    amount(count('question'), 'question'),
    ...(chosen > 0 ? [`${chosen} chosen by a person`] : []),
    `${count('decided')} decided`,
    `${unimportant} ${unimportant === 1 ? 'does' : 'do'} not matter here`,
  ];
  return parts.join(', ');
}

/** Summarises a survey. @returns Lines of text. */
export function summaryLines(record: SurveyRecord): string[] {
  const { pipeline, data, options, findings } = record;
  const { selected, sampled, manufacturers, series, unread } = data;
  const of = `${amount(manufacturers, 'manufacturer')}, ${series} series`;
  const differing = options.filter(
    ({ state, value, present }) => state === 'decided' && value !== present,
  );
  return [
    `${pipeline}: ${countsText(record)}`,
    `${amount(sampled, 'article')} of ${amount(selected, 'configuration')} compared, of ${of}`,
    ...section('Questions: numbers do not decide', options.filter(isQuestion).map(questionText)),
    ...section('Decided, and other than in the pipeline file', differing.map(decisionText)),
    ...section(
      'Found in the data',
      findings.map(({ sentence, articles }) => `${sentence} (${amount(articles, 'article')})`),
    ),
    ...section(
      'Not compared',
      unread.map(({ article, code, message }) => `${article}  ${code}  ${message}`),
    ),
  ];
}

/** What a person does next. @param file - The pipeline file. */
export function nextStep({ options }: SurveyRecord, file: string): string {
  const apply = `btg2gltf survey ${file} --apply`;
  if (options.some(isQuestion))
    return `Next: answer the questions on the page, save choices.json, and run ${apply} choices.json`;
  const isOther = options.some(
    ({ state, value, present }) => state === 'decided' && value !== present,
  );
  return isOther
    ? `Next: ${apply}`
    : `Nothing is to be changed. Next: btg2gltf run ${file} --limit 10`;
}

const MOST_ROWS = 25;

function section(title: string, rows: readonly string[]): string[] {
  if (rows.length === 0) return [];
  const more = rows.length - MOST_ROWS;
  const rest = more > 0 ? [`  … and ${more} more in the record`] : [];
  return ['', title, ...rows.slice(0, MOST_ROWS).map((row) => `  ${row}`), ...rest];
}

/** More alternatives are counted. */
const MOST_OTHERS = 2;

const isQuestion = ({ state }: OptionRecord) => state === 'question';

function questionText({ option, present, alternatives, articles }: OptionRecord): string {
  const { about, meaning } = READINGS[option];
  const others = alternatives.map(({ value }) => meaning[String(value)]!);
  const named = others.length > MOST_OTHERS ? `${others.length} others` : others.join(', or: ');
  return `${option} (${amount(articles, 'article')}): ${about}. Now: ${meaning[String(present)]}; or: ${named}`;
}

function decisionText(one: OptionRecord): string {
  const { option, value, present, certainty } = one;
  return `${option}: ${value} instead of ${present}, ${reasonOf(one)} (certainty: ${certainty})`;
}
