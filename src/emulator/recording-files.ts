/**
 * The files of a recording: checked JSON, records found by request, raw bodies found by name.
 *
 * No part of a request ever becomes a path: all paths come from listing the folder when it is opened.
 */
import { join } from 'node:path';
import type { Json, Query } from '../sample/range.ts';
import { ConverterError } from '../support/errors.ts';
import { encodeFileName, LONGEST_FILE_NAME } from '../support/file-names.ts';
import { listFolder, readBytes, readText, readTextIfExists } from '../support/files.ts';
import { memberText, spelledAs } from './json-text.ts';

/** An error with the file of the recording. */
export function recordingInvalid(file: string, message: string, cause?: unknown): ConverterError {
  return new ConverterError('RECORDING_INVALID', `${file}: ${message}`, { cause });
}

/** Reads a JSON file; undefined if there is none. @throws {@link ConverterError} `RECORDING_INVALID`. */
export async function readJsonIfExists(file: string): Promise<unknown> {
  const text = await readTextIfExists(file);
  return text === undefined ? undefined : parseJson(text, file);
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw recordingInvalid(file, 'expected JSON', error);
  }
}

const KINDS = { object: 'an object', array: 'an array', string: 'a string' } as const;

interface Kinds {
  object: Json;
  array: unknown[];
  string: string;
}

/**
 * Checks the kind of a JSON value and returns the value.
 *
 * @param where - Path of the value inside the file.
 * @throws {@link ConverterError} `RECORDING_INVALID`, with file, path, expected and received kind.
 */
export function expectKind<K extends keyof Kinds>(
  kind: K,
  value: unknown,
  file: string,
  where: string,
): Kinds[K] {
  const received = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  if (received === kind) return value as Kinds[K];
  const shown = received === 'array' ? KINDS.array : received;
  throw recordingInvalid(file, `${where}: expected ${KINDS[kind]}, received ${shown}`);
}

/** The records of one operation. */
export interface Records {
  /** Response to a request with the same identity. */
  find(query: Query): Json | undefined;
  /** All responses, in the order of their file names. */
  responses: Json[];
}

/** Parameters that are compared without regard to case. */
const CASELESS = ['manufacturer', 'program'];

/**
 * Reads all records of one operation: files with a request and its response.
 *
 * A missing identity parameter equals an empty one, and all other parameters are ignored. A response
 * keeps the spelling of its file. Of records with the same identity (recorded in two languages, say)
 * the first by file name answers.
 *
 * @param identity - Names of the parameters that identify a request.
 * @throws {@link ConverterError} `RECORDING_INVALID`.
 *
 * @see D-724.
 */
export async function readRecords(folder: string, identity: readonly string[]): Promise<Records> {
  const byIdentity = new Map<string, Json>();
  const responses: Json[] = [];
  const keyOf = (query: Query): string =>
    nameKey(
      identity.map((name) => {
        const value = query[name] ?? '';
        return CASELESS.includes(name) ? value.toUpperCase() : value;
      }),
    );
  for (const name of await listFolder(folder)) {
    if (!name.endsWith('.json')) continue;
    const file = join(folder, name);
    const text = await readText(file);
    const record = expectKind('object', parseJson(text, file), file, 'record');
    const key = keyOf(requestOf(record, file));
    const response = expectKind('object', record.response, file, 'response');
    spelledAs(response, memberText(text, 'response')!);
    responses.push(response);
    if (!byIdentity.has(key)) byIdentity.set(key, response);
  }
  return { find: (query) => byIdentity.get(keyOf(query)), responses };
}

function requestOf(record: Json, file: string): Query {
  const request = expectKind('object', record.request, file, 'request');
  const parameters = Object.entries(request).map(([name, value]) => {
    if (typeof value !== 'object') return [name, String(value)];
    throw recordingInvalid(file, `request.${name}: expected a string, received an object`);
  });
  return Object.fromEntries(parameters);
}

/** Reads a raw body by the segments of its name; undefined if the recording has none. */
export type ReadBody = (segments: readonly string[]) => Promise<Uint8Array | undefined>;

/**
 * Lists the raw bodies below a folder, whose path segments are percent-encoded names.
 *
 * `encodeFileName` shortens long names, so a name is also looked up in that form.
 *
 * @param depth - Number of segments in a name.
 * @param suffix - End of each file name; empty where names have an ending of their own.
 * @throws {@link ConverterError} `RECORDING_INVALID` for a file name that is not percent-encoded UTF-8.
 *
 * @example
 * ```ts
 * const readBlock = await listBodies('recording/odb/block', 3, '.json');
 * await readBlock(['ACME', 'DESK', 'LEG+1']); // → bytes of ACME/DESK/LEG%2B1.json
 * ```
 */
export async function listBodies(folder: string, depth: number, suffix = ''): Promise<ReadBody> {
  const byName = new Map<string, string>();
  const byFile = new Map<string, string>();
  for (const file of await filesAt(folder, depth)) {
    if (!file.endsWith(suffix)) continue;
    const path = join(folder, file);
    const stem = file.slice(0, file.length - suffix.length);
    byFile.set(stem, path);
    const segments = stem.split('/');
    // A shortened name may end inside an encoded character, so it is looked up by its file alone.
    if (segments.some(isShortened)) continue;
    byName.set(nameKey(segments.map((segment) => decoded(segment, path))), path);
  }
  return async (segments) => {
    const path =
      byName.get(nameKey(segments)) ?? byFile.get(segments.map(encodeFileName).join('/'));
    return path === undefined ? undefined : readBytes(path);
  };
}

/** Paths below a folder, with `/`, that are exactly so many segments deep. */
async function filesAt(folder: string, depth: number): Promise<string[]> {
  const names = await listFolder(folder);
  if (depth === 1) return names;
  const found: string[] = [];
  for (const name of names) {
    const below = await filesAt(join(folder, name), depth - 1);
    found.push(...below.map((file) => `${name}/${file}`));
  }
  return found;
}

function isShortened(segment: string): boolean {
  return segment.length === LONGEST_FILE_NAME && /~[0-9a-f]{8}$/.test(segment);
}

function nameKey(segments: readonly string[]): string {
  return JSON.stringify(segments);
}

function decoded(segment: string, path: string): string {
  if (segment === encodeFileName('')) return '';
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    throw recordingInvalid(path, 'file name: expected percent-encoded UTF-8', error);
  }
}
