/** A survey with two questions, as if a service had been surveyed. */
import sharp from 'sharp';
import type { ArticlePictures, SurveyPictures } from '../../src/survey/question-pictures.ts';
import type { Effect } from '../../src/survey/readings/decide.ts';
import type { ReadingValue } from '../../src/survey/readings/readings.ts';
import type { OptionRecord, SurveyRecord } from '../../src/survey/record.ts';

function effect(value: ReadingValue, examples: readonly string[]): Effect {
  const aspects = ['texture'] as const;
  return { value, articles: 4, areaShare: 0.25, movedMillimetres: 0, aspects, examples };
}

/** An option that has changed something; other fields replace those of a question. */
export function optionRecord(
  option: OptionRecord['option'],
  present: ReadingValue,
  others: readonly ReadingValue[],
  fields: Partial<OptionRecord> = {},
): OptionRecord {
  const alternatives = others.map((value) => effect(value, ['ACME/DESKS/DESK 1']));
  const own = { option, value: present, present, articles: 4, alternatives, evidence: [] };
  return { state: 'question', ...own, ...fields };
}

/** Two questions, two decided options of which one differs from the pipeline file, and one that does not matter. */
export function surveyRecord(fields: Partial<SurveyRecord> = {}): SurveyRecord {
  const evidence = (indication: string, value: ReadingValue) => [
    { indication, value, figure: 'fits 9, others do not in 9', articles: 9 },
  ];
  return {
    version: 1,
    ...{ pipeline: 'acme', program: '1.0.0', conversion: 1 },
    data: { selected: 90, sampled: 60, manufacturers: 1, series: 2, unread: [] },
    features: [{ group: 'nodes', name: 'turned', count: 12, articles: 5 }],
    findings: [],
    options: [
      optionRecord('winding', 'auto', ['flip'], {
        ...{ state: 'decided', certainty: 'high', evidence: evidence('volume', 'auto') },
      }),
      optionRecord('rotationOrder', 'xyz', ['zyx', 'xzy']),
      optionRecord('flipV', true, [false]),
      optionRecord('normalMap', 'opengl', ['directx'], {
        ...{ state: 'decided', value: 'directx', certainty: 'medium' },
        evidence: evidence('gradient of the image', 'directx'),
      }),
      optionRecord('reflection', 'specular', [], { state: 'no-effect', articles: 0 }),
    ],
    ...fields,
  };
}

/** Pictures of one colour: of each group of values another one. */
export async function articlePictures(
  article: string,
  groups: readonly (readonly ReadingValue[])[],
): Promise<ArticlePictures> {
  const readings = groups.map(async (values, at) => {
    const create = {
      width: 8,
      height: 6,
      channels: 3,
      background: { r: 40 * at, g: 90, b: 90 },
    } as const;
    const bytes = new Uint8Array(await sharp({ create }).webp().toBuffer());
    const image = { mimeType: 'image/webp', bytes } as const;
    return { values, whole: image, detail: image };
  });
  const mark = { x: 0.25, y: 0.5, width: 0.3, height: 0.3 };
  return { article, mark, readings: await Promise.all(readings) };
}

/** The pictures of the questions of {@link surveyRecord}. */
export async function surveyPictures(): Promise<SurveyPictures> {
  const alike = await articlePictures('ACME/DESKS/DESK 1', [['xyz', 'xzy'], ['zyx']]);
  const other = await articlePictures('ACME/DESKS/DESK 2', [['xyz', 'xzy'], ['zyx']]);
  const desk = await articlePictures('ACME/DESKS/DESK 3', [[true], [false]]);
  return {
    questions: new Map([
      ['rotationOrder', [alike, other]],
      ['flipV', [desk]],
    ]),
  };
}
