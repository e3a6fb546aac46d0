/** Words that are like another: what a visitor may have meant. */
import MiniSearch from 'minisearch';
import type { SimilarWords } from '../gallery-search.ts';

/** Share of the letters of a word that may be wrong, missing or too many. */
const WRONG_LETTERS = 0.3;
const MOST_WORDS = 6;

/**
 * Prepares the words of a range.
 *
 * @example
 * ```ts
 * openSimilarWords(() => ['desk', 'chair'])('dsek');   // → ['desk']
 * ```
 */
export function openSimilarWords(vocabulary: () => readonly string[]): SimilarWords {
  // Most visitors make no mistake: the index is made for the first one.
  let index: MiniSearch<{ id: string }> | undefined;
  return (word) => {
    if (index === undefined) {
      index = new MiniSearch({ fields: ['id'], tokenize: (text) => [text] });
      index.addAll(vocabulary().map((id) => ({ id })));
    }
    const found = index.search(word, { fuzzy: WRONG_LETTERS, prefix: true });
    const [best] = found;
    // Much worse ones would be noise.
    const near = found.filter(({ score }) => score >= best!.score / 2);
    return near.slice(0, MOST_WORDS).map(({ id }) => String(id));
  };
}
