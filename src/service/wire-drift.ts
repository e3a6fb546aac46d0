/**
 * Drift: where an answer is not what the specification says, though it can be read.
 *
 * In: what each field should hold, and a JSON value. Out: one report for each field that holds
 * something else, or that is not there. It must not know which answer it looks at.
 */
import type { z } from 'zod';
import { describe, isRecord } from './wire-value.ts';

/** One tolerated mismatch. */
export interface Drift {
  /** Path without indices, so that equal ones can be counted: `article.ocd.propclasses[].name`. */
  field: string;
  /** What the specification says, in words. */
  expected: string;
  /** What came, with its value where it is a single one: `string "0,5"`, `nothing`. */
  found: string;
}

/** Is told of every mismatch, also of equal ones. */
export type DriftReporter = (drift: Drift) => void;

/** What a field should hold. */
interface Expectation {
  /** In words; empty where anything will do. */
  expected: string;
  fits(value: unknown): boolean;
  /** May be left out, or be `null`. */
  mayLack?: boolean;
  /** Fields of an object. */
  fields?: Readonly<Record<string, z.ZodType>>;
  /** Entries of a list. */
  items?: z.ZodType;
}

const EXPECTATIONS = new WeakMap<z.ZodType, Expectation>();

/** Says what a field should hold, or corrects what was said before. */
export function expecting<T extends z.ZodType>(schema: T, more: Partial<Expectation>): T {
  const known = EXPECTATIONS.get(schema) ?? { expected: '', fits: () => true };
  EXPECTATIONS.set(schema, { ...known, ...more });
  return schema;
}

/** A field that an answer need not have. */
export function mayLack<T extends z.ZodType>(schema: T): T {
  return expecting(schema, { mayLack: true });
}

/** A text that is one of a few; letter case counts. */
export function oneOf<T extends z.ZodType>(schema: T, ...texts: string[]): T {
  const fits = (value: unknown) => typeof value === 'string' && texts.includes(value);
  return expecting(schema, { expected: `one of ${texts.join(' ')}`, fits });
}

/** Gives a schema that was made from another one the same expectation. */
export function as<T extends z.ZodType>(schema: T, original: z.ZodType): T {
  return expecting(schema, EXPECTATIONS.get(original) ?? {});
}

/**
 * Reports where a value is not what its schema expects.
 *
 * @param schema - Made of the fields of `wire-fields.ts`; what else it holds is not looked at.
 * @param where - What the value is: `article`, `nodes[]`.
 *
 * @example
 * ```ts
 * findDrift(property, { digits: '4' }, 'property', console.log);
 * // { field: 'property.digits', expected: 'a finite number', found: 'string "4"' }, and what is missing
 * ```
 *
 * @see D-784.
 */
export function findDrift(
  schema: z.ZodType,
  value: unknown,
  where: string,
  report: DriftReporter,
): void {
  const expectation = EXPECTATIONS.get(schema);
  if (expectation === undefined) return;
  const { expected, fits, mayLack: isOptional = false, fields, items } = expectation;
  if (value === undefined || value === null) {
    if (!isOptional && expected !== '') report({ field: where, expected, found: 'nothing' });
    return;
  }
  if (!fits(value)) {
    report({ field: where, expected, found: describe(value) });
    return;
  }
  if (items !== undefined && Array.isArray(value)) {
    for (const item of value) findDrift(items, item, `${where}[]`, report);
  }
  if (fields !== undefined && isRecord(value)) {
    for (const [name, field] of Object.entries(fields)) {
      findDrift(field, value[name], `${where}.${name}`, report);
    }
  }
}

/**
 * Reads what an error says of a mismatch that could not be tolerated.
 *
 * @returns Undefined where the error is about no field.
 *
 * @example
 * ```ts
 * driftIn('article.children[2].ocd: expected an object, received string "none"');
 * // → { field: 'article.children[].ocd', expected: 'an object', found: 'string "none"' }
 * ```
 */
export function driftIn(message: string): Drift | undefined {
  const [, where, expected, found] =
    /^([^\s:]+): expected (.*?), received (.*)$/s.exec(message) ?? [];
  if (where === undefined || expected === undefined || found === undefined) return undefined;
  return { field: where.replace(/\[\d+\]/g, '[]'), expected, found };
}
