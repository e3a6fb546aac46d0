/**
 * Recording files: reads the JSON of a recording and finds its raw bodies by name.
 *
 * In: the folder of a recording. Out: checked values, and bodies by the names of the service.
 * No part of a request ever becomes a path: all paths come from listing the folder when it is opened.
 */
import { join } from 'node:path';
import type { Json } from '../sample/range.ts';
import { ConverterError } from '../support/errors.ts';
import {
  encodeFileName,
  LONGEST_FILE_NAME,
  listFolder,
  readBytes,
  readTextIfExists,
} from '../support/files.ts';

/** An error that names the file of the recording, what was expected and what came. */
export function recordingInvalid(file: string, message: string, cause?: unknown): ConverterError {
  return new ConverterError('RECORDING_INVALID', `${file}: ${message}`, { cause });
}

/**
 * Reads a JSON file of a recording; undefined where there is none.
 *
 * @throws {@link ConverterError} `RECORDING_INVALID` if it is no JSON.
 */
export async function readJsonIfExists(path: string): Promise<unknown> {
  const text = await readTextIfExists(path);
  return text === undefined ? undefined : parseJson(text, path);
}

/** Reads the text of a JSON file. @throws {@link ConverterError} `RECORDING_INVALID` if it is none. */
export function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw recordingInvalid(path, 'expected JSON', error);
  }
}

/** Checks that a value is a JSON object. @throws {@link ConverterError} `RECORDING_INVALID`. */
export function expectObject(value: unknown, file: string, where: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw recordingInvalid(file, `${where}: expected an object, received ${kindOf(value)}`);
}

/** Checks that a value is an array. @throws {@link ConverterError} `RECORDING_INVALID`. */
export function expectArray(value: unknown, file: string, where: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw recordingInvalid(file, `${where}: expected an array, received ${kindOf(value)}`);
}

/** Checks that a value is a string. @throws {@link ConverterError} `RECORDING_INVALID`. */
export function expectString(value: unknown, file: string, where: string): string {
  if (typeof value === 'string') return value;
  throw recordingInvalid(file, `${where}: expected a string, received ${kindOf(value)}`);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : typeof value;
}

/** Raw bodies of one kind, found by the segments of their name. */
export interface BodyFiles {
  /** Undefined where the recording holds no such body. */
  read(segments: readonly string[]): Promise<Uint8Array | undefined>;
}

/**
 * Lists the raw bodies below a folder, whose path segments are percent-encoded names.
 *
 * A long name may have been shortened by `encodeFileName`, so a name is also looked for as that
 * function would have written it.
 *
 * @param depth - Number of segments in a name.
 * @param suffix - What each file ends with; empty where names have an ending of their own.
 * @throws {@link ConverterError} `RECORDING_INVALID` for a file name that is not percent-encoded UTF-8.
 *
 * @example
 * ```ts
 * const blocks = await listBodies('recording/odb/block', 3, '.json');
 * await blocks.read(['ACME', 'DESK', 'LEG+1']); // → bytes of ACME/DESK/LEG%2B1.json
 * ```
 */
export async function listBodies(
  folder: string,
  depth: number,
  suffix: string,
): Promise<BodyFiles> {
  const byName = new Map<string, string>();
  const byFile = new Map<string, string>();
  for (const file of await filesAt(folder, depth)) {
    if (!file.endsWith(suffix)) continue;
    const path = join(folder, file);
    const stem = file.slice(0, file.length - suffix.length);
    byFile.set(stem, path);
    const segments = stem.split('/');
    // A shortened name may end within an encoded character; it is found by its file alone.
    if (segments.some(isShortened)) continue;
    byName.set(keyOf(segments.map((segment) => decoded(segment, path))), path);
  }
  return {
    async read(segments) {
      const path =
        byName.get(keyOf(segments)) ?? byFile.get(segments.map(encodeFileName).join('/'));
      return path === undefined ? undefined : readBytes(path);
    },
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

function keyOf(segments: readonly string[]): string {
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
