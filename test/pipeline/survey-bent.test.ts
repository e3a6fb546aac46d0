/** Surveys find what a service means, as far as its numbers show it; the data is bent by test/helpers/bent-service. */

import { existsSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { openRecording } from '../../src/emulator/replay.ts';
import type { EmulatedRange } from '../../src/emulator/sample/range.ts';
import { createSampleRange } from '../../src/emulator/sample/sample-range.ts';
import { sceneDifference } from '../../src/survey/readings/scene-difference.ts';
import { type BentSurvey, bentSurvey } from '../helpers/bent-service/bent-survey.ts';
import {
  combinedMeanings,
  FOUND_ONLY,
  type FoundOnly,
  type Meaning,
  SINGLE_MEANINGS,
  UNBENDABLE,
} from '../helpers/bent-service/meaning.ts';
import { folderPerTest } from '../helpers/folder-per-test.ts';
import { IS_LONG } from '../helpers/samples.ts';

const inFolder = folderPerTest();
const CC0 = new URL('../../../shared/data/cc0-furniture', import.meta.url).pathname;
const hasCc0 = existsSync(CC0);

/** Articles that have most features of their range. */
const OF_SAMPLE = [
  { article: { manufacturer: 'AULI', program: 'LUMO', basearticlenumber: 'LM-DREIBEIN' } },
];
const OF_CC0 = [
  { manufacturer: 'SH3D', program: 'LIVING', basearticlenumber: 'LA053' },
  { manufacturer: 'SH3D', program: 'OFFICE', basearticlenumber: 'CH044' },
].map((article) => ({ article }));

/** So many questions may be left of data that is as it is. */
const MOST_QUESTIONS = 3;

const wrongOf = ({ judged }: BentSurvey) =>
  judged.filter(({ state, isRight }) => state === 'decided' && !isRight);
const questionsOf = ({ judged }: BentSurvey) =>
  judged.filter(({ state }) => state === 'question').map(({ option }) => option);
const found = ({ judged }: BentSurvey, meaning: Meaning) =>
  Object.fromEntries(
    judged.filter(({ option }) => option in meaning).map(({ option, value }) => [option, value]),
  );

describe('the sample range', () => {
  let range: EmulatedRange;
  beforeAll(() => {
    range = createSampleRange();
  });

  const meaning = { rotationDirection: 'clockwise', pointIndexBase: 1 };

  test('is found to be bent', async () => {
    // By its numbers alone: pictures have a test of their own.
    const unseen = { ...range, resource: async () => undefined };
    const bent = await bentSurvey(unseen, inFolder(), { meaning, articles: OF_SAMPLE });
    expect(wrongOf(bent)).toEqual([]);
    expect(found(bent, meaning)).toEqual(meaning);
  });

  test.runIf(IS_LONG)('is the same furniture for a reader who knows its meaning', async () => {
    const plain = await bentSurvey(range, inFolder('plain'), { articles: OF_SAMPLE });
    const bent = await bentSurvey(range, inFolder('bent'), { meaning, articles: OF_SAMPLE });
    for (const [label, scene] of plain.scenes)
      expect(sceneDifference(scene, bent.scenes.get(label)!).aspects).toEqual([]);
  });
});

describe.runIf(IS_LONG && hasCc0)('the CC0 furniture', () => {
  test('is found to be bent', async () => {
    const range = await openRecording(CC0);
    const meaning = { rotationOrder: 'zyx', winding: 'flip', uvStride: 3 };
    const bent = await bentSurvey(range, inFolder(), { meaning, articles: OF_CC0 });
    expect(wrongOf(bent)).toEqual([]);
    expect(found(bent, meaning)).toEqual(meaning);
  });
});

describe.runIf(IS_LONG)('all bends', () => {
  /** Articles of the sample range; the CC0 furniture has eight. */
  const LIMIT = 16;
  const rangesOf = async () => {
    const cc0 = hasCc0 ? [['CC0 furniture', await openRecording(CC0)] as const] : [];
    return [['sample range', createSampleRange()] as const, ...cc0];
  };

  test('as they are: no wrong decision, at most three questions', async () => {
    for (const [name, range] of await rangesOf()) {
      const survey = await bentSurvey(range, inFolder(name), { limit: 60 });
      expect(wrongOf(survey), name).toEqual([]);
      expect(questionsOf(survey).length, name).toBeLessThanOrEqual(MOST_QUESTIONS);
      expect(survey.record.findings, name).toEqual([]);
    }
  });

  test.each([
    ['one', SINGLE_MEANINGS],
    ['random ones together', combinedMeanings()],
  ])('%s: 95 % of the decisions are right, and no certain one is wrong', async (kind, meanings) => {
    const surveys: [string, BentSurvey][] = [];
    for (const [name, range] of await rangesOf())
      for (const [at, meaning] of meanings.entries()) {
        const folder = inFolder(`${name} ${at}`);
        surveys.push([name, await bentSurvey(range, folder, { meaning, limit: LIMIT })]);
      }
    process.stdout.write(`${tableOf(kind, surveys)}\n`);
    const decided = surveys.flatMap(([, { judged }]) =>
      judged.filter(({ state }) => state === 'decided'),
    );
    const right = decided.filter(({ isRight }) => isRight);
    const certain = decided.filter(({ isRight, certainty }) => !isRight && certainty === 'high');
    expect(certain).toEqual([]);
    expect(right.length).toBeGreaterThanOrEqual(0.95 * decided.length);
  });

  test.each(FOUND_ONLY)('%s is a finding, and the only one', async (about: FoundOnly) => {
    const survey = await bentSurvey(createSampleRange(), inFolder(), {
      found: [about],
      limit: 60,
    });
    expect(survey.record.findings.map((finding) => finding.about)).toEqual([about]);
  });
});

/** One line for each survey, then one for all, and those values that cannot be bent. */
function tableOf(kind: string, surveys: readonly [string, BentSurvey][]): string {
  const rows = surveys.map(([name, survey]) => {
    const { meaning, judged } = survey;
    const bent = judged
      .filter(({ option }) => option in meaning)
      .map(({ option, state, value, certainty = '', isRight }) => {
        const verdict = state === 'decided' && !isRight ? 'WRONG' : state;
        return `${option}=${meaning[option]}: ${verdict} ${value} ${certainty}`.trim();
      });
    const asked = questionsOf(survey).length;
    return `${name}, ${asked} questions: ${bent.join(', ')}`;
  });
  const decided = surveys.flatMap(([, survey]) =>
    survey.judged.filter(({ state }) => state === 'decided'),
  );
  const wrong = surveys.flatMap(([, survey]) => wrongOf(survey));
  const certain = wrong.filter(({ certainty }) => certainty === 'high');
  const sum = `bent, ${kind}: ${surveys.length} surveys, ${decided.length} decisions, ${wrong.length} wrong, ${certain.length} of them certain`;
  const reasons = Object.entries(UNBENDABLE).map(([value, why]) => `not bent: ${value}: ${why}`);
  return [...rows, sum, ...reasons].join('\n');
}
