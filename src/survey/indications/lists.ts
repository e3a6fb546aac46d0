/** What the lists of meshes say: which side is the front, and how points and stored UVs are counted. */

import { type BlockFacts, isEvenIn, type ListReading } from '../articles/block-facts.ts';
import type { SurveyedArticle } from '../articles/surveyed-article.ts';
import type { Vote } from '../readings/decide.ts';
import type { ReadingOption, ReadingValue } from '../readings/readings.ts';

/** What a mesh leaves of the values of an option. */
interface ListRule {
  option: ReadingOption;
  indication: string;
  /** The values besides `auto`. */
  values: readonly ReadingValue[];
  /** The value that `auto` takes for a mesh that does not show it. */
  otherwise: ReadingValue;
  /** The values that are possible for a mesh; all if it does not show it, none without data. */
  possible(block: BlockFacts): readonly ReadingValue[];
  figure: string;
}

const distinct = <T>(items: readonly T[]): T[] => [...new Set(items)];

const RULES: readonly ListRule[] = [
  {
    option: 'winding',
    indication: 'volume',
    values: ['keep', 'flip'],
    otherwise: 'keep',
    possible: ({ outward, inward }) => [
      ...(outward > 0 ? ['keep'] : []),
      ...(inward > 0 ? ['flip'] : []),
    ],
    figure: 'closed surfaces enclose a volume',
  },
  {
    option: 'pointIndexBase',
    indication: 'range of indices',
    values: [0, 1],
    otherwise: 0,
    possible: ({ points }) => points.firsts,
    figure: 'every index has a point',
  },
  {
    option: 'uvIndexBase',
    indication: 'range of indices',
    values: [0, 1],
    otherwise: 0,
    possible: ({ uvs }) => distinct((uvs?.layouts ?? []).map(({ first }) => first)),
    figure: 'every index has a stored UV',
  },
  {
    option: 'uvStride',
    indication: 'length of lists',
    values: [2, 3],
    otherwise: 2,
    possible: ({ uvs }) => distinct((uvs?.layouts ?? []).map(({ stride }) => stride)),
    figure: 'every index has a stored UV',
  },
];

/** Votes of all articles: `auto` is right where meshes differ, or where it takes what all meshes have. */
export function listVotes(articles: readonly SurveyedArticle[]): Vote[] {
  return [...RULES.flatMap((rule) => provenVotes(rule, articles)), ...articles.flatMap(evenVotes)];
}

function provenVotes(rule: ListRule, articles: readonly SurveyedArticle[]): Vote[] {
  const { option, indication, values, otherwise, possible, figure } = rule;
  const telling = articles.flatMap((article) =>
    article.blocks.flatMap((block) => {
      const left = possible(block);
      return left.length === 1 ? [{ article: article.label, value: left[0]! }] : [];
    }),
  );
  const found = distinct(telling.map(({ value }) => value));
  const isMixed = found.length > 1 || articles.some(({ blocks }) => blocks.some(isBoth(rule)));
  return telling.map(({ article, value }): Vote => {
    const fits = isMixed ? ['auto'] : value === otherwise ? ['auto', value] : [value];
    const all = ['auto', ...values];
    return { option, indication, fits, values: all, figure, article, isProof: true };
  });
}

/** Whether the surfaces of one mesh face both ways. */
function isBoth({ option }: ListRule) {
  return ({ outward, inward }: BlockFacts) => option === 'winding' && outward > 0 && inward > 0;
}

/** Where lists have entries that nothing uses, the reading in which the mesh and its image are most even is right. */
function evenVotes({ label: article, blocks }: SurveyedArticle): Vote[] {
  return blocks.flatMap(({ points, uvs }) => [
    ...evenVote(points.readings, 'pointIndexBase', 'length of edges', article),
    ...evenVote(uvs?.readings ?? [], 'uvIndexBase', 'evenness of the image', article),
    ...evenVote(uvs?.readings ?? [], 'uvStride', 'evenness of the image', article),
  ]);
}

function evenVote(
  readings: readonly ListReading[],
  option: 'pointIndexBase' | 'uvIndexBase' | 'uvStride',
  indication: string,
  article: string,
): Vote[] {
  const best = Math.min(...readings.map(({ ruggedness }) => ruggedness));
  if (!Number.isFinite(best)) return [];
  const fits = distinct(readings.filter(isEvenIn(readings)).map((reading) => reading[option]!));
  const values = distinct(readings.map((reading) => reading[option]!));
  if (fits.length === values.length) return [];
  const figure = `${best.toPrecision(2)} at best`;
  return [{ option, indication, fits, values, figure, article }];
}
