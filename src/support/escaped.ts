/** Texts in HTML that is written as text, also by pages in a browser. No imports. */

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/**
 * Escapes a text for an element, or for an attribute in double quotes.
 *
 * @example `escaped('16" <b>'); // → '16&quot; &lt;b&gt;'`
 */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character]!);
}
