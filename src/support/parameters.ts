/** Checks the parameters of functions that programs without types call. */
import { ConverterError } from './errors.ts';
import { didYouMean } from './nearest.ts';

/** What a parameter has to be. */
export interface ParameterCheck {
  /** With its article, as the end of "expected …". */
  expected: string;
  is(value: unknown): boolean;
  required?: boolean;
}

/** The checks that several functions use. */
export const CHECKS = {
  text: { expected: 'a text that is not empty', is: (v) => typeof v === 'string' && v !== '' },
  number: { expected: 'a whole number from 1', is: (v) => Number.isInteger(v) && Number(v) >= 1 },
  boolean: { expected: 'true or false', is: (v) => typeof v === 'boolean' },
  function: { expected: 'a function', is: (v) => typeof v === 'function' },
  object: { expected: 'an object', is: isObject },
  signal: { expected: 'an AbortSignal', is: (v) => v instanceof AbortSignal },
} as const satisfies Record<string, ParameterCheck>;

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
  const refuse = (expected: string, received: string) =>
    new ConverterError('USAGE', `${name}: expected ${expected}, received ${received}`);
  const known = Object.keys(checks);
  if (!isObject(given)) {
    const names = known.filter((key) => checks[key]!.required);
    throw refuse(`an object with ${names.join(', ')}`, shown(given));
  }
  const unknown = isOpen ? undefined : Object.keys(given).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, known) || `; fields: ${known.join(', ')}`;
    throw refuse('a known field', `"${unknown}"${hint}`);
  }
  for (const [key, { expected, is, required }] of Object.entries(checks)) {
    const value = given[key];
    if (value === undefined ? required : !is(value)) {
      const message = `${name}: ${key}: expected ${expected}, received ${shown(value)}`;
      throw new ConverterError('USAGE', message);
    }
  }
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
