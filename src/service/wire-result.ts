/** Answers that are a single text: keys and tokens of the authentication server, permanent identifiers. */
import { ConverterError } from '../support/errors.ts';
import { anything, decodeFields, listOf, object } from './wire-fields.ts';
import { describe, isRecord, parseJson } from './wire-value.ts';

const authAnswer = object({ result: listOf(anything()) });

/**
 * Decodes the texts of `{"result":[…]}`, in their order; empty ones and other values are left out.
 *
 * @throws {@link ConverterError} `RESPONSE_INVALID` if there is no array `result`.
 * @example `decodeResults(utf8('{"result":["3F2A…"]}')); // → ['3F2A…']`
 * @see Spec 4.1; D-601.
 */
export function decodeResults(body: Uint8Array): string[] {
  const { result } = decodeFields(authAnswer, parseJson(body), 'answer');
  return result.filter((element) => typeof element === 'string' && element !== '') as string[];
}

/** An identifier that was sent as plain text, or as a number that must not lose digits. */
const PLAIN = /^[\w.~{}-]{1,512}$/;
const NO_IDENTIFIER: ReadonlySet<string> = new Set(['null', 'true', 'false', '{}']);

/**
 * Decodes a permanent identifier: a JSON text, `{"permanentid":…}`, `{"result":[…]}` as other
 * operations of such servers answer, an object with one text in it, or plain text.
 *
 * @throws {@link ConverterError} `RESPONSE_INVALID` if none of these is there.
 *
 * @example
 * ```ts
 * decodePermanentId(utf8('{"result":["7C1E"]}')); // → '7C1E'
 * decodePermanentId(utf8('7C1E')); // → '7C1E'
 * ```
 * @see Spec 4.3 (reinit; the form is not shown); D-783.
 */
export function decodePermanentId(body: Uint8Array): string {
  const content = new TextDecoder().decode(body).trim();
  if (PLAIN.test(content) && !NO_IDENTIFIER.has(content)) return content;
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    const received = content === '' ? 'nothing' : 'something else or only a part of it';
    throw invalid(received);
  }
  const found = identifierIn(value);
  if (found === undefined) throw invalid(describe(value));
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

function invalid(received: string): ConverterError {
  const message = `expected a permanent identifier, received ${received}`;
  return new ConverterError('RESPONSE_INVALID', message);
}
