/**
 * HTML table: rows that can be searched, sorted and narrowed to some kinds.
 *
 * In: rows and columns. Out: a section of the page. It is whole without a script; with one it shows
 * the first rows only until it is asked for the rest.
 */
import { type Html, html } from './html-text.ts';
import { amount, whole } from './words.ts';

/** A part of the page that can be jumped to. */
export interface Part extends Html {
  id: string;
  title: string;
}

/** One column. */
export interface Column<T> {
  title: string;
  cell: (row: T) => Html | string;
  /** What the column is sorted by where it holds figures; they begin with the largest. */
  value?: (row: T) => number | undefined;
}

/** A kind of rows; a button shows only them. */
export interface Kind {
  id: string;
  label: string;
  count: number;
}

/** A section with one table. */
export interface TableSection<T> {
  id: string;
  title: string;
  /** How many there are, where the rows are the first of them. */
  total?: number;
  /** Where the others stand. */
  rest?: string;
  /** A sentence on what is shown. */
  note?: Html | string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  kinds?: readonly Kind[];
  kindsOf?: (row: T) => readonly string[];
}

/** Makes a section with a table; nothing where there are no rows. */
export function tableSection<T>(section: TableSection<T>): Part | undefined {
  const { id, title, rows, columns, note, kinds = [], total = rows.length } = section;
  if (rows.length === 0) return undefined;
  const { html: content } = html`
<section class="card list" id="${id}" aria-labelledby="${id}-title">
<div class="bar"><h2 id="${id}-title">${title} <span class="count">${whole(total)}</span></h2>
${kinds.length > 1 ? kindButtons(kinds, title) : undefined}</div>
${note === undefined ? undefined : html`<p class="note">${note}</p>`}
<table aria-labelledby="${id}-title">
<thead><tr>${columns.map(header)}</tr></thead>
<tbody>${rows.map((row) => tableRow(section, row))}</tbody></table>
<p class="rest">${restTold(section, total)}</p>
</section>`;
  return { id, title, html: content };
}

function header<T>({ title, value }: Column<T>): Html {
  const numeric = value === undefined ? undefined : html` class="n"`;
  return html`<th scope="col"${numeric} aria-sort="none"><button type="button">${title}</button></th>`;
}

function tableRow<T>({ columns, kindsOf }: TableSection<T>, row: T): Html {
  const kinds = kindsOf === undefined ? undefined : html` data-k="${kindsOf(row).join(' ')}"`;
  const cells = columns.map(({ title, cell, value }) => {
    if (value === undefined) return html`<td data-l="${title}">${cell(row)}</td>`;
    const figure = value(row);
    const sortedBy = figure === undefined ? undefined : html` data-v="${figure}"`;
    return html`<td class="n" data-l="${title}"${sortedBy}>${figure === undefined ? '–' : cell(row)}</td>`;
  });
  return html`<tr${kinds}>${cells}</tr>\n`;
}

function kindButtons(kinds: readonly Kind[], title: string): Html {
  const buttons = kinds.map(
    ({ id, label, count }) =>
      html`<button type="button" class="chip" aria-pressed="false" data-kind="${id}">${label} <span>${whole(count)}</span></button>`,
  );
  return html`<div class="chips" role="group" aria-label="Show only, of ${title}">${buttons}</div>`;
}

function restTold<T>({ rows, rest }: TableSection<T>, total: number): Html | undefined {
  if (total <= rows.length || rest === undefined) return undefined;
  return html`<span>These are the first ${whole(rows.length)} of ${amount(total, 'row')}; all of them stand in ${rest}.</span>`;
}

/** One bar of a list: a name, a length, and the length in words. */
export interface Bar {
  name: Html | string;
  length: number;
  told: string;
  /** Colour. */
  tone?: string;
}

/** Makes a card of bars; the longest fills its line. */
export function barCard(
  id: string,
  title: string,
  note: string,
  bars: readonly Bar[],
): Part | undefined {
  if (bars.length === 0) return undefined;
  const longest = Math.max(...bars.map(({ length }) => length), 1);
  const rows = bars.map(
    ({ name, length, told, tone = '' }) => html`<tr>
<th scope="row">${name}</th><td><svg class="bar ${tone}" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="1"/><rect width="${((100 * length) / longest).toFixed(2)}" height="1"/></svg></td><td class="n">${told}</td></tr>`,
  );
  const { html: content } = html`
<section class="card bars" id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>${note === '' ? undefined : html`<p class="note">${note}</p>`}
<table aria-labelledby="${id}-title"><tbody>${rows}</tbody></table>
</section>`;
  return { id, title, html: content };
}
