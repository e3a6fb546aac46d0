/**
 * Article list: a CSV file, as people and ERP systems export it, as article requests.
 *
 * In: the bytes of a file. Out: one request a line, opaque numbers byte for byte.
 * It must not know the service: what a line leaves out is resolved later.
 */
import { parse } from 'csv-parse/sync';
import type { ArticleRequest } from '../model/article.ts';
import { ConverterError, isConverterError } from '../support/errors.ts';
import { readBytes } from '../support/files.ts';
import { didYouMean, nearestName } from '../support/nearest.ts';

/** Columns of a list; what is missing among the optional ones is resolved by GET articles. */
const COLUMNS = {
  manufacturer: { required: true, read: (cell: string) => cell.trim().toUpperCase() },
  program: { required: true, read: (cell: string) => cell.trim().toUpperCase() },
  basearticlenumber: { required: true, read: (cell: string) => cell.trim() },
  finalarticlenumber: { required: false, read: (cell: string) => cell },
  reinitstring: { required: false, read: (cell: string) => cell },
  metareinitstring: { required: false, read: (cell: string) => cell },
} as const satisfies Record<
  keyof ArticleRequest,
  { required: boolean; read: (c: string) => string }
>;

const NAMES = Object.keys(COLUMNS) as (keyof ArticleRequest)[];

interface CsvLine {
  info: { lines: number };
  record: string[];
}

/**
 * Reads an article list from a file.
 *
 * @throws {@link ConverterError} `LIST_INVALID` naming file and line.
 *
 * @see D-743 (what a list may look like).
 */
export async function readArticleList(path: string): Promise<ArticleRequest[]> {
  return parseArticleList(await readListBytes(path), path);
}

async function readListBytes(path: string): Promise<Uint8Array> {
  try {
    return await readBytes(path);
  } catch (cause) {
    const problem = isConverterError(cause, 'FILE_MISSING') ? 'no such file' : 'cannot be read';
    throw new ConverterError('LIST_INVALID', `${path}: ${problem}`, { cause });
  }
}

/**
 * Parses an article list: `,` or `;` between cells, with or without a byte-order mark.
 *
 * @param bytes - UTF-8, or UTF-16 with a byte-order mark.
 * @param file - Name for error sentences.
 *
 * @example
 * ```ts
 * parseArticleList(utf8('manufacturer;program;basearticlenumber\nacme;desk;D1'), 'list.csv');
 * // → [{ manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D1', finalarticlenumber: '', reinitstring: '', metareinitstring: '' }]
 * ```
 */
export function parseArticleList(bytes: Uint8Array, file: string): ArticleRequest[] {
  const text = decodeText(bytes, file);
  const [header, ...lines] = parseCsv(text, file);
  if (header === undefined) throw invalid(file, 1, `expected a header line ${NAMES.join(',')}`);
  const columns = readHeader(header, file);
  return lines
    .filter(({ record }) => record.some((cell) => cell.trim() !== ''))
    .map((line) => {
      checkWidth(line, header.record.length, file);
      return readLine(line, columns, file);
    });
}

/** A cell too many is a separator that should have been quoted: the columns are not to be trusted. */
function checkWidth({ record, info }: CsvLine, width: number, file: string): void {
  if (record.slice(width).every((cell) => cell === '')) return;
  const problem = `expected ${width} cells as in the header, received ${record.length}`;
  throw invalid(file, info.lines, `${problem}; quote cells that hold the separator`);
}

/** Excel writes UTF-16 as "Unicode text" and the machine's code page as "CSV": only the latter is lost. */
function decodeText(bytes: Uint8Array, file: string): string {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  try {
    return new TextDecoder(utf16 ? 'utf-16le' : 'utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    const problem = 'expected UTF-8 text; save the list as "CSV UTF-8"';
    throw new ConverterError('LIST_INVALID', `${file}:${badLine(bytes)}: ${problem}`, { cause });
  }
}

/** The first line that is no UTF-8. */
function badLine(bytes: Uint8Array): number {
  const lenient = new TextDecoder().decode(bytes);
  return lenient.slice(0, lenient.indexOf('\uFFFD')).split('\n').length;
}

function parseCsv(text: string, file: string): CsvLine[] {
  const firstLine = text.slice(0, text.search(/[\r\n]|$/));
  try {
    return parse(text, {
      delimiter: count(firstLine, ';') > count(firstLine, ',') ? ';' : ',',
      info: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
    }) as unknown as CsvLine[];
  } catch (cause) {
    const { lines = 1, message } = cause as { lines?: number; message: string };
    throw new ConverterError('LIST_INVALID', `${file}:${lines}: ${message}`, { cause });
  }
}

const count = (text: string, part: string) => text.split(part).length - 1;

/** Position of each column that is there. Foreign columns are left alone unless they look misspelt. */
function readHeader({ record, info }: CsvLine, file: string): Map<keyof ArticleRequest, number> {
  const found = record.map((cell) => cell.trim().toLowerCase());
  const foreign = found.filter((column) => !NAMES.includes(column as keyof ArticleRequest));
  for (const name of NAMES.filter((column) => COLUMNS[column].required)) {
    if (found.includes(name)) continue;
    const nearest = nearestName(name, foreign);
    const hint = nearest === undefined ? '' : `; is "${nearest}" meant?`;
    throw invalid(file, info.lines, `column "${name}" is missing${hint}`);
  }
  for (const name of foreign) {
    const hint = didYouMean(name, NAMES);
    if (hint !== '') throw invalid(file, info.lines, `unknown column "${name}"${hint}`);
  }
  return new Map(NAMES.filter((n) => found.includes(n)).map((n) => [n, found.indexOf(n)]));
}

function readLine(
  { record, info }: CsvLine,
  columns: Map<keyof ArticleRequest, number>,
  file: string,
): ArticleRequest {
  const request = Object.fromEntries(
    NAMES.map((name) => [name, COLUMNS[name].read(record[columns.get(name) ?? -1] ?? '')]),
  ) as unknown as ArticleRequest;
  for (const name of NAMES) {
    if (COLUMNS[name].required && request[name] === '') {
      throw invalid(file, info.lines, `"${name}" is empty`);
    }
  }
  return request;
}

function invalid(file: string, line: number, problem: string): ConverterError {
  return new ConverterError('LIST_INVALID', `${file}:${line}: ${problem}`);
}
