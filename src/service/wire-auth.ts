/**
 * Answers of the authentication server: `{"result":[…]}`.
 *
 * In: a raw body. Out: the result's elements. It must not know which of them is the token.
 */
import { z } from 'zod';
import { checkShape, parseJson } from './wire-fields.ts';

const answer = z.object({ result: z.array(z.unknown()) });

/**
 * Decodes the elements of `result` that are texts, in their order.
 *
 * @throws {@link ConverterError} `RESPONSE_INVALID` if there is no array `result`.
 *
 * @example
 * ```ts
 * decodeResults(utf8('{"result":["3F2A…"]}')); // → ['3F2A…']
 * ```
 *
 * @see Spec 4.1; D-601.
 */
export function decodeResults(body: Uint8Array): string[] {
  const { result } = checkShape(answer, parseJson(body), 'answer');
  return result.filter((element) => typeof element === 'string' && element !== '') as string[];
}

/**
 * Decodes the first element of `result`; empty where it holds no text.
 *
 * @throws {@link ConverterError} `RESPONSE_INVALID` if there is no array `result`.
 *
 * @see Spec 4.1.
 */
export function decodeFirstResult(body: Uint8Array): string {
  return decodeResults(body)[0] ?? '';
}
