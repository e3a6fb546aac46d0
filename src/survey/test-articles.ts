/** Tests readings in articles: what each other value changes in them, and what their numbers say. */

import type { Scene } from '../convert/model/scene.ts';
import type { ConvertOptions } from '../convert/transform/convert-options.ts';
import type { ImageCodec } from '../model/image-codec.ts';
import type { Run } from '../run/open/open-run.ts';
import { asConverterError, endsRun } from '../support/errors.ts';
import type { ArticleReader, SurveyedArticle } from './articles/surveyed-article.ts';
import { GEOMETRY_MEASURES, type PlacedParts, placedParts } from './indications/geometry.ts';
import { listVotes } from './indications/lists.ts';
import { ImageFacts, MATERIAL_OPTIONS, materialVotes } from './indications/materials.ts';
import { plausibleSize } from './indications/plausible-size.ts';
import type { Effect, Vote } from './readings/decide.ts';
import {
  READING_OPTIONS,
  READINGS,
  type ReadingOption,
  type ReadingValue,
  valuesOf,
  withReading,
} from './readings/readings.ts';
import { type SceneDifference, sceneDifference } from './readings/scene-difference.ts';
import { partsOf } from './readings/scene-parts.ts';
import type { SurveyRecord } from './record.ts';

/** Articles in which a reading matters most. */
const EXAMPLES = 3;

/** An article that could not be fetched or converted. */
export type Unread = SurveyRecord['data']['unread'][number];

/** What each other value changes in articles, and what their numbers say. */
export interface TestedArticles {
  tested: TestedReadings;
  votes: Vote[];
  /** Those that could not be converted. */
  failed: Unread[];
}

/**
 * Converts articles in each reading that may change them, and collects what they say about it.
 *
 * @param run - Its pipeline has the present readings.
 * @param options - The readings that are tested.
 */
export async function testArticles(
  articles: readonly SurveyedArticle[],
  { options: { pipeline }, environment }: Pick<Run, 'options' | 'environment'>,
  reader: ArticleReader,
  images: ImageCodec,
  options: readonly ReadingOption[] = READING_OPTIONS,
): Promise<TestedArticles> {
  const tested = new TestedReadings(options);
  const looked = new ImageFacts(images, reader);
  const votes: Vote[] = listVotes(articles);
  const hasMaterials = options.some((option) => MATERIAL_OPTIONS.has(option));
  const failed: Unread[] = [];
  const show = (done: number) => {
    const { length: total } = articles;
    environment.progress?.({ making: 'readings', total, done, failed: failed.length });
  };
  for (const [done, article] of articles.entries()) {
    show(done);
    try {
      const scenes = await tested.test(article, pipeline.convert, reader);
      votes.push(...geometryVotes(article, scenes));
      if (hasMaterials) votes.push(...(await materialVotes(article, looked)));
    } catch (thrown) {
      failed.push(failure(article.label, thrown));
    }
  }
  show(articles.length);
  return { tested, votes, failed };
}

/** The row of an article that failed. @throws an error that ends a run, or is a mistake of this program. */
export function failure(article: string, thrown: unknown) {
  const { code, message } = asConverterError(thrown);
  if (endsRun(code) || code === 'INTERNAL') throw thrown;
  return { article, code, message };
}

/** A scene with the readings that lead to it. */
interface ReadScene {
  option: ReadingOption | undefined;
  value: ReadingValue | undefined;
  scene: Scene;
  difference: SceneDifference | undefined;
}

/** What other readings change, over all articles. */
class TestedReadings {
  readonly #options: readonly ReadingOption[];
  readonly #found = new Map<string, { article: string; difference: SceneDifference }[]>();

  constructor(options: readonly ReadingOption[]) {
    this.#options = options;
  }

  /** Converts an article in the present reading and in each other one that may change it. */
  async test(
    article: SurveyedArticle,
    present: ConvertOptions,
    reader: ArticleReader,
  ): Promise<ReadScene[]> {
    const scene = await reader.sceneOf(article, present);
    const scenes: ReadScene[] = [
      { option: undefined, value: undefined, scene, difference: undefined },
    ];
    for (const option of this.#options) {
      if (!READINGS[option].touches(article.features)) continue;
      for (const value of valuesOf(option)) {
        if (value === present[option]) continue;
        const other = await reader.sceneOf(article, withReading(present, option, value));
        const difference = sceneDifference(scene, other);
        if (difference.aspects.length === 0) continue;
        const key = `${option} ${value}`;
        const known = this.#found.get(key) ?? [];
        this.#found.set(key, [...known, { article: article.label, difference }]);
        scenes.push({ option, value, scene: other, difference });
      }
    }
    return scenes;
  }

  /** How many articles another value of an option changes. */
  articlesOf(option: ReadingOption): number {
    const keys = valuesOf(option).map((value) => `${option} ${value}`);
    return new Set(keys.flatMap((key) => this.#found.get(key) ?? []).map(({ article }) => article))
      .size;
  }

  effectsOf(option: ReadingOption): Effect[] {
    return valuesOf(option).flatMap((value): Effect[] => {
      const found = this.#found.get(`${option} ${value}`);
      if (found === undefined) return [];
      const ordered = found.toSorted((a, b) => b.difference.areaShare - a.difference.areaShare);
      const ways = found.map(({ difference }) => difference.movedMillimetres);
      const aspects = [...new Set(found.flatMap(({ difference }) => difference.aspects))];
      return [
        {
          value,
          articles: found.length,
          areaShare: ordered[0]!.difference.areaShare,
          movedMillimetres: ways.some((way) => way === undefined)
            ? undefined
            : Math.max(...(ways as number[])),
          aspects,
          examples: ordered.slice(0, EXAMPLES).map(({ article: label }) => label),
        },
      ];
    });
  }
}

/** Compares the places of parts in all readings of an option that moves them. */
function geometryVotes(article: SurveyedArticle, scenes: readonly ReadScene[]): Vote[] {
  const [base, ...others] = scenes;
  const moved = others.filter(({ difference }) =>
    difference!.aspects.some((aspect) => aspect === 'position' || aspect === 'parts'),
  );
  if (moved.length === 0) return [];
  const stated = plausibleSize(article.snapshot.article);
  const placed = new Map<ReadScene, PlacedParts>();
  for (const one of [base!, ...moved]) placed.set(one, placedParts(partsOf(one.scene)));
  return GEOMETRY_MEASURES.flatMap(({ indication, measure, tolerance, figure }) => {
    const own = measure(placed.get(base!)!, stated);
    if (own === undefined) return [];
    const options = [...new Set(moved.map(({ option }) => option!))];
    return options.flatMap((option): Vote[] => {
      const rows = moved.filter((one) => one.option === option);
      const measured = [
        { value: undefined as ReadingValue | undefined, breach: own },
        ...rows.map((one) => ({
          value: one.value,
          breach: measure(placed.get(one)!, stated) ?? own,
        })),
      ];
      const best = Math.min(...measured.map(({ breach }) => breach));
      const isFitting = ({ breach }: { breach: number }) => breach <= best + tolerance;
      if (measured.every(isFitting)) return [];
      const present = valuesOf(option).filter((value) => !rows.some((one) => one.value === value));
      const expand = (some: typeof measured) => some.flatMap(({ value }) => value ?? present);
      const values = expand(measured);
      const fits = expand(measured.filter(isFitting));
      return [{ option, indication, fits, values, figure: figure(best), article: article.label }];
    });
  });
}
