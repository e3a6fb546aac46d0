/** Words that are like another: what a visitor may have meant. */
import MiniSearch from 'minisearch';
import type { SimilarWords } from '../gallery-search.ts';

/** Share of the letters of a word that may be wrong, missing or too many. */
const WRONG_LETTERS = 0.3;
const MOST_WORDS = 6;

/** How many words are added at once: some milliseconds of a phone. */
const WORDS_AT_ONCE = 500;

/** The index of the words of a range. */
export interface WordIndex {
  similar: SimilarWords;
  /** Adds some words. @returns Whether all are added; {@link similar} adds those that are left. */
  add(): boolean;
}

/**
 * Prepares the words of a range.
 *
 * @example
 * ```ts
 * openSimilarWords(() => ['desk', 'chair']).similar('dsek');   // → ['desk']
 * ```
 */
export function openSimilarWords(vocabulary: () => readonly string[]): WordIndex {
  const index = new MiniSearch({ fields: ['id'], tokenize: (text) => [text] });
  let words: readonly string[] | undefined;
  let added = 0;
  const add = () => {
    if (words === undefined) {
      words = vocabulary();
      return words.length === 0;
    }
    index.addAll(words.slice(added, added + WORDS_AT_ONCE).map((id) => ({ id })));
    added += WORDS_AT_ONCE;
    return added >= words.length;
  };
  const similar: SimilarWords = (word) => {
    while (words === undefined || added < words.length) add();
    const swapped = swappedLetters(word).flatMap((other) => index.search(other, { prefix: true }));
    const found =
      swapped.length > 0 ? swapped : index.search(word, { fuzzy: WRONG_LETTERS, prefix: true });
    const [best] = found;
    // Much worse ones would be noise.
    const near = found.filter(({ score }) => score >= best!.score / 2);
    return near.slice(0, MOST_WORDS).map(({ id }) => String(id));
  };
  return { similar, add };
}

/** A word with each two neighbouring letters swapped: the most frequent typo counts as two wrong letters otherwise. */
function swappedLetters(word: string): string[] {
  const letters = [...word];
  return letters.slice(1).map((letter, i) => {
    return [...letters.slice(0, i), letter, letters[i], ...letters.slice(i + 2)].join('');
  });
}
