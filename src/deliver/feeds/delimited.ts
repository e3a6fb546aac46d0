/** Rows of delimited text: CSV of RFC 4180 and its dialects, and the tab-separated text of feeds. */

/** A number is written as it is; null is an empty cell. */
export type Cell = string | number | null;

/** Control characters that no importer expects. */
const UNEXPECTED = /[^\P{Cc}\t\n\r]/gu;

/** The beginning of a text that a spreadsheet evaluates: it also reads the wide forms, and skips blanks. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r]/;

const LINE_BREAKS = /[\r\n\u2028\u2029]+/;

/** How CSV is written; the defaults are those of RFC 4180. */
export interface CsvDialect {
  delimiter?: ',' | ';' | '\t';
  decimal?: '.' | ',';
  /** What a line break in a cell becomes; not every importer reads cells of several lines. */
  lineBreaks?: 'keep' | 'space';
  /** False if a shop imports the file: it would show the apostrophe before formulas to shoppers. */
  isForSpreadsheets?: boolean;
}

/**
 * A row of CSV, which ends with CR: the code that joins rows adds LF.
 *
 * A text that a spreadsheet would take for a formula gets an apostrophe in front, which spreadsheets hide.
 *
 * @example
 * ```ts
 * csvRow(['A "1"', '=1+1', -5, null]);                        // → `"A ""1""",'=1+1,-5,\r`
 * csvRow(['a;b', 0.5], { delimiter: ';', decimal: ',' });     // → `"a;b";0,5\r`
 * ```
 * @see RFC 4180, sections 2.5 to 2.7; CWE-1236.
 */
export function csvRow(cells: readonly Cell[], dialect: CsvDialect = {}): string {
  const { delimiter = ',', decimal = '.', lineBreaks = 'keep', isForSpreadsheets = true } = dialect;
  const written = cells.map((cell) => {
    const text = typeof cell === 'string' ? textOf(cell) : String(cell ?? '').replace('.', decimal);
    const needsQuotes = /["\r\n]|^\s|\s$/.test(text) || text.includes(delimiter);
    return needsQuotes ? quoted(text) : text;
  });
  return `${written.join(delimiter)}\r`;

  function textOf(cell: string): string {
    const plain = cell.replace(UNEXPECTED, '');
    const text = lineBreaks === 'keep' ? plain : onOneLine(plain);
    return isForSpreadsheets ? withoutFormula(text) : text;
  }
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

function onOneLine(text: string): string {
  const lines = text.split(LINE_BREAKS).map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' ');
}

function withoutFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
