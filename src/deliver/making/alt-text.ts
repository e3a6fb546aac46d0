/** The text that stands for a picture of an article. No imports from Node: the page of the gallery uses this file. */
import { visible } from '../../support/visible.ts';

/** Screen readers read a longer text in parts. */
const MOST_CHARACTERS = 160;

/**
 * The text that says what a picture of an article shows: its name, then as many lines of its variant text as fit.
 *
 * @param texts - In the language of the reader.
 * @returns One line of at most 160 characters, or the name alone.
 * @example
 * ```ts
 * altText({ name: 'Desk 1600 × 800', variant: 'Finish: Walnut veneer\nFrame: Silver' });
 * // → 'Desk 1600 × 800, Finish: Walnut veneer, Frame: Silver'
 * ```
 */
export function altText({ name, variant }: { name: string; variant: string }): string {
  let text = oneLine(name);
  for (const line of variant.split(/[\r\n]+/)) {
    const detail = oneLine(line);
    if (text.length + detail.length + 2 > MOST_CHARACTERS) break;
    if (detail !== '') text += `, ${detail}`;
  }
  return text;
}

function oneLine(text: string): string {
  return visible(text.replace(/\s+/g, ' ').trim(), true);
}
