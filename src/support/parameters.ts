/** Checks the parameters of functions that programs without types call. */
import type { z } from 'zod';
import { ConverterError } from './errors.ts';
import { didYouMean } from './nearest.ts';

/** What a parameter has to be. */
export interface ParameterCheck {
  /** With its article, as the end of "expected …". */
  expected: string;
  is(value: unknown): boolean;
  required?: boolean;
  /** The checks of the fields of an object, which may have others. */
  fields?: Checks | ((value: never) => Checks);
  /** The check of every value of an object or list. */
  each?: ParameterCheck;
  /** The schema of the value. */
  schema?: z.ZodType;
  /** No message shows the value, which may be a secret. */
  isHidden?: boolean;
}

type Checks = Readonly<Record<string, ParameterCheck>>;

const isText = (value: unknown) => typeof value === 'string';

/** The checks that several functions use. */
export const CHECKS = {
  string: { expected: 'a text', is: isText },
  text: { expected: 'a text that is not empty', is: (v) => typeof v === 'string' && v !== '' },
  number: { expected: 'a whole number from 1', is: (v) => Number.isInteger(v) && Number(v) >= 1 },
  boolean: { expected: 'true or false', is: (v) => typeof v === 'boolean' },
  function: { expected: 'a function', is: (v) => typeof v === 'function' },
  object: { expected: 'an object', is: isObject },
  signal: { expected: 'an AbortSignal', is: (v) => v instanceof AbortSignal },
  list: { expected: 'a list', is: Array.isArray },
  env: {
    expected: 'an object',
    is: isObject,
    each: { expected: 'a text', is: isText, isHidden: true },
  },
} as const satisfies Record<string, ParameterCheck>;

const HELP = 'correct the call: src/README.md of the package shows one of each function';

/** A check of a parameter that must not be left out. */
export function required(check: ParameterCheck): ParameterCheck {
  return { ...check, required: true };
}

/**
 * Checks the fields of an object.
 *
 * @param name - Of the function.
 * @param isOpen - Whether the object may have other fields.
 * @throws {@link ConverterError} `USAGE` naming function and field; it shows no value of an object.
 *
 * @example
 * ```ts
 * checkParameters('run', { limit: '5' }, { limit: CHECKS.number });
 * // → USAGE 'run: limit: expected a whole number from 1, received "5"'
 * ```
 */
export function checkParameters(
  name: string,
  given: unknown,
  checks: Checks,
  isOpen = false,
): void {
  const known = Object.keys(checks);
  if (!isObject(given)) {
    const names = known.filter((key) => checks[key]!.required);
    throw refuse(name, `an object with ${names.join(', ')}`, shown(given));
  }
  const unknown = isOpen ? undefined : Object.keys(given).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, known) || `; fields: ${known.join(', ')}`;
    throw refuse(name, 'a known field', `"${unknown}"${hint}`);
  }
  for (const [key, check] of Object.entries(checks)) {
    const value = given[key];
    const where = `${name}: ${key}`;
    const isWrong = value === undefined ? check.required : !check.is(value);
    if (isWrong)
      throw refuse(where, check.expected, check.isHidden ? 'another value' : shown(value));
    if (value !== undefined) checkInside(where, value, check);
  }
}

function refuse(where: string, expected: string, received: string): ConverterError {
  const message = `${where}: expected ${expected}, received ${received}`;
  return new ConverterError('USAGE', message, { help: HELP });
}

function checkInside(
  where: string,
  value: unknown,
  { fields, each, schema }: ParameterCheck,
): void {
  if (schema) checkSchema(where, value, schema);
  if (fields) {
    const checks = typeof fields === 'function' ? fields(value as never) : fields;
    checkParameters(where, value, checks, true);
  }
  if (each) {
    const isList = Array.isArray(value);
    const entries = Object.entries(value as object).map(([key, entry]) => {
      return [isList ? `entry ${Number(key) + 1}` : key, entry] as const;
    });
    const checks = Object.fromEntries(entries.map(([key]) => [key, each]));
    checkParameters(where, Object.fromEntries(entries), checks, true);
  }
}

/** Types of the schema library in plain words. */
export const SCHEMA_TYPES: Readonly<Record<string, string>> = {
  string: CHECKS.string.expected,
  number: 'a number',
  int: 'a whole number',
  boolean: CHECKS.boolean.expected,
  array: CHECKS.list.expected,
  object: CHECKS.object.expected,
  record: CHECKS.object.expected,
};

function checkSchema(where: string, value: unknown, schema: z.ZodType): void {
  const issue = schema.safeParse(value, { jitless: true }).error?.issues[0];
  if (issue === undefined) return;
  const type = issue.code === 'invalid_type' ? SCHEMA_TYPES[issue.expected] : undefined;
  const expected = type ?? issue.message.replace(/^.*?expected /, '');
  const steps = issue.path.map((step) =>
    typeof step === 'number' ? `entry ${step + 1}` : String(step),
  );
  const received = issue.path.reduce<unknown>(
    (inner, step) => (inner as Record<PropertyKey, unknown>)[step],
    value,
  );
  throw refuse([where, ...steps].join(': '), expected, shown(received));
}

/**
 * Makes a function that checks its parameters first.
 *
 * @param checks - By name, in the order of the parameters.
 * @returns A function that throws, or rejects if `isAsync`, which by default is whether the given one is.
 */
export function checked<F extends (...parameters: never[]) => unknown>(
  work: F,
  checks: Checks,
  { name = work.name, isAsync = isAsyncFunction(work) } = {},
): F {
  const entries = Object.entries(checks);
  // The client calls itself so for each request; the whole check takes ten times as long.
  const isPlain = entries.every(([, { fields, each, schema }]) => !fields && !each && !schema);
  const fits = ([, check]: (typeof entries)[0], value: unknown) =>
    value === undefined ? !check.required : check.is(value);
  const call = (...parameters: never[]) => {
    if (!isPlain || !entries.every((entry, index) => fits(entry, parameters[index]))) {
      const given = entries.map(([key], index) => [key, parameters[index]]);
      checkParameters(name, Object.fromEntries(given), checks);
    }
    return work(...parameters);
  };
  return (isAsync ? async (...parameters: never[]) => call(...parameters) : call) as F;
}

function isAsyncFunction(work: unknown): boolean {
  return Object.prototype.toString.call(work) === '[object AsyncFunction]';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value === 'function') return 'a function';
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : String(value);
}
