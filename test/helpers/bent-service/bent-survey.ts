/** Surveys of a bent service, and what they have found of its meaning. */

import type { Scene } from '../../../src/convert/model/scene.ts';
import { CONVERT_DEFAULTS } from '../../../src/convert/transform/convert-options.ts';
import { readPipelineObject } from '../../../src/deliver/pipeline.ts';
import { startEmulator } from '../../../src/emulator/emulator.ts';
import type { EmulatedRange } from '../../../src/emulator/sample/range.ts';
import { SILENT } from '../../../src/support/log.ts';
import { sceneDifference } from '../../../src/survey/readings/scene-difference.ts';
import type { SurveyRecord } from '../../../src/survey/record.ts';
import { type Survey, withSurvey } from '../../../src/survey/survey.ts';
import { bentService } from './bent-service.ts';
import type { FoundOnly, Meaning } from './meaning.ts';

/** Less of the area of an article is not seen. */
const LEAST_AREA = 0.005;

/** What a survey says about one option, with whether that is right. */
export interface Judged {
  option: string;
  state: string;
  value: unknown;
  certainty: string | undefined;
  /** Whether the furniture is what it was, with the value that was found. */
  isRight: boolean;
}

/** A survey of a bent service. */
export interface BentSurvey {
  meaning: Meaning;
  record: SurveyRecord;
  judged: Judged[];
  /** The furniture as a reader sees it who knows the meaning, by the label of the article. */
  scenes: ReadonlyMap<string, Scene>;
}

/** Surveys a range as a service of another meaning. @param folder - An empty one. */
export async function bentSurvey(
  range: EmulatedRange,
  folder: string,
  {
    meaning = {},
    found = [],
    limit = 24,
    articles = [{ catalogue: {} }] as object[],
  }: {
    meaning?: Meaning;
    found?: readonly FoundOnly[];
    limit?: number;
    articles?: object[];
  },
): Promise<BentSurvey> {
  const bent = await bentService(range, meaning, found);
  return surveyOf(bent, folder, { limit, articles }, async (survey) => {
    const scenes = new Map<string, Scene>();
    for (const article of survey.articles)
      scenes.set(article.label, await survey.sceneOf(article, defaults(meaning)));
    const judged = await judge(survey, meaning, scenes);
    return { meaning, record: survey.record, judged, scenes };
  });
}

/** Surveys a range, and works with what was found. @param folder - An empty one. */
export function surveyOf<T>(
  range: EmulatedRange,
  folder: string,
  { limit, articles }: { limit: number; articles: object[] },
  work: (survey: Survey) => Promise<T>,
): Promise<T> {
  const service = { emulator: true };
  const output = { output: { dir: `${folder}/output` }, cache: { dir: `${folder}/cache` } };
  const pipeline = readPipelineObject({ name: 'bent', service, articles, ...output }, 'bent', {});
  const environment = {
    ...{ env: {}, log: SILENT, signal: new AbortController().signal },
    ...{ now: Date.now, random: Math.random },
    startEmulator: () => startEmulator({ range, maxQueryBytes: Number.POSITIVE_INFINITY }),
  };
  return withSurvey({ pipeline, limit }, environment, work);
}

/** All options of a meaning, so that nothing of what a survey has decided is left. */
function defaults(meaning: Meaning): Meaning {
  return { ...CONVERT_DEFAULTS, ...meaning } as unknown as Meaning;
}

/** Compares each article in the true meaning with the same one in which one option has the value that was found. */
async function judge(
  survey: Survey,
  meaning: Meaning,
  scenes: ReadonlyMap<string, Scene>,
): Promise<Judged[]> {
  const judged: Judged[] = [];
  for (const { option, state, value, present, certainty } of survey.record.options) {
    const isTrue = value === (meaning[option] ?? present);
    const isRight = isTrue || (await isSame(survey, { ...meaning, [option]: value }, scenes));
    judged.push({ option, state, value, certainty, isRight });
  }
  return judged;
}

async function isSame(
  survey: Survey,
  meaning: Meaning,
  scenes: ReadonlyMap<string, Scene>,
): Promise<boolean> {
  for (const article of survey.articles) {
    const found = await survey.sceneOf(article, defaults(meaning));
    if (sceneDifference(scenes.get(article.label)!, found).areaShare >= LEAST_AREA) return false;
  }
  return true;
}
