/** The size of a piece of furniture as its properties state it. */
import { type StatedSize, statedSize, statedValues } from '../../convert/wire/stated-size.ts';
import type { Article } from '../../model/article.ts';

/** A piece of furniture is between these. */
const PLAUSIBLE_METRES = [0.05, 10] as const;

/** The stated lengths that a piece of furniture can have; several where several units are possible. */
export function plausibleSize(article: Article): StatedSize {
  const [least, most] = PLAUSIBLE_METRES;
  return statedSize(statedValues(article)).map((lengths) =>
    lengths.filter((length) => length >= least && length <= most),
  ) as unknown as StatedSize;
}
