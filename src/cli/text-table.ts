/**
 * Text tables: rows of texts in columns of equal width.
 */

/** Most characters of one cell that others are padded to; a longer one pushes its row alone. */
const WIDEST = 60;
const GAP = '  ';

/**
 * Lays rows out.
 *
 * @param rows - All of the same length; line breaks in a cell become blanks.
 * @param indent - Put before each row.
 * @returns Lines, ended, without blanks at their ends.
 *
 * @example
 * ```ts
 * textTable([['a', '1'], ['long', '2']]); // → 'a     1\nlong  2\n'
 * ```
 */
export function textTable(rows: readonly (readonly string[])[], indent = ''): string {
  const cells = rows.map((row) => row.map((text) => text.replace(/[\p{Cc}]+/gu, ' ')));
  const widths = (cells[0] ?? []).map((_, column) => {
    return Math.max(...cells.map((row) => Math.min(widthOf(row[column]!), WIDEST)));
  });
  return cells
    .map((row) => row.map((text, column) => pad(text, widths[column]!)).join(GAP))
    .map((line) => `${indent}${line}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('');
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** Characters as a person counts them. */
function widthOf(text: string): number {
  return Array.from(text).length;
}
