/**
 * Manifest: one line for each published configuration, and the catalogue beside it, both sorted by
 * configuration and replaced as a whole.
 */
import { join } from 'node:path';
import type { ArticleRequest } from '../model/article.ts';
import { type CatalogueLine, FIGURE_FIELDS, type ManifestLine } from '../model/asset.ts';
import {
  configurationKey,
  ID_FIELDS,
  sortConfigurationKeys,
  uniqueRequests,
} from '../model/configuration-id.ts';
import { ConverterError } from '../support/errors.ts';
import { readBytesIfExists, replaceFile, temporaryFolder } from '../support/files.ts';
import { createPackedMap, type PackedMap } from '../support/packed-map.ts';

const LINE_END = 0x0a;

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
  'reason',
  'error',
  'lastGood',
] as const satisfies readonly (keyof ManifestLine)[];

/** Called while lines are read. */
interface LineWatch<T> {
  /** Called with each line. */
  onLine?: (line: T, key: string) => void;
  /** Called with each line that cannot be read and is left out. @defaultValue throws */
  onDamaged?: (where: string, problem: string) => void;
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

/** Replaces the manifest or the catalogue, sorted; an equal file is left alone (D-740). */
export async function writeLines<T>(
  outputDir: string,
  name: string,
  lines: PackedMap<T>,
): Promise<void> {
  const path = join(outputDir, name);
  const parts = sortConfigurationKeys(lines.keys()).map((key) => lines.bytesOf(key)!);
  const length = parts.reduce((sum, part) => sum + part.length + 1, 0);
  const before = await readBytesIfExists(path);
  if (before?.length === length && consistsOf(before, parts)) return;
  const content = new Uint8Array(length).fill(LINE_END);
  let at = 0;
  for (const part of parts) {
    content.set(part, at);
    at += part.length + 1;
  }
  await replaceFile(path, content, { tmpDir: temporaryFolder(outputDir) });
}

/** Whether a file of the same length has these lines, found without putting them together. */
function consistsOf(file: Uint8Array, parts: readonly Uint8Array[]): boolean {
  let at = 0;
  return parts.every((part) => {
    const isEqual = Buffer.compare(file.subarray(at, at + part.length), part) === 0;
    at += part.length + 1;
    return isEqual && file[at - 1] === LINE_END;
  });
}

/**
 * Adds to the lines of a run the earlier lines that stay listed (D-740).
 *
 * A partial run (`--only`, `--limit`, `--failed`) replaces only what it selected; an earlier request that
 * it did not select stays listed with the configuration that it resolved to.
 *
 * @param earlier - None after a full run.
 */
export function keepUnselected(
  lines: PackedMap<ManifestLine>,
  earlier: Iterable<ManifestLine>,
): void {
  let answered: Set<string> | undefined;
  for (const line of earlier) {
    answered ??= requestsOf(lines);
    const requested = line.requested.filter((request) => !answered!.has(configurationKey(request)));
    if (requested.length === 0) continue;
    const key = configurationKey(line);
    const own = lines.get(key);
    const together = uniqueRequests([...(own?.requested ?? []), ...requested]);
    lines.set(key, orderFields({ ...(own ?? line), requested: together }));
  }
}

function requestsOf(lines: PackedMap<ManifestLine>): Set<string> {
  const requests = new Set<string>();
  for (const { requested } of lines.values())
    for (const request of requested) requests.add(configurationKey(request));
  return requests;
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

async function openLines<T extends ArticleRequest>(
  path: string,
  form: LineForm,
  { onLine, onDamaged = refuse }: LineWatch<T>,
): Promise<PackedMap<T>> {
  const content = (await readBytesIfExists(path)) ?? new Uint8Array(0);
  const lines = createPackedMap<T>();
  const decoder = new TextDecoder();
  let number = 0;
  for (let start = 0, end = 0; start < content.length; start = end + 1) {
    end = content.indexOf(LINE_END, start);
    if (end < 0) end = content.length;
    number++;
    const bytes = content.subarray(start, end);
    if (bytes.length === 0) continue;
    const line = parsed(decoder.decode(bytes));
    const problem = problemOf(line, form);
    if (problem !== undefined) {
      onDamaged(`${path}:${number}`, problem);
      continue;
    }
    const key = configurationKey(line as T);
    lines.setBytes(key, bytes);
    onLine?.(line as T, key);
  }
  return lines;
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
