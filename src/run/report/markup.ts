/** Templates of HTML and XML, in which every value is escaped where it is inserted. @see D-858 */

/** A piece of finished HTML or XML. */
export interface Html {
  readonly html: string;
}

/** What a template accepts. */
export type Value = Html | string | number | undefined | readonly Value[];

/**
 * Makes HTML or XML from a template: texts are escaped, lists are joined, undefined is left out.
 *
 * @example
 * ```ts
 * html`<b>${'<i>'}</b>`.html;   // → '<b>&lt;i&gt;</b>'
 * ```
 */
export function html(template: TemplateStringsArray, ...values: Value[]): Html {
  const parts = values.map((value, i) => toText(value) + template[i + 1]!);
  return { html: template[0]! + parts.join('') };
}

function toText(value: Value): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'number') return String(value);
  return 'html' in value ? value.html : value.map(toText).join('');
}

/** Controls, marks of direction, zero widths, and what HTML and XML cannot contain. */
const INVISIBLE = /[\p{Cc}\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFFE\uFFFF]/gu;

/** Escapes a text for an element or a quoted attribute; no article number looks like another. */
function escapeText(text: string): string {
  const visible = text.toWellFormed().replace(INVISIBLE, (character) => {
    if (character === '\n' || character === '\t') return character;
    return `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  });
  // In an attribute, an XML parser replaces a line end or a tab that is not escaped with a blank.
  return visible.replace(/[&<>"'`\n\t]/g, (character) => `&#${character.charCodeAt(0)};`);
}
