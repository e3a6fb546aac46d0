/** Writes what a survey has found: its record, and the page that asks its questions. */

import { join } from 'node:path';
import type { RunEnvironment } from '../run/open/run-environment.ts';
import { replaceFile } from '../support/files.ts';
import { ANONYMOUS_CONTENT } from './anonymous.ts';
import { takeQuestionPictures } from './question-pictures.ts';
import { RECORD_FILE, recordText } from './record.ts';
import type { Survey } from './survey.ts';
import { surveyPage } from './survey-page.ts';

/** The files of a survey. */
export interface WrittenSurvey {
  recordFile: string;
  pageFile: string;
}

/**
 * Writes `survey.json`, and then `index.html` with pictures of the questions; without a browser, the page has none.
 *
 * @param folder - Made if it is missing.
 * @param pictures - The value of the option `--browser`, and the folder of the cache.
 */
export async function writeSurvey(
  survey: Survey,
  folder: string,
  environment: Pick<RunEnvironment, 'env' | 'signal' | 'progress' | 'log'>,
  pictures: { cacheDir: string; browser: string | undefined },
): Promise<WrittenSurvey> {
  const [recordFile, pageFile] = [join(folder, RECORD_FILE), join(folder, 'index.html')];
  await replaceFile(recordFile, recordText(survey.record));
  const warn = (text: string) => environment.log.warn(text);
  const taken = await takeQuestionPictures(survey, environment, { ...pictures, warn });
  const page = await surveyPage(survey.record, taken, { anonymous: ANONYMOUS_CONTENT });
  await replaceFile(pageFile, page);
  return { recordFile, pageFile };
}
