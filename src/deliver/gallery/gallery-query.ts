/** What a visitor of the gallery looks for, and the address of the page that says it. No imports from Node. */
import { COLOURS, type Colour } from './colours.ts';

/** Figures of which a visitor may want a part: lengths in millimetres, and the price. */
export const FIGURES = ['width', 'depth', 'height', 'price'] as const;
export type Figure = (typeof FIGURES)[number];

/** Orders of the articles. */
export const SORTS = ['catalogue', 'name', 'price', '-price', 'width', '-width'] as const;
export type Sort = (typeof SORTS)[number];

/** What is wanted; an empty text wants everything. */
export interface Query {
  search: string;
  manufacturer: string;
  series: string;
  kind: string;
  colours: readonly Colour[];
  figures: Readonly<Partial<Record<Figure, FigureRange>>>;
  sort: Sort;
}

/** From and to, both inclusive; no limit where it is undefined. */
export type FigureRange = readonly [from: number | undefined, to: number | undefined];

/** Everything, in the order of the catalogue. */
export const EVERYTHING: Query = {
  ...{ search: '', manufacturer: '', series: '', kind: '' },
  ...{ colours: [], figures: {}, sort: 'catalogue' },
};

/** What an address means. */
export interface Place {
  query: Query;
  /** Id of the configuration that is open; empty if none is. */
  open: string;
}

const TEXTS = ['search', 'manufacturer', 'series', 'kind'] as const;
const RANGE = /^(\d+(?:\.\d+)?)?-(\d+(?:\.\d+)?)?$/;

/**
 * Reads the part of an address after `#`; what it cannot mean is left out.
 *
 * @param hash - With or without `#`. A text without `=` is the id of a configuration, as older versions wrote it.
 * @example
 * ```ts
 * readPlace('#search=desk&width=800-1600').query.figures;   // → { width: [800, 1600] }
 * ```
 */
export function readPlace(hash: string): Place {
  const text = hash.replace(/^#/, '');
  if (text !== '' && !text.includes('=')) return { query: EVERYTHING, open: decoded(text) };
  const values = new URLSearchParams(text);
  const colours = values.get('colour')?.split(',') ?? [];
  const sort = SORTS.find((one) => one === values.get('sort')) ?? EVERYTHING.sort;
  const figures = FIGURES.flatMap((figure) => {
    const [, from, to] = RANGE.exec(values.get(figure) ?? '') ?? [];
    const number = (digits: string | undefined) => (digits ? Number(digits) : undefined);
    return from || to ? [[figure, [number(from), number(to)]] as const] : [];
  });
  const texts = Object.fromEntries(TEXTS.map((name) => [name, values.get(name) ?? '']));
  return {
    query: {
      ...(texts as Record<(typeof TEXTS)[number], string>),
      ...{ colours: COLOURS.filter((one) => colours.includes(one)), sort },
      figures: Object.fromEntries(figures),
    },
    open: values.get('article') ?? '',
  };
}

/** Writes what {@link readPlace} reads, with `#`; empty for everything. */
export function addressOfPlace({ query, open }: Place): string {
  const values = new URLSearchParams();
  for (const name of TEXTS) if (query[name] !== '') values.set(name, query[name]);
  if (query.colours.length > 0) values.set('colour', query.colours.join(','));
  for (const figure of FIGURES) {
    const [from, to] = query.figures[figure] ?? [];
    if (from !== undefined || to !== undefined) values.set(figure, `${from ?? ''}-${to ?? ''}`);
  }
  if (query.sort !== EVERYTHING.sort) values.set('sort', query.sort);
  if (open !== '') values.set('article', open);
  // Slashes of ids and commas need no escapes there.
  const text = values.toString().replace(/%2F/g, '/').replace(/%2C/g, ',');
  return text === '' ? '' : `#${text}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
