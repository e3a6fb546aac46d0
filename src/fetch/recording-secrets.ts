/**
 * Recording secrets: takes credentials out of what is recorded.
 *
 * In: JSON text as a service sent it. Out: the same text, byte for byte, but for secrets in its strings.
 * Each string is looked at by itself: a pattern that ran on past its end would garble the text.
 */
import { redact } from '../support/redact.ts';

const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/gs;

/**
 * Takes secrets out of the strings of a JSON text, however they are escaped.
 *
 * @param text - Valid JSON.
 *
 * @example
 * ```ts
 * withoutSecrets('{"url": "https:\/\/h\/x?token=abc", "n": 1.50}');
 * // → '{"url": "https://h/x?token=***", "n": 1.50}'
 * ```
 *
 * @see D-610, D-822.
 */
export function withoutSecrets(text: string): string {
  return text.replace(STRING, (spelled) => {
    const plain = spelled.includes('\\') ? (JSON.parse(spelled) as string) : spelled.slice(1, -1);
    const clean = redact(plain);
    return clean === plain ? spelled : JSON.stringify(clean);
  });
}
