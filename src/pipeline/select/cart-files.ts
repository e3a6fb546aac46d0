/**
 * Cart files: stored top-level articles, one JSON file each.
 *
 * In: a glob on paths. Out: the content of each file that matches, in the order of their names, or
 * why it cannot be read. It must not know what a cart has to hold.
 */
import { join, relative, resolve, sep } from 'node:path';
import type { StoredPlanning } from '../../fetch/select-plannings.ts';
import {
  asConverterError,
  ConverterError,
  endsRun,
  isConverterError,
} from '../../support/errors.ts';
import { listFolder, readText, statIfExists } from '../../support/files.ts';
import { globMatcher } from '../../support/glob.ts';

/** A cart larger than this is none. */
const LARGEST_BYTES = 64 * 1024 * 1024;
const READ_AT_ONCE = 16;
/** Folders within folders, for `**`: a link may lead back up. */
const DEEPEST = 32;
const WILDCARD = /[*?]/;

/**
 * Reads the carts that a glob names: `*` and `?` within a name, `**` for folders of any depth.
 *
 * @param glob - Absolute.
 * @returns None where nothing matches; a path without wildcards always gives one.
 *
 * @example
 * ```ts
 * await readCartFiles(resolve('carts/*.json'));
 * // → [{ name: 'cart order-17.json', article: { json: { id: '7', rootid: '7', … } } }]
 * ```
 *
 * @see D-801.
 */
export async function readCartFiles(glob: string): Promise<StoredPlanning[]> {
  const { folder, pattern } = split(glob);
  const paths = pattern.length === 0 ? [folder] : await matching(folder, pattern);
  const carts: StoredPlanning[] = [];
  for (let next = 0; next < paths.length; next += READ_AT_ONCE) {
    const some = paths.slice(next, next + READ_AT_ONCE);
    carts.push(...(await Promise.all(some.map((path) => readCart(path, folder)))));
  }
  return carts;
}

/** The folder above the first wildcard, and the segments from there on; none without a wildcard. */
function split(glob: string): { folder: string; pattern: string[] } {
  const segments = glob.split(sep === '\\' ? /[\\/]/ : sep);
  const first = segments.findIndex((segment) => WILDCARD.test(segment));
  if (first < 0) return { folder: glob, pattern: [] };
  return {
    folder: resolve(`${segments.slice(0, first).join(sep)}${sep}`),
    pattern: segments.slice(first),
  };
}

async function matching(folder: string, pattern: readonly string[], depth = 0): Promise<string[]> {
  const [segment, ...rest] = pattern;
  if (segment === undefined || depth > DEEPEST) return [];
  if (segment === '**') {
    const here = rest.length === 0 ? [] : await matching(folder, rest, depth);
    const below = await inFolders(folder, '*', (path) => matching(path, pattern, depth + 1));
    return [...new Set([...here, ...below])].sort();
  }
  if (rest.length > 0) return inFolders(folder, segment, (path) => matching(path, rest, depth + 1));
  return entries(folder, segment, false);
}

async function inFolders(
  folder: string,
  segment: string,
  search: (path: string) => Promise<string[]>,
): Promise<string[]> {
  const found: string[] = [];
  for (const path of await entries(folder, segment, true)) found.push(...(await search(path)));
  return found;
}

/** Files or folders whose name matches; a name that begins with a dot only where the glob's does. */
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

async function readCart(path: string, folder: string): Promise<StoredPlanning> {
  const name = `cart ${(relative(folder, path) || path).replaceAll(sep, '/')}`;
  try {
    return { name, article: { json: await readJson(path) } };
  } catch (thrown) {
    const error = asConverterError(thrown);
    if (error.code !== 'FILE_UNREADABLE' && endsRun(error.code)) throw error;
    return { name, article: { error } };
  }
}

async function readJson(path: string): Promise<unknown> {
  const bytes = (await statIfExists(path))?.bytes ?? 0;
  if (bytes > LARGEST_BYTES)
    throw invalid(`expected at most ${LARGEST_BYTES} bytes, received ${bytes}`);
  let text: string;
  try {
    text = await readText(path);
  } catch (cause) {
    throw isConverterError(cause, 'FILE_MISSING') ? invalid('no such file') : cause;
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalid('expected JSON, received something else or only a part of it');
  }
}

function invalid(message: string): ConverterError {
  return new ConverterError('CART_INVALID', message);
}
