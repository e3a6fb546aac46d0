/**
 * Wire fields: how one value of a JSON answer is read, with or without the type that it should have.
 *
 * In: `unknown` values and raw bodies. Out: plain values, or one sentence that says where, what was
 * expected and what came. It must not know which answer it reads, nor anything of HTTP.
 */
import { z } from 'zod';
import { ConverterError } from '../support/errors.ts';
import { as, expecting } from './wire-drift.ts';
import { describe, isRecord, readNumber } from './wire-value.ts';

type Field<T> = z.ZodType<T>;

/**
 * A field that is read by hand: missing and `null` are the default, anything unreadable is an issue.
 *
 * @param expected - What the field should hold, as the error message calls it.
 * @param missing - Value of a field that was not sent.
 * @param fits - Whether a value is what the specification says: what can be read may still not be.
 * @param read - Undefined where the value cannot be read.
 */
function field<T>(
  expected: string,
  missing: T,
  fits: (value: unknown) => boolean,
  read: (value: unknown) => T | undefined,
): Field<T> {
  const schema = z
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
  return expecting(schema, { expected, fits });
}

const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value);
const isText = (value: unknown) => typeof value === 'string';

/** A text; a number or a truth value that stands in its place is read as its own spelling. */
export function text(missing = ''): Field<string> {
  return field('a text', missing, isText, (value) =>
    typeof value === 'object' ? undefined : String(value),
  );
}

/** A value of a property: a text, or just as well a number. */
export function textOrNumber(): Field<string> {
  const fits = (value: unknown) => isText(value) || isNumber(value);
  return expecting(text(), { expected: 'a text or a number', fits });
}

/** A number, also where it was sent as a text. */
export function number(missing = 0): Field<number> {
  return field('a finite number', missing, isNumber, (value) => readNumber(value, missing));
}

/** A number that may be left out. */
export function optionalNumber(): Field<number | undefined> {
  const schema = field<number | undefined>('a finite number', undefined, isNumber, (value) =>
    readNumber(value),
  );
  return expecting(schema, { mayLack: true });
}

/** A bound of a range, that may be left out: a number, or just as well one as a text. */
export function bound(): Field<number | undefined> {
  const fits = (value: unknown) =>
    isNumber(value) || (isText(value) && isNumber(Number(value)) && value !== '');
  return expecting(optionalNumber(), { expected: 'a number', fits });
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
  const fits = (value: unknown) => typeof value === 'boolean';
  return field('true or false', missing, fits, (value) =>
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
  const schema = z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);
  return expecting(schema, { expected: 'an array', fits: Array.isArray, items: item });
}

/** An object with these fields; others are left out. */
export function object<Fields extends Record<string, z.ZodType>>(fields: Fields) {
  return expecting(z.object(fields), { expected: 'an object', fits: isRecord, fields });
}

/** An object that may be missing, and then is undefined. */
export function optionalObject<T>(schema: z.ZodType<T>): Field<T | undefined> {
  const nullish = schema.nullish().transform((value) => value ?? undefined);
  return as(nullish, schema);
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
