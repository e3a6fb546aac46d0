/** Answers of GET block: typed arrays as received, without any check. */

import type { ConverterError } from '../../support/errors.ts';
import type { Block, BlockSurface, Vec3 } from '../model/graphics.ts';
import { NOT_AN_INDEX, scanBlock } from './block-scanner.ts';
import { collectDrift, type DriftReporter, type NoteDrift } from './fields.ts';
import {
  isMissing,
  isRecord,
  type JsonRecord,
  mismatch,
  parseRecord,
  readVector,
} from './value.ts';

/**
 * Decodes the body of GET block: UTF-8 JSON whose vertex arrays are flat or nested by entry.
 *
 * @param onDrift - Receives tolerated mismatches; an array counts once, by its first mismatching entry.
 * @returns Positions in metres rounded to float32; NaN for what is no number, {@link NOT_AN_INDEX} for a wrong index.
 * @throws {@link ConverterError} `BLOCK_INVALID` naming the field; a number that was sent as a text counts as none.
 * @see Spec 2.4; D-301, D-302, D-784 (drift).
 */
export function decodeBlock(bytes: Uint8Array, onDrift?: DriftReporter): Block {
  // A body that the scanner accepts has no drift; a flag C may be missing (D-304).
  return scanBlock(bytes) ?? parseBlock(bytes, onDrift);
}

/** Decodes the body of GET block with `JSON.parse`; accepts bodies that the scanner refuses, and words the errors. */
export function parseBlock(bytes: Uint8Array, onDrift?: DriftReporter): Block {
  const body = parseRecord(bytes, 'BLOCK_INVALID');
  if (!Array.isArray(body.V)) throw invalid('V', 'an array of numbers', body.V);
  if (!Array.isArray(body.A)) throw invalid('A', 'an array of surfaces', body.A);
  const uvs = body.T ?? [];
  if (!Array.isArray(uvs)) throw invalid('T', 'an array of numbers', uvs);
  const { note, report } = collectDrift(onDrift);
  if (typeof body.N !== 'string') note('block.N', 'a text', body.N);
  for (const field of ['P', 'R', 'V', 'T']) checkNumbers(body, field, 'block', note);
  for (const field of ['V', 'T']) refuseTexts(body, field, field);
  const block = {
    name: typeof body.N === 'string' ? body.N : '',
    positionMetres: vectorOf(body.P, 'P'),
    rotationDegrees: vectorOf(body.R, 'R'),
    positions: Float32Array.from(numbersOf(body.V, 3)),
    uvs: numbersOf(uvs, strideOf(uvs) || 1),
    uvStride: strideOf(uvs),
    surfaces: body.A.map((surface, i) => readSurface(surface, i, note)),
  };
  report();
  return block;
}

function readSurface(value: unknown, i: number, note: NoteDrift): BlockSurface {
  if (!isRecord(value)) throw invalid(`A[${i}]`, 'an object', value);
  if (!Array.isArray(value.F)) throw invalid(`A[${i}].F`, 'an array of indices', value.F);
  const uvIndices = value.TI ?? [];
  if (!Array.isArray(uvIndices)) throw invalid(`A[${i}].TI`, 'an array of indices', uvIndices);
  for (const field of ['F', 'TI']) checkNumbers(value, field, 'block.A[]', note);
  for (const field of ['F', 'TI']) refuseTexts(value, field, `A[${i}].${field}`);
  const closed = typeof value.C === 'boolean' ? value.C : undefined;
  if (closed === undefined && value.C !== undefined) note('block.A[].C', 'true or false', value.C);
  return {
    triangles: Int32Array.from(numbersOf(value.F, 3), toIndex),
    uvIndices: Int32Array.from(numbersOf(uvIndices, 3), toIndex),
    closed,
    ...(closed === undefined && !isMissing(value.C) && { unreadableClosed: value.C }),
  };
}

/** Reports a list that is missing, or its first entry that is no number. */
function checkNumbers(record: JsonRecord, field: string, where: string, note: NoteDrift): void {
  const list = record[field];
  const expected = 'a list of numbers';
  if (Array.isArray(list)) {
    const odd = list.findIndex((entry) => typeof entry !== 'number');
    if (odd >= 0) note(`${where}.${field}[]`, expected, list[odd]);
  } else note(`${where}.${field}`, expected, list);
}

/** Refuses texts in a vertex array, which are no numbers (D-301): dropping their triangles would leave a hole. */
function refuseTexts(record: JsonRecord, field: string, where: string): void {
  const isText = (entry: unknown) => typeof entry === 'string';
  const textIn = (entry: unknown) => (Array.isArray(entry) ? entry : [entry]).find(isText);
  const list = record[field];
  const at = Array.isArray(list) ? list.findIndex((entry) => textIn(entry) !== undefined) : -1;
  if (at >= 0) throw invalid(`${where}[${at}]`, 'a number', textIn((list as unknown[])[at]));
}

/**
 * Numbers of a flat array, or of an array nested by entry; an entry of another length than `size` is
 * filled with NaN, so that the entries after it keep their places.
 */
function numbersOf(values: readonly unknown[], size: number): Float64Array {
  if (!values.some(Array.isArray)) return Float64Array.from(values, toNumber);
  const out = new Float64Array(values.length * size).fill(Number.NaN);
  values.forEach((entry, i) => {
    if (Array.isArray(entry) && entry.length === size) out.set(entry.map(toNumber), i * size);
  });
  return out;
}

/** Returns 2 or 3 if the array is nested by entries of that length; 0 if it is flat. */
function strideOf(values: readonly unknown[]): 0 | 2 | 3 {
  const first = values.find(Array.isArray);
  if (!first) return 0;
  return first.length === 3 ? 3 : 2;
}

function toNumber(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN;
}

function toIndex(value: number): number {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? value : NOT_AN_INDEX;
}

function vectorOf(value: unknown, field: string): Vec3 {
  return readVector(value, 0, (step, ...found) => invalid(`${field}${step}`, ...found));
}

function invalid(where: string, expected: string, received: unknown): ConverterError {
  return mismatch('BLOCK_INVALID', where, expected, received);
}
