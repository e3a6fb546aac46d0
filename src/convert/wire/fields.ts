/** Fields of a JSON answer: each reads one value and reports drift from the specification. */
import type { ConverterError } from '../../support/errors.ts';
import { describe, isMissing, isRecord, mismatch, readNumber } from './value.ts';

/** One mismatch between an answer and the specification that was tolerated. */
export interface Drift {
  /** Path without indices, so that equal mismatches can be counted: `article.ocd.propclasses[].name`. */
  field: string;
  /** Expected value by the specification, in words. */
  expected: string;
  /** Received value, with its content if it is a single one: `string "0,5"`, `nothing`. */
  found: string;
}

/** Receives every mismatch, repeated ones included. */
export type DriftReporter = (drift: Drift) => void;

/** Records a field, by its path or a function that makes it, whose value differs from the specification. */
export type NoteDrift = (field: string | (() => string), expected: string, value: unknown) => void;

/** Most mismatches counted in one body: describing 100,000 takes half a second and blocks everything else. */
const MOST_MISMATCHES = 10_000;

/**
 * Collects the drift of one body, to be reported once the whole body was read: for a body that cannot be read,
 * only the error counts. Equal mismatches take memory once.
 */
export function collectDrift(onDrift: DriftReporter | undefined) {
  const collected = new Map<string, { drift: Drift; count: number }>();
  let noted = 0;
  const note: NoteDrift = (path, expected, value) => {
    if (onDrift === undefined || noted >= MOST_MISMATCHES) return;
    noted += 1;
    const field = typeof path === 'string' ? path : path();
    const found = describe(value);
    const key = `${field}\n${expected}\n${found}`;
    const known = collected.get(key);
    if (known === undefined) collected.set(key, { drift: { field, expected, found }, count: 1 });
    else known.count += 1;
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

/**
 * Reads a value and reports its drift, but only once the whole value was read (D-784).
 *
 * @param where - Name of the value in errors: `article`, `nodes`.
 * @param driftWhere - Its name in drift, if that differs.
 * @throws {@link ConverterError} `RESPONSE_INVALID` with the path of the first value that cannot be read.
 * @example `decodeFields(fields.object({ n: fields.number(0) }), { n: '4' }, 'property'); // → { n: 4 }`
 */
export function decodeFields<T>(
  field: Field<T>,
  value: unknown,
  where: string,
  onDrift?: DriftReporter,
  driftWhere = where,
): T {
  const { note, report } = collectDrift(onDrift);
  const result = field(value, { where, driftWhere, steps: [], ...(onDrift && { note }) });
  report();
  return result;
}

function noteDrift({ note, driftWhere, steps }: Place, expected: string, value: unknown): void {
  const pathOf = () => {
    let path = driftWhere;
    for (const step of steps) path += typeof step === 'number' ? '[]' : `.${step}`;
    return path;
  };
  note?.(pathOf, expected, value);
}

function unreadable({ where, steps }: Place, expected: string, value: unknown): ConverterError {
  const path = steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`));
  return mismatch('RESPONSE_INVALID', `${where}${path.join('')}`, expected, value);
}

/** How a single value is read. A readable value may still differ from the specification. */
interface Rule<T> {
  /** Expected value by the specification, in words, and whether a value conforms. */
  expected: string;
  fits(value: unknown): boolean;
  /** Reads a value; undefined if it cannot be read, so that it counts as missing (D-784). */
  read(value: unknown): T | undefined;
  /** Value of a field that is missing or null. */
  missing: T;
}

function single<T>({ expected, missing, fits, read }: Rule<T>, isNeeded = false): Field<T> {
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
const readText = (value: unknown) => {
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? undefined : String(value);
};
const TEXT = { expected: 'a text', missing: '', fits: isText, read: readText };
const neededText = single(TEXT, true);
/** Longest identifier: no server accepts a request with a longer one, and it would go into every list and message. */
const MAX_IDENTIFIER_LENGTH = 65_536;
const TRUTHS: ReadonlyMap<unknown, boolean> = new Map([
  ...([
    ['true', true],
    ['1', true],
  ] as const),
  ...([
    ['false', false],
    ['0', false],
    ['', false],
  ] as const),
]);

/** Reads a value one step further down; after an error, the steps lead to the unreadable value. */
function below<T>(at: Place, step: string | number, inner: Field<T>, value: unknown): T {
  at.steps.push(step);
  const result = inner(value, at);
  at.steps.pop();
  return result;
}

const NOT_REPORTED: Place = { where: '', driftWhere: '', steps: [] };

/** A field that an answer may leave out. */
function optional<T>(inner: Field<T>): Field<T> {
  return (value, at) => inner(value, isMissing(value) ? NOT_REPORTED : at);
}

type Values<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends Field<infer Value> ? Value : never;
};

/** The kinds of fields. */
export const fields = {
  /** Any value, taken as it is: its shape is not specified. */
  anything: (value: unknown) => value,

  /** A text; a number or a truth value in its place is read as its own text. */
  text: single(TEXT),

  /** A text on which the conversion depends: an identifier, a configuration string. */
  identifier: ((value, at) => {
    const read = neededText(value, at);
    if (read.length <= MAX_IDENTIFIER_LENGTH) return read;
    throw unreadable(at, `a text of at most ${MAX_IDENTIFIER_LENGTH} characters`, value);
  }) satisfies Field<string>,

  /** A value of a property: a text or a number. */
  textOrNumber: single({
    ...TEXT,
    expected: 'a text or a number',
    fits: (value) => isText(value) || isNumber(value),
  }),

  /** A text that is one of a few given texts; letter case counts. */
  oneOf: (texts: readonly string[], missing = '') =>
    single({
      expected: `one of ${texts.join(' ')}`,
      missing,
      read: readText,
      fits: (value) => texts.includes(value as string),
    }),

  /** A number, also one that was sent as a text. */
  number: <Missing>(missing: Missing) =>
    single<number | Missing>({
      expected: 'a finite number',
      missing,
      fits: isNumber,
      read: readNumber,
    }),

  /** A bound of a range: a number that may be missing, or be sent as a text. */
  bound: optional(
    single<number | undefined>({
      expected: 'a number',
      missing: undefined,
      read: readNumber,
      fits: (value) => value !== '' && isNumber(Number(value)),
    }),
  ),

  /** A truth value, also one that was sent as `"true"`, `1` or `"0"`. */
  truth: (missing = false) =>
    single({
      expected: 'true or false',
      missing,
      fits: (value) => typeof value === 'boolean',
      read: (value) =>
        typeof value === 'boolean' ? value : TRUTHS.get(readText(value)?.trim().toLowerCase()),
    }),

  optional,

  /** A list of objects; a missing list is empty, and entries that are no objects are left out. */
  records<T>(item: Field<T>): Field<T[]> {
    return (value, at) => {
      const read: T[] = [];
      if (!Array.isArray(value)) {
        noteDrift(at, 'an array', value);
        return read;
      }
      for (const [index, entry] of value.entries()) {
        at.steps.push(index);
        if (isRecord(entry)) read.push(item(entry, at));
        else noteDrift(at, 'an object', entry);
        at.steps.pop();
      }
      return read;
    };
  },

  /** A list that must be there. */
  list<T>(item: Field<T>): Field<T[]> {
    return (value, at) => {
      if (!Array.isArray(value)) throw unreadable(at, 'an array', value);
      return value.map((entry, index) => below(at, index, item, entry));
    };
  },

  /** An object with these fields; others are left out. */
  object<Fields extends Record<string, Field<unknown>>>(named: Fields): Field<Values<Fields>> {
    const names = Object.keys(named);
    const inners = Object.values(named);
    return (value, at) => {
      if (!isRecord(value)) throw unreadable(at, 'an object', value);
      const result: Record<string, unknown> = {};
      for (let index = 0; index < names.length; index++) {
        const name = names[index]!;
        result[name] = below(at, name, inners[index]!, value[name]);
      }
      return result as Values<Fields>;
    };
  },

  /** An object that is undefined if it is missing. */
  objectOrNone<T>(inner: Field<T>): Field<T | undefined> {
    return (value, at) => {
      if (!isMissing(value)) return inner(value, at);
      noteDrift(at, 'an object', value);
      return undefined;
    };
  },
};
