/** Elements of the page of a report. Every value is escaped where it is inserted into HTML. @see D-858 */
import { amount, integer, visibleText } from './text.ts';

/** A piece of finished HTML. */
export interface Html {
  readonly html: string;
}

type Value = Html | string | number | undefined | readonly Value[];

/**
 * Makes HTML from a template: texts are escaped, lists are joined, undefined is left out.
 *
 * @example
 * ```ts
 * html`<b>${'<i>'}</b>`.html;   // → '<b>&lt;i&gt;</b>'
 * ```
 */
export function html(template: TemplateStringsArray, ...values: Value[]): Html {
  const parts = values.map((value, i) => toHtml(value) + template[i + 1]!);
  return { html: template[0]! + parts.join('') };
}

function toHtml(value: Value): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'number') return String(value);
  return 'html' in value ? value.html : value.map(toHtml).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Escapes a text for the content of an element or a quoted attribute; invisible characters become visible. */
export function escapeText(text: string): string {
  return visibleText(text).replace(/[&<>"'`]/g, (character) => ENTITIES[character]!);
}

/** The relative link from the folder of a run to a file of the output folder, never outside of that. */
export function outputLink(path: string): string {
  const segments = path.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  return `../../${segments.map((part) => encodeURIComponent(part.toWellFormed())).join('/')}`;
}

/** A section of the page with an anchor. */
export interface Section extends Html {
  id: string;
  title: string;
}

/** A column of a table. */
export interface Column<T> {
  title: string;
  cell: (row: T) => Html | string;
  /** The figure by which the column is sorted, largest first; without it the column is sorted by text. */
  value?: (row: T) => number | undefined;
}

/** A kind of rows; a button shows only rows of pressed kinds. */
export interface Kind {
  id: string;
  label: string;
  count: number;
}

interface Table<T> {
  id: string;
  title: string;
  /** The number of rows, if `rows` are the first of them. */
  total?: number;
  /** The file that has all rows. */
  rest?: string;
  note?: Html | string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  kinds?: readonly Kind[];
  kindsOf?: (row: T) => readonly string[];
}

/** Makes a section with a table; undefined without rows. */
export function tableSection<T>(table: Table<T>): Section | undefined {
  const { id, title, rows, columns, note, kinds = [], total = rows.length } = table;
  if (rows.length === 0) return undefined;
  const { html: content } = html`
<section class="card list" id="${id}" aria-labelledby="${id}-title">
<div class="bar"><h2 id="${id}-title">${title} <span class="count">${integer(total)}</span></h2>
${kinds.length > 1 ? kindButtons(kinds, title) : undefined}</div>
${note === undefined ? undefined : html`<p class="note">${note}</p>`}
<table aria-labelledby="${id}-title">
<thead><tr>${columns.map(header)}</tr></thead>
<tbody>${rows.map((row) => tableRow(table, row))}</tbody></table>
<p class="rest">${restNote(table, total)}</p>
</section>`;
  return { id, title, html: content };
}

function header<T>({ title, value }: Column<T>): Html {
  const numeric = value === undefined ? undefined : html` class="n"`;
  return html`<th scope="col"${numeric} aria-sort="none"><button type="button">${title}</button></th>`;
}

function tableRow<T>({ columns, kindsOf }: Table<T>, row: T): Html {
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
      html`<button type="button" class="chip" aria-pressed="false" data-kind="${id}">${label} <span>${integer(count)}</span></button>`,
  );
  return html`<div class="chips" role="group" aria-label="Show only, of ${title}">${buttons}</div>`;
}

function restNote<T>({ rows, rest }: Table<T>, total: number): Html | undefined {
  if (total <= rows.length || rest === undefined) return undefined;
  return html`<span>These are the first ${integer(rows.length)} of ${amount(total, 'row')}; see ${rest} for all of them.</span>`;
}

/** A bar of a list. */
export interface Bar {
  name: Html | string;
  length: number;
  /** The length as a text. */
  label: string;
  /** CSS class of the colour. */
  tone?: string;
}

/** Makes a section with bars, of which the longest fills its line; undefined without bars. */
export function barSection(
  id: string,
  title: string,
  note: string,
  bars: readonly Bar[],
): Section | undefined {
  if (bars.length === 0) return undefined;
  const longest = Math.max(...bars.map(({ length }) => length), 1);
  const rows = bars.map(
    ({ name, length, label, tone = '' }) => html`<tr>
<th scope="row">${name}</th><td><svg class="bar ${tone}" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="1"/><rect width="${((100 * length) / longest).toFixed(2)}" height="1"/></svg></td><td class="n">${label}</td></tr>`,
  );
  const { html: content } = html`
<section class="card bars" id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>${note === '' ? undefined : html`<p class="note">${note}</p>`}
<table aria-labelledby="${id}-title"><tbody>${rows}</tbody></table>
</section>`;
  return { id, title, html: content };
}
