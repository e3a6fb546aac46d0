/** The names of manufacturers and series in catalogue lines, and their categories. */
import type { ArticleRequest } from '../../model/article.ts';
import { articleKey, parseConfigurationKey } from '../../model/configuration-id.ts';
import type { SeriesName } from '../../source/fetch/selection.ts';
import type { PackedMap } from '../../support/packed-map.ts';
import type { CatalogueLine, CatalogueNames } from '../lists/manifest-line.ts';

type SeriesId = Pick<ArticleRequest, 'manufacturer' | 'program'>;

const keyOf = ({ manufacturer, program }: SeriesId) =>
  articleKey({ manufacturer, program, basearticlenumber: '' });

/**
 * Names by series: those of this run, otherwise those of the previous catalogue, where all lines of a series have the
 * same. Only the first line of each series is decoded for it. An article that no folder of this run lists, such as one of
 * a cart, keeps its category.
 */
export class NamesOfLines {
  readonly #now: ReadonlyMap<string, SeriesName>;
  readonly #before = new Map<string, Partial<CatalogueNames>>();
  /** By series, then by base article number. */
  readonly #categories = new Map<string, ReadonlyMap<string, string>>();
  /** The series in which articles have categories. */
  readonly #categorized = new Set<string>();
  readonly #categoriesBefore: ReadonlyMap<string, string>;

  /** @param categories - Those of the previous lines, as far as they have one. */
  constructor(
    names: readonly SeriesName[],
    before: PackedMap<CatalogueLine>,
    categories: ReadonlyMap<string, string>,
  ) {
    this.#now = new Map(names.map((one) => [seriesOf(keyOf(one)), one]));
    for (const [series, { categories = [] }] of this.#now) {
      this.#categories.set(series, new Map(categories));
      if (categories.some(([, category]) => category !== '')) this.#categorized.add(series);
    }
    this.#categoriesBefore = categories;
    for (const key of before.keys()) {
      const series = seriesOf(key);
      if (!this.#before.has(series)) this.#before.set(series, before.get(key)!);
    }
  }

  /** @param key - Of a configuration. */
  of(key: string): CatalogueNames {
    const series = seriesOf(key);
    const [now, before] = [this.#now.get(series), this.#before.get(series)];
    return {
      manufacturername: now?.manufacturername || before?.manufacturername || '',
      programname: now?.programname || before?.programname || '',
      category: this.#categoryOf(key, series),
    };
  }

  /** The names of a line of the previous catalogue, if they are not those that it has. */
  changedOf(key: string): CatalogueNames | undefined {
    const names = this.of(key);
    const before = this.#before.get(seriesOf(key));
    const isSame =
      before?.manufacturername === names.manufacturername &&
      before.programname === names.programname &&
      (this.#categoriesBefore.get(key) ?? '') === names.category;
    return isSame ? undefined : names;
  }

  #categoryOf(key: string, series: string): string {
    const before = this.#categoriesBefore.get(key) ?? '';
    // Most ranges have no categories: then no key is parsed.
    if (before === '' && !this.#categorized.has(series)) return '';
    const { basearticlenumber } = parseConfigurationKey(key);
    return this.#categories.get(series)?.get(basearticlenumber) ?? before;
  }
}

/** The part of a key before the article number: the text between two fields is in no field. */
function seriesOf(key: string): string {
  const between = '","';
  return key.slice(0, key.indexOf(between, key.indexOf(between) + between.length) + 1);
}
