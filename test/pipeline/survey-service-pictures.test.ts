/**
 * What a survey finds in the service's own pictures: three.js draws articles as they are, with a camera and a light of
 * its own, and each reading is compared with these pictures.
 */

import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Scene } from '../../src/convert/model/scene.ts';
import {
  CONVERT_DEFAULTS,
  type ConvertOptions,
} from '../../src/convert/transform/convert-options.ts';
import { writeGlb } from '../../src/convert/write/glb.ts';
import { openRecording } from '../../src/emulator/replay.ts';
import type { EmulatedRange } from '../../src/emulator/sample/range.ts';
import { createSampleRange } from '../../src/emulator/sample/sample-range.ts';
import { sharpImageCodec } from '../../src/support/image-codec.ts';
import { ServicePictures } from '../../src/survey/indications/service-pictures.ts';
import { type Effect, LEAST_PIXELS, type Vote } from '../../src/survey/readings/decide.ts';
import type { ReadingOption, ReadingValue } from '../../src/survey/readings/readings.ts';
import { SmallImages } from '../../src/survey/readings/small-images.ts';
import { Looks } from '../../src/survey/readings/visible.ts';
import type { Survey } from '../../src/survey/survey.ts';
import { surveyOf } from '../helpers/bent-service/bent-survey.ts';
import { folderPerTest } from '../helpers/folder-per-test.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { type Shot, Studio } from '../helpers/studio.ts';

const CC0 = new URL('../../../shared/data/cc0-furniture', import.meta.url).pathname;
/** None of them is a place from which the survey starts to look. */
const SHOTS: readonly Shot[] = [
  { azimuthDegrees: 41, elevationDegrees: 19, fieldOfViewDegrees: 34, background: '#ffffff' },
  { azimuthDegrees: -28, elevationDegrees: 22, fieldOfViewDegrees: 28, background: '#ececec' },
  { azimuthDegrees: 26, elevationDegrees: 9, fieldOfViewDegrees: 40, background: '#f7f7f7' },
];
/** Of the votes in which one reading is closest. */
const RIGHT = 0.9;

/** `tied`: the right value is one of several that fit; `none`: there is no vote. */
const VERDICTS = ['right', 'tied', 'none', 'wrong'] as const;

type Verdict = (typeof VERDICTS)[number];

/** What the picture of one article says about an option, of which the present value is right. */
interface Judged {
  option: ReadingOption;
  article: string;
  verdict: Verdict;
  fits: readonly ReadingValue[];
}

const inFolder = folderPerTest();

describe.runIf(HAS_BROWSER)("the service's own pictures", () => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await Studio.open(IS_LONG);
  });
  afterAll(() => studio.close());

  async function judged(
    range: EmulatedRange,
    limit: number,
    articles: object[] = [{ catalogue: {} }],
  ) {
    return surveyOf(range, inFolder(range.name), { limit, articles }, async (survey) => {
      const rows: Judged[] = [];
      const reader = new PictureReader(survey, studio);
      for (const { option, alternatives } of survey.record.options) {
        const present = CONVERT_DEFAULTS[option];
        const others = alternatives.filter(({ value }) => value !== present);
        const labels = new Set(others.flatMap(({ examples }) => examples));
        for (const label of labels) {
          const effects = others.map((one) => ({ ...one, examples: [label] }));
          const verdict = await reader.judge(option, present, effects);
          if (verdict !== undefined) rows.push({ option, article: label, ...verdict });
        }
      }
      return rows;
    });
  }

  // With the reflections of the long form, the picture of this chair says nothing.
  test.skipIf(IS_LONG)('show the right reading of a chair', async () => {
    const articles = [
      { article: { manufacturer: 'BRNK', program: 'KONVA', basearticlenumber: 'KV40/H' } },
    ];
    const rows = await judged(createSampleRange(), 1, articles);
    expect(rows.filter(({ verdict }) => verdict === 'wrong')).toEqual([]);
    expect(rows.map(({ verdict }) => verdict)).toContain('right');
  });

  test.runIf(IS_LONG)('show the right reading of each option in 90 % of the votes', async () => {
    const rows = await judged(createSampleRange(), 24);
    if (existsSync(CC0)) rows.push(...(await judged(await openRecording(CC0), 60)));
    process.stdout.write(`${tableOf(rows)}\n`);
    const cast = rows.filter(({ verdict }) => verdict === 'right' || verdict === 'wrong');
    const right = cast.filter(({ verdict }) => verdict === 'right');
    expect(right.length).toBeGreaterThanOrEqual(RIGHT * cast.length);
  });
});

/** Takes pictures of the articles of a survey as they are, and compares readings with them. */
class PictureReader {
  readonly #survey: Survey;
  readonly #studio: Studio;
  readonly #codec = sharpImageCodec();
  readonly #images = new SmallImages(this.#codec);
  readonly #looks: Looks;
  /** Of each article, since a survey does not look at all. */
  readonly #pictures = new Map<string, ServicePictures>();

  constructor(survey: Survey, studio: Studio) {
    this.#survey = survey;
    this.#studio = studio;
    this.#looks = new Looks(this.#images, (label, values) => this.#sceneOf(label, values));
  }

  #sceneOf(label: string, values: Partial<ConvertOptions>): Promise<Scene> {
    const article = this.#survey.articles.find((one) => one.label === label)!;
    return this.#survey.sceneOf(article, { ...CONVERT_DEFAULTS, ...values });
  }

  /** Undefined if nobody sees the effects. @param effects - All in one article. */
  async judge(option: ReadingOption, present: ReadingValue, effects: readonly Effect[]) {
    const measured = await this.#looks.measured(option, effects);
    const seen = measured.filter(({ pixelShare = 0 }) => pixelShare >= LEAST_PIXELS);
    if (seen.length === 0) return undefined;
    const pictures = this.#picturesOf(seen[0]!.examples[0]!);
    const sceneOf = (label: string, value: ReadingValue) =>
      this.#sceneOf(label, { [option]: value });
    const [vote] = await pictures.votes(option, present, seen, sceneOf, this.#images);
    return { verdict: verdictOf(vote, present), fits: vote?.fits ?? [] };
  }

  #picturesOf(article: string): ServicePictures {
    const known = this.#pictures.get(article);
    if (known !== undefined) return known;
    const shot = SHOTS[this.#pictures.size % SHOTS.length]!;
    const request = async (label: string) =>
      this.#studio.picture(writeGlb(await this.#sceneOf(label, {})), shot);
    const pictures = new ServicePictures(request, this.#codec);
    this.#pictures.set(article, pictures);
    return pictures;
  }
}

function verdictOf(vote: Vote | undefined, value: ReadingValue): Verdict {
  if (vote === undefined) return 'none';
  if (!vote.fits.includes(value)) return 'wrong';
  return vote.fits.length === 1 ? 'right' : 'tied';
}

/** One line for each option, then one for all, and those that are wrong. */
function tableOf(rows: readonly Judged[]): string {
  const line = (name: string, some: readonly Judged[]) => {
    const counts = VERDICTS.map(
      (verdict) => `${verdict} ${some.filter((row) => row.verdict === verdict).length}`,
    );
    return `${name}: ${some.length} articles, ${counts.join(', ')}`;
  };
  const options = [...new Set(rows.map(({ option }) => option))];
  const wrong = rows.filter(({ verdict }) => verdict === 'wrong');
  return [
    ...options.map((name) =>
      line(
        name,
        rows.filter(({ option }) => option === name),
      ),
    ),
    line('all', rows),
    ...wrong.map(({ option, article, fits }) => `wrong: ${option} ${fits.join()} in ${article}`),
  ].join('\n');
}
