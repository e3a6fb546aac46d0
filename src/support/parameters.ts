/** Checks the parameters of functions that programs without types call. */
import { z } from 'zod';
import { ConverterError } from './errors.ts';
import { didYouMean } from './nearest.ts';

/** The check of each field; its own message is the end of "expected …", with the article. */
type Checks = Readonly<Record<string, z.ZodType>>;

/** The checks that several functions use. */
export const CHECKS = {
  string: z.string(),
  text: z.custom((v) => typeof v === 'string' && v !== '', 'a text that is not empty'),
  number: z.custom((v) => Number.isInteger(v) && Number(v) >= 1, 'a whole number from 1'),
  boolean: z.boolean(),
  function: z.custom((v) => typeof v === 'function', 'a function'),
  object: z.object({}),
  signal: z.custom((v) => v instanceof AbortSignal, 'an AbortSignal'),
  list: z.array(z.unknown()),
  /** No message shows a value of it, which may be a secret. */
  env: z.object({}).catchall(
    z.custom((v) => v === undefined || typeof v === 'string', {
      error: 'a text',
      params: { isHidden: true },
    }),
  ),
} satisfies Checks;

/** Makes a check that is followed by those which the content of the value determines. */
export function refinedBy<T>(check: z.ZodType<T>, followers: (value: T) => z.ZodType[]): z.ZodType {
  return check.superRefine((value, { issues }) => {
    issues.push(...followers(value).flatMap((follower) => issuesOf(follower, value)));
  });
}

const HELP = 'correct the call: src/README.md of the package shows one of each function';

/**
 * Checks the fields of an object.
 *
 * @param name - Of the function.
 * @param schema - Of its fields: a function that is called for each run makes it once, as that takes longer than a check.
 * @param isOpen - Whether the object may have other fields.
 * @throws {@link ConverterError} `USAGE` naming function and field; it shows no value of an object.
 *
 * @example
 * ```ts
 * checkParameters('run', { limit: '5' }, z.object({ limit: CHECKS.number }));
 * // → USAGE 'run: limit: expected a whole number from 1, received "5"'
 * ```
 */
export function checkParameters(
  name: string,
  given: unknown,
  schema: z.ZodObject<Checks>,
  isOpen = false,
): void {
  const known = Object.keys(schema.shape);
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    const names = known.filter((key) => issuesOf(schema.shape[key]!, undefined).length > 0);
    throw refuse(name, `an object with ${names.join(', ')}`, shown(given));
  }
  const unknown = isOpen ? undefined : Object.keys(given).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, known) || `; fields: ${known.join(', ')}`;
    throw refuse(name, 'a known field', `"${unknown}"${hint}`);
  }
  expectValid(name, given, schema);
}

function expectValid(name: string, given: object, schema: z.ZodType): void {
  const [issue] = issuesOf(schema, given);
  if (issue === undefined) return;
  const steps = issue.path.map((step) =>
    typeof step === 'number' ? `entry ${step + 1}` : String(step),
  );
  const isHidden = issue.code === 'custom' && issue.params?.isHidden;
  // The messages of the library begin with "Invalid input: ".
  const expected = issue.message.replace(/^.*?expected /, '');
  const received = isHidden ? 'another value' : shown(issue.input);
  throw refuse([name, ...steps].join(': '), expected, received);
}

type Issue = z.core.$ZodIssue & { readonly [key: string]: unknown; input: unknown };

function issuesOf(schema: z.ZodType, value: unknown): Issue[] {
  // All issues of a list with 100,000 wrong entries would overflow the stack of the library.
  const error = ({ code, expected }: z.core.$ZodRawIssue) =>
    code === 'invalid_type' ? SCHEMA_TYPES[String(expected)] : undefined;
  const options = { abortEarly: true, jitless: true, reportInput: true, error };
  return (schema.safeParse(value, options).error?.issues ?? []) as Issue[];
}

function refuse(where: string, expected: string, received: string): ConverterError {
  const message = `${where}: expected ${expected}, received ${received}`;
  return new ConverterError('USAGE', message, { help: HELP });
}

/** Types of the schema library in plain words. */
export const SCHEMA_TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/**
 * Makes a function that checks its parameters first.
 *
 * @param checks - By name, in the order of the parameters.
 * @returns A function that throws, or rejects if `isAsync`, which by default is whether the given one is.
 */
export function checked<F extends (...parameters: never[]) => unknown>(
  work: F,
  checks: Checks,
  {
    name = work.name,
    isAsync = Object.prototype.toString.call(work) === '[object AsyncFunction]',
  } = {},
): F {
  const names = Object.keys(checks);
  const schema = z.object(checks);
  const call = (...parameters: never[]) => {
    const given = Object.fromEntries(names.map((key, index) => [key, parameters[index]]));
    expectValid(name, given, schema);
    return work(...parameters);
  };
  return (isAsync ? async (...parameters: never[]) => call(...parameters) : call) as F;
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value === 'function') return 'a function';
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : String(value);
}
