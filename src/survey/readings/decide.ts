/** From votes to decisions: what numbers say about a reading, and what a person has to be asked. */

import type { ReadingOption, ReadingValue } from './readings.ts';
import type { Aspect } from './scene-difference.ts';

/** What one article, or one mesh or material of it, says about a reading. */
export interface Vote {
  option: ReadingOption;
  /** What was measured, such as `symmetry`. */
  indication: string;
  /** The values that fit; those of {@link Vote.values} that are not here do not. */
  fits: readonly ReadingValue[];
  /** The values that were compared. */
  values: readonly ReadingValue[];
  /** What was measured, for people. */
  figure: string;
  article: string;
  /** Whether the other values are impossible, rather than unlikely. */
  isProof?: boolean;
}

/** What an indication says, over all articles. */
export interface Evidence {
  indication: string;
  value: ReadingValue;
  /** How often the value fits, and how often no other does. */
  figure: string;
  articles: number;
}

export type Certainty = 'high' | 'medium';

/** The views: most sides of an article are in one of them. */
export const VIEWS = ['hero', 'back'] as const;
/** A smaller share of the pixels of an article is not seen. */
export const LEAST_PIXELS = 0.005;

/** The place of a difference: shares of the picture, from its upper left. */
export interface Mark {
  view: (typeof VIEWS)[number];
  x: number;
  y: number;
  width: number;
  height: number;
}

/** How much another value changes. */
export interface Effect {
  value: ReadingValue;
  articles: number;
  /** Of the article in which it is largest. */
  areaShare: number;
  movedMillimetres?: number | undefined;
  aspects: readonly Aspect[];
  /** Labels of the articles in which it matters most, the first first. */
  examples: readonly string[];
  /** Pixels that differ, of those of the article in which it is most; only if numbers do not decide. */
  pixelShare?: number | undefined;
  /** Where that is. */
  mark?: Mark | undefined;
  /** Other values that look the same as this one, in all examples. */
  alike?: readonly ReadingValue[] | undefined;
}

/** What the survey says about a reading. */
export interface Decision {
  option: ReadingOption;
  state: 'no-effect' | 'decided' | 'question';
  /** The value that the data has, or the present one. */
  value: ReadingValue;
  /** The value of the pipeline file. */
  present: ReadingValue;
  certainty?: Certainty;
  effects: readonly Effect[];
  evidence: readonly Evidence[];
}

/** Votes of an indication that contradict a value are exceptions up to this share; a proof has none. */
export const MOST_EXCEPTIONS = 0.1;
/** The indication of pictures: light, lens and finish are others, so that they make nothing certain. */
export const OF_PICTURES = 'picture of the service';
/** So many articles that agree make an indication certain by itself. */
const MANY_ARTICLES = 3;
/** A smaller share of the area of an article is not seen. */
const LEAST_AREA = 0.005;
/** A shorter way is not seen. */
const LEAST_MILLIMETRES = 1;

/**
 * Decides about a reading: each indication excludes values, and the one that all of them leave is right. A question has
 * those effects only that a person can see and that no indication excludes.
 *
 * @param effects - Of each other value.
 * @param votes - About this option.
 */
export function decide(
  option: ReadingOption,
  present: ReadingValue,
  effects: readonly Effect[],
  votes: readonly Vote[],
): Decision {
  const seen = effects.filter(isSeen);
  const undecided = { option, value: present, present, evidence: [] };
  if (seen.length === 0) return { ...undecided, state: 'no-effect', effects };
  const candidates = [present, ...seen.map(({ value }) => value)];
  const exclusions = exclusionsOf(votes, candidates);
  const left = candidates.filter((value) => exclusions.every((one) => one.left.includes(value)));
  const evidence = exclusions.map(({ indication, left: [value], ...exclusion }): Evidence => {
    const shown = left.length === 1 ? left[0]! : value!;
    return { indication, value: shown, figure: exclusion.figure, articles: exclusion.articles };
  });
  if (left.length !== 1) {
    const asked = left.length === 0 ? candidates : left;
    const shown = seen.filter(({ value }) => asked.includes(value) || value === present);
    return { ...undecided, state: 'question', evidence, effects: shown };
  }
  const certainty = certaintyOf(exclusions, left[0]!, candidates);
  return { ...undecided, state: 'decided', value: left[0]!, certainty, evidence, effects };
}

function isSeen({ areaShare, movedMillimetres = Infinity, aspects, pixelShare }: Effect): boolean {
  const isMoved = aspects.includes('position') && movedMillimetres < LEAST_MILLIMETRES;
  const isOnlyMoved = aspects.every((aspect) => aspect === 'position');
  const hasPixels = pixelShare === undefined || pixelShare >= LEAST_PIXELS;
  return areaShare >= LEAST_AREA && !(isMoved && isOnlyMoved) && hasPixels;
}

/** What an indication leaves of the values. */
interface Exclusion {
  indication: string;
  left: readonly ReadingValue[];
  figure: string;
  /** Articles that say so. */
  articles: number;
  isProof: boolean;
}

/** Each value is excluded for itself, and not by pictures alone, so that the certainty is that of the weakest exclusion. */
function certaintyOf(
  exclusions: readonly Exclusion[],
  value: ReadingValue,
  candidates: readonly ReadingValue[],
): Certainty {
  const others = candidates.filter((other) => other !== value);
  const isCertain = others.every((other) => {
    const against = exclusions.filter(
      ({ left, indication }) => !left.includes(other) && indication !== OF_PICTURES,
    );
    return (
      against.some(({ isProof }) => isProof) ||
      against.filter(({ articles }) => articles >= 2).length >= 2 ||
      against.some(({ articles }) => articles >= MANY_ARTICLES)
    );
  });
  return isCertain ? 'high' : 'medium';
}

/** The exclusions of the indications that exclude a value; one that would exclude all says nothing. */
function exclusionsOf(votes: readonly Vote[], candidates: readonly ReadingValue[]): Exclusion[] {
  const indications = [...new Set(votes.map(({ indication }) => indication))];
  return indications.flatMap((indication): Exclusion[] => {
    const own = votes.filter((vote) => vote.indication === indication);
    const left = candidates.filter((value) => {
      const about = own.filter(({ values }) => values.includes(value));
      const against = about.filter(({ fits }) => !fits.includes(value));
      if (against.some(({ isProof }) => isProof)) return false;
      return against.length <= MOST_EXCEPTIONS * about.length;
    });
    if (left.length === 0 || left.length === candidates.length) return [];
    const isFor = ({ fits }: Vote) => left.some((value) => fits.includes(value));
    const telling = own.filter(
      (vote) => isFor(vote) && candidates.some((value) => !vote.fits.includes(value)),
    );
    const articles = new Set(telling.map(({ article }) => article)).size;
    const figure = `fits ${own.filter(isFor).length}, others do not in ${telling.length}`;
    const isProof = telling.some((vote) => vote.isProof);
    return [{ indication, left, figure, articles, isProof }];
  });
}
