/**
 * The script of the page: search, sort, narrow, and show the first rows only.
 *
 * It reads what stands in the page and makes no HTML: texts go in as `textContent`. Without it the page
 * is whole, only longer.
 */
export const PAGE_SCRIPT = `
'use strict';
{
  const FIRST = 15;
  const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
  const find = document.getElementById('find');
  const found = document.getElementById('found');
  const plural = (n, noun) => n.toLocaleString('en') + ' ' + noun + (n === 1 ? '' : 's');

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

  const matches = ({ kinds }, words, entry) =>
    (kinds.size === 0 || entry.kinds.some((kind) => kinds.has(kind))) &&
    words.every((word) => entry.text.includes(word));

  function show(table, words = wordsOf(find.value)) {
    let count = 0;
    for (const entry of table.rows) {
      const fits = matches(table, words, entry);
      if (fits) count++;
      entry.row.hidden = !fits || (!table.all && count > FIRST);
    }
    table.more.hidden = count <= FIRST;
    table.more.textContent = table.all ? 'Show fewer' : 'Show all ' + count.toLocaleString('en');
    table.more.setAttribute('aria-expanded', String(table.all));
    table.section.hidden = words.length > 0 && count === 0;
    return count;
  }

  function wordsOf(text) {
    return text.toLowerCase().split(/\\s+/).filter((word) => word !== '');
  }

  function search() {
    const words = wordsOf(find.value);
    const count = tables.reduce((sum, table) => sum + show(table, words), 0);
    for (const other of document.querySelectorAll('.grid')) other.hidden = words.length > 0;
    const part = document.querySelector('.rest span') === null ? '' : ' on this page · long lists are cut';
    found.textContent = words.length === 0 ? '' : plural(count, 'row') + ' found' + part;
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
