/** The names of manufacturers and series in catalogue lines. */
import type { ArticleRequest } from '../../model/article.ts';
import { articleKey } from '../../model/configuration-id.ts';
import type { SeriesName } from '../../source/fetch/selection.ts';
import type { PackedMap } from '../../support/packed-map.ts';
import type { CatalogueLine, SeriesNames } from '../lists/manifest-line.ts';

type SeriesId = Pick<ArticleRequest, 'manufacturer' | 'program'>;

const keyOf = ({ manufacturer, program }: SeriesId) =>
  articleKey({ manufacturer, program, basearticlenumber: '' });

/**
 * Names by series: those of this run, otherwise those of the previous catalogue, where all lines of a series have the
 * same. Only the first line of each series is decoded for it.
 */
export class NamesOfLines {
  readonly #now: ReadonlyMap<string, SeriesName>;
  readonly #before = new Map<string, Partial<SeriesNames>>();

  constructor(names: readonly SeriesName[], before: PackedMap<CatalogueLine>) {
    this.#now = new Map(names.map((one) => [seriesOf(keyOf(one)), one]));
    for (const key of before.keys()) {
      const series = seriesOf(key);
      if (!this.#before.has(series)) this.#before.set(series, before.get(key)!);
    }
  }

  of(id: SeriesId): SeriesNames {
    return this.#of(seriesOf(keyOf(id)));
  }

  /** The names of a line of the previous catalogue, if they are not those that it has. */
  changedOf(key: string): SeriesNames | undefined {
    const series = seriesOf(key);
    const names = this.#of(series);
    const before = this.#before.get(series);
    const isSame =
      before?.manufacturername === names.manufacturername &&
      before.programname === names.programname;
    return isSame ? undefined : names;
  }

  #of(series: string): SeriesNames {
    const [now, before] = [this.#now.get(series), this.#before.get(series)];
    return {
      manufacturername: now?.manufacturername || before?.manufacturername || '',
      programname: now?.programname || before?.programname || '',
    };
  }
}

/** The part of a key before the article number: the text between two fields is in no field. */
function seriesOf(key: string): string {
  const between = '","';
  return key.slice(0, key.indexOf(between, key.indexOf(between) + between.length) + 1);
}
