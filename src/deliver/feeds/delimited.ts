/** Rows of delimited text: CSV of RFC 4180, and the tab-separated text of feeds. */

/** A number is written as it is; null is an empty cell. */
export type Cell = string | number | null;

/** Control characters that no importer expects. */
const UNEXPECTED = /[^\P{Cc}\t\n\r]/gu;

/** The beginning of a text that a spreadsheet evaluates: it also reads the wide forms, and skips blanks. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r]/;

/**
 * A row of CSV, which ends with CR: the code that joins rows adds LF.
 *
 * A text that a spreadsheet would take for a formula gets an apostrophe in front, which spreadsheets hide.
 *
 * @param isForSpreadsheets - False if a shop imports the file: it would show the apostrophe to shoppers.
 * @example
 * ```ts
 * csvRow(['A "1"', '=1+1', -5, null]); // → `"A ""1""",'=1+1,-5,\r`
 * ```
 * @see RFC 4180, sections 2.5 to 2.7; CWE-1236.
 */
export function csvRow(cells: readonly Cell[], isForSpreadsheets = true): string {
  const written = cells.map((cell) => {
    if (typeof cell !== 'string') return cell === null ? '' : String(cell);
    const plain = cell.replace(UNEXPECTED, '');
    const text = isForSpreadsheets ? withoutFormula(plain) : plain;
    return /[",\r\n]|^\s|\s$/.test(text) ? quoted(text) : text;
  });
  return `${written.join(',')}\r`;
}

/**
 * A row of tab-separated text: each run of tabs, line breaks and control characters in a cell becomes one space, and a
 * cell with a quotation mark is quoted as in CSV. A text that a spreadsheet takes for a formula gets an apostrophe.
 *
 * @example
 * ```ts
 * tsvRow(['16"\tlamp', 'a\nb']); // → '"16"" lamp"\ta b'
 * ```
 */
export function tsvRow(cells: readonly Cell[]): string {
  const written = cells.map((cell) => {
    const plain = String(cell ?? '').replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
    const text = typeof cell === 'string' ? withoutFormula(plain.trim()) : plain.trim();
    return text.includes('"') ? quoted(text) : text;
  });
  return written.join('\t');
}

function withoutFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
