/** Fields of a JSON answer: each reads one value and reports drift from the specification as it does. */
import type { ConverterError } from '../support/errors.ts';
import { describe, isMissing, isRecord, mismatch, readNumber } from './wire-value.ts';

/** One mismatch between an answer and the specification that was tolerated. */
export interface Drift {
  /** Path without indices, so that equal ones can be counted: `article.ocd.propclasses[].name`. */
  field: string;
  /** What the specification says, in words. */
  expected: string;
  /** What was received, with its value if it is a single one: `string "0,5"`, `nothing`. */
  found: string;
}

/** Receives every mismatch, repeated ones included. */
export type DriftReporter = (drift: Drift) => void;

/** Notes a field whose value is not what the specification says. */
export type NoteDrift = (field: string, expected: string, value: unknown) => void;

/**
 * Collects the drift of one body, to be reported once all of it was read: of a body that cannot be read,
 * only the error counts. Equal mismatches take memory once.
 */
export function collectDrift(onDrift: DriftReporter | undefined) {
  const collected = new Map<string, { drift: Drift; count: number }>();
  const note: NoteDrift = (field, expected, value) => {
    if (onDrift === undefined) return;
    const drift = { field, expected, found: describe(value) };
    const key = JSON.stringify(drift);
    collected.set(key, { drift, count: (collected.get(key)?.count ?? 0) + 1 });
  };
  const report = (): void => {
    for (const { drift, count } of collected.values()) {
      for (let time = 0; time < count; time++) onDrift?.(drift);
    }
  };
  return { note, report };
}

/** Path of the value that is read, and where its drift goes. */
interface Place {
  /** Name of the root in errors, and in drift. */
  where: string;
  driftWhere: string;
  /** Names of fields and indices of lists below the root. */
  readonly steps: (string | number)[];
  note?: NoteDrift;
}

/** Reads one value, or throws. */
export type Field<T> = (value: unknown, at: Place) => T;

const NOT_REPORTED: Place = { where: '', driftWhere: '', steps: [] };

/**
 * Reads a value and reports its drift, but only once all of it was read (D-784).
 *
 * @param where - Name of the value in errors: `article`, `nodes`.
 * @param driftWhere - Its name in drift, if that differs.
 * @throws {@link ConverterError} `RESPONSE_INVALID` with the path of the first value that cannot be read.
 * @example `decodeFields(object({ digits: number() }), { digits: '4' }, 'property'); // → { digits: 4 }`
 */
export function decodeFields<T>(
  field: Field<T>,
  value: unknown,
  where: string,
  onDrift?: DriftReporter,
  driftWhere = where,
): T {
  const { note, report } = collectDrift(onDrift);
  const place = { where, driftWhere, steps: [], ...(onDrift === undefined ? {} : { note }) };
  const result = field(value, place);
  report();
  return result;
}

function noteDrift({ note, driftWhere, steps }: Place, expected: string, value: unknown): void {
  if (note === undefined) return;
  const path = steps.map((step) => (typeof step === 'number' ? '[]' : `.${step}`));
  note(`${driftWhere}${path.join('')}`, expected, value);
}

function unreadable({ where, steps }: Place, expected: string, value: unknown): ConverterError {
  const path = steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`));
  return mismatch('RESPONSE_INVALID', `${where}${path.join('')}`, expected, value);
}

interface FieldRule<T> {
  /** What the specification says, in words. */
  expected: string;
  /** Value of a field that is missing or null. */
  missing: T;
  /** Whether a value is what the specification says; what can be read may still not be. */
  fits(value: unknown): boolean;
  /** Undefined if the value cannot be read. */
  read(value: unknown): T | undefined;
  /** Whether nothing can be done without it: all else that cannot be read counts as missing (D-784). */
  isNeeded?: boolean;
}

function field<T>({ expected, missing, fits, read, isNeeded }: FieldRule<T>): Field<T> {
  return (value, at) => {
    if (!fits(value)) noteDrift(at, expected, value);
    if (isMissing(value)) return missing;
    const result = read(value);
    if (result === undefined && isNeeded) throw unreadable(at, expected, value);
    return result ?? missing;
  };
}

const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value);
const isText = (value: unknown) => typeof value === 'string';
const readText = (value: unknown) => (typeof value === 'object' ? undefined : String(value));

/** A text; a number or a truth value in its place is read as its own spelling. */
export function text(): Field<string> {
  return field({ expected: 'a text', missing: '', fits: isText, read: readText });
}

/** A text of which something depends that is converted: an identifier, a configuration string. */
export function identifier(): Field<string> {
  const rule = { expected: 'a text', missing: '', fits: isText, read: readText };
  return field({ ...rule, isNeeded: true });
}

/** A text that is one of a few; letter case counts. */
export function oneOf(texts: readonly string[], missing = ''): Field<string> {
  const fits = (value: unknown) => isText(value) && texts.includes(value as string);
  return field({ expected: `one of ${texts.join(' ')}`, missing, fits, read: readText });
}

/** A value of a property: a text or a number. */
export function textOrNumber(): Field<string> {
  const fits = (value: unknown) => isText(value) || isNumber(value);
  return field({ expected: 'a text or a number', missing: '', fits, read: readText });
}

/** A number, also one that was sent as a text. */
export function number<Missing>(missing: Missing): Field<number | Missing> {
  const read = (value: unknown) => readNumber(value);
  const expected = 'a finite number';
  return field<number | Missing>({ expected, missing, fits: isNumber, read });
}

/** A number that may be missing, or be sent as a text if it is a bound of a range. */
export function optionalNumber(isBound = false): Field<number | undefined> {
  const expected = isBound ? 'a number' : 'a finite number';
  const fits = (value: unknown) => isNumber(isBound && value !== '' ? Number(value) : value);
  const read = (value: unknown) => readNumber(value);
  return optional(field<number | undefined>({ expected, missing: undefined, fits, read }));
}

const TRUTHS: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false],
  ['', false],
]);

/** A truth value, also one that was sent as `"true"`, `1` or `"0"`. */
export function truth(missing = false): Field<boolean> {
  const fits = (value: unknown) => typeof value === 'boolean';
  const read = (value: unknown) => TRUTHS.get(readText(value)?.trim().toLowerCase());
  return field({ expected: 'true or false', missing, fits, read });
}

/** A field that an answer may leave out. */
export function optional<T>(inner: Field<T>): Field<T> {
  return (value, at) => inner(value, isMissing(value) ? NOT_REPORTED : at);
}

/** A list of objects; what is none is left out. */
export function records<T>(item: Field<T>): Field<T[]> {
  const recordOrNone: Field<T[]> = (entry, at) => {
    if (isRecord(entry)) return [item(entry, at)];
    noteDrift(at, 'an object', entry);
    return [];
  };
  return (value, at) => {
    if (!Array.isArray(value)) noteDrift(at, 'an array', value);
    const entries: unknown[] = Array.isArray(value) ? value : [];
    return entries.flatMap((entry, index) => below(at, index, recordOrNone, entry));
  };
}

/** A list; a missing one is empty, unless it must be there. */
export function list<T>(item: Field<T>, isRequired = false): Field<T[]> {
  return (value, at) => {
    const isEmpty = !isRequired && isMissing(value);
    if (isEmpty) noteDrift(at, 'an array', value);
    const entries = isEmpty ? [] : value;
    if (!Array.isArray(entries)) throw unreadable(at, 'an array', value);
    return entries.map((entry, index) => below(at, index, item, entry));
  };
}

/** An object with these fields; others are left out. */
export function object<Fields extends Record<string, Field<unknown>>>(
  fields: Fields,
): Field<{ [Name in keyof Fields]: ReturnType<Fields[Name]> }> {
  const entries = Object.entries(fields);
  return (value, at) => {
    if (!isRecord(value)) throw unreadable(at, 'an object', value);
    const result: Record<string, unknown> = {};
    for (const [name, inner] of entries) result[name] = below(at, name, inner, value[name]);
    return result as { [Name in keyof Fields]: ReturnType<Fields[Name]> };
  };
}

/** An object that is undefined if it is missing. */
export function optionalObject<T>(inner: Field<T>): Field<T | undefined> {
  return (value, at) => {
    if (!isMissing(value)) return inner(value, at);
    noteDrift(at, 'an object', value);
    return undefined;
  };
}

/** Reads a value one step further down; after a throw the steps lead to what could not be read. */
function below<T>(at: Place, step: string | number, inner: Field<T>, value: unknown): T {
  at.steps.push(step);
  const result = inner(value, at);
  at.steps.pop();
  return result;
}
