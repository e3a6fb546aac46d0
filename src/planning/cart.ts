/** The cart post: the topmost article goes to the address of the page's parameters. @see Spec 4.6 */
import type { JsonRecord } from '../service/wire-value.ts';
import { redact } from '../support/redact.ts';

/** What became of a cart post. */
export type CartResult =
  /** The receiver has answered; `answer` is its JSON, or the beginning of its text. */
  | { kind: 'answered'; status: number; isAccepted: boolean; answer: unknown }
  /** It has not, or its answer is not for pages of this origin. */
  | { kind: 'unreachable' }
  | { kind: 'late' }
  /** A person did not want to wait: it may have been received all the same. */
  | { kind: 'cancelled' };

const TIMEOUT_MS = 30_000;
const LONGEST_TEXT = 2_000;

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

/** Requirements on the answer are not specified. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.slice(0, LONGEST_TEXT);
  }
}

/**
 * What a person may want to read of an answer: its texts and numbers by name, no more than a few.
 *
 * @example `answerLines({ stored: true, id: 'A1' }); // → [['stored', 'true'], ['id', 'A1']]`
 */
export function answerLines(answer: unknown): [string, string][] {
  if (typeof answer === 'string') return answer.trim() === '' ? [] : [['', answer.slice(0, 300)]];
  if (typeof answer !== 'object' || answer === null) return [];
  return Object.entries(answer)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .slice(0, 8)
    .map(([name, value]) => [name.slice(0, 60), String(value).slice(0, 300)]);
}
