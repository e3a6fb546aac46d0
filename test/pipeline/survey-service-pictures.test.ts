/**
 * What a survey finds in the service's own pictures: three.js draws articles as they are, with a camera and a light of
 * its own, and each reading is compared with these pictures.
 */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Scene } from '../../src/convert/model/scene.ts';
import {
  CONVERT_DEFAULTS,
  type ConvertOptions,
} from '../../src/convert/transform/convert-options.ts';
import { writeGlb } from '../../src/convert/write/glb.ts';
import { startEmulator } from '../../src/emulator/emulator.ts';
import { openRecording } from '../../src/emulator/replay.ts';
import type { EmulatedRange } from '../../src/emulator/sample/range.ts';
import { createSampleRange } from '../../src/emulator/sample/sample-range.ts';
import { sharpImageCodec } from '../../src/support/image-codec.ts';
import { ServicePictures, voteOf } from '../../src/survey/indications/service-pictures.ts';
import {
  type Effect,
  LEAST_PIXELS,
  OF_PICTURES,
  type Vote,
} from '../../src/survey/readings/decide.ts';
import type { ReadingOption, ReadingValue } from '../../src/survey/readings/readings.ts';
import { SmallImages } from '../../src/survey/readings/small-images.ts';
import { Looks } from '../../src/survey/readings/visible.ts';
import type { Survey } from '../../src/survey/survey.ts';
import { bentSurvey, surveyOf } from '../helpers/bent-service/bent-survey.ts';
import { environmentOf } from '../helpers/child.ts';
import { command } from '../helpers/command.ts';
import { folderPerTest } from '../helpers/folder-per-test.ts';
import { BOX_TRIANGLES, boxPoints } from '../helpers/graphics.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { withPicture } from '../helpers/served-picture.ts';
import { smallRange } from '../helpers/small-range.ts';
import { type Shot, Studio } from '../helpers/studio.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const CC0 = new URL('../../../shared/data/cc0-furniture', import.meta.url).pathname;
/** None of them is a place from which the survey starts to look. */
const SHOTS: readonly Shot[] = [
  { azimuthDegrees: 41, elevationDegrees: 19, fieldOfViewDegrees: 34, background: '#ffffff' },
  { azimuthDegrees: -28, elevationDegrees: 22, fieldOfViewDegrees: 28, background: '#ececec' },
  { azimuthDegrees: 26, elevationDegrees: 9, fieldOfViewDegrees: 40, background: '#f7f7f7' },
];
/** Of the pictures, and of the votes in which one reading is clearly closest. */
const RIGHT = 0.9;

/** `tied`: the right value is one of several that fit; `none`: no value fits clearly better than the others. */
const VERDICTS = ['right', 'tied', 'none', 'wrong'] as const;

type Verdict = (typeof VERDICTS)[number];

/** What the picture of one article says about an option, of which the present value is right. */
interface Judged {
  option: ReadingOption;
  article: string;
  verdict: Verdict;
  /** The values that look most like the picture; empty if it shows nothing of the difference. */
  closest: readonly ReadingValue[];
}

const inFolder = folderPerTest();

const DESK = { manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D1' };
const SOFA = { manufacturer: 'AULI', program: 'SALUN', basearticlenumber: 'SL-1 SITZER' };

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

  test.each([
    ['desk', deskWithTurnedWing, DESK],
    ...(IS_LONG ? ([['sofa', createSampleRange, SOFA]] as const) : []),
  ] as const)('of a catalogue decide to which side a %s is turned', async (_, open, article) => {
    const range = open();
    const file = join(await temporaryFolder(), 'article.glb');
    const options = Object.entries(article).flatMap(([name, value]) => [`--${name}`, value]);
    const emulator = await startEmulator({ range });
    const made = await command(['convert', ...options, '--output', file], {
      env: environmentOf(emulator),
    });
    await emulator.close();
    expect(made).toMatchObject({ exit: 0 });
    const glb = await readFile(file);
    const served = withPicture(range, () => studio.picture(glb, SHOTS[0]!));
    const meaning = { rotationDirection: 'clockwise' } as const;
    const of = { limit: 1, articles: [{ article }] };
    const { record } = await bentSurvey(served, inFolder('bent'), { ...of, meaning });
    const found = record.options.find(({ option }) => option === 'rotationDirection')!;
    expect(found).toMatchObject({ state: 'decided', value: 'clockwise' });
    expect(found.evidence).toMatchObject([{ indication: OF_PICTURES, value: 'clockwise' }]);
  });

  test.runIf(IS_LONG)('look most like the right reading in 90 % of the pictures', async () => {
    const rows = await judged(createSampleRange(), 24);
    if (existsSync(CC0)) rows.push(...(await judged(await openRecording(CC0), 60)));
    process.stdout.write(`${tableOf(rows)}\n`);
    const compared = rows.filter(({ closest }) => closest.length > 0);
    expect(compared.filter(isClosest).length).toBeGreaterThanOrEqual(RIGHT * compared.length);
    const cast = rows.filter(({ verdict }) => verdict === 'right' || verdict === 'wrong');
    const right = cast.filter(({ verdict }) => verdict === 'right');
    expect(right.length).toBeGreaterThanOrEqual(RIGHT * cast.length);
  });
});

/** A desk whose wing is turned about its corner: nothing but a picture shows to which side. */
function deskWithTurnedWing(): EmulatedRange {
  const [desk, wing] = ['ACME::DESK::TABLE', 'ACME::DESK::WING'];
  const range = smallRange([{ number: DESK.basearticlenumber, blocks: [desk, wing] }]);
  const box = (name: string, ...size: [number, number, number]) =>
    JSON.stringify({
      ...{ N: name, P: [0, 0, 0], R: [0, 0, 0], V: boxPoints(...size), T: [] },
      A: [{ F: BOX_TRIANGLES, TI: [], C: false }],
    });
  range.bodies.set(desk, box(desk, 1.6, 0.7, 0.8));
  range.bodies.set(wing, box(wing, 1, 0.7, 0.4));
  const { partsList } = range;
  const part = (btgname: string, prop: object) => ({
    type: 'imp',
    prop: { btgname, mat: 'M', ...prop },
  });
  const btg = [part(desk, {}), part(wing, { rot: [0, 35, 0] })];
  range.partsList = (query) => ({ ...partsList(query)!, btg });
  return range;
}

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
    const [compared] = await pictures.compare(option, present, seen, sceneOf, this.#images);
    if (compared === undefined) return { verdict: 'none' as const, closest: [] };
    const { values, distances } = compared;
    const least = Math.min(...distances.map(({ own }) => own));
    const closest = values.filter((_, at) => distances[at]!.own === least);
    return { verdict: verdictOf(voteOf(compared), present), closest };
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

function isClosest({ option, closest }: Judged): boolean {
  return closest.includes(CONVERT_DEFAULTS[option]);
}

/** One line for each option, then one for all, and those that are wrong. */
function tableOf(rows: readonly Judged[]): string {
  const line = (name: string, some: readonly Judged[]) => {
    const counts = VERDICTS.map(
      (verdict) => `${verdict} ${some.filter((row) => row.verdict === verdict).length}`,
    );
    const compared = some.filter(({ closest }) => closest.length > 0);
    const nearest = `closest in ${compared.filter(isClosest).length} of ${compared.length} pictures`;
    return `${name}: ${some.length} articles, ${nearest}; votes: ${counts.join(', ')}`;
  };
  const options = [...new Set(rows.map(({ option }) => option))];
  const wrong = rows.filter((row) => row.closest.length > 0 && !isClosest(row));
  return [
    ...options.map((name) =>
      line(
        name,
        rows.filter(({ option }) => option === name),
      ),
    ),
    line('all', rows),
    ...wrong.map(
      ({ option, article, closest, verdict }) =>
        `${option} ${closest.join()} is closest in ${article}; vote: ${verdict}`,
    ),
  ].join('\n');
}
