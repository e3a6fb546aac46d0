/**
 * The files of a recording: checked JSON, records found by request, raw bodies found by name.
 *
 * No part of a request ever becomes a path: all paths come from listing the folder when it is opened.
 */
import { join } from 'node:path';
import type { Json, Query } from '../sample/range.ts';
import { ConverterError } from '../support/errors.ts';
import { encodeFileName, LONGEST_FILE_NAME } from '../support/file-names.ts';
import { listFolder, readBytes, readText } from '../support/files.ts';
import { memberText, spelledAs } from './json-text.ts';

/** An error with the file of the recording, and the path of the value inside the file. */
export function recordingInvalid(where: string, message: string, cause?: unknown): ConverterError {
  return new ConverterError('RECORDING_INVALID', `${where}: ${message}`, { cause });
}

/** Parses the text of a file as JSON. */
export function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw recordingInvalid(file, 'expected JSON', error);
  }
}

interface Kinds {
  object: Json;
  array: unknown[];
  string: string;
}

/** Requires a JSON value of a kind; `where` is its file, and its path inside the file. */
export function expectKind<K extends keyof Kinds>(kind: K, value: unknown, where: string) {
  const received = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  if (received === kind) return value as Kinds[K];
  const expected = kind === 'string' ? 'a string' : `an ${kind}`;
  const shown = received === 'array' ? 'an array' : received;
  throw recordingInvalid(where, `expected ${expected}, received ${shown}`);
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
 * @see D-724.
 */
export async function readRecords(folder: string, identity: readonly string[]) {
  const byIdentity = new Map<string, Json>();
  const responses: Json[] = [];
  const keyOf = (query: Query): string => JSON.stringify(identity.map(valueIn(query)));
  for (const name of await listFolder(folder)) {
    if (!name.endsWith('.json')) continue;
    const file = join(folder, name);
    const text = await readText(file);
    const record = expectKind('object', parseJson(text, file), `${file}: record`);
    const key = keyOf(requestOf(record, file));
    const response = expectKind('object', record.response, `${file}: response`);
    responses.push(spelledAs(response, memberText(text, 'response')!));
    if (!byIdentity.has(key)) byIdentity.set(key, response);
  }
  return {
    /** The response to a request with the same identity. */
    find: (query: Query) => byIdentity.get(keyOf(query)),
    /** All responses, in the order of their file names. */
    responses,
  };
}

function valueIn(query: Query): (name: string) => string {
  return (name) => {
    const value = query[name] ?? '';
    return CASELESS.includes(name) ? value.toUpperCase() : value;
  };
}

function requestOf(record: Json, file: string): Query {
  const request = expectKind('object', record.request, `${file}: request`);
  const parameters = Object.entries(request).map(([name, value]) => {
    if (typeof value !== 'object') return [name, String(value)];
    throw recordingInvalid(`${file}: request.${name}`, 'expected a string, received an object');
  });
  return Object.fromEntries(parameters);
}

/**
 * Lists the raw bodies below a folder, whose path segments are percent-encoded names.
 *
 * `encodeFileName` shortens long names, so a name is also looked up in that form.
 *
 * @param depth - Number of segments in a name.
 * @param suffix - End of each file name; empty where names have an ending of their own.
 * @returns Reads a body by the segments of its name; undefined if the recording has none.
 * @throws {@link ConverterError} `RECORDING_INVALID` for a file name that is not percent-encoded UTF-8.
 */
export async function listBodies(folder: string, depth: number, suffix = '') {
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
    byName.set(JSON.stringify(segments.map((segment) => decoded(segment, path))), path);
  }
  return async (...segments: string[]): Promise<Uint8Array | undefined> => {
    const file = segments.map(encodeFileName).join('/');
    const path = byName.get(JSON.stringify(segments)) ?? byFile.get(file);
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

function decoded(segment: string, path: string): string {
  if (segment === encodeFileName('')) return '';
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    throw recordingInvalid(path, 'file name: expected percent-encoded UTF-8', error);
  }
}
