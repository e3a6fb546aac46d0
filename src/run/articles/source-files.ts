/** Reads the files that the sources of a pipeline refer to: article lists, carts and permanent identifiers. */
import { join, relative, resolve, sep } from 'node:path';
import { parse } from 'csv-parse/sync';
import { parseCart } from '../../convert/wire/value.ts';
import type { ArticleRequest } from '../../model/article.ts';
import { configurationKey } from '../../model/configuration-id.ts';
import type { CacheDatabase } from '../../source/cache/database.ts';
import { Recorder } from '../../source/fetch/recorder.ts';
import type { ArticleSource, StoredPlanning } from '../../source/fetch/selection.ts';
import {
  asConverterError,
  ConverterError,
  endsRun,
  isConverterError,
} from '../../support/errors.ts';
import { listFolder, readBytes, readText, statIfExists } from '../../support/files.ts';
import { globMatcher } from '../../support/glob.ts';
import { inParallel } from '../../support/in-parallel.ts';
import { didYouMean, nearestName } from '../../support/nearest.ts';
import { redact } from '../../support/redact.ts';
import { cutText, TEXT_LIMITS } from '../../support/text-limits.ts';
import type { Pipeline } from '../file/pipeline-file.ts';
import type { RunEnvironment } from '../open/run-environment.ts';

const trimmed = (cell: string) => cell.trim();
const identifier = (cell: string) => cell.trim().toUpperCase();
const opaque = (cell: string) => cell;

/** How a cell of each column is read; GET articles resolves the optional ones if they are missing. */
const COLUMNS: Readonly<Record<keyof ArticleRequest, (cell: string) => string>> = {
  manufacturer: identifier,
  program: identifier,
  basearticlenumber: trimmed,
  finalarticlenumber: opaque,
  reinitstring: opaque,
  metareinitstring: opaque,
};
const NAMES = Object.keys(COLUMNS) as (keyof ArticleRequest)[];
/** Columns by the names that operations of the service have for them. */
const SERVICE_NAMES: ReadonlyMap<string, keyof ArticleRequest> = new Map([
  ['variantcode', 'finalarticlenumber'],
  ['varcode', 'finalarticlenumber'],
  ['ocdreinitstring', 'reinitstring'],
  ['ocdreinit', 'reinitstring'],
]);
const REQUIRED = ['manufacturer', 'program', 'basearticlenumber'] as const;

/** Characters of a header that an error shows. */
const LONGEST_HEADER = 200;

interface CsvLine {
  info: { lines: number };
  record: string[];
}

interface Table {
  columns: string[];
  header: string;
  refuse: Refuse;
}

type Refuse = (line: number, problem: string, cause?: unknown) => ConverterError;

/** Reads an article list from a file. @throws {@link ConverterError} `LIST_INVALID` naming file and line. @see D-743 */
export async function readArticleList(path: string): Promise<ArticleRequest[]> {
  return (await readListFile(path)).rows.map(({ request }) => request);
}

/** Reads an article list with its header and the number of each line. @throws as {@link readArticleList}. */
export async function readListFile(path: string): Promise<ReturnType<typeof parseRows>> {
  return parseRows(await readList(path, readBytes), path);
}

async function readList<T>(path: string, read: (path: string) => Promise<T>): Promise<T> {
  try {
    return await read(path);
  } catch (cause) {
    const problem = isConverterError(cause, 'FILE_MISSING')
      ? 'there is no such file'
      : 'it cannot be read, or is a folder';
    throw new ConverterError('LIST_INVALID', `${path}: ${problem}`, { cause });
  }
}

/**
 * Parses an article list with `,` or `;` between cells.
 *
 * @param bytes - UTF-8, or UTF-16 with a byte-order mark.
 * @param file - Its name, for errors.
 *
 * @example
 * ```ts
 * parseArticleList(utf8('manufacturer;program;basearticlenumber\nacme;desk;D1'), 'list.csv');
 * // → [{ manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D1', finalarticlenumber: '', … }]
 * ```
 */
export function parseArticleList(bytes: Uint8Array, file: string): ArticleRequest[] {
  return parseRows(bytes, file).rows.map(({ request }) => request);
}

function parseRows(bytes: Uint8Array, file: string) {
  const refuse: Refuse = (line, problem, cause) =>
    new ConverterError('LIST_INVALID', `${file}:${line}: ${problem}`, { cause });
  const text = decodeText(bytes, refuse);
  const header = HEADER_LINE.exec(text)?.[0] ?? '';
  const [first, ...lines] = parseCsv(text, header, refuse);
  if (first === undefined)
    throw refuse(1, `the list is empty; expected a header line such as ${REQUIRED.join(',')}`);
  const columns = first.record.map((cell) => cell.trim().toLowerCase());
  const table = { columns, header: described(header), refuse };
  checkColumns(table, first.info.lines);
  const rows = lines.map((line) => ({ request: readLine(line, table), line: line.info.lines }));
  return { rows, header: table.header, merged: mergedLines(lines, rows, table) };
}

const NAMED_LINES = 5;

/** Says which lines select the same configuration, although they differ: in columns that a list does not have. */
function mergedLines(
  lines: readonly CsvLine[],
  rows: readonly { request: ArticleRequest }[],
  { columns }: Table,
): string | undefined {
  const unused = columns.flatMap((name, index) => (isColumn(name) ? [] : [{ name, index }]));
  if (unused.length === 0) return undefined;
  const first = new Map<string, CsvLine>();
  const names = new Set<string>();
  const merged = new Set<number>();
  for (const [place, line] of lines.entries()) {
    const key = configurationKey(rows[place]!.request);
    const same = first.get(key);
    if (same === undefined) {
      first.set(key, line);
      continue;
    }
    const differing = unused.filter(
      ({ index }) => line.record[index]?.trim() !== same.record[index]?.trim(),
    );
    if (differing.length > 0) merged.add(same.info.lines).add(line.info.lines);
    for (const { name } of differing) names.add(JSON.stringify(cutText(name, TEXT_LIMITS.name)));
  }
  if (merged.size === 0) return undefined;
  const some = [...merged].slice(0, NAMED_LINES).join(', ');
  const more = merged.size > NAMED_LINES ? ` and ${merged.size - NAMED_LINES} more` : '';
  const which = [...names].slice(0, NAMED_LINES).join(', ');
  return `lines ${some}${more} differ only in ${which}, by which nothing is selected: each article is converted once`;
}

function isColumn(name: string): name is keyof ArticleRequest {
  return NAMES.includes(name as keyof ArticleRequest);
}

/** The first line with a character other than blanks, quotes and separators. */
const HEADER_LINE = /^.*[^\s,;"].*$/m;

/** Excel writes UTF-16 as "Unicode text"; the code page that it writes as "CSV" cannot be decoded. */
function decodeText(bytes: Uint8Array, refuse: Refuse): string {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  try {
    return new TextDecoder(utf16 ? 'utf-16le' : 'utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    const lenient = new TextDecoder().decode(bytes);
    const line = lenient.slice(0, lenient.indexOf('\uFFFD')).split('\n').length;
    const header = described(HEADER_LINE.exec(lenient)?.[0] ?? '');
    const problem = `expected UTF-8 text, received another encoding; the header is ${header}`;
    throw refuse(line, `${problem}; save the list as "CSV UTF-8"`, cause);
  }
}

/** The lines that are not empty. */
function parseCsv(text: string, header: string, refuse: Refuse): CsvLine[] {
  const count = (separator: string) => header.split(separator).length;
  try {
    const lines = parse(text, {
      delimiter: count(';') > count(',') ? ';' : ',',
      info: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
    }) as unknown as CsvLine[];
    return lines.filter(({ record }) => record.some((cell) => cell.trim() !== ''));
  } catch (cause) {
    const { lines = 1, message } = cause as { lines?: number; message: string };
    throw refuse(lines, `${message}; the header is ${described(header)}`, cause);
  }
}

/** A header without a column of a list is not shown: the file may be another one, such as one with passwords. */
function described(header: string): string {
  const cells = header.split(/[,;\t]/).map((cell) => cell.replaceAll('"', '').trim().toLowerCase());
  const isOfList = cells.some((cell) => nearestName(cell, NAMES) !== undefined);
  if (!isOfList) return `of ${header.length} characters, in which no column is known`;
  const isLong = header.length > LONGEST_HEADER;
  return JSON.stringify(isLong ? `${header.slice(0, LONGEST_HEADER)}…` : header);
}

/** Unknown columns are ignored unless they look misspelt. */
function checkColumns({ columns, header, refuse }: Table, line: number): void {
  const unknown = columns.filter((column) => !isColumn(column));
  const missing = REQUIRED.find((name) => !columns.includes(name));
  if (missing !== undefined) {
    const nearest = nearestName(missing, unknown);
    const hint = nearest === undefined ? '' : `; is "${nearest}" meant?`;
    throw refuse(line, `expected a column "${missing}", received the header ${header}${hint}`);
  }
  for (const name of unknown) {
    const own = SERVICE_NAMES.get(name);
    const hint = own === undefined ? didYouMean(name, NAMES) : `; did you mean "${own}"?`;
    if (hint === '') continue;
    throw refuse(line, `unknown column "${name}" in the header ${header}${hint}`);
  }
}

function readLine({ record, info }: CsvLine, { columns, header, refuse }: Table): ArticleRequest {
  // An extra cell is an unquoted separator, so that the columns are uncertain.
  if (record.slice(columns.length).some((cell) => cell !== '')) {
    const problem = `expected ${columns.length} cells as in the header ${header}, received ${record.length}`;
    throw refuse(info.lines, `${problem}; quote cells that contain the separator`);
  }
  const request = Object.fromEntries(
    NAMES.map((name) => [name, COLUMNS[name](record[columns.indexOf(name)] ?? '')]),
  ) as unknown as ArticleRequest;
  const empty = REQUIRED.find((name) => request[name] === '');
  if (empty !== undefined) throw refuse(info.lines, `"${empty}" is empty; the header is ${header}`);
  return request;
}

type CartLimits = Pick<Pipeline['limits'], 'maxCarts' | 'maxCartBytes' | 'maxCartValues'>;

/** Larger files are not carts. */
const LARGEST_BYTES = 64 * 1024 * 1024;
const SIZED_AT_ONCE = 16;
/** Depth of `**`: a symbolic link may lead back up. */
const DEEPEST = 32;
const WILDCARD = /[*?]/;

/**
 * Finds the carts that an absolute glob matches: `*` and `?` within a name, `**` for folders of any depth.
 *
 * @param signal - Ends the reading.
 * @returns Reads one cart after the other, the smallest first, so that large ones cannot displace the others;
 * an error stands for those beyond the limits. A path without wildcards always returns one. @see D-801
 */
export async function findCarts(
  glob: string,
  { maxCarts, maxCartBytes, maxCartValues }: CartLimits,
  signal?: AbortSignal,
): Promise<Extract<ArticleSource, { kind: 'planning' }>['plannings']> {
  const segments = glob.split(sep === '\\' ? /[\\/]/ : sep);
  const first = segments.findIndex((segment) => WILDCARD.test(segment));
  // The pipeline names this one itself, so that what fails of it counts like the rest.
  if (first < 0) return [await readCart(glob, glob, maxCartValues)];
  const folder = resolve(`${segments.slice(0, first).join(sep)}${sep}`);
  const paths = await matching(folder, segments.slice(first));
  const chosen = await smallest(paths, maxCarts, maxCartBytes);
  return {
    length: paths.length,
    async *[Symbol.asyncIterator]() {
      for (const path of chosen) {
        signal?.throwIfAborted();
        yield { ...(await readCart(path, folder, maxCartValues)), onlyCarts: true };
      }
      const omitted = paths.length - chosen.length;
      if (omitted === 0) return;
      const limits = `${maxCarts} files with ${maxCartBytes} bytes in all`;
      const message = `expected at most ${limits}, received ${paths.length}: the ${omitted} largest are omitted`;
      const error = new ConverterError('CARTS_LIMITED', message);
      yield {
        name: `carts ${segments.slice(first).join('/')}`,
        onlyCarts: true,
        article: { error },
      };
    },
  };
}

async function smallest(paths: string[], maxFiles: number, maxBytes: number): Promise<string[]> {
  const sizes = new Map<string, number>();
  await inParallel(paths, SIZED_AT_ONCE, async (path) => {
    sizes.set(path, (await statIfExists(path))?.bytes ?? 0);
  });
  let bytes = 0;
  return paths
    .toSorted((a, b) => sizes.get(a)! - sizes.get(b)!)
    .slice(0, maxFiles)
    .filter((path) => {
      bytes += sizes.get(path)!;
      return bytes <= maxBytes;
    });
}

async function matching(folder: string, pattern: readonly string[], depth = 0): Promise<string[]> {
  const [segment, ...rest] = pattern;
  if (segment === undefined || depth > DEEPEST) return [];
  const isLast = rest.length === 0;
  if (segment === '**') {
    const here = isLast ? [] : await matching(folder, rest, depth);
    const below = await entries(folder, '*', true);
    const deeper = await Promise.all(below.map((path) => matching(path, pattern, depth + 1)));
    return [...new Set([...here, ...deeper.flat()])].sort();
  }
  const found = await entries(folder, segment, !isLast);
  if (isLast) return found;
  return (await Promise.all(found.map((path) => matching(path, rest, depth + 1)))).flat();
}

/** Files or folders whose name matches; one that begins with a dot only if the pattern does. */
async function entries(folder: string, segment: string, folders: boolean): Promise<string[]> {
  const matches = WILDCARD.test(segment)
    ? globMatcher(segment)
    : (name: string) => name === segment;
  const found: string[] = [];
  for (const name of await listFolder(folder)) {
    if (!matches(name) || (name.startsWith('.') && !segment.startsWith('.'))) continue;
    const path = join(folder, name);
    if ((await statIfExists(path))?.folder === folders) found.push(path);
  }
  return found;
}

async function readCart(path: string, folder: string, maxValues: number): Promise<StoredPlanning> {
  const name = `cart ${redact((relative(folder, path) || path).replaceAll(sep, '/'))}`;
  try {
    return { name, article: { json: await readJson(path, maxValues) } };
  } catch (thrown) {
    const error = asConverterError(thrown);
    if (error.code !== 'FILE_UNREADABLE' && endsRun(error.code)) throw error;
    return { name, article: { error } };
  }
}

async function readJson(path: string, maxValues: number): Promise<unknown> {
  const facts = await statIfExists(path);
  if (facts === undefined)
    throw new ConverterError('CART_INVALID', 'expected a file, received none');
  if (facts.bytes > LARGEST_BYTES) {
    const message = `expected at most ${LARGEST_BYTES} bytes, received ${facts.bytes}`;
    throw new ConverterError('CART_INVALID', message);
  }
  return parseCart(await readBytes(path), maxValues);
}

/** Reads distinct identifiers with their lines from 1, without blank lines and comments with `#`. @throws `LIST_INVALID` */
export async function readPermanentIds(path: string): Promise<Map<string, number[]>> {
  const text = await readList(path, readText);
  const ids = new Map<string, number[]>();
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    const id = line.trim();
    if (id === '' || id.startsWith('#')) continue;
    ids.set(id, [...(ids.get(id) ?? []), index + 1]);
  }
  return ids;
}

/** Looks up the plannings of permanent identifiers in the database, then in the recording. @see D-802, D-821 */
export async function findPlannings(
  ids: readonly ({ id: string } & Pick<StoredPlanning, 'selectedBy'>)[],
  sources: {
    service: string;
    permanentIds: Pick<CacheDatabase['permanentIds'], 'get'>;
    recording?: string | undefined;
    onPlanning?: RunEnvironment['onPlanning'] | undefined;
  },
): Promise<StoredPlanning[]> {
  const { service, permanentIds, recording, onPlanning } = sources;
  const found: StoredPlanning[] = [];
  for (const { id, ...origin } of ids) {
    let json = permanentIds.get(service, id);
    if (json === undefined && recording !== undefined) {
      json = await Recorder.readPlanning(recording, id);
    }
    if (json !== undefined) await onPlanning?.(id, json);
    const name = `permanentid ${id}`;
    const article =
      json === undefined
        ? { error: new ConverterError('PERMANENT_ID_NOT_RESOLVABLE', NOT_RESOLVABLE) }
        : { json };
    found.push({ name, ...origin, article });
  }
  return found;
}

const NOT_RESOLVABLE =
  'expected the planning of this identifier in the cache, received none; the service has no operation to look it up';
