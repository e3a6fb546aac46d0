/**
 * Manifest: the list of what is published, one line per configuration, and the catalogue beside it.
 *
 * In: lines. Out: `manifest.jsonl` and `catalogue.jsonl`, sorted by key, each replaced as a whole.
 * It knows nothing of how a line came about.
 */
import { join } from 'node:path';
import type { ArticleKey, ArticleRequest } from '../model/article.ts';
import type { CatalogueLine, ManifestLine } from '../model/asset.ts';
import { ConverterError } from '../support/errors.ts';
import { readTextIfExists, replaceFile } from '../support/files.ts';

/** Name of the manifest in the output folder. */
export const MANIFEST_FILE = 'manifest.jsonl';
/** Name of the catalogue in the output folder. */
export const CATALOGUE_FILE = 'catalogue.jsonl';

/** The fields that identify a configuration, in the order in which lines are sorted. */
export const KEY_FIELDS = [
  'manufacturer',
  'program',
  'basearticlenumber',
  'finalarticlenumber',
  'reinitstring',
  'metareinitstring',
] as const satisfies readonly (keyof ArticleKey)[];

/** Order of the fields in a line; total, so that a new field has to be placed. */
const LINE_FIELDS = [
  ...KEY_FIELDS,
  'status',
  'glb',
  'sha256',
  'bytes',
  'triangles',
  'drawCalls',
  'materials',
  'textures',
  'boundsMetres',
  'convertdate',
  'source',
  'losses',
  'warnings',
  'requested',
  'error',
  'lastGood',
] as const satisfies readonly (keyof ManifestLine)[];

/**
 * Names a configuration or a request by one string: equal for equal fields, in any order of fields.
 *
 * @example
 * ```ts
 * keyOf({ manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D1', finalarticlenumber: '', reinitstring: '', metareinitstring: '' });
 * // → '["ACME","DESK","D1","","",""]'
 * ```
 */
export function keyOf(key: ArticleRequest): string {
  return JSON.stringify(KEY_FIELDS.map((field) => key[field]));
}

/** Only the identity of something that has more fields. */
export function identityOf(from: ArticleRequest): ArticleRequest {
  const { manufacturer, program, basearticlenumber } = from;
  const { finalarticlenumber, reinitstring, metareinitstring } = from;
  return {
    manufacturer,
    program,
    basearticlenumber,
    finalarticlenumber,
    reinitstring,
    metareinitstring,
  };
}

/** Orders two identities field by field, by code units: the same on every machine and in every locale. */
export function compareKeys(a: ArticleRequest, b: ArticleRequest): number {
  for (const field of KEY_FIELDS) {
    if (a[field] !== b[field]) return a[field] < b[field] ? -1 : 1;
  }
  return 0;
}

/**
 * Reads the manifest of an output folder.
 *
 * @returns Its lines in file order; none where there is no manifest yet.
 * @throws {@link ConverterError} `STORE_DAMAGED` if a line is no JSON object with a key.
 *
 * @see Layout of the output in D-740.
 */
export async function readManifest(outputDir: string): Promise<ManifestLine[]> {
  return readLines<ManifestLine>(join(outputDir, MANIFEST_FILE), ['status']);
}

/** Reads the catalogue of an output folder, as {@link readManifest} does. */
export async function readCatalogue(outputDir: string): Promise<CatalogueLine[]> {
  return readLines<CatalogueLine>(join(outputDir, CATALOGUE_FILE), []);
}

/** Replaces the manifest as a whole. @see D-740 */
export async function writeManifest(outputDir: string, lines: ManifestLine[]): Promise<void> {
  const ordered = [...lines].sort(compareKeys).map(orderFields);
  await replaceFile(join(outputDir, MANIFEST_FILE), jsonLines(ordered));
}

/** Replaces the catalogue as a whole. @see D-740 */
export async function writeCatalogue(outputDir: string, lines: CatalogueLine[]): Promise<void> {
  await replaceFile(join(outputDir, CATALOGUE_FILE), jsonLines([...lines].sort(compareKeys)));
}

/** One JSON value a line, UTF-8, each line ended. */
export function jsonLines(values: readonly unknown[]): Uint8Array {
  return new TextEncoder().encode(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
}

function orderFields(line: ManifestLine): Record<string, unknown> {
  const present = LINE_FIELDS.filter((field) => line[field] !== undefined);
  return Object.fromEntries(present.map((field) => [field, line[field]]));
}

async function readLines<T extends ArticleRequest>(path: string, also: string[]): Promise<T[]> {
  const text = (await readTextIfExists(path)) ?? '';
  return text
    .split('\n')
    .flatMap((line, index) =>
      line === '' ? [] : [parseLine<T>(line, `${path}:${index + 1}`, also)],
    );
}

/** The file is ours, so only what a damaged one would break is checked. */
function parseLine<T>(line: string, where: string, also: string[]): T {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(line) as Record<string, unknown>;
  } catch (cause) {
    throw new ConverterError('STORE_DAMAGED', `${where}: expected a JSON object`, { cause });
  }
  for (const field of [...KEY_FIELDS, ...also]) {
    if (typeof value?.[field] !== 'string') {
      throw new ConverterError('STORE_DAMAGED', `${where}: expected a string in "${field}"`);
    }
  }
  return value as T;
}
