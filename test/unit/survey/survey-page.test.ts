/** The page of a survey, without a browser: its words, and that the data in it stays text. */
import { describe, expect, test } from 'vitest';
import { choicesFile, convertSection } from '../../../src/survey/page/answers.ts';
import { QUESTION_TEXTS } from '../../../src/survey/page/question-texts.ts';
import { READING_OPTIONS, valuesOf } from '../../../src/survey/readings/readings.ts';
import { surveyPage } from '../../../src/survey/survey-page.ts';
import { HOSTILE } from '../../helpers/reports.ts';
import {
  articlePictures,
  optionRecord,
  surveyPictures,
  surveyRecord,
} from '../../helpers/survey-record.ts';

const NO_PICTURES = { questions: new Map() };

test('each value of each reading has a sentence, and no two of an option have the same', () => {
  for (const option of READING_OPTIONS) {
    const { question, look, answers } = QUESTION_TEXTS[option];
    expect(question, option).toMatch(/^[A-Z][^.]*\?$/);
    expect(look, option).toMatch(/\.$/);
    expect(Object.keys(answers).sort(), option).toEqual(valuesOf(option).map(String).sort());
    expect(new Set(Object.values(answers)).size, option).toBe(valuesOf(option).length);
  }
});

describe('the page', () => {
  test('counts questions, decisions and what does not matter', async () => {
    const page = await surveyPage(surveyRecord(), await surveyPictures());
    expect(page).toContain('<h1>2 questions, 2 decided, 1 does not matter here</h1>');
    const answered = optionRecord('flipV', true, [false], { state: 'chosen', value: false });
    const later = await surveyPage(surveyRecord({ options: [answered] }), NO_PICTURES);
    expect(later).toContain(
      '<h1>0 questions, 1 chosen by a person, 0 decided, 0 do not matter here</h1>',
    );
    expect(later).toContain('flipV: false # your answer');
  });

  test('asks once for values that look the same in all pictures', async () => {
    const page = await surveyPage(surveyRecord(), await surveyPictures());
    const asked = Array.from(page.matchAll(/ data-answer="([^"]*)"/g), ([, value]) => value);
    expect(asked).toEqual([
      ...['&#34;xyz&#34;', '&#34;zyx&#34;', 'null'],
      ...['true', 'false', 'null'],
    ]);
    expect(page).toContain('Looks the same: Parts are turned about X first, then Z, then Y.');
  });

  test('begins with the article that tells most answers apart', async () => {
    const [few, all] = [
      await articlePictures('ACME/DESKS/FEW', [['xyz', 'xzy'], ['zyx']]),
      await articlePictures('ACME/DESKS/ALL', [['xyz'], ['xzy'], ['zyx']]),
    ];
    const questions = new Map([['rotationOrder', [few, all]] as const]);
    const page = await surveyPage(surveyRecord(), { questions });
    expect(page.indexOf('ACME/DESKS/ALL')).toBeLessThan(page.indexOf('ACME/DESKS/FEW'));
  });

  test('asks in words without a browser, and says how to get pictures', async () => {
    const missing = 'there is no browser: install Chrome';
    const page = await surveyPage(surveyRecord(), { ...NO_PICTURES, missing });
    expect(page).toContain(`There are no pictures, because ${missing}`);
    expect(page.match(/<img/g)).toHaveLength(1);
    expect(page.match(/aria-label="This is right: Answer [A-E]"/g)).toHaveLength(5);
  });

  test('escapes what is of the data', async () => {
    const features = HOSTILE.map((name) => ({ group: 'layers', name, count: 1, articles: 1 }));
    const unread = HOSTILE.map((article) => ({ article, code: 'BLOCK_INVALID', message: article }));
    const findings = HOSTILE.map((sentence) => {
      return { about: 'unit', sentence, certainty: 'high', articles: 1 } as const;
    });
    const { data } = surveyRecord();
    const record = surveyRecord({ features, findings, data: { ...data, unread } });
    const pictures = await Promise.all(
      HOSTILE.map((one) => articlePictures(one, [[true], [false]])),
    );
    for (const pipeline of HOSTILE) {
      const page = await surveyPage(
        { ...record, pipeline },
        { questions: new Map([['flipV', pictures]]) },
      );
      expect(page.match(/<script/g)).toHaveLength(2);
      expect(page.replace(/"[^"]*"/g, '""')).not.toMatch(/<[^>]* on\w+=/i);
      expect(page).not.toContain(HOSTILE[0]);
    }
  });
});

describe('what follows from answers', () => {
  test('lines of convert: with reasons, and no line of a question that nobody could answer', () => {
    const decided = [{ option: 'normalMap', value: 'directx', why: 'decided: gradient' }];
    expect(convertSection(decided, { rotationOrder: 'zyx', flipV: null })).toBe(
      'convert:\n  normalMap: directx # decided: gradient\n  rotationOrder: zyx # your answer\n',
    );
    expect(convertSection([], { flipV: null })).toBe(
      '# The pipeline file needs no change so far.\n',
    );
  });

  test('a file of choices', () => {
    expect(JSON.parse(choicesFile({ rotationOrder: 'zyx', flipV: false, rauto: null }))).toEqual({
      version: 1,
      choices: { rotationOrder: 'zyx', flipV: false },
    });
  });
});
