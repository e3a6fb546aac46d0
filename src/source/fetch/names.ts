/** Names of manufacturers and series, and categories of articles. Only the catalogue has them: articles have ids. */
import type { ArticleRequest } from '../../model/article.ts';
import type { CatalogueNode } from '../../model/catalogue.ts';
import { asConverterError, endsRun } from '../../support/errors.ts';
import type { CatalogueReader } from './resolve-article.ts';
import type { SeriesName } from './selection.ts';

type SeriesId = Pick<ArticleRequest, 'manufacturer' | 'program'>;

/** Collects the names that listings have. The first name of a manufacturer or series counts, and the first category. */
export class NameCollector {
  readonly #manufacturers = new Map<string, string>();
  readonly #programs = new Map<string, string>();
  /** Categories by series, then by base article number. */
  readonly #categories = new Map<string, Map<string, string>>();

  /**
   * @param node - With the manufacturer and the series of its folder, if it has none of its own.
   * @param category - That of its folder; undefined where folders are not known, as in a search.
   */
  add(node: CatalogueNode, category?: string): void {
    const { nodetype, manufacturer, manufacturername, program, text } = node;
    if (nodetype === 'A' && category !== undefined)
      setCategory(this.#categoriesOf(seriesKey(node)), node.basearticlenumber, category);
    setFirst(this.#manufacturers, manufacturer.toUpperCase(), manufacturername);
    // Folders of a series have its id too; the outermost has its name. An article has its own text.
    if (nodetype === 'F' && program !== '')
      setFirst(this.#programs, seriesKey({ manufacturer, program }), text);
  }

  /** Takes the names that another collection has and this one lacks. */
  join(names: readonly SeriesName[]): void {
    for (const { manufacturername, programname, categories = [], ...id } of names) {
      setFirst(this.#manufacturers, id.manufacturer, manufacturername);
      const key = seriesKey(id);
      setFirst(this.#programs, key, programname);
      for (const [number, category] of categories)
        setCategory(this.#categoriesOf(key), number, category);
    }
  }

  /** The names of series, each once, sorted. */
  namesOf(series: Iterable<SeriesId>): SeriesName[] {
    const byKey = new Map(Array.from(series, (id) => [seriesKey(id), id]));
    const sorted = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1));
    return sorted.map(([key, id]) => {
      const categories = this.#categories.get(key);
      return {
        manufacturer: id.manufacturer.toUpperCase(),
        program: id.program.toUpperCase(),
        manufacturername: this.#manufacturers.get(id.manufacturer.toUpperCase()) ?? '',
        programname: this.#programs.get(key) ?? '',
        ...(categories && { categories: [...categories] }),
      };
    });
  }

  #categoriesOf(series: string): Map<string, string> {
    const own = this.#categories.get(series) ?? new Map<string, string>();
    this.#categories.set(series, own);
    return own;
  }
}

/** The key by which series are compared. */
export function seriesKey({ manufacturer, program }: SeriesId): string {
  return JSON.stringify([manufacturer.toUpperCase(), program.toUpperCase()]);
}

/**
 * Reads the names that selected articles lack, such as those of a list: the top of the catalogue, and the folders in it
 * of the manufacturers concerned. Ids take the place of names that cannot be read.
 *
 * @throws {@link ConverterError} an error that ends the run.
 */
export async function readMissingNames(
  names: readonly SeriesName[],
  reader: CatalogueReader,
): Promise<SeriesName[]> {
  const isUnnamed = (one: SeriesName) => one.manufacturername === '' || one.programname === '';
  const wanted = new Set(names.filter(isUnnamed).map(({ manufacturer }) => manufacturer));
  if (wanted.size === 0) return [...names];
  const found = new NameCollector();
  found.join(names);
  const read = async (nodeid: string, manufacturer: string): Promise<CatalogueNode[]> => {
    try {
      return await reader.nodes(nodeid, manufacturer);
    } catch (thrown) {
      if (endsRun(asConverterError(thrown).code)) throw thrown;
      return [];
    }
  };
  const isWanted = ({ nodetype, nodeid, manufacturer }: CatalogueNode) =>
    nodetype === 'F' && nodeid !== '' && wanted.has(manufacturer.toUpperCase());
  const tops = (await read('', '')).filter(isWanted);
  const inside = await Promise.all(
    tops.map(async ({ nodeid, manufacturer }) => {
      const nodes = await read(nodeid, manufacturer);
      return nodes.map((node) => ({ ...node, manufacturer: node.manufacturer || manufacturer }));
    }),
  );
  for (const node of [...tops, ...inside.flat()]) found.add(node);
  return found.namesOf(names);
}

function setFirst(names: Map<string, string>, key: string, name: string): void {
  const text = name.trim();
  if (text !== '' && !names.has(key)) names.set(key, text);
}

/** An article without a category is listed, too. */
function setCategory(categories: Map<string, string>, number: string, category: string): void {
  if (!categories.get(number)) categories.set(number, category);
}
