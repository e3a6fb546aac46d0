/** Tables of a terminal, and lines that fit into it. */
import { wrapped } from '../run/report/text.ts';
import { visible } from '../support/visible.ts';

/** The largest width of a column; a longer cell moves only its own row. */
const WIDEST = 60;

/** Aligns rows of the same length in columns. */
export function textTable(rows: readonly (readonly string[])[], indent = ''): string {
  return tableLines(rows, indent).join('');
}

/** The rows of {@link textTable}, each with a line feed. */
export function tableLines(rows: readonly (readonly string[])[], indent: string): string[] {
  const cells = rows.map((row) => row.map(oneLine));
  const widths = (cells[0] ?? []).map((_, column) => {
    return cells.reduce((most, row) => Math.max(most, Math.min(widthOf(row[column]!), WIDEST)), 0);
  });
  return cells
    .map((row) => row.map((text, i) => text + ' '.repeat(Math.max(0, widths[i]! - widthOf(text)))))
    .map((row) => `${`${indent}${row.join('  ')}`.trimEnd()}\n`);
}

/**
 * The lines of `wrapped`, each with a line feed. Line breaks of data are written as {@link visible} does, since a blank
 * in their place could let data begin a line.
 */
export function wrappedText(line: string, columns: number, indent: number): string[] {
  return wrapped(visible(line, true), columns, indent).map((part) => `${part}\n`);
}

/** A text of data as one line: line breaks and tabs become a blank. */
function oneLine(text: string): string {
  return visible(text.replace(/[\r\n\t]+/g, ' '), true);
}

/** The width counts code points, not UTF-16 units. */
function widthOf(text: string): number {
  return Array.from(text).length;
}
