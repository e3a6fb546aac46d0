/** Checks the parameters of functions that programs without types call. */
import { ConverterError } from './errors.ts';
import { didYouMean } from './nearest.ts';

/** What a parameter has to be. */
export interface ParameterCheck {
  /** With its article, as the end of "expected …". */
  expected: string;
  is(value: unknown): boolean;
  required?: boolean;
  /** The checks of the fields of an object, which may have others. */
  fields?: Readonly<Record<string, ParameterCheck>>;
}

/** The checks that several functions use. */
export const CHECKS = {
  text: { expected: 'a text that is not empty', is: (v) => typeof v === 'string' && v !== '' },
  number: { expected: 'a whole number from 1', is: (v) => Number.isInteger(v) && Number(v) >= 1 },
  boolean: { expected: 'true or false', is: (v) => typeof v === 'boolean' },
  function: { expected: 'a function', is: (v) => typeof v === 'function' },
  object: { expected: 'an object', is: isObject },
  signal: { expected: 'an AbortSignal', is: (v) => v instanceof AbortSignal },
  list: { expected: 'a list', is: Array.isArray },
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
  checks: Readonly<Record<string, ParameterCheck>>,
  isOpen = false,
): void {
  const refuse = (where: string, expected: string, received: string) => {
    const message = `${where}: expected ${expected}, received ${received}`;
    return new ConverterError('USAGE', message, { help: HELP });
  };
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
  for (const [key, { expected, is, required, fields }] of Object.entries(checks)) {
    const value = given[key];
    const where = `${name}: ${key}`;
    const isWrong = value === undefined ? required : !is(value);
    if (isWrong) throw refuse(where, expected, shown(value));
    if (value !== undefined && fields) checkParameters(where, value, fields, true);
  }
}

/**
 * Makes a function that checks its parameters first.
 *
 * @param checks - By name, in the order of the parameters.
 * @returns A function that throws, or rejects if the given one is async.
 */
export function checked<F extends (...parameters: never[]) => unknown>(
  work: F,
  checks: Readonly<Record<string, ParameterCheck>>,
): F {
  const names = Object.keys(checks);
  const call = (...parameters: never[]) => {
    const given = Object.fromEntries(names.map((name, index) => [name, parameters[index]]));
    checkParameters(work.name, given, checks);
    return work(...parameters);
  };
  const isAsync = Object.prototype.toString.call(work) === '[object AsyncFunction]';
  return (isAsync ? async (...parameters: never[]) => call(...parameters) : call) as F;
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
