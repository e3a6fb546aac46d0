/** Manifest and catalogue: a line for each published configuration, sorted by it; both are replaced as a whole. */
import { join } from 'node:path';
import type { ArticleRequest } from '../../model/article.ts';
import {
  configurationKey,
  ID_FIELDS,
  sortConfigurationKeys,
} from '../../model/configuration-id.ts';
import { ConverterError } from '../../support/errors.ts';
import { PIECE_BYTES } from '../../support/file-operations.ts';
import { type FileFacts, readPieces, statIfExists } from '../../support/files.ts';
import { PackedMap } from '../../support/packed-map.ts';
import type { Spool } from '../../support/spool.ts';
import { visibleJson } from '../../support/visible.ts';
import {
  type CatalogueLine,
  FIGURE_FIELDS,
  type ManifestLine,
  uniqueRequests,
} from '../lists/manifest-line.ts';
import type { ListWriter } from './publication.ts';

const LINE_END = 0x0a;

/** A longer line is damaged: what this program writes has at most some MiB. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024;

/** Name of the manifest in the output folder. */
export const MANIFEST_FILE = 'manifest.jsonl';
/** Name of the catalogue in the output folder. */
export const CATALOGUE_FILE = 'catalogue.jsonl';

/** Order of the fields in a line; total, so that a new field has to be placed. */
const LINE_FIELDS = [
  ...ID_FIELDS,
  'status',
  ...FIGURE_FIELDS,
  'convertdate',
  'source',
  'losses',
  'warnings',
  'requested',
  'onlyCarts',
  'reason',
  'error',
  'lastGood',
] as const satisfies readonly (keyof ManifestLine)[];

/** Called while lines are read, and where they are kept. */
interface LineWatch<T> {
  onLine?: (line: T, key: string) => void;
  /** Called with each line that cannot be read and is left out. @defaultValue throws */
  onDamaged?: (where: string, problem: string) => void;
  /** @defaultValue one in memory */
  spool?: Spool;
}

/**
 * Opens the manifest of an output folder (D-740).
 *
 * @returns Its lines by {@link configurationKey}, in file order; none where there is no manifest yet.
 * @throws {@link ConverterError} `MANIFEST_DAMAGED` if a line is not one that was written.
 */
export function openManifest(
  outputDir: string,
  watch: LineWatch<ManifestLine> = {},
): Promise<PackedMap<ManifestLine>> {
  return openLines(join(outputDir, MANIFEST_FILE), MANIFEST_FORM, watch);
}

/** Reads the lines of a manifest one after the other, without keeping them. @throws as {@link openManifest} */
export async function* manifestLines(
  outputDir: string,
  onDamaged?: LineWatch<ManifestLine>['onDamaged'],
): AsyncIterable<ManifestLine> {
  const path = join(outputDir, MANIFEST_FILE);
  for await (const lines of readLines<ManifestLine>(path, MANIFEST_FORM, onDamaged))
    for (const { line } of lines) yield line;
}

/**
 * The catalogue of each language.
 *
 * @example `catalogueFiles(['de', 'en']); // → ['catalogue.de.jsonl', 'catalogue.en.jsonl']`
 */
export function catalogueFiles(languages: readonly string[]): string[] {
  if (languages.length < 2) return [CATALOGUE_FILE];
  return languages.map((lang) => `catalogue.${lang}.jsonl`);
}

/** Opens a catalogue of an output folder, as {@link openManifest} does. */
export function openCatalogue(
  outputDir: string,
  watch: LineWatch<CatalogueLine> = {},
  file = CATALOGUE_FILE,
): Promise<PackedMap<CatalogueLine>> {
  return openLines(join(outputDir, file), CATALOGUE_FORM, watch);
}

/** All lines of a manifest at once, for a small one. */
export async function readManifest(outputDir: string): Promise<ManifestLine[]> {
  return [...(await openManifest(outputDir)).values()];
}

/** All lines of a catalogue at once. @param lang - One of several languages. @defaultValue the first */
export async function readCatalogue(outputDir: string, lang?: string): Promise<CatalogueLine[]> {
  const file = lang === undefined ? CATALOGUE_FILE : `catalogue.${lang}.jsonl`;
  return [...(await openCatalogue(outputDir, {}, file)).values()];
}

/**
 * Replaces a list, such as the manifest, sorted; an equal file is left alone (D-740).
 *
 * @param before - The lines that were read from it: if the new ones share all of them, it is not even read.
 * @param sort - Sorts the keys.
 */
export async function writeLines<T>(
  lists: ListWriter,
  name: string,
  lines: PackedMap<T>,
  before?: PackedMap<T>,
  sort: (keys: Iterable<string>) => string[] = sortConfigurationKeys,
): Promise<void> {
  const path = join(lists.outputDir, name);
  if (before !== undefined && lines.isSame(before) && (await isAsRead(path, before))) return;
  const keys = sort(lines.keys());
  await replaceIfOther(lists, name, () => piecesOf(keys, (key) => lines.bytesOf(key)!));
}

/**
 * Replaces a file of texts, each of which LF ends; an equal file is left alone.
 *
 * @param name - With `/`, relative to the output folder.
 * @param texts - Makes them, once to compare and once to write: only a piece is in memory.
 * @returns Whether the file is another one than before.
 */
export async function writeTexts(
  lists: ListWriter,
  name: string,
  texts: () => Iterable<string>,
): Promise<boolean> {
  const encoder = new TextEncoder();
  const pieces = () => piecesOf(texts(), (text) => encoder.encode(text));
  return replaceIfOther(lists, name, pieces);
}

async function replaceIfOther(
  lists: ListWriter,
  name: string,
  pieces: () => Generator<Uint8Array, undefined>,
): Promise<boolean> {
  const path = join(lists.outputDir, name);
  if ((await statIfExists(path)) !== undefined && (await consistsOf(path, pieces()))) return false;
  await lists.write(name, pieces());
  return true;
}

/** The files that consist of the lines that were read from them, in their order. */
const exactFiles = new WeakMap<object, FileFacts>();

/** Whether a file is still the one from which all of its lines, and nothing else, were read. */
async function isAsRead(path: string, lines: object): Promise<boolean> {
  const known = exactFiles.get(lines);
  const found = known && (await statIfExists(path));
  return found !== undefined && FACTS.every((fact) => found[fact] === known![fact]);
}

const FACTS = ['identity', 'bytes', 'modifiedMs'] as const;

async function consistsOf(path: string, content: Iterator<Uint8Array>): Promise<boolean> {
  for await (const piece of readPieces(path)) {
    const { value } = content.next() as IteratorResult<Uint8Array, undefined>;
    if (value === undefined || Buffer.compare(piece, value) !== 0) return false;
  }
  return content.next().done === true;
}

/** Puts lines together in pieces of {@link PIECE_BYTES}, all in one memory: a piece is valid until the next. */
function* piecesOf<T>(
  values: Iterable<T>,
  lineOf: (value: T) => Uint8Array,
): Generator<Uint8Array, undefined> {
  // Most lists fill a small part of it, and to clear the rest takes longer than to write them.
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  const end = Uint8Array.of(LINE_END);
  let used = 0;
  for (const value of values) {
    for (let part of [lineOf(value), end]) {
      while (part.length > 0) {
        const fitting = part.subarray(0, PIECE_BYTES - used);
        piece.set(fitting, used);
        used += fitting.length;
        part = part.subarray(fitting.length);
        if (used < PIECE_BYTES) continue;
        // Other values may be read before the next piece.
        part = part.slice();
        yield piece;
        used = 0;
      }
    }
  }
  if (used > 0) yield piece.subarray(0, used);
}

/**
 * Adds to the lines of a run the earlier lines that stay listed (D-740).
 *
 * A partial run (`--only`, `--limit`, `--failed`) replaces only what it selected; an earlier request that
 * it did not select stays listed with the configuration that it resolved to.
 *
 * @param earlier - None after a full run.
 * @param before - A map with the earlier lines, whose bytes a line that stays as it was shares.
 */
export function keepUnselected(
  lines: PackedMap<ManifestLine>,
  earlier: Iterable<ManifestLine>,
  before?: PackedMap<ManifestLine>,
): void {
  let answered: Set<string> | undefined;
  for (const line of earlier) {
    answered ??= requestsOf(lines);
    const requested = line.requested.filter((request) => !answered!.has(configurationKey(request)));
    if (requested.length === 0) continue;
    const key = configurationKey(line);
    const own = lines.get(key);
    const isSame = own === undefined && requested.length === line.requested.length;
    if (isSame && before?.has(key)) {
      lines.share(key, before);
      continue;
    }
    const together = uniqueRequests([...(own?.requested ?? []), ...requested]);
    const onlyCarts = (own === undefined || own.onlyCarts) && line.onlyCarts;
    lines.set(key, orderFields({ ...(own ?? line), onlyCarts, requested: together }));
  }
}

function requestsOf(lines: PackedMap<ManifestLine>): Set<string> {
  const requests = new Set<string>();
  for (const { requested } of lines.values())
    for (const request of requested) requests.add(configurationKey(request));
  return requests;
}

/** The same as {@link jsonLines}, in pieces for {@link replaceFile}. */
export function* jsonPieces(values: Iterable<unknown>): Iterable<Uint8Array> {
  const encoder = new TextEncoder();
  yield* piecesOf(values, (value) => encoder.encode(visibleJson(JSON.stringify(value))));
}

/** One JSON value a line, UTF-8, each line terminated. */
export function jsonLines(values: readonly unknown[]): Uint8Array {
  return new TextEncoder().encode(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
}

/** A line with its fields in their order, without those that are undefined. */
export function orderFields(line: ManifestLine): ManifestLine {
  const fields = LINE_FIELDS.filter((field) => line[field] !== undefined);
  return Object.fromEntries(fields.map((field) => [field, line[field]])) as unknown as ManifestLine;
}

/** The fields that are checked: only what a damaged file would break. */
interface LineForm {
  texts: readonly string[];
  lists: readonly string[];
  /** What a line without a GLB may have as its digest. */
  noDigest?: null;
}

const MANIFEST_FORM: LineForm = {
  texts: [...ID_FIELDS, 'status'],
  lists: ['losses', 'warnings', 'requested'],
};
const CATALOGUE_FORM: LineForm = { texts: ID_FIELDS, lists: [], noDigest: null };
const DIGEST = /^[0-9a-f]{64}$/;

/** Opens a file of lines of configurations, as {@link openManifest} does. */
export async function openLines<T extends ArticleRequest>(
  path: string,
  form: LineForm,
  { onLine, onDamaged, spool }: LineWatch<T>,
): Promise<PackedMap<T>> {
  const lines = new PackedMap<T>(spool);
  const facts = await statIfExists(path);
  let [count, length] = [0, 0];
  for await (const some of readLines<T>(path, form, onDamaged)) {
    for (const { line, bytes } of some) {
      const key = configurationKey(line);
      lines.setBytes(key, bytes);
      length += bytes.length + 1;
      count++;
      onLine?.(line, key);
    }
  }
  const isExact = facts?.bytes === length && lines.size === count && areSorted([...lines.keys()]);
  if (isExact) exactFiles.set(lines, facts);
  return lines;
}

/** Reads the lines that are not damaged, those of a piece of the file one after the other. */
/** Lines of a file, those of a piece together; `onDamaged` gets what has not the form. */
export async function* readLines<T extends ArticleRequest>(
  path: string,
  form: LineForm,
  onDamaged: (where: string, problem: string) => void = refuse,
): AsyncIterable<Iterable<{ line: T; bytes: Uint8Array }>> {
  const decoder = new TextDecoder();
  let number = 0;
  const read = function* (lines: Iterable<Uint8Array | undefined>) {
    for (const bytes of lines) {
      number++;
      if (bytes?.length === 0) continue;
      const line = bytes && parsed(decoder.decode(bytes));
      const problem = bytes ? problemOf(line, form) : TOO_LONG;
      if (problem === undefined) yield { line: line as unknown as T, bytes: bytes! };
      else onDamaged(`${path}:${number}`, problem);
    }
  };
  for await (const lines of splitLines(readPieces(path))) yield read(lines);
}

function areSorted(keys: readonly string[]): boolean {
  return sortConfigurationKeys(keys).every((key, at) => key === keys[at]);
}

const TOO_LONG = `expected a line of at most ${LONGEST_LINE_BYTES} bytes, received a longer one`;

/** Lines, those that end in one piece together, since to wait for each takes longer; undefined for one that is too long. */
async function* splitLines(
  pieces: AsyncIterable<Uint8Array>,
): AsyncIterable<(Uint8Array | undefined)[]> {
  let parts: Uint8Array[] = [];
  let length = 0;
  const add = (part: Uint8Array) => {
    length += part.length;
    if (length > LONGEST_LINE_BYTES) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  const take = (): Uint8Array | undefined => {
    const [first = new Uint8Array(0)] = parts;
    const line = parts.length > 1 ? Buffer.concat(parts) : first;
    const isTooLong = length > LONGEST_LINE_BYTES;
    [parts, length] = [[], 0];
    return isTooLong ? undefined : line;
  };
  for await (const piece of pieces) {
    const lines: (Uint8Array | undefined)[] = [];
    let start = 0;
    for (let end = piece.indexOf(LINE_END); end >= 0; end = piece.indexOf(LINE_END, start)) {
      add(piece.subarray(start, end));
      lines.push(take());
      start = end + 1;
    }
    add(piece.subarray(start));
    yield lines;
  }
  if (length > 0) yield [take()];
}

function refuse(where: string, problem: string): never {
  throw new ConverterError('MANIFEST_DAMAGED', `${where}: ${problem}`);
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function problemOf(
  line: Record<string, unknown> | undefined,
  { texts, lists, noDigest }: LineForm,
): string | undefined {
  if (typeof line !== 'object' || line === null) return 'expected a JSON object';
  const text = texts.find((field) => typeof line[field] !== 'string');
  if (text !== undefined) return `expected a string in "${text}"`;
  const list = lists.find((field) => !Array.isArray(line[field]));
  if (list !== undefined) return `expected a list in "${list}"`;
  const { sha256, lastGood } = line as Partial<ManifestLine>;
  const isDigest = (value: unknown) =>
    value === undefined || value === noDigest || DIGEST.test(String(value));
  const areDigests = isDigest(sha256) && isDigest(lastGood?.sha256);
  return areDigests ? undefined : 'expected 64 hex digits in "sha256"';
}
