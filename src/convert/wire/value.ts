/** Single values of a JSON answer: numbers, names, tokens, identifiers; their description in errors; their nesting. */

import { ConverterError, type ErrorCode } from '../../support/errors.ts';
import { redact } from '../../support/redact.ts';
import type { Vec3 } from '../model/graphics.ts';

/** An object of a JSON answer. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Limit beyond which metres, degrees or factors are nonsense; sums and products of thousands below it stay finite. */
export const LARGEST_NUMBER = 1e15;

/** Limit of nested arrays and objects; a parts list has two of them for each of its own levels. */
const MAX_JSON_DEPTH = 500_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** Whether a value is an object, neither an array nor null. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is undefined or null. */
export function isMissing(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** Returns the fields of an object that are not undefined. */
export function withoutUndefined<T extends object>(
  fields: T,
): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** Reads a number that may have been sent as a text, with a decimal comma too (D-500); undefined if it is none. */
export function readNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string') return undefined;
  const trimmed = value.trim();
  const dotted = /^[^.,]*,[^.,]*$/.test(trimmed) ? trimmed.replace(',', '.') : trimmed;
  // The pattern has one way only to read each digit, so that a long text takes linear time.
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(dotted)) return undefined;
  const result = Number(dotted);
  return Number.isFinite(result) ? result : undefined;
}

/** Reads three numbers, and `missing` for absent ones; throws the result of `fail` for the place and value. */
export function readVector(
  value: unknown,
  missing: number,
  fail: (step: string, expected: string, received: unknown) => ConverterError,
): Vec3 {
  if (isMissing(value)) return [missing, missing, missing];
  if (!Array.isArray(value) || value.length !== 3) {
    throw fail('', 'an array of three numbers', value);
  }
  return value.map((element, i) => {
    const read = isMissing(element) ? missing : readNumber(element);
    if (read !== undefined && Math.abs(read) <= LARGEST_NUMBER) return read;
    throw fail(`[${i}]`, 'a finite number', element);
  }) as unknown as Vec3;
}

/** Describes a received value in a few words: `string "abc"`, `an array of 3`, `nothing`. */
export function describe(value: unknown): string {
  if (isMissing(value)) return 'nothing';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  // Secrets are removed before the text is cut, because half a secret is not recognised.
  const shown = redact(String(value));
  return `${typeof value} ${JSON.stringify(shown.length > 40 ? `${shown.slice(0, 40)}…` : shown)}`;
}

/** Returns the spelling that all names of one block or material share: upper case, without a leading `::` (D-111). */
export function canonicalName(name: string): string {
  return (name.startsWith('::') ? name.slice(2) : name).toUpperCase();
}

/**
 * Parses a body as JSON. A number for an identifier or text is read as text if its digits would change (D-787).
 *
 * @throws {@link ConverterError} the given code if it is no complete JSON in UTF-8.
 * @example `parseJson(utf8('{"id":9007199254740993}')); // → { id: '9007199254740993' }`
 */
export function parseJson(bytes: Uint8Array, code: ErrorCode = 'RESPONSE_INVALID'): unknown {
  const content = decodeUtf8(bytes, code);
  try {
    return JSON.parse(withExactDigits(content));
  } catch {
    // The engine's own message quotes the body, so it is not kept as the cause.
    throw new ConverterError(code, `expected JSON, received ${noJson(content)}`);
  }
}

/** Objects, lists and keys of a cart: a planning of some hundred articles has about 100,000. */
export const MAX_CART_VALUES = 500_000;

/**
 * Parses a cart, which anyone may have made; it is checked before, because parsing could end the process.
 *
 * @param maxValues - Most objects, lists and keys.
 * @throws {@link ConverterError} `CART_INVALID`
 */
export function parseCart(bytes: Uint8Array, maxValues: number = MAX_CART_VALUES): unknown {
  const refuse = (limit: string, help?: string) => {
    const message = `expected at most ${limit}, received more`;
    return new ConverterError('CART_INVALID', message, { ...(help && { help }) });
  };
  const depth = exceededLimit(bytes);
  if (depth !== undefined) throw refuse(depth);
  // 16 MiB of `{},` would take 300 MiB of memory.
  const values = exceededLimit(bytes, maxValues, Number.POSITIVE_INFINITY);
  const help = 'raise limits.maxCartValues (of the inbox: --max-values) if the cart is correct';
  if (values !== undefined) throw refuse(values, help);
  return parseJson(bytes, 'CART_INVALID');
}

function noJson(content: string): string {
  return content.trim() === '' ? 'nothing' : 'something else or only a part of it';
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes UTF-8 strictly: replacement characters would make two names one (D-787). */
function decodeUtf8(bytes: Uint8Array, code: ErrorCode): string {
  try {
    return UTF_8.decode(bytes);
  } catch (cause) {
    throw new ConverterError(code, 'expected text in UTF-8, received other bytes', { cause });
  }
}

/** Keys whose values are identifiers or texts. */
const TEXT_KEYS =
  'id rootid nodeid parentnode permanentid result manufacturer program basearticlenumber finalarticlenumber variantcode reinit reinitstring typename name text shorttext propclass propclassname prop currentvalue newvalue valuefrom btgname mat mname lay';

/** A number after such a key. Inside a text no key matches, because its quotes follow backslashes. */
const TEXT_NUMBER = new RegExp(
  String.raw`(?<!\\)("(?:${TEXT_KEYS.replaceAll(' ', '|')})"\s*:\s*(?:\[\s*)?)(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?)(?=\s*[,}\]])`,
  'gi',
);

function withExactDigits(content: string): string {
  return content.replace(TEXT_NUMBER, (all, before: string, digits: string) =>
    String(Number(digits)) === digits ? all : `${before}"${digits}"`,
  );
}

/** Parses a body that must be an object, named `where` in errors; throws the given code like {@link parseJson}. */
export function parseRecord(bytes: Uint8Array, code: ErrorCode, where = 'body'): JsonRecord {
  const body = parseJson(bytes, code);
  if (isRecord(body)) return body;
  throw mismatch(code, where, 'an object', body);
}

/** Decodes the texts of `{"result":[…]}`, in their order; empty ones and other values are left out (D-601). */
export function decodeResults(body: Uint8Array): string[] {
  const { result } = parseRecord(body, 'RESPONSE_INVALID', 'answer');
  if (!Array.isArray(result))
    throw mismatch('RESPONSE_INVALID', 'answer.result', 'an array', result);
  return result.filter((element) => typeof element === 'string' && element !== '');
}

/** An identifier that was sent as plain text, or as a number that must keep its digits. */
const PLAIN = /^[\w.~{}-]{1,512}$/;
const NO_IDENTIFIER: ReadonlySet<string> = new Set(['null', 'true', 'false', '{}']);

/**
 * Decodes a permanent identifier: a JSON text, `{"permanentid":…}`, `{"result":[…]}`, an object with one text, or
 * plain text. @throws `RESPONSE_INVALID` @see Spec 4.3 (reinit; the form is not shown); D-783.
 */
export function decodePermanentId(body: Uint8Array): string {
  const code = 'RESPONSE_INVALID';
  const content = decodeUtf8(body, code).trim();
  if (PLAIN.test(content) && !NO_IDENTIFIER.has(content)) return content;
  const fail = (received: string) =>
    new ConverterError(code, `expected a permanent identifier, received ${received}`);
  let value: unknown;
  try {
    value = JSON.parse(withExactDigits(content));
  } catch {
    throw fail(noJson(content));
  }
  const found = identifierIn(value);
  if (found === undefined) throw fail(describe(value));
  return found;
}

function identifierIn(value: unknown): string | undefined {
  if (!isRecord(value)) return textOf(value);
  if (Object.hasOwn(value, 'permanentid')) return textOf(value.permanentid);
  if (Object.hasOwn(value, 'result')) return textOf(value.result);
  const texts = Object.values(value).filter((entry) => textOf(entry) !== undefined);
  return texts.length === 1 ? textOf(texts[0]) : undefined;
}

/** A text, a whole number, or a list that begins with one of them. */
function textOf(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof first === 'number') return Number.isSafeInteger(first) ? String(first) : undefined;
  if (typeof first !== 'string') return undefined;
  return first.trim() === '' ? undefined : first;
}

/** The error for a value that cannot be read: `where: expected …, received …`. */
export function mismatch(
  code: ErrorCode,
  where: string,
  expected: string,
  received: unknown,
): ConverterError {
  return new ConverterError(code, `${where}: expected ${expected}, received ${describe(received)}`);
}

/**
 * The limit that a JSON text exceeds, in words, if parsing it could end the process (D-844); undefined if there is none.
 *
 * @param maxValues - Most objects, lists and keys: `{},` takes three bytes as text and 56 in memory. The numbers of an
 *   array do not count, because they take little more than their text.
 */
export function exceededLimit(
  bytes: Uint8Array,
  maxValues = Number.POSITIVE_INFINITY,
  maxDepth = MAX_JSON_DEPTH,
): string | undefined {
  // Most bodies are shorter, and need not be scanned.
  if (bytes.length <= Math.min(maxValues, maxDepth)) return undefined;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    // Most bytes are digits and commas.
    if (byte < COLON) {
      if (byte === QUOTE) at = endOfText(bytes, at);
      continue;
    }
    // [ and {, ] and } differ from each other in the same bit.
    const isOpening = (byte | 0x20) === 0x7b;
    if (isOpening) depth += 1;
    else if ((byte | 0x20) === 0x7d) depth -= 1;
    if (isOpening || byte === COLON) values += 1;
    if (depth > maxDepth) return `${maxDepth} nested levels`;
    if (values > maxValues) return `${maxValues} objects, lists and keys`;
  }
  return undefined;
}

/** Length from which the engine searches a text: it takes longer to begin and less time per byte. */
const LONG_TEXT_BYTES = 40;

/** Index of the quote that ends the text whose first quote is at `start`. */
function endOfText(bytes: Uint8Array, start: number): number {
  const end = Math.min(bytes.length, start + LONG_TEXT_BYTES);
  let at = start + 1;
  for (; at < end; at++) {
    if (bytes[at] === BACKSLASH) at += 1;
    else if (bytes[at] === QUOTE) return at;
  }
  for (;;) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return bytes.length;
    let first = quote;
    while (first > at && bytes[first - 1] === BACKSLASH) first -= 1;
    // Two backslashes in a row are one backslash of the text.
    if ((quote - first) % 2 === 0) return quote;
    at = quote + 1;
  }
}
