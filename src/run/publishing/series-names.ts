/** The names of manufacturers and series in catalogue lines, and their categories. */
import type { ArticleRequest } from '../../model/article.ts';
import { articleKey } from '../../model/configuration-id.ts';
import type { SeriesName } from '../../source/fetch/selection.ts';
import type { PackedMap } from '../../support/packed-map.ts';
import type { CatalogueLine, CatalogueNames } from '../lists/manifest-line.ts';

type SeriesId = Pick<ArticleRequest, 'manufacturer' | 'program'>;

const keyOf = (id: SeriesId, basearticlenumber = '') => articleKey({ ...id, basearticlenumber });

/**
 * Names by series: those of this run, otherwise those of the previous catalogue, where all lines of a series have the
 * same. Only the first line of each series is decoded for it. An article that no folder of this run lists, such as one of
 * a cart, keeps its category.
 */
export class NamesOfLines {
  readonly #now: ReadonlyMap<string, SeriesName>;
  readonly #before = new Map<string, Partial<CatalogueNames>>();
  /** By article. */
  readonly #categories = new Map<string, string>();
  readonly #categoriesBefore: ReadonlyMap<string, string>;

  /** @param categories - Those of the previous lines, as far as they have one. */
  constructor(
    names: readonly SeriesName[],
    before: PackedMap<CatalogueLine>,
    categories: ReadonlyMap<string, string>,
  ) {
    this.#now = new Map(names.map((one) => [seriesOf(keyOf(one)), one]));
    for (const { manufacturer, program, categories = [] } of names)
      for (const [number, category] of categories)
        this.#categories.set(articleOf(keyOf({ manufacturer, program }, number)), category);
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
      category: this.#categories.get(articleOf(key)) ?? this.#categoryBefore(key),
    };
  }

  /** The names of a line of the previous catalogue, if they are not those that it has. */
  changedOf(key: string): CatalogueNames | undefined {
    const names = this.of(key);
    const before = this.#before.get(seriesOf(key));
    const isSame =
      before?.manufacturername === names.manufacturername &&
      before.programname === names.programname &&
      this.#categoryBefore(key) === names.category;
    return isSame ? undefined : names;
  }

  #categoryBefore(key: string): string {
    return this.#categoriesBefore.get(key) ?? '';
  }
}

const seriesOf = (key: string) => firstFields(key, 2);
const articleOf = (key: string) => firstFields(key, 3);

/** The part of a key with its first fields: the text between two fields is in no field. */
function firstFields(key: string, count: number): string {
  const between = '","';
  let from = 0;
  for (let field = 0; field < count; field++) {
    const end = key.indexOf(between, from);
    // The key of an article ends with its third field.
    if (end < 0) return key.slice(0, -1);
    from = end + between.length;
  }
  return key.slice(0, from - 2);
}
