/** The cart post: the topmost article goes to the address of the page's parameters. @see Spec 4.6 */
import type { JsonRecord } from '../../../convert/wire/value.ts';
import { redact } from '../../../support/redact.ts';

export type CartResult =
  /** The receiver has answered; `answer` is its JSON, or the beginning of its text. */
  | { kind: 'answered'; status: number; isAccepted: boolean; answer: unknown }
  /** The receiver has not answered, or its answer is not readable for pages of this origin. */
  | { kind: 'unreachable' }
  | { kind: 'late' }
  /** The person has cancelled the post: the receiver may have received it nevertheless. */
  | { kind: 'cancelled' };

const TIMEOUT_MS = 30_000;
const LONGEST_TEXT = 2_000;
const LONGEST_SENTENCE = 200;

/**
 * Posts an article; never rejects.
 *
 * @param json - The topmost article as the service sent it.
 * @example `await postCart('https://shop.example/cart', json, signal); // → { kind: 'answered', status: 200, … }`
 */
export async function postCart(
  address: string,
  json: JsonRecord,
  signal: AbortSignal,
): Promise<CartResult> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ json }),
      signal: AbortSignal.any([timeout, signal]),
      referrerPolicy: 'no-referrer',
    });
    const text = redact(await response.text());
    const { status, ok: isAccepted } = response;
    return { kind: 'answered', status, isAccepted, answer: parsed(text) };
  } catch {
    if (signal.aborted) return { kind: 'cancelled' };
    return { kind: timeout.aborted ? 'late' : 'unreachable' };
  }
}

/** Parses an answer, whose format is not specified. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.slice(0, LONGEST_TEXT);
  }
}

/**
 * Prepares an answer for display: a short text is a sentence to the person; anything else is data, for the person who
 * maintains the receiver. Undefined for an empty answer.
 *
 * @example
 * ```ts
 * readAnswer('Thank you.'); // → { sentence: 'Thank you.' }
 * readAnswer({ stored: true }); // → { data: '{\n  "stored": true\n}' }
 * ```
 */
export function readAnswer(answer: unknown): { sentence: string } | { data: string } | undefined {
  if (typeof answer !== 'string')
    return { data: JSON.stringify(answer, null, 2).slice(0, LONGEST_TEXT) };
  const text = answer.trim();
  if (text === '') return undefined;
  const isSentence = text.length <= LONGEST_SENTENCE && !/^<|\n/.test(text);
  return isSentence ? { sentence: text } : { data: text };
}
