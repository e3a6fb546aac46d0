/**
 * Wire values: single values of a JSON answer, read or described, without any schema.
 */
import { redact } from '../support/redact.ts';

/** An object of a JSON answer. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/**
 * Metres, degrees or factors beyond this are nonsense; sums and products of thousands of those below
 * stay finite.
 */
export const LARGEST_NUMBER = 1e15;

/** Whether a value is an object, and neither a list nor nothing. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads a number that may have been sent as a text, with a decimal comma too.
 *
 * @returns Undefined where it is none; `whenEmpty` for an empty text.
 *
 * @example
 * ```ts
 * readNumber('0,5'); // → 0.5
 * ```
 *
 * @see D-500.
 */
export function readNumber(value: unknown, whenEmpty?: number): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string') return undefined;
  const trimmed = value.trim();
  if (trimmed === '') return whenEmpty;
  const dotted = /^[^.,]*,[^.,]*$/.test(trimmed) ? trimmed.replace(',', '.') : trimmed;
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(dotted)) return undefined;
  const result = Number(dotted);
  return Number.isFinite(result) ? result : undefined;
}

/**
 * What came, in a few words, for an error that says what was expected instead.
 *
 * @example
 * ```ts
 * describe('abc'); // → 'string "abc"'
 * describe(undefined); // → 'nothing'
 * ```
 */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  // Before it is cut: half a secret would not be recognised any more.
  const shown = redact(String(value));
  return `${typeof value} ${JSON.stringify(shown.length > 40 ? `${shown.slice(0, 40)}…` : shown)}`;
}
