/**
 * Wire fields: how one value of a JSON answer is read, with or without the type that it should have.
 *
 * In: `unknown` values and raw bodies. Out: plain values, or one sentence that says where, what was
 * expected and what came. It must not know which answer it reads, nor anything of HTTP.
 */
import { z } from 'zod';
import { ConverterError } from '../support/errors.ts';
import { describe, readNumber } from './wire-value.ts';

type Field<T> = z.ZodType<T>;

/**
 * A field that is read by hand: missing and `null` are the default, anything unreadable is an issue.
 *
 * @param expected - What the field should hold, as the error message calls it.
 * @param missing - Value of a field that was not sent.
 * @param read - Undefined where the value cannot be read.
 */
function field<T>(expected: string, missing: T, read: (value: unknown) => T | undefined): Field<T> {
  return z
    .unknown()
    .optional()
    .transform((value, context) => {
      if (value === undefined || value === null) return missing;
      const result = read(value);
      if (result !== undefined) return result;
      const message = `expected ${expected}, received ${describe(value)}`;
      context.issues.push({ code: 'custom', message, input: value });
      return z.NEVER;
    });
}

/** A text; a number or a truth value that stands in its place is read as its own spelling. */
export function text(missing = ''): Field<string> {
  return field('a text', missing, (value) =>
    typeof value === 'object' ? undefined : String(value),
  );
}

/** A number, also where it was sent as a text. */
export function number(missing = 0): Field<number> {
  return field('a finite number', missing, (value) => readNumber(value, missing));
}

/** A number that may be left out. */
export function optionalNumber(): Field<number | undefined> {
  return field<number | undefined>('a finite number', undefined, (value) => readNumber(value));
}

const TRUTH: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false],
  ['', false],
]);

/** A truth value, also where it was sent as `"true"`, `1` or `"0"`. */
export function truth(missing = false): Field<boolean> {
  return field('true or false', missing, (value) =>
    typeof value === 'object' ? undefined : TRUTH.get(String(value).trim().toLowerCase()),
  );
}

/** A field whose shape is not specified: it passes through untouched. */
export function anything(): Field<unknown> {
  return z
    .unknown()
    .optional()
    .transform((value) => value);
}

/** A list; one that was not sent is empty. */
export function list<T>(item: z.ZodType<T>): Field<T[]> {
  return z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);
}

/**
 * Reads a body as JSON.
 *
 * @param bytes - UTF-8, with or without a byte-order mark.
 * @throws {@link ConverterError} `RESPONSE_INVALID` if it is no complete JSON in UTF-8.
 */
export function parseJson(bytes: Uint8Array): unknown {
  let content: string;
  try {
    content = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ConverterError('RESPONSE_INVALID', 'expected text in UTF-8, received other bytes', {
      cause,
    });
  }
  try {
    return JSON.parse(content);
  } catch {
    // The engine's own message quotes the body, so it is not kept as the cause.
    const received = content.trim() === '' ? 'nothing' : 'something else or only a part of it';
    throw new ConverterError('RESPONSE_INVALID', `expected JSON, received ${received}`);
  }
}

/**
 * Checks a value against a shape.
 *
 * @param where - What the value is, as the message calls it: `article`, `nodes[3]`.
 * @throws {@link ConverterError} `RESPONSE_INVALID` with the first mismatch and its path.
 */
export function checkShape<T>(shape: z.ZodType<T>, value: unknown, where: string): T {
  const result = shape.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const path = issue.path.map((step) =>
    typeof step === 'number' ? `[${step}]` : `.${String(step)}`,
  );
  throw new ConverterError('RESPONSE_INVALID', `${where}${path.join('')}: ${sentence(issue)}`);
}

function sentence(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_type') return issue.message;
  const article = /^[aeiou]/.test(issue.expected) ? 'an' : 'a';
  return `expected ${article} ${issue.expected}, received ${describe(issue.input)}`;
}
