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

/** How much another value changes. */
export interface Effect {
  value: ReadingValue;
  articles: number;
  /** Of the article in which it is largest. */
  areaShare: number;
  movedMillimetres: number | undefined;
  aspects: readonly Aspect[];
  /** Labels of the articles in which it matters most, the first first. */
  examples: readonly string[];
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

/** Votes of an indication that contradict a value are exceptions up to this share. */
export const MOST_EXCEPTIONS = 0.1;
/** So many articles that agree make an indication certain by itself. */
const MANY_ARTICLES = 3;
/** A smaller share of the area of an article is not seen. */
const LEAST_AREA = 0.005;
/** A shorter way is not seen. */
const LEAST_MILLIMETRES = 1;

/**
 * Decides about a reading.
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
  if (seen.length === 0)
    return { option, state: 'no-effect', value: present, present, effects, evidence: [] };
  const candidates = [present, ...seen.map(({ value }) => value)];
  const picks = picksOf(votes, candidates);
  const evidence = picks.map(({ indication, value, fitting, only, articles }) => {
    return { indication, value, figure: `fits ${fitting}, others do not in ${only}`, articles };
  });
  const [first] = picks;
  const isUnanimous = first !== undefined && picks.every(({ value }) => value === first.value);
  if (!isUnanimous)
    return { option, state: 'question', value: present, present, effects, evidence };
  const isCertain =
    picks.some(({ isProof }) => isProof) ||
    picks.filter(({ articles }) => articles >= 2).length >= 2 ||
    picks.some(({ articles }) => articles >= MANY_ARTICLES);
  const certainty = isCertain ? 'high' : 'medium';
  return { option, state: 'decided', value: first.value, present, certainty, effects, evidence };
}

function isSeen({ areaShare, movedMillimetres = Infinity, aspects }: Effect): boolean {
  const isMoved = aspects.includes('position') && movedMillimetres < LEAST_MILLIMETRES;
  const isOnlyMoved = aspects.every((aspect) => aspect === 'position');
  return areaShare >= LEAST_AREA && !(isMoved && isOnlyMoved);
}

interface Pick extends Omit<Evidence, 'figure'> {
  fitting: number;
  only: number;
  isProof: boolean;
}

/** The value that each indication leaves of the candidates; an indication that leaves several says nothing. */
function picksOf(votes: readonly Vote[], candidates: readonly ReadingValue[]): Pick[] {
  const indications = [...new Set(votes.map(({ indication }) => indication))];
  return indications.flatMap((indication): Pick[] => {
    const own = votes.filter((vote) => vote.indication === indication);
    const left = candidates.filter((value) => {
      const about = own.filter(({ values }) => values.includes(value));
      const against = about.filter(({ fits }) => !fits.includes(value));
      return about.length > 0 && against.length <= MOST_EXCEPTIONS * about.length;
    });
    if (left.length !== 1 || candidates.length < 2) return [];
    const value = left[0]!;
    const fitting = own.filter(({ fits }) => fits.includes(value));
    const telling = fitting.filter(({ fits, values }) => fits.length < values.length);
    const articles = new Set(telling.map(({ article }) => article)).size;
    const isProof = telling.some((vote) => vote.isProof);
    return [
      { indication, value, fitting: fitting.length, only: telling.length, articles, isProof },
    ];
  });
}
