/** Reads stored plannings: cart files that a glob matches, and what permanent identifiers stand for. */
import { join, relative, resolve, sep } from 'node:path';
import type { DurablePermanentIds } from '../cache/durable-permanent-ids.ts';
import { readRecordedPlanning } from '../fetch/recording.ts';
import type { StoredPlanning } from '../fetch/select-plannings.ts';
import { asConverterError, ConverterError, endsRun, isConverterError } from '../support/errors.ts';
import { listFolder, readText, statIfExists } from '../support/files.ts';
import { globMatcher } from '../support/glob.ts';

/** Larger files are not carts. */
const LARGEST_BYTES = 64 * 1024 * 1024;
const READ_AT_ONCE = 16;
/** Depth of `**`: a symbolic link may lead back up. */
const DEEPEST = 32;
const WILDCARD = /[*?]/;

/**
 * Reads the carts that a glob matches: `*` and `?` within a name, `**` for folders of any depth.
 *
 * @param glob - Absolute.
 * @returns In the order of their names; a path without wildcards always returns one.
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
  const { folder, pattern } = splitGlob(glob);
  const paths = pattern.length === 0 ? [folder] : await matching(folder, pattern);
  const carts: StoredPlanning[] = [];
  for (let next = 0; next < paths.length; next += READ_AT_ONCE) {
    const some = paths.slice(next, next + READ_AT_ONCE);
    carts.push(...(await Promise.all(some.map((path) => readCart(path, folder)))));
  }
  return carts;
}

/** The folder above the first wildcard, and the segments from there on; none without a wildcard. */
function splitGlob(glob: string): { folder: string; pattern: string[] } {
  const segments = glob.split(sep === '\\' ? /[\\/]/ : sep);
  const first = segments.findIndex((segment) => WILDCARD.test(segment));
  if (first < 0) return { folder: glob, pattern: [] };
  const folder = resolve(`${segments.slice(0, first).join(sep)}${sep}`);
  return { folder, pattern: segments.slice(first) };
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

/**
 * Reads a file of permanent identifiers: one per line; blank lines and lines that begin with `#` are skipped.
 *
 * @throws {@link ConverterError} `LIST_INVALID` if it cannot be read.
 */
export async function readPermanentIds(path: string): Promise<string[]> {
  try {
    return parsePermanentIds(await readText(path));
  } catch (cause) {
    const problem = isConverterError(cause, 'FILE_MISSING') ? 'no such file' : 'cannot be read';
    throw new ConverterError('LIST_INVALID', `${path}: ${problem}`, { cause });
  }
}

/** Returns the identifiers of a text, each once, in their order. */
export function parsePermanentIds(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/).map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== '' && !line.startsWith('#')))];
}

/** Where plannings are looked up. */
interface PlanningSources {
  /** The service that issued the identifiers. */
  service: string;
  permanentIds: Pick<DurablePermanentIds, 'get'>;
  /** Folder of the recording that the service replays. */
  recording?: string | undefined;
  /** Called with each planning that is found. */
  onPlanning?: ((id: string, topLevelArticle: unknown) => Promise<void>) | undefined;
}

/**
 * Looks up the plannings of permanent identifiers in the database, then in the recording.
 *
 * @throws {@link ConverterError} `RECORDING_INVALID`.
 *
 * @see D-802, D-821.
 */
export async function findPlannings(
  ids: readonly string[],
  { service, permanentIds, recording, onPlanning }: PlanningSources,
): Promise<StoredPlanning[]> {
  const found: StoredPlanning[] = [];
  for (const id of ids) {
    let json = permanentIds.get(service, id);
    if (json === undefined && recording !== undefined) {
      json = await readRecordedPlanning(recording, id);
    }
    if (json !== undefined) await onPlanning?.(id, json);
    const name = `permanentid ${id}`;
    found.push({ name, article: json === undefined ? { error: notResolvable() } : { json } });
  }
  return found;
}

function notResolvable(): ConverterError {
  const message = 'no operation of the service resolves it, and it is not in this cache';
  return new ConverterError('PERMANENT_ID_NOT_RESOLVABLE', message);
}
