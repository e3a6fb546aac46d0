/** Finds articles by what a visitor looks for. No imports from Node: the page uses this file. */
import type { GalleryArticle, GalleryData, ListedConfiguration } from './gallery-data.ts';
import type { Figure, Query, Sort } from './gallery-query.ts';

/** An article, and its configurations that were looked for: at least one. */
export interface Found {
  article: GalleryArticle;
  configurations: readonly ListedConfiguration[];
}

/** What was found. */
export interface Result {
  found: readonly Found[];
  /** For each word that nothing has, the words that were looked for in its place. */
  replaced: ReadonlyMap<string, readonly string[]>;
}

/** Words of the range that are like one that it does not have. */
export type SimilarWords = (word: string) => readonly string[];

/** A text without case and accents. */
export function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** The words of a text, without case and accents. */
export function wordsOf(text: string): string[] {
  return plain(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** The words of all articles, each once: of names, numbers and variant texts. */
export function vocabularyOf({ articles, texts }: GalleryData): string[] {
  const own = articles.flatMap((article) => [
    textOf(article),
    ...article.configurations.map(({ number }) => number),
  ]);
  return [...new Set([...own, ...texts].flatMap(wordsOf))];
}

function textOf({ number, name, ...article }: GalleryArticle): string {
  const { manufacturer, program, manufacturerName, programName, kind = '' } = article;
  return [number, name, manufacturer, program, manufacturerName, programName, kind].join('\n');
}

/** The value of a figure; undefined where it is not known. */
export function figureOf(
  { size, price }: Pick<ListedConfiguration, 'size' | 'price'>,
  figure: Figure,
): number | undefined {
  return figure === 'price' ? price : size?.[FIGURE_PLACES[figure]];
}
const FIGURE_PLACES = { width: 0, depth: 1, height: 2 } as const;

/** Least and largest value of a figure; undefined where none is known. */
export function rangeOf(
  configurations: readonly ListedConfiguration[],
  figure: Figure,
): readonly [from: number, to: number] | undefined {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const configuration of configurations) {
    const value = figureOf(configuration, figure);
    if (value === undefined) continue;
    from = Math.min(from, value);
    to = Math.max(to, value);
  }
  return from <= to ? [from, to] : undefined;
}

/** The configuration that represents an article: the default one, otherwise the first. */
export function representativeOf({ configurations }: Pick<Found, 'configurations'>) {
  return configurations.find(({ id }) => id.endsWith('/default')) ?? configurations[0]!;
}

/**
 * Prepares the search of a range. A word is found within other words, too: "tisch" finds "Schreibtisch".
 *
 * @returns The search, which takes some milliseconds for 20,000 configurations.
 * @example
 * ```ts
 * const search = openSearch(data, () => []);
 * search({ ...EVERYTHING, search: 'desk walnut' }).found;   // → desks, each with its configurations in walnut
 * ```
 */
export function openSearch(data: GalleryData, similar: SimilarWords): (query: Query) => Result {
  const texts = data.texts.map(plain);
  const entries = data.articles.map((article) => {
    const numbers = article.configurations.map(({ number }) => plain(number));
    return { article, text: plain(textOf(article)), numbers };
  });
  /** Whether an article, a configuration or a line has a word. */
  const hitsOf = (words: readonly string[]) => {
    const hasWord = (text: string) => words.some((word) => text.includes(word));
    const lines = texts.map(hasWord);
    const isHit = ({ article, text, numbers }: (typeof entries)[number], at: number) =>
      hasWord(text) ||
      hasWord(numbers[at]!) ||
      article.configurations[at]!.texts.some((line) => lines[line]);
    const isAny = () =>
      lines.includes(true) ||
      entries.some(({ text, numbers }) => hasWord(text) || numbers.some(hasWord));
    return { isHit, isAny };
  };
  return (query) => {
    const replaced = new Map<string, readonly string[]>();
    const wanted = plain(query.search)
      .split(/\s+/)
      .filter((word) => word !== '');
    const hits = wanted.map((word) => {
      const exact = hitsOf([word]);
      const others = exact.isAny() ? [] : similar(word);
      if (others.length === 0) return exact;
      replaced.set(word, others);
      return hitsOf(others);
    });
    const isWanted = wishOf(query);
    const found = entries.flatMap((entry): Found[] => {
      const { article } = entry;
      if (query.manufacturer !== '' && article.manufacturer !== query.manufacturer) return [];
      if (query.series !== '' && article.program !== query.series) return [];
      if (query.kind !== '' && article.kind !== query.kind) return [];
      const configurations = article.configurations.filter(
        (one, at) => isWanted(one) && hits.every(({ isHit }) => isHit(entry, at)),
      );
      return configurations.length > 0 ? [{ article, configurations }] : [];
    });
    return { found: sorted(found, query.sort), replaced };
  };
}

/** Whether a configuration has the colours and figures of a query. */
function wishOf({ colours, figures }: Query): (configuration: ListedConfiguration) => boolean {
  const limits = Object.entries(figures) as [Figure, NonNullable<Query['figures'][Figure]>][];
  return (configuration) =>
    (colours.length === 0 || colours.some((one) => configuration.colours?.includes(one))) &&
    limits.every(([figure, [from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY]]) => {
      const value = figureOf(configuration, figure);
      return value !== undefined && value >= from && value <= to;
    });
}

const COLLATOR = new Intl.Collator('en', { numeric: true });

/** Articles without the figure by which they are sorted are the last; equal ones keep their order. */
function sorted(found: readonly Found[], sort: Sort): readonly Found[] {
  if (sort === 'catalogue') return found;
  if (sort === 'name')
    return found.toSorted((a, b) => COLLATOR.compare(a.article.name, b.article.name));
  const isDown = sort.startsWith('-');
  const figure = sort.replace('-', '') as Figure;
  const keys = new Map(
    found.map((one) => {
      const [from, to] = rangeOf(one.configurations, figure) ?? [];
      const key = isDown ? to && -to : from;
      return [one, key ?? Number.MAX_VALUE] as const;
    }),
  );
  return found.toSorted((a, b) => keys.get(a)! - keys.get(b)!);
}
