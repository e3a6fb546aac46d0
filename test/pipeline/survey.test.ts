/** The survey of a pipeline: its record, its choices in the pipeline file, and what runs do with them. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { interrupt } from '../../src/cli/command.ts';
import { MATERIAL_FIELDS } from '../../src/convert/model/graphics.ts';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { createSampleRange } from '../../src/emulator/sample/sample-range.ts';
import type { RunReport } from '../../src/run/report/run-report.ts';
import { anonymousRecord } from '../../src/survey/anonymous.ts';
import {
  FEATURE_GROUPS,
  MATERIAL_KINDS,
  MESH_FEATURES,
  NODE_FEATURES,
} from '../../src/survey/articles/features.ts';
import { withEarlierChoices } from '../../src/survey/choices.ts';
import { READINGS } from '../../src/survey/readings/readings.ts';
import {
  readRecord,
  recordText,
  type SurveyRecord,
  surveyJsonSchema,
} from '../../src/survey/record.ts';
import { environmentOf } from '../helpers/child.ts';
import { type CommandOptions, command, LIVE } from '../helpers/command.ts';
import { openDailyRuns } from '../helpers/daily-runs.ts';
import { allRequests } from '../helpers/sample-range.ts';
import { smallRange } from '../helpers/small-range.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const PIPELINE = `# What the survey is about.
name: sample
service: ${JSON.stringify(LIVE)}
articles:
  - list: articles.csv # some chairs
convert: { winding: flip } # not as the data has it
output: { dir: output }
`;

/** Without textures and turned parts, so that few readings are to be compared. */
const ARTICLES = `manufacturer,program,basearticlenumber
BRNK,KONVA,KV40/4
BRNK,KONVA,KV40/K
`;

let folder: string;
let file: string;
let text: string;
let stdout: string;
let record: SurveyRecord;
const path = (...names: string[]) => join(folder, ...names);
let emulator: Emulator;
const call = (words: string[], options: CommandOptions = {}) =>
  command(words, { env: environmentOf(emulator), ...options });
/** Without a browser: the tests of pictures and page use one. */
const survey = (...options: string[]) => call(['survey', file, '--browser', 'none', ...options]);

beforeAll(async () => {
  // Without pictures of the service, which have a test of their own.
  const range = { ...createSampleRange(), resource: async () => undefined };
  emulator = await startEmulator({ range });
  folder = await temporaryFolder();
  file = path('sample.yaml');
  await writeFile(file, PIPELINE);
  await writeFile(path('articles.csv'), ARTICLES);
  const anonymous = ['--anonymous', path('anonymous.json')];
  const done = await survey('--limit', '4', ...anonymous);
  expect(done).toMatchObject({ exit: 0 });
  ({ stdout } = done);
  text = await readFile(path('survey', 'survey.json'), 'utf8');
  record = await readRecord(path('survey', 'survey.json'));
});
beforeEach(() => writeFile(file, PIPELINE));
afterAll(() => emulator.close());

const decided = (name: string) => record.options.find(({ option }) => option === name)!;

describe('a survey', () => {
  test('writes a record, and says in a screen of text what is open and what is to be done', () => {
    expect(record).toMatchObject({ pipeline: 'sample', data: { sampled: 2, unread: [] } });
    expect(decided('winding')).toMatchObject({
      ...{ state: 'decided', value: 'auto', present: 'flip' },
      evidence: [{ indication: 'volume', value: 'auto', articles: 2 }],
    });
    const questions = record.options.filter(({ state }) => state === 'question');
    expect(stdout).toContain(`sample: ${questions.length} questions, `);
    for (const { option } of questions) expect(stdout).toContain(`\n  ${option} (`);
    expect(stdout).toContain('auto instead of flip, decided by volume in 2');
    expect(stdout).toContain(`Next: btg2gltf survey ${file} --apply\n`);
  });

  test('that is interrupted ends as other commands do, and writes nothing', async () => {
    const controller = new AbortController();
    interrupt(controller, 'SIGINT');
    const words = ['survey', file, '--output', path('none')];
    expect(await call(words, { signal: controller.signal })).toMatchObject({ exit: 130 });
    expect(await readdir(folder)).not.toContain('none');
  });

  test('that is interrupted while it fetches continues with what is in the cache, and is the same again', async () => {
    const range = smallRange([
      { number: 'D1', blocks: ['ACME::DESK::TOP'] },
      { number: 'D2', blocks: ['ACME::DESK::LEG'] },
      { number: 'D3', blocks: ['ACME::DESK::SHELF'] },
    ]);
    const runs = await openDailyRuns(range);
    const words = ['survey', runs.pipelineFile, '--browser', 'none', '--concurrency', '1'];
    const controller = new AbortController();
    const { block } = range;
    range.block = async (name) => {
      if (range.asked.length === 1) interrupt(controller, 'SIGINT');
      return block(name);
    };
    expect(await runs.call(words, { signal: controller.signal })).toMatchObject({ exit: 130 });
    const [first, ...interrupted] = [...range.asked];
    const before = range.asked.length;
    expect(interrupted.length).toBeLessThan(2);
    expect(await runs.call(words)).toMatchObject({ exit: 0 });
    expect(range.asked.slice(before)).not.toContain(first);
    expect(new Set(range.asked).size).toBe(3);
    const all = range.asked.length;
    const record = await readFile(join(runs.folder, 'survey', 'survey.json'), 'utf8');
    expect(await runs.call([...words, '--json'])).toMatchObject({ exit: 0, stdout: record });
    expect(range.asked).toHaveLength(all);
    await runs.close();
  });

  test('without names has no text of the range', async () => {
    const known = JSON.stringify(anonymousRecord(record));
    const written: unknown = JSON.parse(await readFile(path('anonymous.json'), 'utf8'));
    expect(written).toEqual(JSON.parse(known));
    const texts = textsOfRange();
    // The record itself has labels of articles.
    expect(texts.filter((own) => text.includes(own))).toContain('KONVA');
    expect(texts.filter((own) => known.includes(own))).toEqual([]);
  });

  test('without names has the numbers of names that the service has made up', () => {
    const row = { group: 'unknown fields', count: 2, articles: 1 };
    const features = ['secretfield', 'otherfield'].map((name) => ({ ...row, name }));
    const unread = [{ article: 'ACME/DESK/D1', code: 'BLOCK_MISSING', message: 'ACME::LEG' }];
    const finding = { about: 'unit', sentence: 'D1 is 1 km long', articles: 1 };
    const anonymous = anonymousRecord({
      ...{ ...record, pipeline: 'customer', features, data: { ...record.data, unread } },
      findings: [{ ...finding, certainty: 'high' }],
    });
    expect(JSON.stringify(anonymous)).not.toMatch(/field"|secret|otherf|ACME|D1|customer/);
    expect(anonymous).toMatchObject({
      data: { unread: { BLOCK_MISSING: 1 } },
      features: [{ group: 'unknown fields', name: '2 names', count: 4, articles: 1 }],
      findings: [{ about: 'unit' }],
    });
  });
});

/** Texts of at least three letters of the articles and parts lists, but for words of this program. */
function textsOfRange(): string[] {
  const range = createSampleRange();
  const own = allRequests(range).filter(({ query }) => query.program === 'KONVA');
  const words = JSON.stringify([
    ...[FEATURE_GROUPS, NODE_FEATURES, MATERIAL_KINDS, MESH_FEATURES, READINGS],
    ...[MATERIAL_FIELDS, surveyJsonSchema(), 'clsref imp top cyl frame sphere ellipsoid'],
  ]);
  const found = new Set(['BRNK', 'KONVA']);
  JSON.stringify(own, (_, value: unknown) => {
    if (typeof value === 'string' && /\p{L}{3}/u.test(value)) found.add(value);
    return value;
  });
  return [...found].filter((one) => !words.includes(one));
}

describe('choices that are applied', () => {
  const choose = async (content: unknown) => {
    await writeFile(path('choices.json'), JSON.stringify(content));
    return survey('--apply', path('choices.json'));
  };

  test('are in the pipeline file with their reasons, once, and beside it in the record', async () => {
    const content = { version: 1, choices: { flipV: false } };
    const applied = await choose(content);
    expect(applied).toMatchObject({ exit: 0, stderr: '' });
    expect(applied.stdout).toContain('winding: auto instead of flip');
    const edited = await readFile(file, 'utf8');
    const isOwn = (line: string) => line.includes(' # survey: ');
    const lines = edited.split('\n');
    expect(lines.filter(isOwn)).toEqual(
      expect.arrayContaining([
        '  flipV: false # survey: chosen by a person',
        '  winding: auto # survey: decided by volume in 2 articles',
      ]),
    );
    const others = lines.filter((line) => !isOwn(line)).join('\n');
    expect(others).toBe(PIPELINE.replace('{ winding: flip } ', ''));
    const stored = await readRecord(path('sample.survey.json'));
    expect(stored.options.find(({ option }) => option === 'flipV')).toMatchObject({
      ...{ state: 'chosen', value: false },
    });
    expect((await choose(content)).stdout).toContain('it has all of this already');
    expect(await readFile(file, 'utf8')).toBe(edited);
    // A later survey, of a pipeline file with that answer, or with another one.
    const later = (present: boolean) => {
      const options = record.options.map((one) =>
        one.option === 'flipV' ? { ...one, state: 'question' as const, present } : one,
      );
      const { options: known } = withEarlierChoices({ ...record, options }, stored);
      return known.find(({ option }) => option === 'flipV')!.state;
    };
    expect([later(false), later(true)]).toEqual(['chosen', 'question']);
    await rm(path('sample.survey.json'));
  });

  test('without a file of choices, only what is decided is written', async () => {
    expect(await survey('--apply')).toMatchObject({ exit: 0 });
    const edited = await readFile(file, 'utf8');
    expect(edited).toContain('winding: auto # survey: decided by volume');
    expect(edited).not.toContain('chosen by a person');
    await rm(path('sample.survey.json'));
  });

  test.each([
    [
      'an unknown option',
      { flipW: true },
      '"flipW" is no option of a survey; did you mean "flipV"?',
    ],
    [
      'an option that is no reading',
      { creaseAngleDegrees: 4 },
      '"creaseAngleDegrees" is no option',
    ],
    [
      'an unknown value',
      { winding: 'flop' },
      'winding: expected one of auto, keep, flip, received "flop"; did you mean "flip"?',
    ],
    [
      'a text for a truth value',
      { flipV: 'true' },
      'flipV: expected one of true, false, received "true"',
    ],
    [
      'YAML',
      { rauto: 'auto\nservice: {}' },
      'rauto: expected one of exchange, auto, received "auto',
    ],
    ['a key of objects', JSON.parse('{"constructor": 1}'), '"constructor" is no option'],
    ['no object', [1], 'choices: '],
  ])('are refused with %s, and change nothing', async (_, choices, message) => {
    const { exit, stderr } = await choose({ version: 1, choices });
    expect(exit).toBe(2);
    expect(stderr).toContain(`${path('choices.json')}: ${message}`);
    expect(await readFile(file, 'utf8')).toBe(PIPELINE);
  });

  test('are refused without a survey, of another pipeline, and where an anchor is used twice', async () => {
    await choose({ version: 2, choices: {} }).then(({ stderr }) =>
      expect(stderr).toContain('version: '),
    );
    const nowhere = await survey('--apply', path('choices.json'), '--output', path('nowhere'));
    expect(nowhere.exit).toBe(2);
    await writeFile(file, PIPELINE.replace('name: sample', 'name: other'));
    const other = await choose({ version: 1, choices: {} });
    expect(other.stderr).toContain(
      'expected a survey of the pipeline other, received one of sample',
    );
    const anchored = PIPELINE.replace('convert: {', 'x: 1\nconvert: &c {').replace('x: 1\n', '');
    await writeFile(
      file,
      anchored.replace('name: sample', 'name: &n sample').replace('flip }', '*n }'),
    );
    expect(await choose({ version: 1, choices: {} })).toMatchObject({ exit: 2 });
  });
});

describe('a run with a record beside its pipeline file', () => {
  const warnings = async () => {
    const [last] = (await readdir(path('output', 'runs')))
      .filter((name) => /^\d/.test(name))
      .sort()
      .reverse();
    const report = JSON.parse(await readFile(path('output', 'runs', last!, 'report.json'), 'utf8'));
    return (report as RunReport).selectionWarnings;
  };
  const manifest = async () =>
    (await readFile(path('output', 'manifest.jsonl'), 'utf8')).replaceAll(
      '"converted"',
      '"unchanged"',
    );
  const store = (options: SurveyRecord['options']) =>
    writeFile(path('sample.survey.json'), recordText({ ...record, options }));

  test('names a decision that its articles contradict, and publishes the same as without', async () => {
    const wrong = record.options.map((one) =>
      one.option === 'winding'
        ? {
            ...one,
            value: 'flip',
            evidence: one.evidence.map((row) => ({ ...row, value: 'flip' })),
          }
        : one,
    );
    await store(wrong);
    const run = await call(['run', file]);
    expect(run.exit).toBe(0);
    const sentence =
      'the survey has decided winding: flip by volume in 2 articles; now volume contradicts it in 2 of 2 articles, such as ';
    expect(await warnings()).toEqual([
      { code: 'SURVEY_CONTRADICTED', message: expect.stringContaining(sentence) },
    ]);
    expect(run.stdout).toContain(sentence);
    const published = await manifest();

    const explained = await call(['explain', 'BRNK/KONVA/KV40/K*', '--pipeline', file]);
    expect(explained.stdout).toContain(
      'winding flip: decided by the survey (volume in 2 articles)',
    );

    await writeFile(path('sample.survey.json'), '{}');
    await call(['run', file]);
    expect(await warnings()).toMatchObject([{ code: 'SURVEY_NOT_COMPARED' }]);

    // What the data still says is no warning, nor what a person has changed since.
    await store(record.options);
    await call(['run', file]);
    expect(await warnings()).toEqual([]);

    await rm(path('sample.survey.json'));
    await call(['run', file]);
    expect(await warnings()).toEqual([]);
    expect(await manifest()).toBe(published);
  });
});
