/** The filters of the gallery: their controls, and what a visitor has set. */
import { button, byId, element } from '../../pictures/page/elements.ts';
import { COLOURS, type Colour } from '../colours.ts';
import type { GalleryArticle, GalleryData } from '../gallery-data.ts';
import {
  EVERYTHING,
  FIGURES,
  type Figure,
  type Query,
  SORTS,
  type Sort,
} from '../gallery-query.ts';
import { rangeOf } from '../gallery-search.ts';
import { shown } from './gallery-texts.ts';

/** The value of a list that accepts everything; no identifier is empty. */
const ALL = '';

const SORT_TEXTS = {
  catalogue: 'As in the catalogue',
  name: 'Name',
  price: 'Price, lowest first',
  '-price': 'Price, highest first',
  width: 'Width, smallest first',
  '-width': 'Width, largest first',
} as const satisfies Record<Sort, string>;

const FIGURE_TEXTS = {
  width: 'Width, mm',
  depth: 'Depth, mm',
  height: 'Height, mm',
  price: 'Price',
} as const satisfies Record<Figure, string>;

const COLLATOR = new Intl.Collator('en', { numeric: true });
type Ends = readonly [from: HTMLInputElement, to: HTMLInputElement];

/** All controls by which articles are found, but for the dialog. */
export class Filters {
  readonly #data: GalleryData;
  readonly #find = byId<HTMLInputElement>('find');
  readonly #sort = byId<HTMLSelectElement>('sort');
  readonly #manufacturer = element('select', { id: 'manufacturer' });
  readonly #series = element('select', { id: 'series' });
  readonly #kind = element('select', { id: 'kind' });
  readonly #colours = new Map<Colour, HTMLButtonElement>();
  readonly #figures = new Map<Figure, Ends>();

  /** @param onChange - Called when a control has another value; the text, while it is typed. */
  constructor(data: GalleryData, onChange: () => void) {
    this.#data = data;
    this.#sort.append(...SORTS.map((sort) => element('option', { value: sort }, SORT_TEXTS[sort])));
    fill(this.#manufacturer, data.articles, manufacturerOf);
    this.#fillSeries();
    fill(this.#kind, data.articles.filter(hasKind), kindOf);
    const panel = byId('filters');
    panel.append(
      labelled('Manufacturer', this.#manufacturer),
      labelled('Series', this.#series),
      ...(this.#kind.disabled ? [] : [labelled('Kind', this.#kind)]),
      ...this.#colourButtons(onChange),
      ...FIGURES.flatMap((figure) => this.#figureFields(figure, onChange)),
    );
    this.#manufacturer.addEventListener('change', () => {
      this.#series.value = ALL;
      this.#fillSeries();
      onChange();
    });
    for (const select of [this.#series, this.#kind, this.#sort])
      select.addEventListener('change', onChange);
    this.#find.addEventListener('input', onChange);
  }

  /** What the controls say. */
  get query(): Query {
    const figures = Array.from(this.#figures, ([figure, ends]) => {
      const [from, to] = ends.map(({ value }) => (value === '' ? undefined : Number(value)));
      return [figure, [from, to]] as const;
    });
    const set = figures.filter(([, ends]) => ends.some((end) => end !== undefined));
    return {
      search: this.#find.value.trim(),
      ...{ manufacturer: this.#manufacturer.value, series: this.#series.value },
      kind: this.#kind.value,
      colours: COLOURS.filter((one) => this.#colours.get(one)?.ariaPressed === 'true'),
      figures: Object.fromEntries(set),
      sort: this.#sort.value as Sort,
    };
  }

  /** Sets the controls; a value that the range does not have is left out. */
  set query(query: Query) {
    // The text stays as it was typed where it says the same.
    if (this.#find.value.trim() !== query.search) this.#find.value = query.search;
    choose(this.#manufacturer, query.manufacturer);
    this.#fillSeries();
    choose(this.#series, query.series);
    choose(this.#kind, this.#kind.disabled ? ALL : query.kind);
    this.#sort.value = query.sort;
    for (const [colour, made] of this.#colours)
      made.ariaPressed = String(query.colours.includes(colour));
    for (const [figure, ends] of this.#figures)
      for (const [i, end] of ends.entries()) end.value = String(query.figures[figure]?.[i] ?? '');
  }

  /** How many filters are set, without text and order. */
  get count(): number {
    const { manufacturer, series, kind, colours, figures } = this.query;
    const texts = [manufacturer, series, kind].filter((text) => text !== EVERYTHING.series);
    return texts.length + colours.length + Object.keys(figures).length;
  }

  #fillSeries(): void {
    const of = this.#manufacturer.value;
    const some = this.#data.articles.filter((one) => of === ALL || one.manufacturer === of);
    fill(this.#series, some, seriesOf);
  }

  #colourButtons(onChange: () => void): HTMLElement[] {
    const known = new Set(
      this.#data.articles.flatMap(({ configurations }) =>
        configurations.flatMap(({ colours }) => colours ?? []),
      ),
    );
    for (const colour of COLOURS.filter((one) => known.has(one))) {
      const dot = element('span', { class: `dot ${colour}` });
      const made = button('', { class: 'colour', 'aria-pressed': 'false' }, () => {
        made.ariaPressed = String(made.ariaPressed !== 'true');
        onChange();
      });
      made.append(dot, colour);
      this.#colours.set(colour, made);
    }
    if (known.size < 2) return [];
    const row = element('div', { class: 'colours' }, ...this.#colours.values());
    return [element('fieldset', {}, element('legend', {}, 'Colour'), row)];
  }

  #figureFields(figure: Figure, onChange: () => void): HTMLElement[] {
    const all = this.#data.articles.flatMap(({ configurations }) => configurations);
    const range = rangeOf(all, figure);
    if (range === undefined || range[0] === range[1]) return [];
    const currencies = new Set(all.flatMap(({ currency }) => currency ?? []));
    const unit =
      figure === 'price' && currencies.size === 1 ? `, ${shown([...currencies][0]!)}` : '';
    const name = FIGURE_TEXTS[figure] + unit;
    const field = (end: string, limit: number) => {
      const input = element('input', {
        ...{ type: 'number', min: '0', step: 'any', inputmode: 'decimal' },
        ...{ placeholder: String(Math.round(limit)), 'aria-label': `${name}, ${end}` },
      });
      input.addEventListener('input', onChange);
      return input;
    };
    const ends: Ends = [field('from', range[0]), field('to', range[1])];
    this.#figures.set(figure, ends);
    const row = element('div', { class: 'ends' }, ends[0], element('span', {}, '–'), ends[1]);
    return [element('fieldset', {}, element('legend', {}, name), row)];
  }
}

function labelled(text: string, field: HTMLElement): HTMLElement {
  return element('div', { class: 'field' }, element('label', { for: field.id }, text), field);
}

type Named = readonly [id: string, name: string];
const manufacturerOf = (one: GalleryArticle): Named => [one.manufacturer, one.manufacturerName];
const seriesOf = (one: GalleryArticle): Named => [one.program, one.programName];
const hasKind = ({ kind }: GalleryArticle): boolean => kind !== undefined;
const kindOf = ({ kind = '' }: GalleryArticle): Named => [kind, kind];

/** Fills a list with what articles have, with the number of articles, and keeps the chosen value if it is still there. */
function fill(
  select: HTMLSelectElement,
  articles: readonly GalleryArticle[],
  nameOf: (article: GalleryArticle) => Named,
): void {
  const { value } = select;
  const names = new Map(articles.map(nameOf));
  const counts = new Map<string, number>();
  for (const [id] of articles.map(nameOf)) counts.set(id, (counts.get(id) ?? 0) + 1);
  const sorted = [...names].sort(([, a], [, b]) => COLLATOR.compare(a, b));
  const option = ([id, name]: Named) =>
    element('option', { value: id }, `${shown(name) || '–'} (${counts.get(id)})`);
  select.replaceChildren(element('option', { value: ALL }, 'All'), ...sorted.map(option));
  choose(select, value);
  select.disabled = sorted.length < 2;
}

function choose(select: HTMLSelectElement, value: string): void {
  select.value = value;
  if (select.selectedIndex < 0) select.value = ALL;
}
