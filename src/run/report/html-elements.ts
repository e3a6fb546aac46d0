/** The elements of the page of a report, with the style and the script for them. */
import { type Html, html, type Value } from './markup.ts';
import { amount, integer } from './text.ts';

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

/** Makes a card: a section of the page with a title, and what is beside and below that. */
export function card(kind: string, id: string, title: Value, beside: Value, content: Value): Html {
  return html`
<section class="card ${kind}" id="${id}" aria-labelledby="${id}-title">
<div class="head"><h2 id="${id}-title">${title}</h2>${beside}</div>
${content}
</section>`;
}

/** A column of a table. */
export interface Column<T> {
  title: string;
  cell: (row: T) => Html | string;
  /** The figure by which the column is sorted, largest first; without it the column is sorted by text. */
  value?: (row: T) => number | undefined;
}

interface Table<T> {
  columns: readonly Column<T>[];
  rows: readonly T[];
  /** Number of rows, if the table has the first ones only, and the file that has all of them. */
  total?: number;
  rest?: string;
  note?: string;
  /** Buttons that filter the table by kind. */
  kinds?: readonly { id: string; label: string; count: number }[];
  kindsOf?: (row: T) => readonly string[];
}

/** Makes a section with a table, without the columns that are empty; undefined without rows. */
export function tableSection<T>(id: string, title: string, table: Table<T>): Section | undefined {
  const { rows, note, kinds = [], kindsOf, total = rows.length, rest } = table;
  if (rows.length === 0) return undefined;
  const columns = table.columns.filter((column, index) => index === 0 || hasContent(column, rows));
  const buttons = kinds.map(
    ({ id, label, count }) =>
      html`<button type="button" class="chip" aria-pressed="false" data-kind="${id}">${label} <span>${integer(count)}</span></button>`,
  );
  const chips = html`<div class="chips" role="group" aria-label="Show only, of ${title}">${buttons}</div>`;
  const others = html`<span>These are the first ${integer(rows.length)} of ${amount(total, 'row')}; see ${rest} for all of them.</span>`;
  const heading = html`${title} <span class="count">${integer(total)}</span>`;
  const content = html`${note && html`<p class="note">${note}</p>`}
<table aria-labelledby="${id}-title">
<thead><tr>${columns.map(header)}</tr></thead>
<tbody>${rows.map((row) => tableRow(columns, row, kindsOf?.(row)))}</tbody></table>
<p class="rest">${total > rows.length && rest !== undefined ? others : undefined}</p>`;
  const beside = kinds.length > 1 ? chips : undefined;
  return { id, title, ...card('list', id, heading, beside, content) };
}

/** Whether a row has a figure other than 0, or a text other than a dash. */
function hasContent<T>({ value, cell }: Column<T>, rows: readonly T[]): boolean {
  if (value !== undefined) return rows.some((row) => (value(row) ?? 0) !== 0);
  return rows.some((row) => {
    const text = html`${cell(row)}`.html.replace(/<[^>]*>/g, '').trim();
    return text !== '' && text !== '–';
  });
}

function header<T>({ title, value }: Column<T>): Html {
  const numeric = value && html` class="n"`;
  return html`<th scope="col"${numeric} aria-sort="none"><button type="button">${title}</button></th>`;
}

function tableRow<T>(columns: readonly Column<T>[], row: T, kinds?: readonly string[]): Html {
  const cells = columns.map(({ title, cell, value }) => {
    if (value === undefined) return html`<td data-l="${title}">${cell(row)}</td>`;
    const figure = value(row);
    if (figure === undefined) return html`<td class="n" data-l="${title}">–</td>`;
    return html`<td class="n" data-l="${title}" data-v="${figure}">${cell(row)}</td>`;
  });
  return html`<tr${kinds && html` data-k="${kinds.join(' ')}"`}>${cells}</tr>\n`;
}

interface Bar {
  name: Html | string;
  length: number;
  label: string;
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
  const table = html`<table aria-labelledby="${id}-title"><tbody>${rows}</tbody></table>`;
  const content = [html`<p class="note">${note}</p>`, table];
  return { id, title, ...card('bars', id, title, undefined, content) };
}

/** Colours are named by meaning; the contrast of texts is at least 4.5 : 1. Tables become cards on a narrow screen. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --page: #f5f6f7; --card: #ffffff; --ink: #15181c; --quiet: #5a636e; --line: #dfe3e8; --soft: #eef1f4;
  --link: #1b55b5; --good: #17744a; --look: #17744a; --partly: #a94c00; --bad: #bf2430;
  --new: #2160c4; --changed: #6d48c9; --same: #b4bcc6; --removed: #59636f; --failed: #c9303b; --on: #ffffff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0e1013; --card: #16191e; --ink: #e9ecf0; --quiet: #9aa4b1; --line: #2a3038; --soft: #1f242b;
    --link: #8ab4ff; --good: #2f9e69; --look: #2f9e69; --partly: #e08a3c; --bad: #f0656c;
    --new: #5b93f5; --changed: #a48bf2; --same: #4a535f; --removed: #97a1ae; --failed: #f0656c; --on: #0e1013;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4.5rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; font-variant-numeric: tabular-nums; }
.page { max-width: 1180px; margin: 0 auto; padding: 1.25rem 1.25rem 4rem; }
h1, h2, p, ul, ol { margin: 0; padding: 0; }
h1 { font-size: 1.9rem; line-height: 1.2; letter-spacing: -.015em; font-weight: 680; }
h2 { font-size: 1.02rem; font-weight: 640; }
ul, ol { list-style: none; }
small { font-size: .82rem; }
code { font: .82em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
a { color: var(--link); text-underline-offset: .18em; text-decoration-thickness: 1px; }
svg rect, svg circle { fill: var(--tone, var(--new)); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 6px; }
[hidden] { display: none !important; }
.away, .skip:not(:focus) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip:focus { position: absolute; top: .5rem; left: .5rem; padding: .5rem 1rem; background: var(--card); z-index: 9; }
.wrap, header p, .needs p, .bars th, footer { overflow-wrap: anywhere; }
small, code, output, footer, header p, .facts, .note, .rest, .help, .label, .count, .size, .chip span { color: var(--quiet); }
output, footer, .facts, .note, .rest, .help, .label, .tiles .count { font-size: .88rem; }
.facts, .jump, .chips, .rest, .head { display: flex; flex-wrap: wrap; gap: .35rem 1rem; align-items: center; }

.eyebrow { font-weight: 560; margin-bottom: .35rem; }
.assessment { display: flex; gap: 1rem; align-items: center; }
.assessment p { font-size: 1.05rem; margin-top: .2rem; }
.sign { flex: none; width: 3.25rem; height: 3.25rem; }
.sign path { fill: none; stroke: var(--on); stroke-width: 2.5; stroke-linecap: round; stroke-linejoin: round; }
.good { --tone: var(--good); } .look { --tone: var(--look); } .partly { --tone: var(--partly); } .bad { --tone: var(--bad); }
.new { --tone: var(--new); } .changed { --tone: var(--changed); } .same { --tone: var(--same); } .removed { --tone: var(--removed); } .failed { --tone: var(--failed); }
.facts { margin: .7rem 0 1rem; }

.card { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: .95rem 1.25rem; margin-bottom: .9rem; }
.head { justify-content: space-between; }
.count { font-weight: 450; }
.parts { display: block; width: 100%; height: 10px; border-radius: 5px; margin: .6rem 0 .7rem; }
.tiles ul { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.5rem, 1fr)); gap: .5rem; }
.tiles li > * { display: block; padding: .2rem .75rem; border-left: 4px solid var(--tone); color: inherit; text-decoration: none; border-radius: 4px; height: 100%; }
.tiles b { display: block; font-size: 1.75rem; line-height: 1.15; font-weight: 660; letter-spacing: -.02em; }
.tiles li > a .label { text-decoration: underline; text-decoration-color: var(--line); text-underline-offset: .2em; }
.tiles .none b { color: var(--quiet); font-weight: 450; }
.tiles .none > * { border-left-color: var(--line); }
.tiles .failed:not(.none) b { color: var(--failed); }
.tiles small { display: block; min-height: 1.2em; }
.tiles.totals ul { grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); margin-top: .3rem; }
.tiles.totals li > * { padding-left: 0; border: 0; }
.tiles.totals b { font-size: 1.15rem; }
.needs .look { --tone: var(--new); }
.needs li { border-left: 4px solid var(--tone); margin-top: .55rem; padding: 0 0 0 .85rem; line-height: 1.4; }
.needs b { font-weight: 600; }
.needs code { margin-left: .35rem; }

.find { position: sticky; top: 0; z-index: 5; display: flex; flex-wrap: wrap; align-items: center; background: var(--page); padding: .65rem 0; margin-bottom: .35rem; }
.find input { flex: 1 1 16rem; min-width: 0; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--quiet); border-radius: 10px; padding: .5rem .8rem; }
.find output:not(:empty) { margin: .25rem 0 .25rem .75rem; }
.jump { font-size: .9rem; margin-bottom: 1rem; }

.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 0 1rem; align-items: start; }
.chips { gap: .35rem; }
.chip, .more { font: inherit; font-size: .85rem; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 99px; padding: .2rem .75rem; cursor: pointer; }
.chip[aria-pressed="true"] { background: var(--ink); border-color: var(--ink); color: var(--card); }
.chip[aria-pressed="true"] span { color: inherit; }
.chip[aria-pressed="false"]:hover, .more:hover, .tiles a:hover, .list tbody tr:hover { background: var(--soft); }
.tag { display: inline-block; font-size: .78rem; font-weight: 560; line-height: 1.2; padding: .15rem .5rem; border-radius: 99px; border: 1px solid var(--tone, var(--quiet)); color: var(--tone, var(--quiet)); }
table { width: 100%; border-collapse: collapse; margin-top: .5rem; }
th, td { text-align: left; }
th.n, td.n { text-align: right; white-space: nowrap; }
.list th, .list td { vertical-align: top; padding: .5rem .75rem .5rem 0; border-top: 1px solid var(--line); }
.list th { border-top: 0; padding: 0 .75rem .3rem 0; white-space: nowrap; }
.list th button { font: inherit; font-size: .82rem; font-weight: 560; color: var(--quiet); background: none; border: 0; padding: .15rem 0; cursor: pointer; }
.list th button:hover, .list th:not([aria-sort="none"]) button { color: var(--ink); }
.list th button::after { content: ""; display: inline-block; width: .5em; height: .75em; margin-left: .35rem; background: currentColor; opacity: .5; clip-path: polygon(50% 0, 100% 40%, 0 40%, 0 60%, 100% 60%, 50% 100%, 0 60%, 0 40%); }
.list th[aria-sort="ascending"] button::after { clip-path: polygon(50% 15%, 100% 75%, 0 75%); opacity: 1; }
.list th[aria-sort="descending"] button::after { clip-path: polygon(0 25%, 100% 25%, 50% 85%); opacity: 1; }
.list td:last-child, .list th:last-child { padding-right: 0; }
.list td b { font-weight: 580; }
.list td small, .message, .name { display: block; }
.list time, .size { white-space: nowrap; }
.list .examples small { display: inline; margin-left: .35rem; }
.list small + .tag { margin-top: .25rem; }
.rest > * { margin-top: .6rem; }
.bars table { table-layout: fixed; }
.bars th { font-weight: 450; width: 40%; padding: .22rem .75rem .22rem 0; }
.bars .n { width: 6.5rem; }
svg.bar { display: block; width: 100%; height: 8px; border-radius: 4px; }
svg.bar .track { fill: var(--soft); }
footer { margin-top: 1.5rem; }

@media (max-width: 640px) {
  .page { padding: 1.1rem .8rem 3rem; }
  h1 { font-size: 1.5rem; }
  .sign { width: 2.6rem; height: 2.6rem; }
  .assessment p { font-size: .98rem; }
  .card { padding: .9rem .95rem; border-radius: 12px; }
  .tiles ul { grid-template-columns: repeat(3, minmax(0, 1fr)); gap: .4rem .25rem; }
  .tiles li > * { padding: .3rem .5rem; }
  .tiles b { font-size: 1.35rem; }
  .jump { flex-wrap: nowrap; overflow-x: auto; padding: 0 2rem .35rem 0; mask-image: linear-gradient(to left, transparent, #000 2rem); }
  .jump a { white-space: nowrap; }
  .list table, .list tbody, .list thead { display: block; }
  .list thead tr { display: flex; flex-wrap: wrap; gap: 0 1rem; }
  .list th, .list th.n { padding: 0 0 .2rem; text-align: left; }
  .list tbody tr { display: flex; flex-wrap: wrap; gap: .15rem 1rem; border-top: 1px solid var(--line); padding: .6rem 0; }
  .list td, .list td.n { border: 0; padding: 0; text-align: left; font-size: .92rem; }
  .list td:first-child, .list td:has(.message), .list td:has(.examples) { flex: 1 0 100%; }
  .list td:not(:first-child):not(:has(.tag, .message, .examples))::before { content: attr(data-l) " "; color: var(--quiet); font-size: .82rem; }
  .list td .delta { display: inline; }
  .bars th { width: 46%; }
  .bars .n { width: 5.2rem; }
}
@media print {
  .find, .jump, .chips, .skip { display: none; }
  .card { break-inside: avoid-page; }
  .list.card { break-inside: auto; }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
`;

/**
 * Searches, sorts and filters the tables, and shows their first rows only. It inserts texts as
 * `textContent`, never as HTML. Without it the page shows all rows.
 */
export const PAGE_SCRIPT = `
'use strict';
{
  const FIRST = 15;
  const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
  const find = document.getElementById('find');
  const found = document.getElementById('found');

  const tables = [...document.querySelectorAll('.list')].map((section) => {
    const body = section.querySelector('tbody');
    const rows = [...body.rows].map((row) => ({
      row,
      text: row.textContent.toLowerCase(),
      kinds: (row.dataset.k || '').split(' '),
    }));
    const more = document.createElement('button');
    more.type = 'button';
    more.className = 'more';
    section.querySelector('.rest').prepend(more);
    const table = { section, body, rows, more, all: false, kinds: new Set() };
    more.addEventListener('click', () => {
      table.all = !table.all;
      show(table);
      if (!table.all) section.scrollIntoView({ block: 'nearest' });
    });
    for (const chip of section.querySelectorAll('.chip')) {
      chip.addEventListener('click', () => {
        const pressed = chip.getAttribute('aria-pressed') !== 'true';
        chip.setAttribute('aria-pressed', String(pressed));
        if (pressed) table.kinds.add(chip.dataset.kind);
        else table.kinds.delete(chip.dataset.kind);
        show(table);
      });
    }
    section.querySelectorAll('th').forEach((header, column) => {
      header.querySelector('button').addEventListener('click', () => sort(table, header, column));
    });
    return table;
  });

  const wordsOf = (text) => text.toLowerCase().split(/\\s+/).filter((word) => word !== '');

  function show(table, words = wordsOf(find.value)) {
    const { kinds } = table;
    let count = 0;
    for (const { row, text, kinds: own } of table.rows) {
      const isOfKind = kinds.size === 0 || own.some((kind) => kinds.has(kind));
      const matches = isOfKind && words.every((word) => text.includes(word));
      if (matches) count++;
      row.hidden = !matches || (!table.all && count > FIRST);
    }
    table.more.hidden = count <= FIRST;
    table.more.textContent = table.all ? 'Show fewer' : 'Show all ' + count.toLocaleString('en');
    table.more.setAttribute('aria-expanded', String(table.all));
    table.section.hidden = words.length > 0 && count === 0;
    return count;
  }

  function search() {
    const words = wordsOf(find.value);
    const count = tables.reduce((sum, table) => sum + show(table, words), 0);
    document.querySelector('.grid').hidden = words.length > 0;
    const part = document.querySelector('.rest span') === null ? '' : ' on this page · long lists are cut';
    const rows = count.toLocaleString('en') + (count === 1 ? ' row' : ' rows');
    found.textContent = words.length === 0 ? '' : rows + ' found' + part;
  }

  const keyOf = (row, column) => {
    const cell = row.cells[column];
    if (cell.classList.contains('n')) return cell.dataset.v === undefined ? -Infinity : Number(cell.dataset.v);
    const time = cell.querySelector('time');
    return time === null ? cell.textContent : time.dateTime;
  };

  function sort(table, header, column) {
    const figures = header.classList.contains('n');
    const before = header.getAttribute('aria-sort');
    const down = before === 'none' ? figures : before === 'ascending';
    for (const other of table.section.querySelectorAll('th')) other.setAttribute('aria-sort', 'none');
    header.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const keyed = table.rows.map((entry) => ({ entry, key: keyOf(entry.row, column) }));
    keyed.sort((a, b) => (figures ? a.key - b.key || 0 : collator.compare(a.key, b.key)) * (down ? -1 : 1));
    table.rows = keyed.map(({ entry }) => entry);
    table.body.append(...table.rows.map(({ row }) => row));
    show(table);
  }

  let waiting;
  find.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 80);
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement !== find && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      find.focus();
    }
    if (event.key === 'Escape' && document.activeElement === find) {
      find.value = '';
      search();
    }
  });
  document.querySelector('.find').hidden = tables.length === 0;
  search();
}
`;
